//! Claims without a finite verb: "Booked!", "Alarm set for six", "All done".

use super::super::Telling;
use super::super::Told;
use super::super::deeds::{Kind, is_ambiguous, past};
use super::Seen;
use super::words::{LIGHT, MADE, denied, has_modal, is_be, is_name, past_adverbs};

impl Seen<'_> {
    /// "Booked!", "Alarm set for six", "Meeting moved".
    pub(super) fn verbless(&self) -> Option<Told> {
        let words = &self.clause.words;
        if self.clause.opens
            && LIGHT.contains(&self.word(0))
            && self.word(0) != "put"
            && self.is_put(0)
        {
            return Some(Told::act(Kind::Create));
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
        let start = past_adverbs(self.clause, 0);
        let ends = verb + 1 == words.len() && verb <= 3 && self.clause.opens;
        // "Your recorded pulse was 62" has its verb later.
        let attribute = words[verb + 1..].iter().any(|word| is_be(word));
        let noun_phrase = verb > start
            && !attribute
            && verb <= 6
            && (ends || !self.nouns.is_empty())
            && words[..verb].iter().all(|word| is_name(word));
        let bare = verb == start
            && self.word(verb) != "made"
            && self.clause.opens
            && self.stands_alone(verb);
        let told = (noun_phrase || bare) && !self.is_idiom(verb);
        told.then(|| self.deed(Telling::Act, kind)).flatten()
    }

    /// Whether an initial participle is a predicate, unlike in "Set an alarm" or "Booked rooms
    /// are".
    fn stands_alone(&self, verb: usize) -> bool {
        let next = self.word(verb + 1);
        let after = [
            "",
            "for",
            "to",
            "in",
            "on",
            "at",
            "it",
            "that",
            "you",
            "as",
            "from",
            "and",
            "up",
            "down",
            "off",
            "with",
            "them",
            "quotation",
            "your",
            "ur",
            "the",
            "a",
            "an",
            "this",
            "everything",
            "both",
            "all",
        ];
        match is_ambiguous(self.word(verb)) {
            true => matches!(next, "" | "for" | "to" | "at"),
            false => after.contains(&next),
        }
    }

    /// "Done!", "You're all set", "taken care of".
    pub(super) fn completion(&self) -> Option<Told> {
        let words = &self.clause.words;
        let good = self.phrase(&["good", "to", "go"]).is_some();
        if denied(words) || (has_modal(words) && !good) || self.has(&["they", "their", "well"]) {
            return None;
        }
        let alone = words.len() <= 3 && self.has(&["done", "sorted"]) && self.clause.opens;
        let reported = words.len() <= 4
            && words.last().is_some_and(|last| {
                matches!(last.as_str(), "complete" | "completed" | "successful" | "done")
            })
            && (!self.own.is_empty() || self.has(&MADE));
        let handled = self.phrase(&["all", "set"]).is_some()
            || self.phrase(&["taken", "care", "of"]).is_some()
            || good
            || (self.word(0) == "consider" && words.last().is_some_and(|it| past(it).is_some()));
        let is_done = |be| {
            self.phrase(&[be, "done"])
                .is_some_and(|at| !self.is_perfect_of_person(at) && !self.is_elsewhere(at + 1))
        };
        let told = alone || reported || is_done("is") || is_done("'s");
        match handled {
            true => Some(Told::HANDLED),
            false => told.then_some(Told::COMPLETION),
        }
    }
}
