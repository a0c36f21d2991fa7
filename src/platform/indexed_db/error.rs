//! Errors of the browser's storage.

use thiserror::Error;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::DomException;

/// A storage error; its message includes the remedy.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The browser gives this page no database.
    #[error(
        "This browser keeps nothing for this page ({0}). Leave the private window, or allow site \
         data for this address."
    )]
    Unavailable(String),
    /// Another tab holds the database while it opens it.
    #[error(
        "Another tab is opening this browser's database, and does not finish. Close the other \
         tabs of this page, and reload."
    )]
    Busy,
    /// The quota is exceeded.
    #[error(
        "There is no room left in this browser's storage. Delete packs or records that are no \
         longer needed, or free space on the disk."
    )]
    Full,
    /// The browser aborted a transaction.
    #[error(
        "The browser gave up storing, most often for lack of room. Delete packs or records that \
         are no longer needed."
    )]
    Aborted,
    /// A stored value is not the expected JSON.
    #[error("What is stored under {key} cannot be read ({reason}). Delete it.")]
    Damaged {
        /// The key.
        key: String,
        /// The JSON parser's message.
        reason: String,
    },
    /// A value that cannot be serialized.
    #[error("This cannot be stored: {0}.")]
    Value(String),
    /// Any other error, with the browser's message.
    #[error("The browser's storage failed: {0}. Reload the page.")]
    Other(String),
}

impl From<idb::Error> for StoreError {
    fn from(error: idb::Error) -> Self {
        use idb::Error;
        let exception = match &error {
            Error::DomException(exception) => Some(exception.name()),
            Error::AddFailed(value)
            | Error::UpdateFailed(value)
            | Error::TransactionCommitError(value)
            | Error::IndexedDbOpenFailed(value) => name(value),
            _ => None,
        };
        match (exception.as_deref(), &error) {
            (Some("QuotaExceededError"), _) => StoreError::Full,
            (Some("InvalidStateError" | "SecurityError" | "UnknownError"), _)
            | (_, Error::IndexedDbNotFound(_) | Error::IndexedDbOpenFailed(_)) => {
                StoreError::Unavailable(error.to_string())
            }
            _ => StoreError::Other(error.to_string()),
        }
    }
}

fn name(value: &JsValue) -> Option<String> {
    value.dyn_ref::<DomException>().map(DomException::name)
}
