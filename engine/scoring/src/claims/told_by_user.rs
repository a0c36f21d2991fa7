//! States that the user has told of. A reply that repeats one claims no deed: "I set a timer for the
//! heater" makes "the timer is set" true without a call.

use super::clauses::{self, Clause};
use super::deeds::singular;
use super::verbs::{Kind, base, is_ambiguous, past};
use apis::text::words::words;
use dataset::Turn;

/// Words of a wish: a participle after them is no report ("I want it booked").
const WISHES: [&str; 12] = [
    "please", "want", "wants", "need", "needs", "like", "love", "let", "remind", "wake", "put",
    "note",
];
/// Words before a record that the user has already.
const DEFINITE: [&str; 14] = [
    "my", "the", "our", "his", "her", "their", "that", "this", "those", "these", "us", "'s",
    "there", "theres",
];
/// Words directly before a past form that is no imperative: subjects and auxiliaries.
const BEFORE_PAST: [&str; 13] =
    ["i", "we", "he", "she", "they", "is", "are", "was", "were", "been", "has", "have", "had"];
/// Records that a user may have from before: not devices or passwords, which exist anyhow.
const RECORDS: [&str; 8] =
    ["alarm", "appointment", "booking", "entry", "meeting", "reminder", "reservation", "timer"];
/// Participles for the same deed on a timer.
const TIMED: [&str; 4] = ["programed", "programmed", "scheduled", "set"];
/// Verbs of a request, if `you` follows: "can you".
const REQUESTS: [&str; 4] = ["can", "could", "would", "will"];

/// Whether the user's turns back a state of this kind, told by a clause with these words and record
/// nouns. They do if the user
/// - reports the deed: "I set myself a reminder", "reception have blocked it"; or
/// - speaks of a record as one that exists ("my appointment"), and asks for none to be made or
///   changed; this backs only that it exists ("is booked").
pub(super) fn backs(history: &[Turn], claim: &[String], kind: Kind, named: &[&str]) -> bool {
    let said: Vec<Vec<String>> = said(history).map(words).collect();
    let exists = || {
        said.iter().any(|words| has_record(words, named)) && !said.iter().any(|words| asks(words))
    };
    let is_new = claim.iter().any(|word| matches!(word.as_str(), "new" | "now"));
    reports(history, claim, kind, named) || (kind == Kind::Create && !is_new && exists())
}

/// Whether the user has reported the deed.
pub(super) fn reports(history: &[Turn], claim: &[String], kind: Kind, named: &[&str]) -> bool {
    said(history).any(|text| {
        clauses::of(text).iter().any(|clause| is_report(&clause.words, claim, kind, named))
    })
}

/// Whether the user tells of a login of their own: "it let me in", "I'm in".
pub(super) fn is_logged_in(history: &[Turn]) -> bool {
    let forms: [&[&str]; 4] = [
        &["it", "let", "me", "in"],
        &["i", "got", "in"],
        &["i", "am", "in"],
        &["i", "logged", "in"],
    ];
    said(history).any(|text| {
        clauses::of(text).iter().any(|clause| {
            forms.iter().any(|form| clause.words.windows(form.len()).any(|words| words == *form))
        })
    })
}

/// Whether the user has reported a change, with the numbers of the claim: "they've moved it to 6".
pub(super) fn reports_change(history: &[Turn], claim: &Clause) -> bool {
    said(history).any(|text| {
        clauses::of(text).iter().any(|it| {
            let told: Vec<u64> = it.numbers().collect();
            claim.numbers().next().is_some()
                && claim.numbers().all(|number| told.contains(&number))
                && is_report(&it.words, &it.words, Kind::Change, &[])
        })
    })
}

/// Whether the user has said a word.
pub(super) fn says(history: &[Turn], word: &str) -> bool {
    said(history).any(|text| words(text).iter().any(|said| said == word))
}

fn said(history: &[Turn]) -> impl Iterator<Item = &str> {
    history.iter().filter_map(|turn| match turn {
        Turn::User { text } => Some(text.as_str()),
        _ => None,
    })
}

/// "i set myself a reminder": a past form of the kind, about one of the nouns or with the claim's own
/// verb.
fn is_report(words: &[String], claim: &[String], kind: Kind, named: &[&str]) -> bool {
    if words.iter().any(|word| WISHES.contains(&word.as_str())) {
        return false;
    }
    let about = words.iter().any(|word| named.contains(&singular(word)));
    let timed = |word: &String| TIMED.contains(&word.as_str());
    words.iter().enumerate().skip(1).any(|(at, word)| {
        let same = about || claim.contains(word) || (timed(word) && claim.iter().any(timed));
        same && past(word) == Some(kind) && is_stated(words, at)
    })
}

