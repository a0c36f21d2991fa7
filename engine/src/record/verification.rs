//! What a verification gives: read by the page, which cannot verify by itself.

use serde::{Deserialize, Serialize};

/// A field that did not come out as it is recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// Where: samples by their id, then fields and indices.
    pub path: String,
    /// What the record has, as JSON, shortened; `nothing` where it has no such field.
    pub recorded: String,
    /// What comes out.
    pub recomputed: String,
}

/// What a verification found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verification {
    /// Samples that were verified.
    pub samples: usize,
    /// The first differences.
    pub differences: Vec<Difference>,
    /// How many there are.
    pub found: usize,
    /// What a reader of the result should know.
    pub notes: Vec<String>,
}

impl Verification {
    /// Whether everything came out as it is recorded.
    pub fn holds(&self) -> bool {
        self.found == 0
    }
}
