//! Names of the form's fields, and validation problems.

use crate::t;
use crate::texts::Texts;

/// A field that can be invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldName {
    /// The endpoint's address.
    Address,
    /// The model's name.
    Model,
    /// Abilities.
    Abilities,
    /// Dialogues per ability.
    PerAbility,
    /// The seed of a variant.
    Variant,
    /// An option of the run, by its name.
    Option(&'static str),
    /// The prompt texts.
    Prompts,
    /// Price per million prompt tokens.
    PromptPrice,
    /// Price per million answer tokens.
    AnswerPrice,
}

/// A problem with a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The field.
    pub field: FieldName,
    /// The expected value and the remedy.
    pub message: String,
}

/// Parses a field that may be empty.
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
