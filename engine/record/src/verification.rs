//! The result of a verification, for the page, which does not link the verifier.

use super::{CheckedSignature, Disclosure};
use serde::{Deserialize, Serialize};

/// A field whose recomputed value differs from the recorded one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// The path: samples by id, then fields and indices.
    pub path: String,
    /// The recorded value as JSON, shortened; `nothing` if the field is missing.
    pub recorded: String,
    /// The recomputed value.
    pub recomputed: String,
}

/// The result of a verification.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verification {
    /// The number of verified samples.
    pub samples: usize,
    /// The first differences.
    pub differences: Vec<Difference>,
    /// The total number of differences.
    pub found: usize,
    /// How the record was made, and why its accuracy may mislead.
    pub disclosure: Disclosure,
    /// The record's signatures, each verified against the computed digest.
    pub signatures: Vec<CheckedSignature>,
}

impl Verification {
    /// Whether every recomputed value matches the recorded one.
    pub fn holds(&self) -> bool {
        self.found == 0
    }
    /// The result in one or two sentences.
    ///
    /// A record's results can be consistent with its answers, but the answers themselves are not
    /// verified, except for a built-in model, which is asked again.
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
