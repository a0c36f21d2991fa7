//! Why answers are wrong.

use serde::{Deserialize, Serialize};
use std::fmt;

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
