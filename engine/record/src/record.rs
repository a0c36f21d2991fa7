//! A run's record: settings, samples and summary.

use crate::metrics::horizon::{adaptive, is_complete};
use crate::sample_record::one;
use crate::{
    App, Digester, Model, RecordError, RunSettings, SampleRecord, SearchSource, Shard, Shards,
    Signature, Subset, Summary, summarize,
};
use dataset::{Ability, Source, Split};
use exchange::SampleTimes;
use exchange::protocol::{DescribedApis, Prompts, Protocol, Steps};
use scoring::Profile;
use serde::{Deserialize, Serialize};

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

fn digest(frame: &Record, samples: &[SampleRecord]) -> Result<String, RecordError> {
    let mut digester = Digester::default();
    samples.iter().try_for_each(|sample| digester.add(sample))?;
    digester.finish(frame)
}
