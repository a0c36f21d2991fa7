//! Why an API refuses a call. Models see the messages.

use thiserror::Error;

/// Why an API refused a call. The world is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ApiError {
    /// No account holds the token.
    #[error("The token is not valid: no account has it.")]
    InvalidToken,
    /// Something that the call refers to does not exist.
    #[error("There is no {what} {key:?}.")]
    NotFound {
        /// The noun, and its preposition if any: `account`, `alarm at`.
        what: &'static str,
        /// The lookup key.
        key: String,
    },
    /// Something that the call would create already exists.
    #[error("There is already {what} {key:?}.")]
    AlreadyExists {
        /// The noun with its article: `an account`, `a scene`.
        what: &'static str,
        /// Its key.
        key: String,
    },
    /// A string is blank.
    #[error("{parameter} must not be empty.")]
    Empty {
        /// The parameter.
        parameter: &'static str,
    },
    /// A value has the right type but is not valid here.
    #[error("{parameter} is not valid: {reason}.")]
    Invalid {
        /// The parameter.
        parameter: &'static str,
        /// A clause without a full stop.
        reason: String,
    },
    /// Any other refusal, as a full sentence.
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

/// Trims a string.
///
/// # Errors
/// [`ApiError::Empty`] if the result is empty.
pub fn filled<'a>(parameter: &'static str, text: &'a str) -> Result<&'a str, ApiError> {
    let text = text.trim();
    if text.is_empty() { Err(ApiError::Empty { parameter }) } else { Ok(text) }
}
