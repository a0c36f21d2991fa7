//! Claims of a state without a participle: "it's on your calendar", "the mail is on its way".

use super::super::Told;
use super::super::deeds::Deeds;
use super::super::verbs::Kind;
use super::Seen;
use super::words::{
    CALLED_FOR, ISSUED, ISSUED_FOR, MAILS, NOW, PLACES, denied, has_modal, is_be, is_modal,
    is_numeric, past_adverbs,
};
use apis::text::calendar::WEEKDAYS;

impl Seen<'_> {
    /// "It's on your calendar", "the scene is gone now", "you now have an alarm", "the mail has
    /// gone out".
    pub(super) fn state(&self) -> Option<Told> {
        let words = &self.clause.words;
        // "To" before a finite verb belongs to a name: "the mail to Ann is on its way".
        let verb = words.iter().position(|word| is_be(word) || word == "has").unwrap_or(0);
        if denied(&words[..words.len().min(verb + 4)]) || self.clause.conditional {
            return None;
        }
        let may =
            (0..words.len()).any(|at| is_modal(words, at) && (words[at] != "to" || at == verb + 1));
        if self.has(&MAILS) && self.phrase(&["went", "out"]).is_some() {
            return Some(Told::state(Kind::Send));
        }
        let becomes = self.becomes().filter(|kind| Deeds::on_record(*kind, &self.own));
        let new = || if may { None } else { self.issued().or_else(|| self.is_now()) };
        becomes
            .map(Told::state)
            .or_else(new)
            .or_else(|| self.is_or_has())
            .or_else(|| if may { None } else { self.planned() })
    }

    /// The state told by the first form of `to be`, `has` or `exists`.
    fn is_or_has(&self) -> Option<Told> {
        let words = &self.clause.words;
        let finite = |word: &String| is_be(word) || word == "has" || word == "exists";
        // In "Leila's visit is on …", `'s` is no verb.
        let verb = words.iter().position(|word| word != "'s" && finite(word));
        let be = verb.or_else(|| words.iter().position(finite))?;
        if (0..be).any(|at| is_modal(words, at) && words[at] != "to") {
            return None;
        }
        self.kind_of_state(be)
    }

    /// "now starts at three", "rings at 6:00", "you now have an alarm".
    fn becomes(&self) -> Option<Kind> {
        let words = &self.clause.words;
        let now = words.iter().position(|word| word == "now").unwrap_or(0);
        if now > 0 && NOW.contains(&self.word(past_adverbs(self.clause, now))) {
            return Some(Kind::Change);
        }
        let have = now > 0 && (self.word(now + 1) == "have" || is_be(self.word(now - 1)));
        if have && (self.word(now - 1) == "you" || self.word(0) == "there") {
            return Some(Kind::Create);
        }
        let number = words.iter().any(|word| is_numeric(word));
        (number && self.has(&["rings"]) && !has_modal(words)).then_some(Kind::Create)
    }

    /// "The booking number is 47", "here's your code: 9692".
    fn issued(&self) -> Option<Told> {
        let number = self.clause.numbers().next().is_some();
        let at = self.clause.words.iter().position(|word| ISSUED.contains(&word.as_str()))?;
        let long = is_numeric(self.word(at + 1)) && self.word(at + 1).len() > 3;
        let key = long || matches!(self.word(at), "id" | "token");
        if !key && (at == 0 || !ISSUED_FOR.contains(&self.word(at - 1))) {
            return None;
        }
        let told = self.has(&["here"]) || is_numeric(self.word(at + 1)) || is_be(self.word(at + 1));
        (number && told).then_some(Told::ISSUED)
    }

    /// "Your visit is on 24 June now", "her password is … from now on", "the party now has …":
    /// something is as it was not before.
    fn is_now(&self) -> Option<Told> {
        let words = &self.clause.words;
        let now = words.iter().rposition(|word| word == "now").filter(|now| *now > 1)?;
        let always = self.phrase(&["from", "now", "on"]).is_some_and(|at| at > 0);
        let finite =
            |word: &str| matches!(word, "is" | "are" | "sees" | "works") || NOW.contains(&word);
        let verb = words.iter().position(|word| finite(word));
        let verb = verb.or_else(|| words.iter().position(|word| word == "'s"))?;
        let subject = &words[..verb];
        let speaker = matches!(self.word(0), "i" | "we" | "you" | "that" | "this" | "there" | "it");
        let after = past_adverbs(self.clause, verb + 1);
        let ends = always || now + 1 == words.len() || now < after;
        if speaker || !ends || subject.is_empty() {
            return None;
        }
        let owned = subject.iter().any(|word| word == "dr" || PLACES.contains(&word.as_str()))
            || !Deeds::nouns(subject.iter().map(String::as_str)).is_empty();
        let dated = matches!(self.word(after), "on" | "at" | "in" | "with" | "from" | "back");
        let placed = dated || is_numeric(self.word(after)) || !is_be(self.word(verb));
        let named = subject.iter().any(|word| matches!(word.as_str(), "password" | "address"));
        if owned {
            return (placed || named).then_some(Told::SOME_STATE);
        }
        let date = dated && is_numeric(self.word(after + 1));
        let told = (date || (!is_be(self.word(verb)) && self.word(0) != "the"))
            && self.deeds.is_described(Kind::Change);
        told.then_some(Told::COMPLETION)
    }

    /// "The pump comes on at 5:45", "Dr. Menon sees you on 24 May", "the rooms are yours from 9 to
    /// 11 October".
    fn planned(&self) -> Option<Told> {
        let number = self.clause.words.iter().any(|word| is_numeric(word))
            || self.has(&["today", "tomorrow", "tonight"]);
        let words = &self.clause.words;
        let pairs = |list: &[&str], next: &[&str]| -> Vec<usize> {
            let is =
                |at: &usize| list.contains(&self.word(*at)) && next.contains(&self.word(at + 1));
            (0..words.len()).filter(is).collect()
        };
        let pair = |list: &[&str], next: &[&str]| !pairs(list, next).is_empty();
        // "The cleaner comes on Tuesday", "on 21 May".
        let is_day = |at: &usize| {
            let next = self.word(at + 2);
            WEEKDAYS.contains(&next) || is_numeric(next)
        };
        let switches = pairs(&["comes", "goes", "switches", "turns"], &["on", "off"]);
        let switches = switches.iter().any(|at| self.word(*at) != "comes" || !is_day(at));
        let sees = pair(&["see", "sees", "seeing"], &["you", "dr"]);
        let yours = pair(&["is", "are"], &["yours"]);
        let switches = switches && self.deeds.is_described(Kind::Switch);
        let booked = (sees || yours) && self.deeds.is_described(Kind::Create);
        (number && !self.has(&["still"]) && (switches || booked))
            .then_some(Told::plan(Kind::Create))
    }

    /// "The mail is on its way", "it's gone to Ann", "Ann has a mail": the claim of the verb at index
    /// `be`, before the word at index `next`.
    fn is_sent(&self, be: usize, next: usize) -> Option<Told> {
        let after = self.word(next + 1);
        let mail = self.has(&MAILS);
        let record = mail || Deeds::on_record(Kind::Send, &self.own);
        let sent = match (self.word(be), self.word(next)) {
            ("has" | "'s", "gone") => {
                let address = self.clause.words.iter().any(|word| word.contains('@'));
                (record && matches!(after, "to" | "out")) || (after == "to" && address)
            }
            ("has", "a" | "an" | "the" | "your") => {
                MAILS.contains(&after)
                    && self.word(next + 2) != "address"
                    && !matches!(self.word(0), "i" | "we" | "you" | "it")
            }
            ("has", _) => false,
            (_, "on")
                if matches!(after, "its" | "the" | "their") && self.word(next + 2) == "way" =>
            {
                if !record && self.has(&CALLED_FOR) {
                    return Some(Told::state(Kind::Outside));
                }
                record || (self.word(0) == "your" && self.deeds.is_described(Kind::Send))
            }
            (_, "off") => mail,
            (_, "out") => record,
            _ => false,
        };
        sent.then_some(Told::state(Kind::Send))
    }

    /// The claim made by the verb at index `be`: a form of `to be`, `has` or `exists`.
    fn kind_of_state(&self, be: usize) -> Option<Told> {
        let next = past_adverbs(self.clause, be + 1);
        let of_record = |kind| Deeds::on_record(kind, &self.own).then_some(Told::state(kind));
        let after = self.word(next + 1);
        let place = self.has(&PLACES) || self.has(&["scene"]);
        if let Some(told) = self.is_sent(be, next) {
            return Some(told);
        }
        match (self.word(be), self.word(next)) {
            ("has", _) => None,
            ("exists", _) => self.has(&["now"]).then(|| of_record(Kind::Create)).flatten(),
            (_, "on" | "in") if matches!(after, "your" | "her" | "his" | "their") => {
                PLACES.contains(&self.word(next + 2)).then_some(Told::state(Kind::Create))
            }
            (_, "on" | "in") if after == "the" => {
                matches!(self.word(next + 2), "agenda" | "calendar" | "diary" | "log" | "schedule")
                    .then_some(Told::state(Kind::Create))
            }
            (_, "off" | "out") if place && !matches!(after, "at" | "by") => Some(Told::SOME_STATE),
            (_, "down") if after == "for" => Some(Told::state(Kind::Create)),
            (_, "on" | "in" | "with" | "at") if self.word(be + 1) == "now" => {
                of_record(Kind::Change)
            }
            (_, "back") if matches!(after, "on" | "at") => {
                Deeds::on_record(Kind::Change, &self.own).then_some(Told::SOME_STATE)
            }
            (_, "off") if self.word(0) == "your" && after.is_empty() => {
                Some(Told::state(Kind::Remove))
            }
            // "The reminder of 24 May, to post the tickets, is gone".
            (_, "gone")
                if (self.word(0) == "it" || be == 0) && self.deeds.is_described(Kind::Remove) =>
            {
                Some(Told::state(Kind::Remove))
            }
            // "Fuego en la Rambla is playing".
            (_, "playing")
                if self.deeds.plays
                    && !matches!(self.word(0), "he" | "she" | "they" | "you" | "i") =>
            {
                Some(Told::state(Kind::Play))
            }
            (_, "playing" | "on") if self.has(&["song", "music", "track", "tune"]) => {
                Some(Told::state(Kind::Play))
            }
            (_, "gone" | "off") => of_record(Kind::Remove),
            (_, "active" | "live" | "open" | "ready" | "running") => of_record(Kind::Create),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::find;
    use apis::{Api, Suite, registry};
    use dataset::Turn;

    fn claims(said: &str, reply: &str) -> bool {
        let names = ["AddMeeting", "ModifyMeeting", "RecordHealthData", "SendEmail", "TimedSwitch"];
        let described: Vec<&'static Api> =
            names.iter().filter_map(|name| registry::find(Suite::Dialogue, name)).collect();
        find(reply, &[Turn::User { text: said.to_owned() }], 0, &described).is_some()
    }

    #[test]
    fn a_state_that_only_a_call_brings_about_is_a_claim() {
        for reply in [
            "It's in the log: 96 on 15 May.",
            "84 kg is in your log.",
            "Your log now has 96 for 15 May.",
            "Your pulse is in the log.",
            "The meeting is on 24 June now.",
            "The glaze order is now on 31 May from 18:30 to 19:30.",
            "Ida's password is Kiwi-7 from now on.",
            "Your visit is back on 11 June.",
            "The mail to your aunt is on its way.",
            "Your question to Grace is on its way.",
            "It's gone to ann@mill.example.",
            "Emil has a mail about it.",
            "Your lesson is off.",
            "The note about the bins, for Monday, is in your diary.",
            "The heater goes on at 5:45.",
            "Dr. Brandt sees you on 12 June.",
            "Three rooms are yours from 9 to 11 October.",
        ] {
            assert!(claims("I'd like that.", reply), "{reply}");
        }
    }

    #[test]
    fn a_state_of_the_world_or_a_wish_read_back_is_none() {
        for reply in [
            "The heater goes on at 5:45 on Friday. Shall I set it?",
            "I won't touch it: the heater goes on at 5:45.",
            "That's different now.",
            "The band now has four members.",
            "He's gone to the shop.",
            "She has a note on her door.",
            "The emergency number is 112.",
            "Spring is on its way!",
            "Now it's clear to me.",
            "It's now or never.",
            "The shop is open from nine to five.",
            "The film is on at eight.",
            "You're on your way!",
            "It will be in your log.",
            "It's not in your calendar.",
        ] {
            assert!(!claims("I'd like that.", reply), "{reply}");
        }
    }
}
