//! Claims without a finite verb: "Booked!", "Alarm set for six", "All done".

use super::super::Telling;
use super::super::Told;
use super::super::verbs::{Kind, is_ambiguous, past};
use super::Seen;
use super::words::{LIGHT, MADE, TEXTS, denied, has_modal, is_be, is_name, past_adverbs};

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
        // "Meeting started at six" tells what happened.
        let participle = |word: &str| match word {
            "made" => Some(Kind::Create),
            word => past(word).filter(|kind| *kind != Kind::Play),
        };
        let verb = words.iter().position(|word| participle(word).is_some())?;
        let kind = match self.is_login(verb) {
            true => Kind::Login,
            false => participle(self.word(verb))?,
        };
        if denied(&words[..verb]) || self.by_others(verb) || self.clause.conditional {
            return None;
        }
        let start = past_adverbs(self.clause, 0);
        let ends = verb + 1 == words.len() && verb <= 3 && self.clause.opens;
        // "Your recorded pulse was 62" has its verb later.
        let attribute = words[verb + 1..].iter().any(|word| is_be(word));
        // "… and a meeting booked."
        let article = usize::from(
            !self.clause.opens && verb + 1 == words.len() && matches!(self.word(0), "a" | "an"),
        );
        let noun_phrase = verb > start + article
            && !attribute
            && verb <= 6
            && (ends || article > 0 || !self.nouns.is_empty())
            && words[article..verb].iter().all(|word| is_name(word));
        let bare = verb == start
            && self.word(verb) != "made"
            && self.clause.opens
            && self.stands_alone(verb);
        // "Stan confirmed that he'll come".
        let reports = self.word(verb) == "confirmed"
            && matches!(self.word(verb + 1), "that" | "he" | "she" | "they");
        let told = (noun_phrase || bare) && !reports && !self.is_idiom(verb);
        match told {
            // "Sent!", but "Closed" may tell of a shop.
            true if self.has(&["successfully"])
                || (words.len() == 1 && matches!(kind, Kind::Send | Kind::Outside)) =>
            {
                self.done(Telling::Act, kind)
            }
            true => self.deed(Telling::Act, kind),
            false => None,
        }
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
        if self.has_exception() || self.clause.conditional {
            return None;
        }
        if denied(words) || (has_modal(words) && !good) || self.has(&["they", "their", "well"]) {
            return None;
        }
        let praise = self.word(0).ends_with("ly") && self.word(0) != "successfully";
        let alone =
            words.len() <= 3 && !praise && self.has(&["done", "sorted"]) && self.clause.opens;
        let reported = words.len() <= 4
            && words.last().is_some_and(|last| {
                matches!(last.as_str(), "complete" | "completed" | "successful" | "done")
            })
            && (!self.own.is_empty() || self.has(&MADE));
        if words.len() <= 4 && self.clause.opens && self.phrase(&["called", "off"]).is_some() {
            return self.done(Telling::Act, Kind::Remove);
        }
        let handled = self.phrase(&["all", "set"]).is_some()
            || self.phrase(&["taken", "care", "of"]).is_some()
            || good
            || (self.word(0) == "consider"
                && !self.has(&TEXTS)
                && words.last().is_some_and(|it| past(it).is_some()));
        // "That's done at the bank": where it is done in general.
        let at_place = |verb: usize| {
            self.word(verb + 1) == "at" && matches!(self.word(verb + 2), "the" | "a" | "your")
        };
        let is_done = |be: usize| {
            let all = matches!(self.word(be + 1), "all" | "both" | "now");
            let verb = be + 1 + usize::from(all);
            matches!(words[be].as_str(), "is" | "'s" | "are")
                && self.word(verb) == "done"
                && !self.is_perfect_of_person(be)
                && !self.is_elsewhere(verb)
                && !at_place(verb)
        };
        let told = alone || reported || (0..words.len()).any(is_done);
        match handled {
            true => Some(Told::HANDLED),
            false => told.then_some(Told::COMPLETION),
        }
    }
}
