//! Why an API refuses a call. The text is what the model gets to read.

use thiserror::Error;

/// A refusal. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ApiError {
    /// No account holds the token.
    #[error("The token is not valid: no account has it.")]
    InvalidToken,
    /// Something that the call names does not exist.
    #[error("There is no {what} {key:?}.")]
    NotFound {
        /// What was looked for, in words: `account`, `alarm at`.
        what: &'static str,
        /// The value that was looked for.
        key: String,
    },
    /// Something that the call would create is there already.
    #[error("There is already {what} {key:?}.")]
    AlreadyExists {
        /// What exists, with its article: `an account`, `a scene`.
        what: &'static str,
        /// Its key.
        key: String,
    },
    /// A text that may not be blank is blank.
    #[error("{parameter} must not be empty.")]
    Empty {
        /// The parameter.
        parameter: &'static str,
    },
    /// A value of the right type that makes no sense here.
    #[error("{parameter} is not valid: {reason}.")]
    Invalid {
        /// The parameter.
        parameter: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// Any other refusal, as a whole sentence.
    #[error("{0}")]
    Refused(String),
}

impl ApiError {
    /// Shorthand for [`ApiError::NotFound`].
    pub fn not_found(what: &'static str, key: impl ToString) -> Self {
        ApiError::NotFound { what, key: key.to_string() }
    }

    /// Shorthand for [`ApiError::AlreadyExists`].
    pub fn exists(what: &'static str, key: impl ToString) -> Self {
        ApiError::AlreadyExists { what, key: key.to_string() }
    }

    /// Shorthand for [`ApiError::Invalid`].
    pub fn invalid(parameter: &'static str, reason: impl Into<String>) -> Self {
        ApiError::Invalid { parameter, reason: reason.into() }
    }
}

/// The text without outer blanks, or [`ApiError::Empty`].
///
/// # Errors
/// When nothing is left.
pub fn filled<'a>(parameter: &'static str, text: &'a str) -> Result<&'a str, ApiError> {
    let text = text.trim();
    if text.is_empty() { Err(ApiError::Empty { parameter }) } else { Ok(text) }
}
