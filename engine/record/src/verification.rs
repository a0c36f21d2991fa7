//! What a verification gives: read by the page, which cannot verify by itself.

use super::{CheckedSignature, Disclosure};
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
    /// How the record came about, and what may make its accuracy mislead.
    pub disclosure: Disclosure,
    /// The record's signatures, each checked against the digest of what was read.
    pub signatures: Vec<CheckedSignature>,
}

impl Verification {
    /// Whether everything came out as it is recorded.
    pub fn holds(&self) -> bool {
        self.found == 0
    }
    /// The result in one or two sentences.
    ///
    /// A consistent record follows from its answers. Who wrote those is another question, except
    /// for a built-in model: it is asked again.
    pub fn verdict(&self) -> String {
        let (samples, model) = (self.samples, &self.disclosure.model);
        if !self.holds() {
            return format!(
                "Inconsistent: {} differences in {samples} samples between what is recorded and \
                 what follows from the answers.",
                self.found
            );
        }
        let consistent = format!(
            "Consistent: computed anew, every number follows from the answers of {samples} samples."
        );
        if self.disclosure.builtin {
            return format!("{consistent} {model} is built in and gave these answers again.");
        }
        format!("{consistent} This is no proof that {model} wrote them.")
    }
}
