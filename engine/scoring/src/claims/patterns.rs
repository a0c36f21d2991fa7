//! The wordings in which a clause tells a deed.

use super::clauses::Clause;
use super::deeds::{Deeds, Kind, base, gerund, is_ambiguous, past};
use super::{Telling, Told};

/// Words between a verb and its auxiliary that change nothing.
const ADVERBS: [&str; 30] = [
    "already", "also", "just", "now", "successfully", "all", "both", "then", "therefore", "so",
    "well", "officially", "hereby", "currently", "even", "indeed", "safely", "quickly", "simply",
    "gladly", "automatically", "duly", "accordingly", "properly", "only", "too", "finally",
    "fully", "temporarily", "kindly",
];
/// Adverbs of what is usual: a general statement.
const HABITS: [&str; 9] = [
    "usually", "often", "always", "normally", "generally", "typically", "sometimes", "never",
    "regularly",
];
const NEGATIONS: [&str; 12] = [
    "not", "no", "none", "nothing", "nobody", "neither", "nor", "never", "without", "hardly",
    "unable", "nowhere",
];
/// Auxiliaries after which nothing has been done yet.
const MODALS: [&str; 12] = [
    "will", "would", "can", "could", "shall", "should", "may", "might", "must", "to", "need",
    "please",
];
/// Words before the name of a month.
const BEFORE_MONTHS: [&str; 10] =
    ["in", "of", "on", "by", "until", "for", "from", "last", "next", "late"];
/// Deeds as nouns: "the change has been made".
const MADE: [&str; 12] = [
    "appointment", "booking", "cancellation", "change", "changes", "deletion", "entry", "payment",
    "registration", "reservation", "update", "updates",
];
/// Words that may stand for a record.
const PRONOUNS: [&str; 7] = ["it", "that", "this", "them", "everything", "both", "these"];
/// Objects that are words of the reply, not records of an API.
const TEXTS: [&str; 26] = [
    "line", "lines", "word", "words", "sentence", "sentences", "paragraph", "draft", "version",
    "suggestion", "suggestions", "tone", "title", "joke", "example", "examples", "heading",
    "wording", "comma", "mind", "phrase", "verse", "rhyme", "stanza", "bit", "aside",
];
/// Places where records are kept: what is put there is a record.
const PLACES: [&str; 14] = [
    "agenda", "alarms", "calendar", "diary", "file", "list", "log", "profile", "record",
    "records", "reminders", "schedule", "system", "books",
];
/// Verbs behind "now" that tell how a record has become.
const NOW: [&str; 15] = [
    "starts", "begins", "ends", "rings", "runs", "takes", "reads", "lists", "includes", "says",
    "comes", "lasts", "has", "consists", "goes",
];
/// What a look-up is made in.
const SOURCES: [&str; 22] = [
    "account", "agenda", "alarm", "alarms", "appointment", "appointments", "balance", "calendar",
    "data", "database", "internet", "log", "meetings", "meeting", "profile", "records",
    "reminder", "reminders", "schedule", "system", "web", "file",
];
/// Verbs in the past that may claim a look-up.
const LOOKED: [&str; 13] = [
    "accessed", "browsed", "checked", "consulted", "examined", "inspected", "looked", "pulled",
    "queried", "reviewed", "searched", "verified", "retrieved",
];
/// Verbs in the past that tell a deed only with an object and a place: "put it in", "noted it in
/// your log".
const LIGHT: [&str; 10] = [
    "put", "noted", "marked", "wrote", "written", "jotted", "added", "taken", "took", "got",
];

fn is_adverb(word: &str) -> bool {
    ADVERBS.contains(&word)
}

/// The index of the first word from `at` on that is no adverb.
fn past_adverbs(clause: &Clause, mut at: usize) -> usize {
    while is_adverb(clause.word(at)) {
        at += 1;
    }
    at
}

/// Whether a form of `to be` that tells a fact.
fn is_be(word: &str) -> bool {
    matches!(word, "is" | "are" | "'s" | "was" | "were" | "am")
}

