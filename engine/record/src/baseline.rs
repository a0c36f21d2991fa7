//! Built-in models, which need no endpoint.

use serde::{Deserialize, Serialize};

/// A built-in model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Baseline {
    /// Answers with the gold itself: the highest score that can be had.
    GoldReplay,
    /// No language model: API Search on the user's last words, slots filled by type and pattern.
    KeywordBaseline,
}

impl Baseline {
    /// Both models, the ceiling first.
    pub const ALL: [Baseline; 2] = [Baseline::GoldReplay, Baseline::KeywordBaseline];

    /// The identifier on the command line and in records.
    pub const fn as_str(self) -> &'static str {
        match self {
            Baseline::GoldReplay => "gold-replay",
            Baseline::KeywordBaseline => "keyword-baseline",
        }
    }

    /// The name in the UI.
    pub const fn title(self) -> &'static str {
        match self {
            Baseline::GoldReplay => "Gold replay",
            Baseline::KeywordBaseline => "Keyword baseline",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_the_names_in_json() {
        for it in Baseline::ALL {
            assert_eq!(serde_json::json!(it), it.as_str());
        }
    }
}
