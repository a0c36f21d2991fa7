//! Claimed Without Acting: words that say something was done when no call did it.
//!
//! The rules read English by the forms of verbs. A reply is cut into clauses; clauses that ask, put
//! a condition, report what somebody says, or deny are left out. What remains is a claim when it
//! tells a deed in the past or perfect ("I've set", "has been set"), as a state ("is set", "Alarm
//! set", "on your calendar"), or as completion ("Done!"). The verbs come from the APIs: an API's
//! name and description say what kind of deed it is, and every verb of that kind counts (`deeds`).
//! A claim is true when the history backs it (`evidence`).
//!
//! Futures, offers and progressives ("I'm booking it now") promise and claim nothing. A look-up is
//! claimed only by "I checked your balance" and its like: the user's records, in the first person.
//! Other languages than English pass unread.

mod agreement;
mod clauses;
mod deeds;
mod evidence;
mod patterns;

pub use agreement::{Agreement, Measured};

use apis::Api;
use dataset::Turn;
use deeds::{Deeds, Kind};

impl Told {
    const COMPLETION: Told = Told { telling: Telling::Completion, kind: None };
    const HANDLED: Told = Told { telling: Telling::Handled, kind: None };
    const LOOK_UP: Told = Told { telling: Telling::LookUp, kind: None };

    const fn act(kind: Kind) -> Self {
        Told { telling: Telling::Act, kind: Some(kind) }
    }

    const fn state(kind: Kind) -> Self {
        Told { telling: Telling::State, kind: Some(kind) }
    }
}

/// What a reply says was done, and was not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The words that say so, lower-cased and without punctuation.
    pub words: String,
}

/// How a deed is told, which decides what makes it true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Telling {
    /// Somebody did it: "I've set it", "it has been set", "Alarm set".
    Act,
    /// It is so: "it is set", "on your calendar". A look-up may have told it.
    State,
    /// "Done!", without a word on what: a look-up may be what was done.
    Completion,
    /// "I've taken care of it", "all set": something was changed.
    Handled,
    /// "I checked your balance."
    LookUp,
}

/// A deed that a clause tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Told {
    telling: Telling,
    /// Of which kind; `None` where the words leave it open.
    kind: Option<Kind>,
}

/// The first claim of an answer that `history` does not back. `described` are the APIs that the
/// model could call at this step.
pub fn find(answer: &str, history: &[Turn], described: &[&'static Api]) -> Option<Claim> {
    let deeds = Deeds::of(described);
    let clauses = clauses::of(answer);
    let conversation = words_said(answer, history);
    let around = Deeds::nouns(conversation.iter().map(String::as_str));
    clauses
        .iter()
        .find(|clause| {
            let told = patterns::told(clause, &deeds, &around);
            told.is_some_and(|told| !evidence::backs(history, clause, told))
        })
        .map(|clause| Claim { words: clause.text() })
}

/// The words of the user and of the answer.
fn words_said(answer: &str, history: &[Turn]) -> Vec<String> {
    let user = history.iter().filter_map(|turn| match turn {
        Turn::User { text } => Some(text.as_str()),
        _ => None,
    });
    user.chain([answer]).flat_map(apis::text::words::words).collect()
}
