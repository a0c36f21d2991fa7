//! The program that made a record.

use serde::{Deserialize, Serialize};

/// The program that made a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct App {
    /// Its version.
    pub version: String,
    /// Shortened digest of the sources that affect results; empty in version 1.
    pub build: String,
}

impl App {
    /// This program.
    pub fn this() -> Self {
        App {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            build: env!("API_BANK_BUILD").to_owned(),
        }
    }
}