fn is_numeric(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_ascii_digit())
}

/// Whether the word at this index is a modal: "may" is none in "28 May".
fn is_modal(words: &[String], at: usize) -> bool {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let before = if at > 0 { word(at - 1) } else { "" };
    let month = word(at) == "may"
        && (is_numeric(before) || is_numeric(word(at + 1)) || BEFORE_MONTHS.contains(&before));
    MODALS.contains(&word(at)) && !month
}

fn has_modal(words: &[String]) -> bool {
    (0..words.len()).any(|at| is_modal(words, at))
}

fn denied(words: &[String]) -> bool {
    words.iter().any(|word| NEGATIONS.contains(&word.as_str()))
}

/// Whether the object denies: "I've set none".
fn denied_after(clause: &Clause, at: usize) -> bool {
    (at + 1..at + 3).any(|next| NEGATIONS.contains(&clause.word(next)))
}

/// The deeds that a clause tells, the surest wording first; usually none or one.
///
/// `around` are the records that the conversation names: what "it" may be.
pub(super) fn told(clause: &Clause, deeds: &Deeds, around: &[&str]) -> Option<Told> {
    if clause.words.iter().any(|word| HABITS.contains(&word.as_str())) {
        return None;
    }
    let own = Deeds::nouns(clause.words.iter().map(String::as_str));
    let refers = clause.words.iter().any(|word| PRONOUNS.contains(&word.as_str()));
    let nouns = if own.is_empty() && refers { around.to_vec() } else { own.clone() };
    let seen = Seen { clause, deeds, own, nouns };
    seen.first_person()
        .or_else(|| seen.passive())
        .or_else(|| seen.place())
        .or_else(|| seen.verbless())
        .or_else(|| seen.completion())
}

/// A clause with what is known of it.
struct Seen<'a> {
    clause: &'a Clause,
    deeds: &'a Deeds,
    /// Words of the clause that name a record.
    own: Vec<&'a str>,
    /// The same, or what "it" may be.
    nouns: Vec<&'a str>,
}

