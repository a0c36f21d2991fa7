//! Profiles and verdicts.

use crate::error_class::ErrorClass;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// A scoring rule. Every record can be scored under each, except `original`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[derive(IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// Same effect: the same result and the same changes to the databases.
    Execution,
    /// Same name, and equal arguments.
    Exact,
    /// F1 over names and arguments; a call is right if none is missing or superfluous.
    F1,
    /// The verdict of the original Python evaluator; only on imported data.
    Original,
}

impl Profile {
    /// The profiles that every record has, the default first.
    pub const ALL: [Profile; 3] = [Profile::Execution, Profile::Exact, Profile::F1];

    /// The identifier, as in JSON.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A verdict with its reason.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verdict {
    /// Whether the answer is right.
    pub correct: bool,
    /// The error class of a wrong answer.
    pub error_class: Option<ErrorClass>,
    /// The reason, in sentences.
    pub explanation: String,
    /// The parameter that is wrong, in a call of a user's own tool; absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameter: Option<String>,
}

impl Verdict {
    /// The verdict on a right answer.
    pub fn right(explanation: impl Into<String>) -> Self {
        Verdict {
            correct: true,
            error_class: None,
            explanation: explanation.into(),
            parameter: None,
        }
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
        Verdict {
            correct: false,
            error_class: Some(class),
            explanation: explanation.into(),
            parameter: None,
        }
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
