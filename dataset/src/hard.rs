//! The hard split: kinds of traps and the expected behaviour.
//!
//! `hard/<slug>.jsonl` has the format of Call dialogues. An assistant line where no call is correct
//! has `"expect": "no_call"`. `hard/index.json` has a [`Hard`] per slug. In a dialogue of
//! [`HardKind::ParallelCalls`], calls without an utterance between them are due in one answer.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
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
                "144 Call dialogues, twelve for each of twelve traps, reported separately. At some steps no call is right."
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
    /// A described call fits the words, with every argument, and is not right.
    CallableTemptation,
    /// Required facts are missing: ask before calling.
    MissingFacts,
    /// Several independent calls are due in one answer.
    ParallelCalls,
    /// The needed API is described only later.
    FunctionAdded,
    /// A rule wants a confirmation before a call that can't be undone.
    Confirmation,
    /// A rule says whose data may be read or changed.
    Authorisation,
    /// A step that the user does not name must come first.
    StateDependency,
    /// Values are told in another form than the API's.
    Canonicalisation,
    /// Two rows fit what the user says: ask which.
    AmbiguousEntity,
    /// The needed facts are in a long conversation, among similar ones.
    LongContext,
    /// A tool result contains instructions that are not the user's.
    HiddenInstructions,
    /// A call fails and can't be mended: say so.
    HonestFailure,
    /// Of the first edition, as the four that follow; in records alone. No API is needed.
    NoApiNeeded,
    /// APIs with a similar name or purpose are described too.
    NearNames,
    /// A needed fact was given many turns earlier.
    LongHistory,
    /// A call fails, and succeeds with corrected arguments.
    MendAndRetry,
}

/// Kinds of the first edition that the second does not have.
const FORMER: usize = 4;

impl HardKind {
    /// The kinds of the split, in the order of tables.
    pub const ALL: [HardKind; HardKind::COUNT - FORMER] =
        *HardKind::VARIANTS.first_chunk().unwrap();

    /// The kinds of any record: those of the first edition last.
    pub const EVER: [HardKind; HardKind::COUNT] = *HardKind::VARIANTS.first_chunk().unwrap();

    /// The identifier in files.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The display name.
    pub const fn title(self) -> &'static str {
        match self {
            HardKind::CallableTemptation => "Callable temptation",
            HardKind::MissingFacts => "Missing facts",
            HardKind::ParallelCalls => "Parallel calls",
            HardKind::FunctionAdded => "Function added",
            HardKind::Confirmation => "Confirmation",
            HardKind::Authorisation => "Authorisation",
            HardKind::StateDependency => "State dependency",
            HardKind::Canonicalisation => "Canonicalisation",
            HardKind::AmbiguousEntity => "Ambiguous entity",
            HardKind::LongContext => "Long context",
            HardKind::HiddenInstructions => "Hidden instructions",
            HardKind::HonestFailure => "Honest failure",
            HardKind::NoApiNeeded => "No API needed",
            HardKind::NearNames => "Near names",
            HardKind::LongHistory => "Long history",
            HardKind::MendAndRetry => "Mend and retry",
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
    /// Rules of the operator, told to the model with its instructions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<String>,
    /// APIs that are described only from one of the user's turns on, by its number, from 1.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub added: BTreeMap<String, usize>,
    /// Call dialogues that come before this one in the same conversation, by id. They are not
    /// graded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<String>,
}

impl Hard {
    /// Whether an API is described after that many turns of the user.
    pub fn describes(&self, api: &str, user_turns: usize) -> bool {
        self.added.get(api).is_none_or(|from| user_turns >= *from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_the_names_in_json() {
        for it in Split::ALL {
            assert_eq!(serde_json::json!(it), it.as_str());
        }
        for it in HardKind::EVER {
            assert_eq!(serde_json::json!(it), it.as_str());
        }
    }
}