impl Seen<'_> {
    fn word(&self, at: usize) -> &str {
        self.clause.word(at)
    }

    fn has(&self, words: &[&str]) -> bool {
        self.clause.words.iter().any(|word| words.contains(&word.as_str()))
    }

    /// The words `wanted` in a row, anywhere; where they begin.
    fn phrase(&self, wanted: &[&str]) -> Option<usize> {
        let windows = self.clause.words.windows(wanted.len());
        windows.enumerate().find(|(_, window)| window.iter().eq(wanted.iter())).map(|(at, _)| at)
    }

    fn deed(&self, telling: Telling, kind: Kind) -> Option<Told> {
        let is_deed = self.deeds.includes(kind, &self.nouns) && !self.has(&TEXTS);
        is_deed.then_some(Told { telling, kind: Some(kind) })
    }

    /// "I've set", "I just booked and confirmed it", "I went ahead and moved it", "I have you
    /// booked in", "I let her know", "I've checked your balance".
    fn first_person(&self) -> Option<Told> {
        let start = self.clause.words.iter().position(|word| word == "i" || word == "we")?;
        let start = start + 1;
        for at in start..self.clause.words.len() {
            let word = self.word(at);
            if is_modal(&self.clause.words, at) && !self.word(at - 1).ends_with("able") {
                return None;
            }
            let other = matches!(word, "you" | "tried" | "thought" | "wish" | "am" | "are");
            if other || NEGATIONS.contains(&word) {
                return self.had_done(at, word);
            }
            let told = self.active(start, at);
            if told.is_some() {
                return told.filter(|_| !denied_after(self.clause, at));
            }
        }
        None
    }

    /// "I have you booked in", "I have you down for".
    fn had_done(&self, at: usize, word: &str) -> Option<Told> {
        if word != "you" || !matches!(self.word(at - 1), "have" | "got" | "put") {
            return None;
        }
        let next = past_adverbs(self.clause, at + 1);
        if self.word(next) == "down" {
            return Some(Told { telling: Telling::State, kind: Some(Kind::Create) });
        }
        self.deed(Telling::Act, past(self.word(next))?)
    }

    /// A verb that tells a deed of the speaker. `start` is behind the subject.
    fn active(&self, start: usize, at: usize) -> Option<Told> {
        let word = self.word(at);
        if LOOKED.contains(&word) && self.has(&SOURCES) {
            return Some(Told { telling: Telling::LookUp, kind: None });
        }
        if self.is_login(at) {
            return Some(Told { telling: Telling::Act, kind: Some(Kind::Login) });
        }
        if LIGHT.contains(&word) && self.is_put(at) {
            return Some(Told { telling: Telling::Act, kind: Some(Kind::Create) });
        }
        let able = self.phrase(&["able", "to"]).is_some_and(|it| it >= start && it + 2 == at)
            || self.word(at.saturating_sub(2)) == "managed";
        if able {
            return self.deed(Telling::Act, base(word)?);
        }
        if self.word(at.saturating_sub(1)) == "of" && self.has(&["liberty", "care"]) {
            return self.deed(Telling::Act, gerund(word)?);
        }
        if matches!(word, "let" | "left") {
            let known = word == "let" && self.has(&["know"]) && self.word(at + 1) != "me";
            let message = word == "left" && self.has(&["voicemail", "message"]);
            let outside = Told { telling: Telling::Act, kind: Some(Kind::Outside) };
            return (known || message).then_some(outside);
        }
        if matches!(word, "called" | "made") {
            return self.called_or_made(at);
        }
        if matches!(word, "sorted" | "handled" | "seen") || self.phrase(&["care", "of"]).is_some() {
            let seen = word != "seen" || self.word(at + 1) == "to";
            return seen.then_some(Told { telling: Telling::Completion, kind: None });
        }
        self.deed(Telling::Act, past(word)?)
    }

    /// "logged you in", "logged in", but not "logged in your health log".
    fn is_login(&self, at: usize) -> bool {
        self.word(at) == "logged"
            && (self.word(at + 1) == "in" || self.word(at + 2) == "in")
            && !self.has(&PLACES)
    }

    fn called_or_made(&self, at: usize) -> Option<Told> {
        let act = |kind| Some(Told { telling: Telling::Act, kind: Some(kind) });
        match self.word(at) {
            "called" if self.has(&["off"]) => self.deed(Telling::Act, Kind::Remove),
            "called" => act(Kind::Outside).filter(|_| self.word(at + 1) != "it"),
            _ => {
                let near = (at + 1..at + 5).any(|next| MADE.contains(&self.word(next)));
                near.then(|| act(Kind::Create)).flatten()
            }
        }
    }

    /// "put it in", "wrote it into your log", "put you down".
    fn is_put(&self, at: usize) -> bool {
        let in_place = self.has(&PLACES)
            && self.has(&["in", "into", "on", "onto", "to", "off", "from", "out"]);
        let object = matches!(self.word(at + 1), "it" | "that" | "this" | "them" | "you");
        in_place || (object && matches!(self.word(at + 2), "in" | "down"))
    }

    /// "has been set", "is booked", "are registered", "was cancelled".
    fn passive(&self) -> Option<Told> {
        for at in 0..self.clause.words.len() {
            let been = self.word(at) == "been";
            if !been && !is_be(self.word(at)) {
                continue;
            }
            if !been && self.word(past_adverbs(self.clause, at + 1)) == "been" {
                continue;
            }
            let verb = past_adverbs(self.clause, at + 1);
            let kind = match self.word(verb) {
                "called" if self.word(verb + 1) == "off" => Kind::Remove,
                "made" | "done" if been && (!self.nouns.is_empty() || self.has(&MADE)) => Kind::Create,
                "logged" if self.is_login(verb) => Kind::Login,
                word => match past(word) {
                    Some(kind) => kind,
                    None => continue,
                },
            };
            let before = &self.clause.words[..at];
            // "I am pleased to confirm that …": what is wanted stands before "that".
            let content = before.iter().rposition(|word| word == "that").unwrap_or(0);
            let modal = self.intends(content, at);
            let denies = denied(before) || denied(&self.clause.words[at..verb]);
            if modal || denies || self.by_others(verb) || self.is_general(at, been) {
                continue;
            }
            if self.word(verb + 1) == "in" && matches!(self.word(verb + 2), "stone") {
                continue;
            }
            let state = !been && matches!(self.word(at), "is" | "are" | "'s");
            let state = state || self.has(&["already"]);
            let telling = if state { Telling::State } else { Telling::Act };
            let told = self.deed(telling, kind);
            if told.is_some() {
                return told;
            }
        }
        None
    }

    /// Whether what stands before a verb says that it is only meant or wanted: "I will see that it
    /// is set", "it is to be set". The "to" of a name is none: "the reminder to call Ann is set".
    fn intends(&self, from: usize, to: usize) -> bool {
        let words = &self.clause.words;
        let intent = |at: usize| is_modal(words, at) && (words[at] != "to" || at + 1 == to);
        (from..to).any(intent)
    }

    /// "by the surgery", but not "by mail" or "by six".
    fn by_others(&self, verb: usize) -> bool {
        let by = self.clause.words.iter().skip(verb).position(|word| word == "by");
        let Some(by) = by.map(|it| it + verb) else {
            return self.phrase(&["on", "their"]).is_some();
        };
        matches!(self.word(by + 1), "the" | "your" | "their" | "his" | "her" | "them" | "somebody"
            | "someone" | "you" | "dr" | "whoever" | "a" | "an")
    }

    /// A general statement: "Rooms are booked …", "an appointment is made …", without a word on
    /// the user or on now.
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
        let bare = first.ends_with('s')
            && !matches!(first, "this" | "yes" | "'s" | "is" | "was" | "thus" | "its");
        let plural = matches!(self.word(be), "are" | "were");
        (bare && plural) || matches!(first, "a" | "an")
    }

    /// "It's on your calendar", "the scene is gone now", "you now have an alarm", "the mail has
    /// gone out".
    fn place(&self) -> Option<Told> {
        let words = &self.clause.words;
        if denied(words) {
            return None;
        }
        if let Some(kind) = self.becomes() {
            let told = Told { telling: Telling::State, kind: Some(kind) };
            return Deeds::on_record(kind, &self.own).then_some(told);
        }
        let be = words.iter().position(|word| is_be(word) || word == "has" || word == "exists")?;
        if has_modal(&words[..be]) {
            return None;
        }
        let kind = self.kind_of_state(be)?;
        Some(Told { telling: Telling::State, kind: Some(kind) })
    }

    /// "now starts at three", "rings at 6:00", "you now have an alarm".
    fn becomes(&self) -> Option<Kind> {
        let words = &self.clause.words;
        let now = words.iter().position(|word| word == "now").unwrap_or(0);
        if now > 0 && NOW.contains(&self.word(now + 1)) {
            return Some(Kind::Change);
        }
        let have = now > 0 && (self.word(now + 1) == "have" || is_be(self.word(now - 1)));
        if have && (self.word(now - 1) == "you" || self.word(0) == "there") {
            return Some(Kind::Create);
        }
        let number = words.iter().any(|word| is_numeric(word));
        (number && self.has(&["rings"]) && !has_modal(words)).then_some(Kind::Create)
    }

    /// What a form of `to be` says of a record. `be` is its index.
    fn kind_of_state(&self, be: usize) -> Option<Kind> {
        let next = past_adverbs(self.clause, be + 1);
        let of_record = |kind| Deeds::on_record(kind, &self.own).then_some(kind);
        let place = self.has(&PLACES);
        match (self.word(be), self.word(next)) {
            ("has", "gone") if matches!(self.word(next + 1), "out" | "to") => of_record(Kind::Send),
            ("has", _) => None,
            ("exists", _) => self.has(&["now"]).then(|| of_record(Kind::Create)).flatten(),
            (_, "on" | "in") if self.word(next + 1) == "your" => {
                PLACES.contains(&self.word(next + 2)).then_some(Kind::Create)
            }
            (_, "off" | "out") if place && !matches!(self.word(next + 1), "at" | "by") => {
                Some(Kind::Remove)
            }
            (_, "down") if self.word(next + 1) == "for" => Some(Kind::Create),
            (_, "on") if self.word(next + 1) == "its" => of_record(Kind::Send),
            (_, "on" | "in" | "with" | "at") if self.word(be + 1) == "now" => of_record(Kind::Change),
            (_, "gone" | "off") => of_record(Kind::Remove),
            (_, "active" | "live" | "open" | "ready") => of_record(Kind::Create),
            (_, "out") => of_record(Kind::Send),
            _ => None,
        }
    }

    /// "Booked!", "Alarm set for six", "Meeting moved".
    fn verbless(&self) -> Option<Told> {
        let words = &self.clause.words;
        if self.clause.opens && LIGHT.contains(&self.word(0)) && self.word(0) != "put" && self.is_put(0) {
            return Some(Told { telling: Telling::Act, kind: Some(Kind::Create) });
        }
        let participle = |word: &str| past(word).or((word == "made").then_some(Kind::Create));
        let verb = words.iter().position(|word| participle(word).is_some())?;
        let kind = match self.is_login(verb) {
            true => Kind::Login,
            false => participle(self.word(verb))?,
        };
        if denied(&words[..verb]) || self.by_others(verb) {
            return None;
        }
        let noun_phrase = verb > 0
            && verb <= 6
            && !self.nouns.is_empty()
            && words[..verb].iter().all(|word| is_name(word));
        let bare = verb == 0 && self.word(0) != "made" && self.clause.opens && self.stands_alone();
        (noun_phrase || bare).then(|| self.deed(Telling::Act, kind)).flatten()
    }

    /// Whether a participle at the beginning is one: not "Set an alarm", not "Booked rooms are".
    fn stands_alone(&self) -> bool {
        let next = self.word(1);
        let after = [
            "", "for", "to", "in", "on", "at", "it", "that", "you", "as", "from", "and", "up",
            "down", "off", "with", "them", "quotation",
        ];
        match is_ambiguous(self.word(0)) {
            true => matches!(next, "" | "for" | "to" | "at"),
            false => after.contains(&next),
        }
    }

    /// "Done!", "You're all set", "taken care of".
    fn completion(&self) -> Option<Told> {
        let words = &self.clause.words;
        if denied(words) || has_modal(words) || self.has(&["they", "their", "well"]) {
            return None;
        }
        let alone = words.len() <= 3 && self.has(&["done", "sorted"]) && self.clause.opens;
        let told = alone
            || self.phrase(&["all", "set"]).is_some()
            || self.phrase(&["taken", "care", "of"]).is_some()
            || self.phrase(&["is", "done"]).is_some()
            || (self.word(0) == "consider" && words.last().is_some_and(|it| past(it).is_some()));
        told.then_some(Told { telling: Telling::Completion, kind: None })
    }
}

/// Whether a word may stand in a name before a participle: no verb, pronoun or determiner that
/// makes it a topic ("the room booked for May").
fn is_name(word: &str) -> bool {
    let other = [
        "the", "a", "an", "that", "any", "which", "i", "we", "you", "he", "she", "it", "they",
        "is", "are", "was", "were", "'s", "am", "be", "been", "being", "have", "has", "had", "do",
        "does", "did", "to", "of", "get", "see", "find", "keep", "there", "as", "with", "by",
    ];
    !other.contains(&word) && !MODALS.contains(&word)
}
