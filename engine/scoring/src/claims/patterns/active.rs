//! Claims in the first person: "I've set it", "I went ahead and booked".

use super::super::verbs::{Kind, base, gerund, past};
use super::super::{Telling, Told};
use super::Seen;
use super::words::{
    ASIDE, COMPLETED, INTO, LIGHT, LOOKED, MADE, NEGATIONS, PLACES, SOURCES, TEXTS, denied_after,
    is_modal, past_adverbs,
};

impl Seen<'_> {
    /// "I've set", "I just booked and confirmed it", "I went ahead and moved it", "I have you
    /// booked in", "I let her know", "I've checked your balance".
    pub(super) fn first_person(&self) -> Option<Told> {
        let start = self.clause.words.iter().position(|word| word == "i" || word == "we")?;
        let start = start + 1;
        for at in start..self.clause.words.len() {
            let word = self.word(at);
            let achieved = matches!(self.word(at - 1), "able" | "managed");
            if is_modal(&self.clause.words, at) && !achieved {
                return None;
            }
            let passive = matches!(word, "was" | "were" | "been") && self.word(at + 1) != "able";
            let other = matches!(word, "you" | "tried" | "thought" | "wish" | "am" | "are");
            let other = other || (passive && self.word(at + 2) != "able");
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
            // "I have you down as the holder": noted.
            if self.word(next + 1) == "as" {
                return None;
            }
            return Some(Told::state(Kind::Create));
        }
        if self.is_login(next) {
            return Some(Told::act(Kind::Login));
        }
        self.deed(Telling::Act, past(self.word(next))?)
    }

    /// The claim made by the verb at index `at`. `start` is the index after the subject.
    fn active(&self, start: usize, at: usize) -> Option<Told> {
        let word = self.word(at);
        if self.is_idiom(at) && word != "called" {
            return None;
        }
        let looked_up = word == "looked" && self.has(&["up"]) || word == "googled";
        // "I've confirmed that I can move it", "that's possible".
        let feasible = matches!(word, "confirmed" | "verified" | "checked")
            && self.has(&["can", "possible", "able"]);
        if feasible {
            return Some(Told::LOOK_UP);
        }
        if looked_up || LOOKED.contains(&word) && self.has(&SOURCES) {
            return Some(Told::LOOK_UP);
        }
        if word == "transcribed" {
            return Some(Told::LOOK_UP);
        }
        if COMPLETED.contains(&word) {
            return Some(Told::COMPLETION);
        }
        if self.is_login(at) {
            return Some(Told::act(Kind::Login));
        }
        if LIGHT.contains(&word) && self.is_put(at) {
            let away = self.has(&["off", "out", "from"]) && word != "put";
            if matches!(word, "got" | "have") && self.has(&["down"]) {
                return Some(Told::state(Kind::Create));
            }
            return Some(if away { Told::SOME_ACT } else { Told::act(Kind::Create) });
        }
        if let Some(told) = self.by_phrase(at) {
            return Some(told);
        }
        if let Some(told) = self.achieved(start, at) {
            return told;
        }
        if matches!(word, "let" | "left") {
            let known = word == "let" && self.has(&["know"]) && self.word(at + 1) != "me";
            let message = word == "left" && self.has(&["voicemail", "message"]);
            let outside = Told::act(Kind::Outside);
            return (known || message).then_some(outside);
        }
        if self.is_attribute(start, at) {
            return None;
        }
        if matches!(word, "called" | "made") {
            return self.called_or_made(at);
        }
        let done = match word {
            "seen" => self.word(at + 1) == "to",
            "taken" | "took" => self.word(at + 1) == "care",
            _ => false,
        };
        if done {
            return Some(Told::HANDLED);
        }
        self.done(Telling::Act, past(word)?)
    }

    /// "I finished booking", "I did book", "I was able to book", "I took the liberty of booking":
    /// the claim, or `Some(None)` if these words make none.
    fn achieved(&self, start: usize, at: usize) -> Option<Option<Told>> {
        let word = self.word(at);
        if matches!(self.word(at - 1), "finished" | "completed") && gerund(word).is_some() {
            return Some(self.done(Telling::Act, gerund(word)?));
        }
        if self.word(at - 1) == "did" {
            return Some(base(word).and_then(|kind| self.done(Telling::Act, kind)));
        }
        let able = self.phrase(&["able", "to"]).is_some_and(|it| it >= start && it + 2 == at)
            || self.word(at.saturating_sub(2)) == "managed";
        if able {
            let is_in = self.word(at + 1) == "in" || self.word(at + 2) == "in";
            if matches!(word, "log" | "sign") && is_in {
                return Some(Some(Told::act(Kind::Login)));
            }
            let looks = matches!(word, "confirm" | "verify" | "check");
            return Some(base(word).filter(|_| !looks).and_then(|it| self.done(Telling::Act, it)));
        }
        if self.word(at.saturating_sub(1)) == "of" && self.has(&["liberty", "care"]) {
            return Some(gerund(word).and_then(|kind| self.done(Telling::Act, kind)));
        }
        None
    }

    /// Deeds that a verb tells only with what follows it: "I've put it on Friday", "I've taken her
    /// off", "I've got rid of it", "I've written to Ann", "I've made sure of that".
    fn by_phrase(&self, at: usize) -> Option<Told> {
        let rest = || self.clause.words[at + 1..].iter().map(String::as_str);
        let near = |list: &[&str]| rest().take(4).any(|word| list.contains(&word));
        let next = self.word(at + 1);
        match self.word(at) {
            "put"
                if self.phrase(&["in", "order"]).is_none()
                    && !near(&ASIDE)
                    && !self.has(&TEXTS) =>
            {
                near(&INTO).then_some(Told::SOME_ACT)
            }
            "taken" | "took" => near(&["off", "out", "away", "back"]).then_some(Told::SOME_ACT),
            "got" | "gotten" => self.phrase(&["rid", "of"]).map(|_| Told::act(Kind::Remove)),
            "written" | "wrote" => (next == "to").then_some(Told::act(Kind::Send)),
            "asked" => (next != "you" && self.has(&["to"])).then_some(Told::act(Kind::Inform)),
            "made" if next == "sure" => Some(Told::HANDLED),
            "dealt" if next == "with" => Some(Told::HANDLED),
            "brought" => near(&["forward"]).then_some(Told::act(Kind::Change)),
            "threw" | "thrown" => near(&["away", "out"]).then_some(Told::act(Kind::Remove)),
            "topped" if next == "up" => Some(Told::act(Kind::Outside)),
            "done" => matches!(next, "both" | "everything" | "all" | "it" | "that" | "this")
                .then_some(Told::COMPLETION),
            _ => None,
        }
    }

    /// "I see an entry logged on Monday": the participle tells of what was seen.
    fn is_attribute(&self, start: usize, at: usize) -> bool {
        let words = &self.clause.words[start..at];
        let seen = words.iter().rposition(|word| {
            matches!(word.as_str(), "see" | "find" | "found" | "notice" | "spot" | "show")
        });
        seen.is_some_and(|seen| !words[seen..].iter().any(|word| word == "and"))
    }

    /// "logged you in", "logged in", but not "logged in your health log".
    pub(super) fn is_login(&self, at: usize) -> bool {
        matches!(self.word(at), "logged" | "signed")
            && (self.word(at + 1) == "in" || self.word(at + 2) == "in")
            && !self.has(&PLACES)
    }

    fn called_or_made(&self, at: usize) -> Option<Told> {
        let act = |kind| Some(Told::act(kind));
        match self.word(at) {
            "called" if self.has(&["off"]) => self.done(Telling::Act, Kind::Remove),
            "called" => act(Kind::Outside).filter(|_| self.word(at + 1) != "it"),
            _ => {
                let near = (at + 1..at + 5).any(|next| MADE.contains(&self.word(next)));
                near.then(|| act(Kind::Create)).flatten()
            }
        }
    }

    /// "put it in", "wrote it into your log", "put you down", but not "noted that down".
    pub(super) fn is_put(&self, at: usize) -> bool {
        if self.word(at) == "put" && (at + 1..at + 5).any(|it| ASIDE.contains(&self.word(it))) {
            return false;
        }
        let in_place = self.in_place();
        let object = matches!(self.word(at + 1), "it" | "that" | "this" | "them" | "you");
        // "I've noted that down": listened.
        let is_note = self.word(at) != "put" && self.word(at + 1) != "you";
        let put = match self.word(at + 2) {
            "in" => true,
            "down" => !(is_note && self.word(at + 3).is_empty()),
            _ => false,
        };
        in_place || object && put && self.word(at + 3) != "as"
    }
}
