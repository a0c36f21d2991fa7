//! Steps to play against the table: those that its best model and the keyword baseline both answered.

use super::{ENDING, Entry, Kind, LeaderboardRow};
use crate::{Baseline, Gold, Record};
use apis::search::TOOL_SEARCHER;
use dataset::Split;
use exchange::protocol::{Protocol, SampleKind};
use scoring::Profile;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is right at a step.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    strum::VariantArray,
    Serialize,
    Deserialize
)]
#[serde(rename_all = "lowercase")]
pub enum StepKind {
    /// A call of the API that the user needs.
    Call,
    /// A search for an API.
    Search,
    /// Words: no call is right.
    Words,
}

/// A player of the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rival {
    /// The model's name.
    pub model: String,
    /// The name of its record in addresses.
    pub record: String,
}

/// Steps of the standard split in English, each with what the rivals made of it. Replies are left out:
/// their words have no verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Game {
    /// The keyword baseline, then the best model.
    pub rivals: Vec<Rival>,
    /// By sample id, a digit per rival: `1` if it was right under [`Profile::Execution`], else `0`.
    pub steps: BTreeMap<StepKind, BTreeMap<String, String>>,
}

/// The verdicts on a record's steps.
pub(super) type Verdicts = BTreeMap<(StepKind, String), bool>;

/// The verdicts that a game needs; none of a record that it does not take.
pub(super) fn verdicts(record: &Record) -> Verdicts {
    let fits = record.protocol == Protocol::default()
        && record.split == Split::Standard
        && record.pack.language.is_none()
        && record.trials == 1;
    let samples = record.samples.iter().filter(|sample| fits && !sample.moot);
    let verdict = |sample: &crate::SampleRecord| {
        let kind = match (sample.kind, &sample.gold) {
            (SampleKind::Restraint, _) => StepKind::Words,
            (SampleKind::Call, Gold::Call(gold)) if gold.api_name == TOOL_SEARCHER => {
                StepKind::Search
            }
            (SampleKind::Call, Gold::Call(_)) => StepKind::Call,
            _ => return None,
        };
        Some(((kind, sample.id.clone()), sample.verdict(Profile::Execution)?.correct))
    };
    samples.filter_map(verdict).collect()
}

impl Game {
    /// The game of a table; `None` without a model or without the keyword baseline. `rows` are in the
    /// table's order.
    pub(super) fn of(rows: &[LeaderboardRow], entries: &[Entry]) -> Option<Game> {
        let baseline = Baseline::KeywordBaseline.title();
        let playable =
            |row: &&LeaderboardRow| row.protocol == Protocol::default() && row.trials == 1;
        let mut rows = rows.iter().filter(playable);
        let (first, second) = (
            rows.clone().find(|row| row.kind == Kind::Reference && row.model == baseline)?,
            rows.find(|row| row.kind == Kind::Model)?,
        );
        let of = |row: &LeaderboardRow| {
            let url = row.record(Split::Standard)?.url.as_str();
            entries.iter().find(|entry| entry.file.url == url).map(|entry| &entry.steps)
        };
        let (known, theirs) = (of(first)?, of(second)?);
        let mut steps: BTreeMap<StepKind, BTreeMap<String, String>> = BTreeMap::new();
        for (step @ (kind, id), right) in known {
            if let Some(other) = theirs.get(step) {
                let digits = format!("{}{}", u8::from(*right), u8::from(*other));
                steps.entry(*kind).or_default().insert(id.clone(), digits);
            }
        }
        let rivals = [first, second].map(|row| {
            let url = row.record(Split::Standard).map_or("", |record| record.url.as_str());
            let record = url.trim_start_matches("./").trim_end_matches(ENDING).to_owned();
            Rival { model: row.model.clone(), record }
        });
        Some(Game { rivals: rivals.into(), steps })
    }

    /// Whether each rival was right at a step; `None` for an unknown sample.
    pub fn right(&self, id: &str) -> Option<Vec<bool>> {
        let digits = self.steps.values().find_map(|of| of.get(id))?;
        Some(digits.bytes().map(|digit| digit == b'1').collect())
    }
}
