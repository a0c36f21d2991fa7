//! Uncertainty of rates and of differences between two runs.
//!
//! The calls of a dialogue are correlated, and the trials of a sample even more so. The independent
//! unit of every interval and test is therefore the dialogue. `docs/statistics.md` has the
//! formulas, their sources, and the simulation behind the choice.
//!
//! Uses only +, -, ×, ÷ and square roots, which IEEE 754 rounds identically on every platform, and in
//! [`horizon`] exponentials and logarithms from `libm`.

mod difference;
mod holm;
pub mod horizon;
mod permutation;
mod power;
mod quantile;
mod rate;

pub use difference::{Difference, PairedDialogue, difference};
pub use holm::holm;
pub use permutation::sign_flip_test;
pub use power::{DISAGREEMENT, INTRACLASS_CORRELATION, smallest_difference};
pub use rate::{Dialogue, IntervalMethod, clustered, wilson, wilson_share};

use serde::{Deserialize, Serialize};

/// An interval of a rate, 0 to 1, or of a difference of rates, -1 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Interval {
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}
