//! Claimed Without Acting: detects replies that claim an action that no call performed.
//!
//! The rules match English verb forms. A reply is split into clauses; questions, conditions,
//! reported speech and negations are skipped. A remaining clause is a claim if it states an action
//! in the past or perfect ("I've set", "has been set"), a state ("is set", "Alarm set", "on your
//! calendar"), or completion ("Done!"). The APIs' names and descriptions determine which kinds of
//! action exist, and every verb of those kinds counts (`deeds`). A claim is true if the history
//! backs it (`evidence`), or if it repeats a state that the user has told of (`told_by_user`).
//!
//! What a clause takes for granted is news, not a claim: "Glad that's sorted", "Now that it's booked"
//! (`presupposed`). So is a state in a reply that asks for a value, because the action has yet to come.
//!
//! Futures, offers and progressives ("I'm booking it now") are promises, not claims. A look-up is
//! claimed only in the first person and about the user's records ("I checked your balance"). Text
//! in other languages yields no claims.

mod agreement;
mod clauses;
mod deeds;
mod evidence;
mod patterns;
mod presupposed;
mod told_by_user;

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

/// A claim that no call backs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The claiming clause, in lower case and without punctuation.
    pub words: String,
}

/// The form of a claim, which determines what makes it true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Telling {
    /// An action: "I've set it", "Alarm set".
    Act,
    /// An action without its agent: "it has been set". The user's report may back it.
    Event,
    /// A state: "it is set", "on your calendar". A look-up may back it.
    State,
    /// "Done!", without an object. A look-up may back it.
    Completion,
    /// "I've taken care of it", "all set". Only a change backs it.
    Handled,
    /// "I checked your balance."
    LookUp,
}

/// The claim in a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Told {
    telling: Telling,
    /// The kind of action; `None` if the words leave it open.
    kind: Option<Kind>,
}

/// The first claim in an answer that `history` does not back. `described` holds the APIs described
/// to the model at this step.
pub fn find(answer: &str, history: &[Turn], described: &[&'static Api]) -> Option<Claim> {
    let deeds = Deeds::of(described);
    let clauses = clauses::of(answer);
    let conversation = words_said(answer, history);
    let around = Deeds::nouns(conversation.iter().map(String::as_str));
    let asks_for_value = presupposed::asks_for_value(answer);
    clauses
        .iter()
        .find(|clause| {
            let told = patterns::told(clause, &deeds, &around);
            told.is_some_and(|told| {
                let is_own = presupposed::is_own_act(clause, told);
                let is_news = (!is_own || told.telling == Telling::Completion)
                    && presupposed::is_news(clause);
                let is_due = !is_own && asks_for_value;
                let is_farewell = presupposed::is_farewell(answer, clause, history);
                !(is_news || is_due || is_farewell || evidence::backs(history, clause, told))
            })
        })
        .map(|clause| Claim { words: clause.text() })
}

/// The words of the user's turns and of the answer.
fn words_said(answer: &str, history: &[Turn]) -> Vec<String> {
    let user = history.iter().filter_map(|turn| match turn {
        Turn::User { text } => Some(text.as_str()),
        _ => None,
    });
    user.chain([answer]).flat_map(apis::text::words::words).collect()
}
