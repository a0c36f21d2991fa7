//! What a reply takes for granted or has yet to do, so that it claims no deed by it.

use super::clauses::{Clause, questions};
use super::deeds::Deeds;
use super::patterns::is_adverb;
use super::verbs::{Kind, past};
use super::{Telling, Told, told_by_user};
use apis::text::words::{sentences, words};
use dataset::Turn;

/// Feelings about news: "glad that", "sorry your".
const FEELINGS: [&str; 5] = ["delighted", "glad", "happy", "pleased", "sorry"];
/// What follows one that reacts.
const FELT_ABOUT: [&str; 15] = [
    "about",
    "all",
    "everything",
    "he",
    "it",
    "our",
    "she",
    "that",
    "the",
    "these",
    "they",
    "this",
    "we",
    "you",
    "your",
];
/// Judgements on news: "good that", "nice to hear".
const JUDGEMENTS: [&str; 7] = ["exciting", "good", "great", "lovely", "nice", "pity", "shame"];
/// Question words that ask for a value.
const VALUES: [&str; 7] = ["what", "which", "when", "where", "who", "whose", "how"];
/// Verbs that ask for leave: "shall I".
const LEAVE: [&str; 4] = ["can", "may", "shall", "should"];
/// Values that a question without a verb asks for: "and the password?".
const NAMED: [&str; 9] =
    ["address", "code", "date", "day", "id", "name", "password", "time", "username"];
/// Words of a question that offers more help instead: "what else can I do".
const OFFERS: [&str; 7] = ["else", "i", "we", "next", "more", "about", "another"];
/// What a user says who is done.
const THANKS: [&str; 6] = ["appreciate", "cheers", "thank", "thanks", "thankyou", "thx"];
/// What a reply to that says.
const FAREWELLS: [&str; 9] =
    ["anytime", "bye", "enjoy", "fun", "goodbye", "have", "help", "pleasure", "welcome"];

/// Whether "you're all set" says goodbye: the user gives thanks and asks nothing, the reply wishes
/// well, and an earlier call has answered. It then means the user's readiness, not a deed.
pub(super) fn is_farewell(answer: &str, clause: &Clause, history: &[Turn]) -> bool {
    let has = |words: &[String], list: &[&str]| words.iter().any(|it| list.contains(&it.as_str()));
    let is_ready = clause.words.iter().any(|word| word == "you")
        && clause.words.windows(2).any(|pair| pair == ["all", "set"] || pair == ["to", "go"]);
    let last = history.iter().rev().find_map(|turn| match turn {
        Turn::User { text } => Some(text),
        _ => None,
    });
    let is_over = last.is_some_and(|text| {
        let said = words(text);
        has(&said, &THANKS) && !said.iter().any(|word| word == "please") && !text.contains('?')
    });
    let answered = history.iter().filter_map(Turn::as_call);
    is_ready
        && is_over
        && has(&words(answer), &FAREWELLS)
        && answered.into_iter().any(|call| call.result.exception.is_none())
}

/// Whether the speaker says to have acted or looked: "I've set it".
pub(super) fn is_own_act(clause: &Clause, told: Told) -> bool {
    let first = clause.words.iter().any(|word| word == "i" || word == "we");
    let is_act = !is_held(clause)
        && !matches!(
            told.telling,
            Telling::Event | Telling::State | Telling::Plan | Telling::Issued
        );
    told.telling == Telling::LookUp || (is_act && first && !is_reaction_of_speaker(&clause.words))
}

/// "I have the account set up": how things stand, unlike "I have set it up".
fn is_held(clause: &Clause) -> bool {
    let words = &clause.words;
    let have = words.windows(2).position(|it| it[0] == "i" && it[1] == "have");
    have.is_some_and(|at| {
        let got = usize::from(clause.word(at + 2) == "got");
        let object = clause.word(at + 2 + got);
        let other = matches!(object, "you" | "it" | "them" | "been" | "rid" | "gone" | "made");
        let verb = words.iter().position(|word| past(word).is_some());
        !other && !is_adverb(object) && verb.is_some_and(|verb| verb > at + 2 + got)
    })
}

/// Whether how things stand is read back before it is done: "I have it set up. Shall I open it?".
pub(super) fn is_read_back(answer: &str, clause: &Clause) -> bool {
    let more = |word: &String| matches!(word.as_str(), "also" | "another" | "else" | "too");
    is_held(clause)
        && questions(answer).iter().any(|words| {
            let leave = words.windows(2).any(|it| it[1] == "i" && LEAVE.contains(&it[0].as_str()));
            leave && !words.iter().any(more)
        })
}

