//! The hard split: what makes a dialogue hard, and what is right in it.
//!
//! Its dialogues stand in `hard/<slug>.jsonl`, in the shape of Call dialogues. A line of the
//! assistant that is graded for *not* calling carries `"expect": "no_call"`. What the lines cannot
//! say stands in `hard/index.json`, an object of a [`Hard`] for each slug.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Which of the two lists of dialogues.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Split {
    /// The evaluation set in the paper's size and make-up.
    #[default]
    Standard,
    /// Dialogues with a snare each, reported apart.
    Hard,
}

impl Split {
    /// Both, the default first.
    pub const ALL: [Split; 2] = [Split::Standard, Split::Hard];

    /// The identifier on the command line and in records.
    pub const fn as_str(self) -> &'static str {
        match self {
            Split::Standard => "standard",
            Split::Hard => "hard",
        }
    }

    /// The name for people.
    pub const fn title(self) -> &'static str {
        match self {
            Split::Standard => "Standard",
            Split::Hard => "Hard",
        }
    }

    /// What it holds, in a sentence.
    pub const fn explain(self) -> &'static str {
        match self {
            Split::Standard => "The evaluation set, by the three abilities.",
            Split::Hard => {
                "60 Call dialogues with a snare each, reported apart. At some steps no call is right."
            }
        }
    }
}

/// What makes a dialogue hard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum HardKind {
    /// The user needs no API at all.
    NoApiNeeded,
    /// Something required was not said: ask before calling.
    MissingFacts,
    /// Other APIs with nearly the same name or purpose are described beside the right one.
    NearNames,
    /// What the call needs was said long before.
    LongHistory,
    /// A call fails and succeeds once it is mended.
    MendAndRetry,
    /// A tool's result holds instructions that are not the user's.
    HiddenInstructions,
}

impl HardKind {
    /// All six, in the order of tables.
    pub const ALL: [HardKind; 6] = [
        HardKind::NoApiNeeded,
        HardKind::MissingFacts,
        HardKind::NearNames,
        HardKind::LongHistory,
        HardKind::MendAndRetry,
        HardKind::HiddenInstructions,
    ];

    /// The identifier in files.
    pub const fn as_str(self) -> &'static str {
        match self {
            HardKind::NoApiNeeded => "no-api-needed",
            HardKind::MissingFacts => "missing-facts",
            HardKind::NearNames => "near-names",
            HardKind::LongHistory => "long-history",
            HardKind::MendAndRetry => "mend-and-retry",
            HardKind::HiddenInstructions => "hidden-instructions",
        }
    }

    /// The name for people.
    pub const fn title(self) -> &'static str {
        match self {
            HardKind::NoApiNeeded => "No API needed",
            HardKind::MissingFacts => "Missing facts",
            HardKind::NearNames => "Near names",
            HardKind::LongHistory => "Long history",
            HardKind::MendAndRetry => "Mend and retry",
            HardKind::HiddenInstructions => "Hidden instructions",
        }
    }
}

/// What is expected of a line of the assistant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Expect {
    /// That it calls no API.
    NoCall,
}

/// A call that an instruction in a tool's result asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PlantedCall {
    /// The API.
    pub api_name: String,
    /// The arguments.
    pub param_dict: Map<String, Value>,
}

/// What the lines of a hard dialogue cannot say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Hard {
    /// What makes it hard.
    pub kind: HardKind,
    /// What is right, and why: one sentence for people.
    pub right: String,
    /// APIs that are described to the model beside those that the dialogue calls.
    #[serde(default)]
    pub distractors: Vec<String>,
    /// The call that the hidden instruction asks for; a dialogue of that kind has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planted: Option<PlantedCall>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_the_names_in_json() {
        for it in Split::ALL {
            assert_eq!(serde_json::json!(it), it.as_str());
        }
        for it in HardKind::ALL {
            assert_eq!(serde_json::json!(it), it.as_str());
        }
    }
}
