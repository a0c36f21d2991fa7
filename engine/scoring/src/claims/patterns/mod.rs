//! The patterns by which a clause claims an action.

mod active;
mod coordination;
mod fragment;
mod passive;
mod state;
mod words;

use super::clauses::Clause;
use super::deeds::Deeds;
use super::verbs::Kind;
use super::{Telling, Told};
pub(super) use coordination::parts;
pub(super) use words::is_adverb;
use words::{HABITS, IDIOMS, PLACES, PRONOUNS, TEXTS, is_numeric};

/// The claim in a clause, by the most reliable pattern that matches.
///
/// `around` holds the record nouns of the conversation, the possible referents of "it".
pub(super) fn told(clause: &Clause, deeds: &Deeds, around: &[&str]) -> Option<Told> {
    if clause.words.iter().any(|word| HABITS.contains(&word.as_str()))
        || clause.words.windows(2).any(|it| it[0] == "many" && matches!(it[1].as_str(), "a" | "an"))
        || will_check(clause)
        || is_ready(clause)
    {
        return None;
    }
    let own = Deeds::nouns(clause.words.iter().map(String::as_str));
    let refers = clause.words.iter().any(|word| PRONOUNS.contains(&word.as_str()));
    let nouns = if own.is_empty() && refers { around.to_vec() } else { own.clone() };
    let seen = Seen { clause, deeds, own, nouns };
    seen.first_person()
        .or_else(|| seen.passive())
        .or_else(|| seen.state())
        .or_else(|| seen.verbless())
        .or_else(|| seen.completion())
}

/// "let us make sure it is set", "i will check that it is in your calendar": a promise to look; "make
/// sure that they are told": a piece of advice.
fn will_check(clause: &Clause) -> bool {
    let words = &clause.words;
    let is = |word: &String, list: &[&str]| list.contains(&word.as_str());
    let check = words.iter().position(|word| is(word, &["check", "verify", "ensure", "sure"]));
    check.is_some_and(|at| {
        let asks = at == 0 || (at == 1 && words[0] == "make");
        asks || words[..at].iter().any(|word| is(word, &["let", "will", "can", "could", "shall"]))
    })
}

/// "I'm all set", "we're all set to start": ready, with nothing done yet. "All set in stone" is an
/// idiom.
fn is_ready(clause: &Clause) -> bool {
    let own = clause.words.windows(4).any(|words| words == ["i", "am", "all", "set"]);
    let starts = |words: &[String]| {
        let stone = words == ["all", "set", "in", "stone"];
        stone || (words[..3] == ["all", "set", "to"] && words[3] != "go")
    };
    own || clause.words.windows(4).any(starts)
}

/// A clause with its context.
struct Seen<'a> {
    clause: &'a Clause,
    deeds: &'a Deeds,
    /// Record nouns in the clause.
    own: Vec<&'a str>,
    /// The same, or the possible referents of a pronoun.
    nouns: Vec<&'a str>,
}

impl Seen<'_> {
    fn word(&self, at: usize) -> &str {
        self.clause.word(at)
    }

    fn has(&self, words: &[&str]) -> bool {
        self.clause.words.iter().any(|word| words.contains(&word.as_str()))
    }

    /// "Everything except the password".
    fn has_exception(&self) -> bool {
        self.has(&["except", "apart", "aside", "besides"])
    }

    /// The index of the first occurrence of consecutive words.
    fn phrase(&self, wanted: &[&str]) -> Option<usize> {
        let windows = self.clause.words.windows(wanted.len());
        windows.enumerate().find(|(_, window)| window.iter().eq(wanted.iter())).map(|(at, _)| at)
    }

    /// An action of the speaker, or one that "has been" done: a claim whatever is described.
    fn done(&self, telling: Telling, kind: Kind) -> Option<Told> {
        self.deed(telling, kind).or_else(|| {
            let kind = match kind {
                Kind::Switch if self.has(&["off"]) => Kind::Remove,
                kind => kind,
            };
            (!self.has(&TEXTS)).then_some(Told { telling, kind: Some(kind) })
        })
    }

    fn deed(&self, telling: Telling, kind: Kind) -> Option<Told> {
        // Switching an alarm off removes it.
        let kind = match kind {
            Kind::Switch if !self.deeds.includes(kind, &self.nouns) => match self.has(&["off"]) {
                true => Kind::Remove,
                false => Kind::Create,
            },
            kind => kind,
        };
        let placed = self.has(&["your"]) && self.in_place();
        let is_deed = (placed || self.deeds.includes(kind, &self.nouns)) && !self.has(&TEXTS);
        is_deed.then_some(Told { telling, kind: Some(kind) })
    }

    /// Whether the verb is part of an idiom: "added up", "changed my mind".
    fn is_idiom(&self, verb: usize) -> bool {
        let next = self.word(verb + 1);
        let idiom = IDIOMS.iter().find(|(word, _)| *word == self.word(verb));
        let soon = self.word(verb + 1) == "in"
            && matches!(self.word(verb + 2), "stone" | "seconds" | "minutes" | "no");
        let scene = self.word(verb) == "set" && next == "in" && self.own.is_empty();
        let gerund = matches!(self.word(verb), "started" | "stopped") && next.ends_with("ing");
        // "Ordered by price".
        let sorted = self.word(verb) == "ordered" && self.has(&["by"]);
        // "The hotel is fully booked" is about others' bookings.
        let full = self.word(verb) == "booked"
            && verb > 0
            && matches!(self.word(verb - 1), "fully" | "completely");
        // "The share closed at 47.54".
        let traded = matches!(self.word(verb), "closed" | "opened")
            && next == "at"
            && is_numeric(self.word(verb + 2));
        full || gerund
            || traded
            || sorted
            || next == "my"
            || soon
            || scene
            || idiom.is_some_and(|(_, after)| after.contains(&next))
    }

    /// "into your log", "off the calendar".
    fn in_place(&self) -> bool {
        self.has(&PLACES) && self.has(&["in", "into", "on", "onto", "to", "off", "from", "out"])
    }
}
