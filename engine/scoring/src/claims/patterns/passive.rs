//! Claims in the passive: "it has been set", "your room is booked".

use super::super::deeds::Deeds;
use super::super::verbs::{Kind, past};
use super::super::{Telling, Told};
use super::Seen;
use super::words::{COMPLETED, MADE, SERVICES, denied, is_be, is_modal, is_numeric, past_adverbs};

impl Seen<'_> {
    /// "has been set", "is booked", "are registered", "was cancelled".
    pub(super) fn passive(&self) -> Option<Told> {
        (0..self.clause.words.len()).find_map(|at| self.passive_at(at))
    }

    /// The claim with the auxiliary at index `be`.
    fn passive_at(&self, be: usize) -> Option<Told> {
        let been = self.word(be) == "been";
        let verb = past_adverbs(self.clause, be + 1);
        if !been && !is_be(self.word(be)) || self.word(verb) == "been" {
            return None;
        }
        let kind = self.participle(verb, been)?;
        let words = &self.clause.words;
        // Skip intentions before "that": "I am pleased to confirm that …".
        let content = words[..be].iter().rposition(|word| word == "that").unwrap_or(0);
        if self.intends(content, be)
            || denied(&words[..verb])
            || self.by_others(verb)
            || self.is_general(be, been)
            || self.is_idiom(verb)
            || self.is_expected(verb)
        {
            return None;
        }
        let Some(kind) = kind else {
            return (been || !self.clause.conditional).then_some(Told::COMPLETION);
        };
        if !self.has_record(be, verb) {
            return None;
        }
        let present = !been && matches!(self.word(be), "am" | "is" | "are" | "'s");
        let follows = self.clause.conditional || words[..be].iter().any(|it| it == "means");
        let follows = follows || self.has_exception();
        if present && (follows || self.is_perfect_of_person(be) || self.is_elsewhere(verb)) {
            return None;
        }
        // "Your pulse was recorded at 62" tells of a record.
        let kept = !been && matches!(self.word(verb), "logged" | "recorded" | "saved" | "stored");
        let every = words[..be].iter().any(|it| matches!(it.as_str(), "everything" | "both"));
        let about = Deeds::nouns(words[..be].iter().map(String::as_str));
        if every && about.is_empty() {
            return (!self.has_exception()).then_some(Told::HANDLED);
        }
        let state = present || kept || self.has(&["already"]);
        match state {
            true if self.word(0) == "your" && SERVICES.contains(&self.word(verb)) => {
                self.done(Telling::State, kind)
            }
            true => self.deed(Telling::State, kind),
            false if been => self.done(Telling::Event, kind),
            false => self.deed(Telling::Event, kind),
        }
    }

    /// The kind of action of a participle; `Some(None)` if it expresses only completion.
    fn participle(&self, verb: usize, been: bool) -> Option<Option<Kind>> {
        let kind = match self.word(verb) {
            "called" if self.word(verb + 1) == "off" => Kind::Remove,
            "made" | "done" if been && (!self.nouns.is_empty() || self.has(&MADE)) => Kind::Create,
            "logged" | "signed" if self.is_login(verb) => Kind::Login,
            "dealt" if self.word(verb + 1) == "with" => return Some(None),
            word if COMPLETED.contains(&word) => return Some(None),
            word => past(word)?,
        };
        Some(Some(kind))
    }

    /// Whether the subject of a passive may be a record, or the verb needs no record. `be` is the
    /// index of the auxiliary.
    fn has_record(&self, be: usize, verb: usize) -> bool {
        let subject = &self.clause.words[..be];
        let last = subject.iter().rposition(|word| !matches!(word.as_str(), "has" | "have" | "'s"));
        // "an alarm that has been deleted" is a relative clause, not a claim.
        let relative = last.filter(|at| *at > 0 && subject[*at] == "that").is_some_and(|at| {
            let before = subject[at - 1].as_str();
            !matches!(before, "confirm" | "say" | "know" | "so" | "and" | "see" | "you")
        });
        if relative {
            return false;
        }
        let known = ["it", "that", "this", "everything", "all", "both", "you", "they", "these"];
        let known = |word: &String| {
            matches!(word.as_str(), "your" | "quotation") || known.contains(&word.as_str())
        };
        !self.own.is_empty()
            || subject.len() <= 1
            || subject.iter().any(known)
            || self.has(&MADE)
            || SERVICES.contains(&self.word(verb))
            || (self.word(be) == "been"
                && past(self.word(verb)).is_some_and(|kind| self.deeds.is_described(kind)))
    }

    /// Whether the words from `from` to `to` express an intention: "I will see that it is set", "it
    /// is to be set". A "to" within a name does not count: "the reminder to call Ann is set".
    fn intends(&self, from: usize, to: usize) -> bool {
        let words = &self.clause.words;
        let intent = |at: usize| is_modal(words, at) && (words[at] != "to" || at + 1 == to);
        (from..to).any(intent)
    }

    /// "she 's done ten": `'s` of a person is "has".
    pub(super) fn is_perfect_of_person(&self, be: usize) -> bool {
        self.word(be) == "'s" && be > 0 && matches!(self.word(be - 1), "he" | "she" | "who")
    }

    /// "that is set on the speaker": where it is done in general.
    pub(super) fn is_elsewhere(&self, verb: usize) -> bool {
        const DEVICES: [&str; 4] = ["device", "phone", "speaker", "telephone"];
        self.own.iter().all(|noun| DEVICES.contains(noun))
            && matches!(self.word(verb + 1), "on" | "at")
            && self.has(&DEVICES)
    }

    /// "Stan is scheduled to come on Tuesday".
    fn is_expected(&self, verb: usize) -> bool {
        const COMING: [&str; 10] =
            ["arrive", "attend", "be", "call", "clean", "come", "join", "meet", "open", "visit"];
        self.own.is_empty() && self.word(verb + 1) == "to" && COMING.contains(&self.word(verb + 2))
    }

    /// Whether somebody else acted: "by the surgery", but not "by mail" or "by six".
    pub(super) fn by_others(&self, verb: usize) -> bool {
        let by = self.clause.words.iter().skip(verb).position(|word| word == "by");
        let Some(by) = by.map(|it| it + verb) else {
            return self.phrase(&["on", "their"]).is_some();
        };
        matches!(
            self.word(by + 1),
            "the"
                | "your"
                | "their"
                | "his"
                | "her"
                | "them"
                | "somebody"
                | "someone"
                | "you"
                | "dr"
                | "whoever"
                | "a"
                | "an"
        )
    }

    /// Whether the clause is a general statement: "Rooms are booked …", "an appointment is made …",
    /// without reference to the user or the present.
    fn is_general(&self, be: usize, been: bool) -> bool {
        let yours = self.clause.words[..be].iter().any(|word| word == "your");
        let number = self.clause.words.iter().any(|word| is_numeric(word));
        if been || yours || number || self.has(&["now", "just", "successfully"]) {
            return false;
        }
        if self.phrase(&["for", "you"]).is_some() {
            return false;
        }
        let first = self.word(0);
        // "Bank accounts are opened …".
        let plural_noun = |word: &str| {
            word.ends_with('s')
                && !matches!(word, "this" | "yes" | "'s" | "is" | "was" | "thus" | "its" | "yours")
        };
        let determined = |word: &String| {
            matches!(
                word.as_str(),
                "the" | "these" | "those" | "my" | "our" | "both" | "all" | "and"
            )
        };
        let subject = &self.clause.words[..be];
        let bare = plural_noun(first)
            || (be == 2 && plural_noun(self.word(1)) && !subject.iter().any(determined));
        let plural = matches!(self.word(be), "are" | "were");
        let present = matches!(self.word(be), "is" | "are" | "'s");
        (bare && plural) || (present && matches!(first, "a" | "an"))
    }
}