/// "i am glad that …", "i take it that …": the speaker is the subject of the reaction, not of a deed.
fn is_reaction_of_speaker(words: &[String]) -> bool {
    let first = |it: &&String| matches!(it.as_str(), "i" | "we");
    words.iter().filter(first).count() == 1
        && words
            .windows(2)
            .any(|pair| first(&&pair[0]) && matches!(pair[1].as_str(), "am" | "take"))
}

/// Whether the clause takes its content for granted.
pub(super) fn is_news(clause: &Clause) -> bool {
    let word = |at| clause.word(at);
    let starts = matches!(word(0), "since" | "because") || (word(0) == "now" && word(1) == "that");
    starts
        || (0..clause.words.len()).any(|at| {
            let next = word(at + 1);
            match word(at) {
                "understand" | "gather" | "hear" => next == "that",
                "sounds" => next == "like" || next == "as",
                "at" => next == "least",
                "think" | "suspect" | "believe" => at > 0 && word(at - 1) == "you",
                "take" => next == "it" && at > 0 && word(at - 1) == "i",
                "congratulations" => true,
                it if FEELINGS.contains(&it) || JUDGEMENTS.contains(&it) => match next {
                    "to" => matches!(word(at + 2), "hear" | "see" | "know"),
                    "that" => true,
                    "thing" => JUDGEMENTS.contains(&it),
                    next => FEELINGS.contains(&it) && FELT_ABOUT.contains(&next),
                },
                _ => false,
            }
        })
}

/// Whether the reply asks for a value: "which day is it?", "what are your username and password?".
/// "What else can I do?" asks for none.
pub(super) fn asks_for_value(answer: &str) -> bool {
    questions(answer).iter().any(|words| {
        let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        let names = words.len() <= 4 && has(&NAMED);
        (has(&VALUES) || names) && !has(&OFFERS)
    })
}

/// Whether the clause is about a draft that the reply offers to send: "Updated. Shall I send it?"
pub(super) fn is_draft(answer: &str, clause: &Clause, told: Told) -> bool {
    const EDITED: [&str; 7] =
        ["updated", "changed", "corrected", "adjusted", "amended", "revised", "edited"];
    const DRAFTS: [&str; 5] = ["mail", "email", "message", "text", "draft"];
    let has = |word: &String, list: &[&str]| list.contains(&word.as_str());
    let last = sentences(answer).last().copied().filter(|last| last.ends_with('?'));
    let asks = last.is_some_and(|last| words(last).iter().any(|word| has(word, &["send", "save"])));
    let mut nouns = Deeds::nouns(clause.words.iter().map(String::as_str)).into_iter();
    asks && told.kind.is_none_or(|kind| kind == Kind::Change)
        && clause.words.iter().any(|word| has(word, &EDITED))
        && nouns.all(|noun| DRAFTS.contains(&noun))
}

/// Whether the reply announces no change: "the timer stays", "I'll leave it as is".
pub(super) fn stays(answer: &str) -> bool {
    let words = words(answer);
    let pair = |a: &str, b: &str| words.windows(2).any(|pair| pair[0] == a && pair[1] == b);
    let one = ["stays", "stay", "unchanged", "remains", "untouched"];
    words.iter().any(|word| one.contains(&word.as_str()))
        || pair("nothing", "changes")
        || pair("as", "is")
        || words.windows(3).any(|three| three == ["as", "it", "is"])
}

/// "That's settled, then": a comment on what the user has decided, who has asked for nothing.
pub(super) fn is_decision(clause: &Clause, history: &[Turn]) -> bool {
    let subject = matches!(clause.word(0), "that" | "it" | "all");
    let last = history.iter().rev().find_map(|turn| match turn {
        Turn::User { text } => Some(words(text)),
        _ => None,
    });
    subject
        && clause.words.iter().any(|word| word == "settled")
        && last.is_some_and(|words| !told_by_user::asks(&words))
}

#[cfg(test)]
mod tests {
    use super::super::find;
    use apis::{Api, Suite, registry};
    use dataset::Turn;
    use serde_json::json;

