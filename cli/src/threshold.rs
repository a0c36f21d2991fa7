//! Thresholds for CI: when a result misses one, the program exits with a separate code.

use crate::choice::one_of;
use clap::Args;
use record::{Bounds, Record};
use scoring::Profile;

/// The thresholds.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Thresholds (exit code 4 when one is missed)")]
pub(crate) struct Thresholds {
    /// The minimum share of correct calls, in percent of the scored ones.
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    min_accuracy: Option<f64>,
    /// The minimum share of dialogues with every call correct, in percent of the scored ones.
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    min_dialogues: Option<f64>,
    /// The minimum mean ROUGE-L of replies, 0 to 1.
    #[arg(long, value_name = "SCORE", value_parser = share)]
    min_rouge: Option<f64>,
    /// The maximum number of samples without an answer.
    #[arg(long, value_name = "COUNT")]
    max_failed: Option<usize>,
    /// The profile that decides what is correct.
    #[arg(long, value_name = "PROFILE", value_parser = one_of(&Profile::ALL, Profile::as_str), default_value = "execution")]
    profile: Profile,
}

fn percent(text: &str) -> Result<f64, String> {
    within(text, 100.0).ok_or_else(|| "expected a number from 0 to 100".to_owned())
}

fn share(text: &str) -> Result<f64, String> {
    within(text, 1.0).ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

fn within(text: &str, most: f64) -> Option<f64> {
    text.parse().ok().filter(|number| (0.0..=most).contains(number))
}

impl Thresholds {
    pub(crate) const fn profile(&self) -> Profile {
        self.profile
    }

    /// The missed thresholds, one sentence each. A number that doesn't exist counts as missed.
    pub(crate) fn missed(&self, record: &Record) -> Vec<String> {
        let bounds = Bounds {
            accuracy: self.min_accuracy,
            dialogues: self.min_dialogues,
            rouge_l: self.min_rouge,
            failed: self.max_failed,
        };
        bounds.missed(record, self.profile)
    }

    /// Whether `--max-failed` was given.
    pub(crate) const fn allows_failed(&self) -> bool {
        self.max_failed.is_some()
    }
}
