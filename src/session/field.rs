//! The fields of the form, and what is wrong with them.

use crate::t;
use crate::texts::Texts;

/// A field of the form that can be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldName {
    /// The endpoint's address.
    Address,
    /// The model's name.
    Model,
    /// Sampling temperature.
    Temperature,
    /// Longest answer.
    MaxTokens,
    /// Requests in flight.
    Concurrency,
    /// Which abilities.
    Abilities,
    /// Dialogues of each ability.
    PerAbility,
    /// The seed.
    Seed,
    /// Share of the probability that is sampled from.
    TopP,
    /// Seed of the sampling.
    SamplingSeed,
    /// Length of the context.
    NumCtx,
    /// How long the head of a response may take.
    HeadersTimeout,
    /// How long its body may take.
    BodyTimeout,
    /// Further members of a request.
    Extra,
    /// How often each sample is asked.
    Trials,
    /// How long an episode may be.
    TurnLimit,
    /// The prompt texts.
    Prompts,
    /// Price of a million prompt tokens.
    PromptPrice,
    /// Price of a million answer tokens.
    AnswerPrice,
}

/// What is wrong with a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The field.
    pub field: FieldName,
    /// What was expected and what to do.
    pub message: String,
}

/// A field that may be empty.
pub(super) fn optional<T: std::str::FromStr>(
    text: &str,
    fits: impl Fn(&T) -> bool,
    field: FieldName,
    expected: &str,
    problems: &mut Vec<Problem>,
    texts: Texts,
) -> Option<T> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    let value = text.parse().ok().filter(|value| fits(value));
    if value.is_none() {
        let text = format!("{text:?}");
        let message = t!(texts, "{expected}, got {text}.", expected = expected, text = text);
        problems.push(Problem { field, message });
    }
    value
}
