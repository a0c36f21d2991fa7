//! Claims of a state without a participle: "it's on your calendar", "the mail is on its way".

use super::super::Told;
use super::super::deeds::{Deeds, Kind};
use super::Seen;
use super::words::{NOW, PLACES, denied, has_modal, is_be, is_numeric, past_adverbs};

impl Seen<'_> {
    /// "It's on your calendar", "the scene is gone now", "you now have an alarm", "the mail has
    /// gone out".
    pub(super) fn state(&self) -> Option<Told> {
        let words = &self.clause.words;
        if denied(words) {
            return None;
        }
        if let Some(kind) = self.becomes() {
            let told = Told::state(kind);
            return Deeds::on_record(kind, &self.own).then_some(told);
        }
        let be = words.iter().position(|word| is_be(word) || word == "has" || word == "exists")?;
        if has_modal(&words[..be]) {
            return None;
        }
        let kind = self.kind_of_state(be)?;
        Some(Told::state(kind))
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

    /// The kind of action implied by the verb at index `be`: a form of `to be`, `has` or `exists`.
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
            (_, "on") if self.word(next + 1) == "its" => {
                let sends = self.deeds.is_described(Kind::Send) && self.word(0) == "your";
                of_record(Kind::Send).or(sends.then_some(Kind::Send))
            }
            (_, "on" | "in" | "with" | "at") if self.word(be + 1) == "now" => {
                of_record(Kind::Change)
            }
            (_, "gone") if self.word(0) == "it" && self.deeds.is_described(Kind::Remove) => {
                Some(Kind::Remove)
            }
            (_, "gone" | "off") => of_record(Kind::Remove),
            (_, "active" | "live" | "open" | "ready") => of_record(Kind::Create),
            (_, "out") => of_record(Kind::Send),
            _ => None,
        }
    }
}
