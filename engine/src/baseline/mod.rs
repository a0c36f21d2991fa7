//! Built-in models that need no endpoint: the ceiling and a floor.

#[cfg(feature = "search")]
mod keyword;
#[cfg(feature = "search")]
mod slots;

#[cfg(feature = "search")]
use crate::{bench::Bench, call, protocol::Sample};
use serde::{Deserialize, Serialize};

/// A built-in model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Baseline {
    /// Answers with the gold itself: the highest score that can be had.
    GoldReplay,
    /// No language model: API Search on the user's last words, slots filled by type and pattern.
    KeywordBaseline,
}

impl Baseline {
    /// Both, the ceiling first.
    pub const ALL: [Baseline; 2] = [Baseline::GoldReplay, Baseline::KeywordBaseline];

    /// The identifier on the command line and in records.
    pub const fn as_str(self) -> &'static str {
        match self {
            Baseline::GoldReplay => "gold-replay",
            Baseline::KeywordBaseline => "keyword-baseline",
        }
    }

    /// The name for people.
    pub const fn title(self) -> &'static str {
        match self {
            Baseline::GoldReplay => "Gold replay",
            Baseline::KeywordBaseline => "Keyword baseline",
        }
    }

    /// The text that this model answers a sample with.
    ///
    /// # Errors
    /// When API Search fails, in words.
    #[cfg(feature = "search")]
    pub fn answer(self, bench: &Bench, sample: &Sample<'_>) -> Result<String, String> {
        match self {
            Baseline::GoldReplay => Ok(gold(sample)),
            Baseline::KeywordBaseline => keyword::answer(bench, sample),
        }
    }
}

#[cfg(feature = "search")]
fn gold(sample: &Sample<'_>) -> String {
    match sample.gold_call() {
        Some(gold) => call::format(&gold.api_name, &gold.param_dict),
        None => sample.gold_reply().unwrap_or_default().to_owned(),
    }
}
