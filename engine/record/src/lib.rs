//! The run record, a run's only artifact: settings, samples, digest, signatures, and everything
//! computed from them (summaries, metrics, comparisons, exports).
//!
//! Must not run anything: it does not link API Search or the simulated APIs, so that a page can
//! read records without them. `runner` verifies a record by replaying it.
//!
//! Tables, pages and exports are folds over a record. It contains no key. Except for `times`, it is
//! deterministic: the same answers give the same record, which its digest covers.
//! `docs/record-changelog.md` lists the versions.

mod baseline;
mod bounds;
mod canonical;
pub mod compare;
pub mod demo;
pub mod disclosure;
mod episode;
pub mod export;
mod file;
mod form;
mod gzip;
#[cfg(feature = "signatures")]
pub mod jws;
pub mod leaderboard;
mod lines;
mod listed;
mod merge;
pub mod metrics;
pub mod options;
mod plan;
pub mod reference;
mod retriever;
mod run_size;
mod settings;
mod shard;
mod signature;
pub mod table;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
mod trace;
mod unique;
mod verification;
mod version_1;
mod words;

pub use baseline::Baseline;
pub use bounds::Bounds;
pub use canonical::{Digester, canonical};
pub use disclosure::{Disclosure, Unit, Warning};
pub use episode::EpisodeRecord;
pub use file::{Limits, RecordError, Writer};
pub use form::OtherForm;
pub use gzip::unpacked;
pub use listed::{Setting, differing};
pub use merge::{MergeError, merge};
use metrics::horizon::{adaptive, is_complete};
pub use metrics::{AbilityRow, Forms, Mean, Rate, Summarizer, Summary, summarize};
pub use plan::{Subset, order};
pub use retriever::{EmbeddingModel, Retriever, retriever_title};
pub use run_size::RunSize;
pub use settings::{LONGEST_EPISODE, MOST_TRIALS, RunSettings, SettingsError, turn_limit};
pub use shard::{MOST_PARTS, Shard, ShardError};
pub use signature::{
    CheckedSignature, Fingerprint, LONGEST_NAME, MOST_SIGNATURES, NoFingerprint, Signature,
    SignatureState,
};

use apis::effect::Effect;
use apis::search::SearchResults;
use dataset::import::{Correction, Place};
use dataset::{Ability, Hard, RecordedCall, Source, Split};
use exchange::Answer;
use exchange::SampleTimes;
use exchange::call::ParsedCall;
use exchange::protocol::{DescribedApis, Message, Prompts, Protocol, SampleKind, Steps};
use provider::{Endpoint, FailureClass};
use scoring::f1::CallOverlap;
use scoring::{Profile, Verdict};
use serde::ser::Error as _;
use serde::{Deserialize, Serialize, Serializer};

pub use trace::{Lost, Trace, trace};
pub use verification::{Difference, Verification};

pub use words::{expected, received};

/// Name of the format.
pub const SCHEMA: &str = "api-bank-record";
/// Version of the format.
pub const SCHEMA_VERSION: u32 = 2;

