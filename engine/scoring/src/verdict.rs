//! Profiles and verdicts.

use crate::error_class::ErrorClass;
use serde::{Deserialize, Serialize};

/// How an answer is judged. Every profile can be computed from any record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// Same effect: the same results and the same changes to the world.
    Execution,
    /// Name and arguments equal, value for value.
    Exact,
    /// Names and arguments that agree, counted; right when nothing is missing or too much.
    F1,
    /// What the original Python evaluator says; on its own data alone.
    Original,
}

impl Profile {
    /// The profiles that every record has, the default first.
    pub const ALL: [Profile; 3] = [Profile::Execution, Profile::Exact, Profile::F1];

    /// The identifier, as in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Profile::Execution => "execution",
            Profile::Exact => "exact",
            Profile::F1 => "f1",
            Profile::Original => "original",
        }
    }
}

/// A judgement with its reason.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verdict {
    /// Whether the answer is right.
    pub correct: bool,
    /// Why not, for a wrong one.
    pub error_class: Option<ErrorClass>,
    /// The reason in words.
    pub explanation: String,
}

impl Verdict {
    /// The verdict on a right answer.
    pub fn right(explanation: impl Into<String>) -> Self {
        Verdict { correct: true, error_class: None, explanation: explanation.into() }
    }

    /// Appends a sentence to the explanation of a wrong answer; does nothing to a right one.
    pub fn explain(&mut self, more: Option<&str>) {
        if let Some(more) = more.filter(|_| !self.correct) {
            self.explanation.push(' ');
            self.explanation.push_str(more);
        }
    }

    /// The verdict on a wrong answer.
    pub fn wrong(class: ErrorClass, explanation: impl Into<String>) -> Self {
        Verdict { correct: false, error_class: Some(class), explanation: explanation.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_the_names_in_json() {
        for it in Profile::ALL {
            assert_eq!(serde_json::json!(it), it.as_str());
        }
    }
}
