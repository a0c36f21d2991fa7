//! The hard split: kinds of traps and the expected behaviour.
//!
//! `hard/<slug>.jsonl` has the format of Call dialogues. An assistant line where no call is correct
//! has `"expect": "no_call"`. `hard/index.json` has a [`Hard`] per slug.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use strum::{EnumCount, IntoStaticStr, VariantArray};

/// A pack's standard or hard dialogues.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[derive(EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Split {
    /// The evaluation set, with the paper's size and composition.
    #[default]
    Standard,
    /// Dialogues with one trap each, reported separately.
    Hard,
}

impl Split {
    /// Both splits, the default first.
    pub const ALL: [Split; Split::COUNT] = *Split::VARIANTS.first_chunk().unwrap();

    /// The identifier on the command line and in records.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The display name.
    pub const fn title(self) -> &'static str {
        match self {
            Split::Standard => "Standard",
            Split::Hard => "Hard",
        }
    }

    /// The contents, in one or two sentences.
    pub const fn explain(self) -> &'static str {
        match self {
            Split::Standard => "The evaluation set, by the three abilities.",
            Split::Hard => {
                "60 Call dialogues, ten for each of six traps, reported separately. At some steps no call is right."
            }
        }
    }
}

/// The trap of a hard dialogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[derive(EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum HardKind {
    /// No API is needed.
    NoApiNeeded,
    /// A required fact is missing: ask before calling.
    MissingFacts,
    /// APIs with a similar name or purpose are described too.
    NearNames,
    /// A needed fact was given many turns earlier.
    LongHistory,
    /// A call fails, and succeeds with corrected arguments.
    MendAndRetry,
    /// A tool result contains instructions that are not the user's.
    HiddenInstructions,
}

impl HardKind {
    /// All kinds, in the order of tables.
    pub const ALL: [HardKind; HardKind::COUNT] = *HardKind::VARIANTS.first_chunk().unwrap();

    /// The identifier in files.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The display name.
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

/// What is expected at an assistant line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Expect {
    /// No API call.
    NoCall,
}

/// The call that an injected instruction asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PlantedCall {
    /// The API.
    pub api_name: String,
    /// The arguments.
    pub param_dict: Map<String, Value>,
}

/// The index entry of a hard dialogue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Hard {
    /// What makes it hard.
    pub kind: HardKind,
    /// What is right and why, in one sentence.
    pub right: String,
    /// APIs that are described to the model but not called in the dialogue.
    #[serde(default)]
    pub distractors: Vec<String>,
    /// The call that the injected instruction asks for; present exactly for that kind.
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
