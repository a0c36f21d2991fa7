//! The leaderboard: a table of the records in `results/`. `docs/leaderboard.md` says what a row
//! proves.

mod command;
mod entry;
mod game;
mod horizon;
mod rank;
#[cfg(test)]
mod tests;

pub use command::command;
pub use entry::{Entry, Refused, is_file_name, slug};
pub use game::{Game, Rival, StepKind};
pub use horizon::HorizonEntry;

use crate::metrics::Tokens;
use crate::table::SecondaryMetric;
use crate::{CheckedSignature, Rate, Setting};
use dataset::{Ability, HardKind, Language, Source, Split};
use exchange::protocol::Protocol;
use scoring::{Interval, Profile};
use serde::{Deserialize, Serialize};

/// The ending of a record's file in `results/`.
pub const ENDING: &str = ".json.gz";

/// The table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Leaderboard {
    /// The data that every record was made with.
    pub pack: Source,
    /// The rows, by protocol, then by falling score under [`Profile::Execution`].
    pub rows: Vec<LeaderboardRow>,
    /// The horizons, by rank and length.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub horizons: Vec<HorizonEntry>,
    /// The game's steps; `None` without both opponents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<Game>,
}

/// A model under a protocol.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LeaderboardRow {
    /// The model's name.
    pub model: String,
    /// What kind of model it is.
    pub kind: Kind,
    /// How it was prompted.
    pub protocol: Protocol,
    /// Trials per sample.
    pub trials: u32,
    /// The part of the standard split's dialogues that was run, in percent; `None` for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percent: Option<u8>,
    /// Settings with other values than the default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<Setting>,
    /// The record of the standard split, then that of the hard one and those in other languages, if
    /// there are any.
    pub records: Vec<RecordFile>,
    /// Tokens of the standard split.
    pub tokens: Tokens,
    /// Median response time in milliseconds; `None` for built-in models, which send no request.
    pub latency_ms: Option<u64>,
    /// Answer tokens per second after the first one; `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_per_second: Option<f64>,
    /// What served the model, as its user describes it, or as the page read from the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hardware: Option<String>,
    /// The end of the standard run, in milliseconds since 1970.
    pub finished_ms: u64,
    /// The scores, one per profile of [`Profile::ALL`].
    pub scores: Vec<Scores>,
}

/// A kind of model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Behind an endpoint.
    Model,
    /// Built in, and a ceiling or a floor.
    Reference,
    /// Built in, and trivial.
    Trivial,
}

/// What a verification shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Proof {
    /// A built-in model: it gives the same answers when it is run again.
    Reproduced,
    /// The scores follow from the answers. Nothing shows who wrote these.
    Recomputed,
}

/// A record in the table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordFile {
    /// The split.
    pub split: Split,
    /// The language of user and assistant; `None` for English.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
    /// The address, relative to the table's.
    pub url: String,
    /// Subresource integrity; empty outside a site.
    pub integrity: String,
    /// The compressed size in bytes.
    pub bytes: usize,
    /// The record's digest.
    pub digest: String,
    /// The command that makes it.
    pub command: String,
    /// What its verification shows.
    pub proof: Proof,
    /// Its valid signatures.
    pub signatures: Vec<CheckedSignature>,
}

/// The scores of a row under a profile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// The profile.
    pub profile: Profile,
    /// The rank among the protocol's models behind endpoints; `None` for others.
    pub rank: Option<usize>,
    /// The standard split: calls, or dialogues where no calls are counted.
    pub total: Score,
    /// The same by ability.
    pub abilities: Vec<(Ability, Score)>,
    /// Secondary metrics on the standard split.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secondary: Vec<(SecondaryMetric, Score)>,
    /// The hard split, if it was run.
    pub hard: Option<Score>,
    /// The same by kind.
    pub kinds: Vec<(HardKind, Score)>,
    /// The translated dialogues, by language.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<(Language, Score)>,
}

/// A rate, as a short list in JSON: right, n and the ends of the interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(from = "(usize, usize, f64, f64)", into = "(usize, usize, f64, f64)")]
pub struct Score(pub Rate);

/// Decimals that a page shows, and three more.
const PRECISION: f64 = 1e6;

impl From<Score> for (usize, usize, f64, f64) {
    fn from(Score(rate): Score) -> Self {
        let rounded = |end: f64| (end * PRECISION).round() / PRECISION;
        let interval = rate.interval.unwrap_or(Interval { low: 0.0, high: 0.0 });
        (rate.right, rate.n, rounded(interval.low), rounded(interval.high))
    }
}

impl From<(usize, usize, f64, f64)> for Score {
    fn from((right, n, low, high): (usize, usize, f64, f64)) -> Self {
        Score(Rate { right, n, interval: (n > 0).then_some(Interval { low, high }) })
    }
}

impl LeaderboardRow {
    /// The scores under a profile.
    pub fn scores(&self, profile: Profile) -> Option<&Scores> {
        self.scores.iter().find(|score| score.profile == profile)
    }

    /// The record of a split, in English.
    pub fn record(&self, split: Split) -> Option<&RecordFile> {
        self.records.iter().find(|record| record.split == split && record.language.is_none())
    }
}

impl Leaderboard {
    /// The table of records of one pack.
    ///
    /// # Errors
    /// When two records are of the same model, protocol, split and language, or a record lacks one
    /// of the standard split in English. When the seeds of a model's horizon records have a gap.
    pub fn of(pack: Source, entries: Vec<Entry>) -> Result<Self, Refused> {
        let (horizons, entries): (Vec<Entry>, Vec<Entry>) =
            entries.into_iter().partition(|entry| entry.horizon.is_some());
        let mut rows = Vec::new();
        for protocol in Protocol::ALL {
            rows.extend(entry::board(entries.iter().filter(|entry| entry.protocol() == protocol))?);
        }
        let game = Game::of(&rows, &entries);
        let horizons = horizon::board(&horizons)?;
        Ok(Leaderboard { pack, rows, horizons, game })
    }
}