/// A run: its settings, samples, verdicts and summary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Record {
    /// Name of the format: [`SCHEMA`].
    pub schema: String,
    /// Version of the format: [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The program that made it.
    pub app: App,
    /// The pack.
    pub pack: Source,
    /// API Search: its model, and the number of APIs per search.
    pub search: SearchSource,
    /// The protocol.
    pub protocol: Protocol,
    /// Version of the prompt texts; [`CUSTOM`](exchange::protocol::prompts::CUSTOM) for a user's.
    pub prompts: String,
    /// The split.
    #[serde(default)]
    pub split: Split,
    /// SHA-256 of the prompt texts.
    #[serde(default)]
    pub prompts_digest: String,
    /// The prompt texts, if they are custom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub custom_prompts: Option<Prompts>,
    /// Trials per sample.
    #[serde(default = "one")]
    pub trials: u32,
    /// Maximum number of answers per episode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_limit: Option<usize>,
    /// The steps of each dialogue that were asked; absent if all were.
    #[serde(default, skip_serializing_if = "Steps::is_all")]
    pub steps: Steps,
    /// Which APIs the prompts of Call describe; absent for the dialogue's own.
    #[serde(default = "DescribedApis::unnamed", skip_serializing_if = "DescribedApis::is_own")]
    pub described_apis: DescribedApis,
    /// Number of the pack's samples that the run leaves out: searches under `all-tools`, steps where
    /// no call is right under `paper`, and steps that `steps` excludes.
    #[serde(default)]
    pub left_out: usize,
    /// The abilities.
    pub abilities: Vec<Ability>,
    /// The subset of the data.
    #[serde(default)]
    pub subset: Subset,
    /// Seed of subset and order; 0 in records from before seeds.
    #[serde(default)]
    pub seed: u32,
    /// The shards in this record; absent if the run is complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shards>,
    /// The model.
    pub model: Model,
    /// Sampling parameters that the endpoint rejected, so that requests were sent without them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped_parameters: Vec<String>,
    /// Whether the run finished.
    pub status: Status,
    /// Number of samples planned.
    pub planned: usize,
    /// Start and end. Records of equal runs differ only in times.
    pub times: RunTimes,
    /// The summary under the default profile.
    pub summary: Summary,
    /// SHA-256 of the canonical form without times, see [`Digester`].
    pub digest: String,
    /// Signatures over the digest. The digest does not cover them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signatures: Vec<Signature>,
    /// Every sample, sorted by ability, dialogue, turn and trial. Last in the file, so that a
    /// streaming reader knows all other fields first.
    pub samples: Vec<SampleRecord>,
}

/// The default for records without `trials`.
const fn one() -> u32 {
    1
}

/// The program that made a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct App {
    /// Its version.
    pub version: String,
    /// Shortened digest of the sources that affect results; empty in version 1.
    pub build: String,
}

impl App {
    /// This program.
    pub fn this() -> Self {
        App {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            build: env!("API_BANK_BUILD").to_owned(),
        }
    }
}

/// Shards of a run that was split across machines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Shards {
    /// Number of shards of the run.
    pub of: u32,
    /// Indices of the shards in this record, from 1, ascending.
    pub parts: Vec<u32>,
}

impl From<Shard> for Shards {
    fn from(shard: Shard) -> Self {
        Shards { of: shard.of, parts: vec![shard.part] }
    }
}

/// The search model and its settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SearchSource {
    /// The model's name.
    pub model: String,
    /// SHA-256 of the model's weights.
    pub digest: String,
    /// Number of APIs per search; 1 in records without this field.
    #[serde(default = "SearchResults::unnamed", skip_serializing_if = "SearchResults::is_unnamed")]
    pub results: SearchResults,
    /// What answered the searches; absent for the built-in search model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retriever: Option<Retriever>,
}

/// The model of a run, without its key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "provider", rename_all = "kebab-case")]
pub enum Model {
    /// A built-in model.
    Builtin {
        /// Its name.
        name: Baseline,
    },
    /// An endpoint. Version 1 named it after the only wire format that existed.
    #[serde(alias = "chat-completions")]
    Endpoint(Endpoint),
    /// An agent that called the tools itself, over the Model Context Protocol.
    Agent(Agent),
}

/// An agent, as it introduced itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Agent {
    /// Its name.
    pub name: String,
    /// Its version; empty if it gave none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub version: String,
}

impl Model {
    /// The model's name for display.
    pub fn title(&self) -> &str {
        match self {
            Model::Builtin { name } => name.title(),
            Model::Endpoint(endpoint) => &endpoint.model,
            Model::Agent(agent) => &agent.name,
        }
    }

    /// Whether it is the browser's own model.
    pub fn is_browsers(&self) -> bool {
        let Model::Endpoint(endpoint) = self else { return false };
        endpoint.in_page.as_ref().is_some_and(|it| it.is_browsers())
    }