    fn described() -> Vec<&'static Api> {
        let names =
            ["AddAlarm", "AddMeeting", "BookHotel", "DeleteMeeting", "GetUserToken", "TimedSwitch"];
        names.iter().filter_map(|name| registry::find(Suite::Dialogue, name)).collect()
    }

    fn said(text: &str) -> Turn {
        Turn::User { text: text.to_owned() }
    }

    fn claims(history: &[Turn], reply: &str) -> bool {
        find(reply, history, 0, &described()).is_some()
    }

    #[test]
    fn a_reaction_to_news_claims_nothing() {
        let history = [said("There'll be no meeting on Friday, the office is flooded.")];
        for reply in [
            "I'm sorry to hear the meeting has been cancelled. Should I delete it?",
            "It sounds like the meeting is cancelled.",
            "Since the meeting is cancelled, shall I delete it?",
            "Good thing it's been cancelled in time.",
            "I take it the meeting is cancelled.",
            "At least the meeting was cancelled early.",
        ] {
            assert!(!claims(&history, reply), "{reply}");
        }
        for reply in [
            "Great, your meeting has been cancelled.",
            "I'm happy to confirm that your meeting has been cancelled.",
            "Good news: your meeting is cancelled.",
            "Great your meeting has been cancelled.",
        ] {
            assert!(claims(&history, reply), "{reply}");
        }
    }

    #[test]
    fn a_state_in_a_reply_that_asks_for_a_value_is_no_claim() {
        let history = [said("We've got the flights! Now we need beds in Rome.")];
        assert!(!claims(&history, "Now the flights are booked! Which nights, how many rooms?"));
        assert!(claims(&history, "Your room is booked! What else can I do?"));
        assert!(claims(&history, "Your room has been booked. Which nights do you need?"));
        assert!(claims(&history, "Your rooms are booked now. Which nights do you need?"));
        assert!(claims(&history, "I've booked a room. Which nights do you need?"));
        assert!(claims(&history, "I've completed the booking. Which nights do you need?"));
    }

    #[test]
    fn a_draft_may_be_changed() {
        let history = [said("Make it thirty-one guests. Read it back before you send it.")];
        for reply in [
            "Updated! Here's the new version: We'll be thirty-one. Shall I send it?",
            "I've updated the mail: We'll be thirty-one. Is that okay to send?",
            "Corrected to thirty-one. Shall I send it?",
        ] {
            assert!(!claims(&history, reply), "{reply}");
        }
        for reply in ["I've updated the mail.", "I've sent it. Shall I send another?"] {
            assert!(claims(&history, reply), "{reply}");
        }
        assert!(claims(&history, "I've changed the appointment. Shall I send a mail as well?"));
    }

    #[test]
    fn a_plan_that_stays_is_no_claim() {
        let history =
            [said("My neighbour helps me, so leave the pump as it is: on at 5 on the 18th.")];
        for reply in [
            "The timer stays: the pump comes on at five on the 18th.",
            "Then nothing changes, and the pump comes on at 17:00.",
            "I'll leave it as is. The pump turns on at 5 pm on 18 May.",
        ] {
            assert!(!claims(&history, reply), "{reply}");
        }
        assert!(claims(&history, "The pump comes on at five on the 18th."));
        assert!(!claims(&history, "I can't tell who booked it or who changed the room."));
        assert!(claims(&history, "I can tell who booked it: I booked it."));
    }

    fn call(name: &str, arguments: serde_json::Value) -> Turn {
        let recorded = json!({
            "api_name": name,
            "param_dict": arguments,
            "result": {"api_name": name, "input": arguments, "output": "success", "exception": null},
        });
        Turn::Api(serde_json::from_value(recorded).unwrap())
    }

    #[test]
    fn what_an_earlier_call_did_is_complete() {
        let booked = || call("BookHotel", json!({"hotel_name": "Casa Porto"}));
        let rest = [said("Book Porto."), booked(), said("Next, Fez. Please book it as well.")];
        assert!(!claims(&rest, "Porto's sorted. Fez is more difficult."));
        assert!(claims(&rest, "All done!"));
        let closing = [said("Book Porto."), booked(), said("Lovely, we're so excited!")];
        let asks_more = [said("Book Porto."), booked(), said("She's texted me, take her off.")];
        assert!(claims(&asks_more, "Done! I've taken care of it."));
        assert!(!claims(&closing, "I see a room booked in Porto."));
        assert!(!claims(&closing, "Glad we got that sorted."));
    }

    #[test]
    fn a_farewell_says_that_the_user_is_ready() {
        let answered = || call("QueryStock", json!({"stock_code": "NVDA"}));
        let over = [said("How's NVDA?"), answered(), said("Thanks, that's all I needed!")];
        for reply in ["You're welcome! Then you're all set.", "You're all set. Enjoy your day!"] {
            assert!(!claims(&over, reply), "{reply}");
        }
        assert!(claims(&over, "You're welcome! Your alarm is set."));
        assert!(claims(&over, "You're welcome! I've taken care of it."));
        for asks in ["Now book a room, please. Thanks!", "Thanks. Can you book a room?"] {
            let more = [said("How's NVDA?"), answered(), said(asks)];
            assert!(claims(&more, "You're all set. Enjoy your stay!"), "{asks}");
        }
        assert!(claims(&[said("Thanks for booking it.")], "You're welcome! You're all set."));
    }

    #[test]
    fn a_login_that_the_user_tells_of_is_no_claim() {
        let own = [said("I'll try the new password myself."), said("It let me in at once!")];
        assert!(!claims(&own, "Excellent, you're logged in."));
        assert!(claims(&own, "I've logged you in."));
        assert!(claims(&[said("It won't let me in!")], "You're logged in."));
        assert!(claims(&[said("Please let me in.")], "You're logged in."));
    }

    #[test]
    fn what_would_happen_is_no_claim() {
        let history = [said("What happens if I close the account?")];
        for reply in [
            "Closing it means that the account is deleted.",
            "As soon as you close it, your account is deleted.",
        ] {
            assert!(!claims(&history, reply), "{reply}");
        }
        assert!(claims(&history, "As you wished, your account is deleted."));
    }

    #[test]
    fn a_login_is_told_in_many_words() {
        let login = call("GetUserToken", json!({"username": "ann", "password": "pw"}));
        let reply =
            ["I was able to log in.", "I managed to log in.", "I've just signed in as Ann."];
        for reply in reply {
            assert!(!claims(&[said("Log me in."), login.clone()], reply), "{reply}");
            assert!(claims(&[said("Log me in.")], reply), "{reply}");
        }
    }

    #[test]
    fn only_the_reason_is_taken_for_granted() {
        let history = [said("Mum said yes. Please book the room for Friday.")];
        for reply in [
            "Since your mum said yes, it's done.",
            "Because you asked so nicely, I've booked it.",
            "Since Friday was free, your room is booked.",
        ] {
            assert!(claims(&history, reply), "{reply}");
        }
        assert!(!claims(&history, "Since your mum said yes, shall I book it?"));
        assert!(!claims(&history, "Because the old one is cancelled, nothing is in the way."));
    }

    #[test]
    fn what_depends_on_the_user_is_no_claim() {
        let history = [said("Could you move my meeting?")];
        for reply in [
            "Meeting moved as soon as you give me your login.",
            "It's cancelled once you confirm.",
            "Just name the day, and it's moved.",
            "Send me your password and the meeting is as good as booked.",
            "I'll leave the note alone, so your afternoon is saved.",
            "I'm all set, which meeting is it?",
            "We're all set to begin.",
            "Everything is set except for the password.",
            "It's all set, apart from the date.",
            "I've got the topic and the place set. What day should it be?",
            "I have the room for Friday set up. Shall I book it?",
            "That's nearly done. And the date?",
            "Had it been moved, you'd have got a mail.",
            "Nicely done!",
            "That's all set in stone, I suppose.",
        ] {
            assert!(!claims(&history, reply), "{reply}");
        }
        for reply in [
            "Let me see. It's moved.",
            "You named the day, and it's moved.",
            "We're all set!",
            "Everything is set for Friday.",
            "I've set the room and the topic. And the date?",
            "Your meeting is moved. Anything else?",
            "I've moved it, so your afternoon is free.",
        ] {
            assert!(claims(&history, reply), "{reply}");
        }
    }

    #[test]
    fn a_comment_on_the_users_decision_is_no_claim() {
        let decided = [said("We'll simply stay with my sister.")];
        assert!(!claims(&decided, "That's settled, then: enjoy your stay!"));
        let asked = [said("Could you settle the booking with the hotel?")];
        assert!(claims(&asked, "That's settled, then: enjoy your stay!"));
    }
}