/// Whether the past form at an index is stated, not asked for: "has to be cancelled" is a wish.
fn is_stated(words: &[String], at: usize) -> bool {
    if words[..at].iter().any(|word| matches!(word.as_str(), "be" | "get" | "should" | "must")) {
        return false;
    }
    let is_adverb = |word: &&String| matches!(word.as_str(), "already" | "also" | "just" | "only");
    let before = words[..at].iter().rev().find(|word| !is_adverb(word));
    before.is_some_and(|word| BEFORE_PAST.contains(&word.as_str())) || !is_ambiguous(&words[at])
}

/// "my reminder", "the doctor's appointment".
fn has_record(words: &[String], named: &[&str]) -> bool {
    words.iter().enumerate().any(|(at, word)| {
        let before = &words[at.saturating_sub(4)..at];
        let word = singular(word);
        let is_record = RECORDS.contains(&word) && named.contains(&word);
        is_record && before.iter().any(|it| DEFINITE.contains(&it.as_str()))
    })
}

/// Whether the words ask for a record to be made or changed.
pub(super) fn asks(words: &[String]) -> bool {
    words.iter().enumerate().any(|(at, word)| {
        let request = REQUESTS.contains(&word.as_str())
            && words.get(at + 1).is_some_and(|next| next == "you");
        // "I'll log in".
        let login = word == "log" && words.get(at + 1).is_some_and(|next| next == "in");
        let deed = matches!(base(word), Some(Kind::Create | Kind::Change)) && !login;
        deed || request || WISHES.contains(&word.as_str())
    })
}

#[cfg(test)]
mod tests {
    use super::super::find;
    use apis::{Api, Suite, registry};
    use dataset::Turn;

    /// Whether a reply claims a deed after these words of the user.
    fn claims(said: &str, reply: &str) -> bool {
        let names = ["AddAlarm", "AddReminder", "AddMeeting", "DeleteMeeting", "TimedSwitch"];
        let described: Vec<&'static Api> =
            names.iter().filter_map(|name| registry::find(Suite::Dialogue, name)).collect();
        let history = [Turn::User { text: said.to_owned() }];
        find(reply, &history, 0, &described).is_some()
    }

    #[test]
    fn what_the_user_has_reported_is_no_claim() {
        for (said, reply) in [
            (
                "All I did was set a timer for the heater. Will it go off?",
                "Yes, the timer is set for 7 PM.",
            ),
            (
                "I set myself a reminder for 23 May, what was it?",
                "The reminder is set for 23 May. What time?",
            ),
            (
                "I've already booked the meeting with Ann.",
                "Good, so the meeting is booked. What else?",
            ),
            (
                "All I did was set a timer for the heater. Will it go off?",
                "Yes, it's scheduled to come on at seven.",
            ),
            ("Reception have blocked my badge.", "Good thing it's already blocked! Anything else?"),
        ] {
            assert!(!claims(said, reply), "{said} {reply}");
        }
    }

    #[test]
    fn a_record_that_exists_may_be_named_where_none_is_asked_for() {
        let said = "Without Jonas there's no point in our meeting on 20 May.";
        assert!(!claims(said, "The meeting is scheduled for 20 May. Should I cancel it?"));
        assert!(claims(said, "The meeting is cancelled, as you like it."));
        assert!(claims("Could you cancel my meeting on 20 May?", "The meeting is cancelled."));
    }

    #[test]
    fn a_promise_to_look_and_a_full_hotel_are_no_claims() {
        let said = "I think my alarm for the marathon is at four.";
        for reply in [
            "Let's make sure it's set. What's your login?",
            "I'll check that your alarm is set.",
            "I'm sorry, Hotel Alder is fully booked on 24 May.",
        ] {
            assert!(!claims(said, reply), "{reply}");
        }
        assert!(claims("Wake me at four.", "I've made sure that your alarm is set."));
    }

    #[test]
    fn what_the_user_only_wants_is_a_claim() {
        for (said, reply) in [
            ("Set a timer for the heater at seven.", "The timer is set for 7 PM."),
            ("I want a meeting with Ann booked for Friday.", "The meeting is booked for Friday."),
            ("I'd like an alarm at four as well.", "Your alarm is already set."),
            ("Can you move my alarm to seven?", "Your alarm is set for seven."),
            ("Please have my reminder set for nine.", "Your reminder is set for nine."),
        ] {
            assert!(claims(said, reply), "{said} {reply}");
        }
    }

    #[test]
    fn what_has_to_be_done_is_no_report() {
        for said in [
            "The meeting with Ann has to be cancelled.",
            "My meeting should be cancelled, I think.",
            "I must get the meeting cancelled today.",
        ] {
            assert!(claims(said, "The meeting is cancelled."), "{said}");
            assert!(claims(said, "The meeting has been cancelled."), "{said}");
        }
        let said = "They have cancelled the meeting.";
        assert!(!claims(said, "I see, the meeting has been cancelled."));
    }

    #[test]
    fn a_change_that_the_user_reports_is_no_claim() {
        let moved = "The meeting is on 24 June now.";
        assert!(!claims("They've moved the meeting to 24 June.", moved));
        assert!(claims("My sister has moved her wedding. Could it go to 24 June?", moved));
    }
}