    /// Whether its answers are constrained to a grammar under a protocol: where calls are text and the
    /// wire format can carry one.
    pub fn has_grammar(&self, protocol: Protocol) -> bool {
        let Model::Endpoint(endpoint) = self else { return false };
        let takes = endpoint.grammar && endpoint.format.takes_grammar();
        takes && matches!(protocol, Protocol::Bracket | Protocol::Paper)
    }
}

impl Model {
    /// Whether system messages and tool results were folded into the user's turns.
    pub fn folds_roles(&self) -> bool {
        matches!(self, Model::Endpoint(endpoint) if endpoint.fold_roles)
    }
}

/// Whether a run finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Every sample has an outcome.
    Finished,
    /// Cancelled; the record has the samples finished until then.
    Cancelled,
}

/// Start and end of a run, in milliseconds since 1970 (UTC).
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunTimes {
    /// Start.
    pub started_ms: u64,
    /// End.
    pub finished_ms: u64,
}

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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gold_effect: Option<Effect>,
    /// Effect of the predicted call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
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

fn is_false(it: &bool) -> bool {
    !*it
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

impl Record {
    /// Fills the record with these samples, and derives order, status, summary and digest.
    /// Signatures are kept if the digest is unchanged.
    ///
    /// A record with a non-finite number gets no digest, and can't be written.
    #[must_use]
    pub fn filled(mut self, mut samples: Vec<SampleRecord>, times: RunTimes) -> Self {
        // Answers arrive in any order, and a resumed run's in several parts.
        samples.sort_by(|a, b| a.place().cmp(&b.place()));
        if let Some(most) = adaptive(self.pack.edition(), &self.subset)
            && is_complete(&samples, most)
        {
            self.planned = samples.len();
        }
        let finished = samples.len() == self.planned;
        self.status = if finished { Status::Finished } else { Status::Cancelled };
        self.summary = summarize(&samples, Profile::Execution);
        self.times = times;
        self.samples.clear();
        let digest = digest(&self, &samples).unwrap_or_default();
        if digest != self.digest {
            self.signatures.clear();
        }
        self.digest = digest;
        self.samples = samples;
        self
    }

    /// The settings that determine the run's requests. A merged record returns those of the whole
    /// run.
    pub fn settings(&self) -> RunSettings {
        let shard = match &self.shard {
            Some(Shards { of, parts }) if parts.len() == 1 => {
                parts.first().map(|part| Shard { part: *part, of: *of })
            }
            _ => None,
        };
        let new = RunSettings::new(self.model.clone());
        RunSettings {
            edition: self.pack.edition(),
            split: self.split,
            abilities: self.abilities.clone(),
            subset: self.subset.clone(),
            seed: self.seed,
            shard,
            protocol: self.protocol,
            steps: self.steps,
            described_apis: self.described_apis,
            search_results: self.search.results,
            retriever: self.search.retriever.clone(),
            trials: self.trials,
            turn_limit: self.turn_limit.unwrap_or(new.turn_limit),
            custom_prompts: self.custom_prompts.clone(),
            ..new
        }
    }

    /// Computes the record's digest.
    ///
    /// # Errors
    /// When one of the record's numbers is not finite.
    pub fn computed_digest(&self) -> Result<String, RecordError> {
        digest(&Record { samples: Vec::new(), ..self.clone() }, &self.samples)
    }

    /// The record with all times set to zero, for comparing runs. The digest does not change.
    #[must_use]
    pub fn without_times(mut self) -> Self {
        self.times = RunTimes::default();
        for sample in &mut self.samples {
            sample.times = SampleTimes::default();
            for step in sample.episode.iter_mut().flat_map(|episode| &mut episode.steps) {
                step.times = SampleTimes::default();
            }
        }
        self
    }
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

fn digest(frame: &Record, samples: &[SampleRecord]) -> Result<String, RecordError> {
    let mut digester = Digester::default();
    samples.iter().try_for_each(|sample| digester.add(sample))?;
    digester.finish(frame)
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
