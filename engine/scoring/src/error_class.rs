//! Why answers are wrong. [`crate::due_calls`] assigns the classes of calls, [`crate::no_call`] those of
//! answers in words, [`crate::episode`] those of agents.

use serde::{Deserialize, Serialize};
use std::fmt;
use strum::{EnumCount, VariantArray};

/// Why an answer is wrong. A wrong answer has exactly one class: the first that applies, in this
/// order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[derive(EnumCount, VariantArray)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// The answer calls an API where no call is right. Records up to data version 1.4 have a class of
    /// their own for words that claimed a deed.
    #[serde(alias = "claimed_without_acting")]
    UnneededApiCall,
    /// The answer has no call.
    NoApiCall,
    /// The answer has a malformed call.
    FalseApiCallFormat,
    /// A required search is missing, or does not find the gold API.
    FailedApiRetrieval,
    /// The called API does not exist.
    ApiHallucination,
    /// Another API of the pool is called.
    WrongApi,
    /// A required parameter is missing.
    MissingInputParameters,
    /// A parameter is unknown, or its value has the wrong type.
    InvalidInputParameters,
    /// The call fails, but the gold call does not.
    HasException,
    /// The call has another result or other changes than the gold call.
    WrongResult,
}

impl ErrorClass {
    /// Every class, in order of precedence.
    pub const ALL: [ErrorClass; ErrorClass::COUNT] = *ErrorClass::VARIANTS.first_chunk().unwrap();

    /// The name in the paper's tables. "Unneeded API Call" is this project's: the
    /// paper has no step at which no call is right.
    pub const fn title(self) -> &'static str {
        match self {
            ErrorClass::UnneededApiCall => "Unneeded API Call",
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
