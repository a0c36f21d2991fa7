//! A sample with its answer and verdicts.

use crate::{EpisodeRecord, OtherForm, shared_effect};
use apis::effect::Effect;
use dataset::import::{Correction, Place};
use dataset::{Ability, Hard, RecordedCall};
use exchange::call::ParsedCall;
use exchange::protocol::{Message, SampleKind};
use exchange::{Answer, SampleTimes};
use provider::FailureClass;
use scoring::f1::CallOverlap;
use scoring::{Profile, Verdict};
use serde::ser::Error as _;
use serde::{Deserialize, Serialize, Serializer};
use std::sync::Arc;

/// One sample with its answer and verdicts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SampleRecord {
    /// `<dialogue>#<turn>`.
    pub id: String,
    /// Id of the dialogue.
    pub dialogue: String,
    /// Index of the gold turn.
    pub turn: usize,
    /// The dialogue's ability.
    pub ability: Ability,
    /// What the sample asks for.
    pub kind: SampleKind,
    /// Trial, from 1.
    #[serde(default = "one")]
    pub trial: u32,
    /// Position of the call in its dialogue, from 1; for a reply, that of the call before it; 0 for
    /// an episode.
    #[serde(default)]
    pub position: usize,
    /// Number of calls in its dialogue.
    #[serde(default)]
    pub calls_in_dialogue: usize,
    /// The prompt; for an episode, the whole conversation.
    pub messages: Vec<Message>,
    /// Names of the offered tools. Their schemas are in the pool.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// The answer, or why there is none.
    pub outcome: Outcome,
    /// The gold.
    pub gold: Gold,
    /// In the hard split: the trap, and what is right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hard: Option<Hard>,
    /// For imported data: its place in the original.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Place>,
    /// For imported data: the entry of the errata, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correction: Option<Correction>,
    /// The call parsed from the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parsed: Option<ParsedCall>,
    /// The form of the call, if it is not the protocol's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_form: Option<Box<OtherForm>>,
    /// Effect of the gold call.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "shared_effect")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Effect>"))]
    pub gold_effect: Option<Arc<Effect>>,
    /// Effect of the predicted call.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "shared_effect")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Effect>"))]
    pub effect: Option<Arc<Effect>>,
    /// The verdicts; `None` if there is nothing to judge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdicts: Option<Verdicts>,
    /// Answers, calls and changes of an episode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub episode: Option<Box<EpisodeRecord>>,
    /// A search for an API that an earlier search has returned already: no search is needed.
    #[serde(default, skip_serializing_if = "is_false")]
    pub moot: bool,
    /// The facts that the words have to tell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub told: Vec<Told>,
    /// ROUGE-L of a reply, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "finite")]
    pub rouge_l: Option<f64>,
    /// Requests sent, including retries.
    pub attempts: u32,
    /// Why the requests before the last failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub retries: Vec<String>,
    /// When.
    pub times: SampleTimes,
}

/// The answer to a sample, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "status", rename_all = "lowercase")]
pub enum Outcome {
    /// An answer; it is scored.
    Answered(Answer),
    /// No answer: not scored, counted separately, can be rerun.
    Failed {
        /// Whose fault it is.
        class: FailureClass,
        /// The problem and its remedy.
        message: String,
    },
}

/// The gold of a sample.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[allow(clippy::large_enum_variant, reason = "most samples are calls")]
pub enum Gold {
    /// A call.
    Call(RecordedCall),
    /// A reply.
    Reply(String),
    /// No call. This text is one right answer.
    #[serde(rename = "no_call")]
    NoCall(String),
    /// The calls of a whole dialogue.
    Episode(Vec<RecordedCall>),
}

/// The verdicts of every profile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verdicts {
    /// Same effect.
    pub execution: Verdict,
    /// Same name and arguments.
    pub exact: Verdict,
    /// F1 over names and arguments.
    pub f1: Verdict,
    /// The original evaluator's verdict, on imported data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<Verdict>,
    /// The terms of `f1`.
    pub overlap: CallOverlap,
}

/// A fact that words have to tell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Told {
    /// The fact; `|` separates ways to say it.
    pub fact: String,
    /// Whether the words tell it.
    pub told: bool,
}

impl SampleRecord {
    /// The id without the trial suffix, shared by all trials of a sample.
    pub fn untried(&self) -> &str {
        self.id.strip_suffix(&format!("@{}", self.trial)).unwrap_or(&self.id)
    }

    /// Whether an erratum excludes the sample from rates. The original's own verdict keeps it.
    pub fn is_excluded(&self, profile: Profile) -> bool {
        profile != Profile::Original && self.correction.as_ref().is_some_and(|it| it.excluded)
    }

    /// Whether the sample counts towards the first rate: a call that is no search, or an episode. The
    /// original's own verdict counts searches, too.
    pub fn counts_for(&self, profile: Profile) -> bool {
        let search = matches!(&self.gold, Gold::Call(call) if call.is_search());
        self.kind.is_rated(search && profile != Profile::Original) && !self.is_excluded(profile)
    }

    /// The sample's sort key in a record.
    pub fn place(&self) -> (Ability, &str, usize, u32, &str) {
        (self.ability, &self.dialogue, self.turn, self.trial, &self.id)
    }
}

/// The default for records without `trials`.
pub(crate) const fn one() -> u32 {
    1
}

fn is_false(it: &bool) -> bool {
    !*it
}

/// Serializes only finite numbers: serde would silently write NaN as `null`.
pub(crate) fn finite<S: Serializer>(number: &Option<f64>, to: S) -> Result<S::Ok, S::Error> {
    match number {
        Some(number) if !number.is_finite() => {
            Err(S::Error::custom(format!("expected a finite number, got {number}")))
        }
        _ => number.serialize(to),
    }
}
