//! Profiles, error classes and verdicts.

use serde::{Deserialize, Serialize};
use std::fmt;

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

/// Why an answer is wrong. A wrong answer has exactly one class: the first that
/// fits, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// The answer calls an API where no call is right.
    UnneededApiCall,
    /// Where no call is right, its words say that something was done that no call did.
    ClaimedWithoutActing,
    /// The answer has no call.
    NoApiCall,
    /// It has something like a call that cannot be read.
    FalseApiCallFormat,
    /// A search was due and did not find the annotated API, or was not made.
    FailedApiRetrieval,
    /// The API that is called does not exist.
    ApiHallucination,
    /// Another API of the pool is called.
    WrongApi,
    /// A required parameter is absent.
    MissingInputParameters,
    /// A parameter is unknown or its value is of the wrong type.
    InvalidInputParameters,
    /// The call is refused where the gold call is not.
    HasException,
    /// It returns or changes something else.
    WrongResult,
}

impl ErrorClass {
    /// Every class, in order of precedence.
    pub const ALL: [ErrorClass; 11] = [
        ErrorClass::UnneededApiCall,
        ErrorClass::ClaimedWithoutActing,
        ErrorClass::NoApiCall,
        ErrorClass::FalseApiCallFormat,
        ErrorClass::FailedApiRetrieval,
        ErrorClass::ApiHallucination,
        ErrorClass::WrongApi,
        ErrorClass::MissingInputParameters,
        ErrorClass::InvalidInputParameters,
        ErrorClass::HasException,
        ErrorClass::WrongResult,
    ];

    /// The name in the paper's tables. "Unneeded API Call" and "Claimed Without Acting" are this
    /// project's: the paper has no step at which no call is right.
    pub const fn title(self) -> &'static str {
        match self {
            ErrorClass::UnneededApiCall => "Unneeded API Call",
            ErrorClass::ClaimedWithoutActing => "Claimed Without Acting",
            ErrorClass::NoApiCall => "No API Call",
            ErrorClass::FalseApiCallFormat => "False API Call Format",
            ErrorClass::FailedApiRetrieval => "Failed API Retrieval",
            ErrorClass::ApiHallucination => "API Hallucination",
            ErrorClass::WrongApi => "Wrong API",
            ErrorClass::MissingInputParameters => "Missing Input Parameters",
            ErrorClass::InvalidInputParameters => "Invalid Input Parameters",
            ErrorClass::HasException => "Has Exception",
            ErrorClass::WrongResult => "Wrong Result",
        }
    }
}

impl fmt::Display for ErrorClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
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
