//! The leaderboard's horizons: one row per model, pooled over its seeds.

use super::entry::{Entry, Refused, refused};
use super::rank::{of_horizons, of_models};
use super::{Kind, RecordFile};
use crate::metrics::horizon::{HorizonRow, Play, grouped_by_task, horizons_of, settings};
use crate::{Setting, Subset};
use dataset::Edition;
use scoring::statistics::horizon::Horizon;
use serde::{Deserialize, Serialize};

/// Precision of stored numbers: four decimals.
const DECIMALS: f64 = 1e4;

/// The horizon of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HorizonEntry {
    /// The model's name.
    pub model: String,
    /// What kind of model it is.
    pub kind: Kind,
    /// 1 plus the number of models with a significantly longer horizon; `None` for built-in ones.
    pub rank: Option<usize>,
    /// The seeds of its tasks: 1, 2 and so on.
    pub seeds: Vec<u32>,
    /// Whether the tasks were chosen by the answers so far, so that not all were asked.
    pub adaptive: bool,
    /// Settings with other values than the default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<Setting>,
    /// The records, by seed.
    pub records: Vec<RecordFile>,
    /// The horizons with their prices: over all tasks, then by tier. Without the shares by length.
    pub horizons: Vec<HorizonRow>,
}

impl HorizonEntry {
    /// The horizon over all tasks.
    pub fn total(&self) -> Option<&HorizonRow> {
        self.horizons.iter().find(|horizon| horizon.tier.is_none())
    }
}

/// The rows, longest horizon first.
pub(super) fn board(entries: &[Entry]) -> Result<Vec<HorizonEntry>, Refused> {
    let mut models: Vec<Vec<&Entry>> = Vec::new();
    for entry in entries {
        match models.iter_mut().find(|model| model.iter().any(|first| first.is_of_row(entry))) {
            Some(own) => own.push(entry),
            None => models.push(vec![entry]),
        }
    }
    for own in &mut models {
        own.sort_by_key(|entry| seed(entry));
        check_seeds(own)?;
    }
    let plays = |own: &Vec<&Entry>| -> Vec<Play> {
        own.iter().flat_map(|entry| entry.horizon.iter().flatten()).cloned().collect()
    };
    let plays: Vec<Vec<Play>> = models.iter().map(plays).collect();
    let attempts = models.iter().zip(&plays).filter_map(|(own, plays)| {
        Some((own.first()?.kind(), grouped_by_task(plays.iter().cloned())))
    });
    let ranks = of_models(attempts.collect(), of_horizons);
    let rows = models.iter().zip(&plays).zip(ranks);
    let mut rows: Vec<_> = rows.filter_map(|((own, plays), rank)| row(own, plays, rank)).collect();
    let horizon = |it: &HorizonEntry| it.total().map_or(0.0, |all| all.estimate.horizon);
    rows.sort_by(|a, b| horizon(b).total_cmp(&horizon(a)).then_with(|| a.model.cmp(&b.model)));
    Ok(rows)
}

const fn seed(entry: &Entry) -> u32 {
    match entry.settings.edition {
        Edition::Horizon(seed) => seed,
        _ => entry.settings.seed,
    }
}

/// Requires the seeds 1 to n, so that nobody picks the seeds with the best result.
fn check_seeds(own: &[&Entry]) -> Result<(), Refused> {
    for (expected, entry) in (1..).zip(own) {
        let seed = seed(entry);
        if seed != expected {
            let expected = format!("{expected}: each seed from 1 on, once");
            return Err(refused(&entry.name, "seed", expected, seed.to_string()));
        }
    }
    Ok(())
}

/// Drops what the table does not show, to keep its file small.
fn shorten(estimate: &mut Horizon) {
    let Horizon { horizon, low, high, eighty, slope, .. } = estimate;
    for value in [horizon, low, high, eighty, slope] {
        *value = (*value * DECIMALS).round() / DECIMALS;
    }
    estimate.points.clear();
}

/// The protocol as a setting, if calls are text.
fn protocol(entry: &Entry) -> Option<Setting> {
    let (name, value) = ("protocol".to_owned(), entry.protocol().as_str().to_owned());
    entry.protocol().is_text().then_some(Setting { name, value, easier: false })
}

fn row(own: &[&Entry], plays: &[Play], rank: Option<usize>) -> Option<HorizonEntry> {
    let first = own.first()?;
    let mut horizons = horizons_of(plays);
    horizons.iter_mut().for_each(|horizon| shorten(&mut horizon.estimate));
    Some(HorizonEntry {
        model: first.model.title().to_owned(),
        kind: first.kind(),
        rank,
        seeds: own.iter().map(|entry| seed(entry)).collect(),
        adaptive: own.iter().any(|entry| entry.settings.subset != Subset::All),
        settings: protocol(first).into_iter().chain(settings(&first.listed)).collect(),
        records: own.iter().map(|entry| entry.file.clone()).collect(),
        horizons,
    })
}
