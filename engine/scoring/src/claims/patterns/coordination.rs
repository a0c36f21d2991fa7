//! Clauses with several verbs: "I've sent the mail and also booked a room".

use super::super::clauses::Clause;
use super::super::verbs::past;
use super::words::{LIGHT, past_adverbs};

/// The clauses that a clause with several verbs stands for, the first verb's first.
pub(in super::super) fn parts(clause: &Clause) -> Vec<Clause> {
    let mut parts = Vec::new();
    let mut rest = clause.clone();
    while let Some((first, second)) = split(&rest) {
        parts.push(first);
        rest = second;
    }
    parts.push(rest);
    parts
}

/// "i have booked it" and "i have cancelled the old one".
fn split(clause: &Clause) -> Option<(Clause, Clause)> {
    let words = &clause.words;
    let subject = words.iter().position(|word| word == "i" || word == "we")?;
    let verbs = |word: &str| past(word).is_some() || LIGHT.contains(&word);
    let first = (subject..words.len()).find(|at| verbs(clause.word(*at)))?;
    let (and, verb) = (first + 1..words.len())
        .filter(|at| clause.word(*at) == "and")
        .map(|and| (and, past_adverbs(clause, and + 1)))
        .find(|(_, verb)| verbs(clause.word(*verb)))?;
    let mut second = clause.clone();
    // Keep what precedes the first verb: auxiliaries, and modals that make it a promise.
    second.words = [&words[..first], &words[verb..]].concat();
    let mut start = clause.clone();
    start.words.truncate(and);
    Some((start, second))
}

#[cfg(test)]
mod tests {
    use super::super::super::find;
    use dataset::Turn;

    /// Whether a reply claims a deed where no API is described.
    fn claims(said: &str, reply: &str) -> bool {
        find(reply, &[Turn::User { text: said.to_owned() }], 0, &[]).is_some()
    }

    #[test]
    fn a_deed_is_a_claim_whatever_is_described() {
        for reply in [
            "I've sold your shares.",
            "I have bought two tickets.",
            "I've written to the landlord.",
            "I've emailed your teacher.",
            "I cancelled the delivery.",
            "I've got rid of the old one.",
            "I've taken Ben off the team.",
            "I've put the meeting on another day.",
            "I've put it underneath.",
            "I've rebooked the flight.",
            "I stopped the dishwasher.",
            "I've started the engine.",
            "I've asked her to wait outside.",
            "I've applied for the passport for you.",
            "I've exported the table.",
            "Your parcel has been sent.",
            "Your shares have been sold.",
            "It has been removed.",
            "The lesson has been called off.",
            "I've dealt with it.",
            "I've brought the lesson forward.",
            "I threw the old list away.",
            "I've already told your boss.",
            "I've put in your order.",
            "Successfully cancelled.",
            "Sent!",
            "An ambulance is on its way.",
        ] {
            assert!(claims("Please see to it.", reply), "{reply}");
        }
        for reply in [
            "I've read your letter.",
            "I understood that you want it moved.",
            "I've put together a few ideas.",
            "I've put it in simple terms.",
            "I've written a verse for you.",
            "I've started to like the idea.",
            "I've stopped counting.",
            "I've dropped the idea.",
            "I've ordered the names by age.",
            "I've asked because there are two.",
            "I've taken your point.",
            "I can't sell shares.",
            "I understand that your card was blocked.",
            "I put the emphasis on the first syllable.",
            "I was told that the room is booked.",
            "Have you sold them?",
        ] {
            assert!(!claims("Please see to it.", reply), "{reply}");
        }
        assert!(!claims("The ambulance is on its way.", "Good, so help is on its way."));
    }

    #[test]
    fn every_verb_is_judged() {
        for reply in [
            "I've read your note and also booked a room.",
            "I've looked at it and cancelled the old one.",
            "The letter is ready and a room booked.",
        ] {
            assert!(claims("Please see to it.", reply), "{reply}");
        }
        assert!(!claims("Please see to it.", "I'll read it and then have a room booked."));
    }
}
