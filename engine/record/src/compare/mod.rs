//! Compares runs on the same samples. `docs/statistics.md` has the methods.

mod endpoints;
mod noise;
mod paired;
pub(crate) mod samples;
#[cfg(test)]
mod tests;
pub(crate) mod verdict;

pub use endpoints::{
    Cell, EndpointDifference, EndpointReport, EndpointRun, Measure, Parting, endpoints,
};
pub use noise::{Noise, Source};
pub use paired::Paired;
pub use samples::Trials;
pub use verdict::{LEVEL, MARGIN, MOST_MARGIN, Pair, Report, Verdict, report};

use crate::metrics::horizon::attempts;
use crate::options::OPTIONS;
use crate::table::Shape;
use crate::{Rate, Record, listed, retriever_title, summarize};
use dataset::{Ability, Edition};
use paired::Pairs;
use samples::samples;
use scoring::statistics::horizon::ratio;
use scoring::{Interval, Profile};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of records in a comparison.
pub const MAX_RECORDS: usize = 8;

/// A run compared with the baseline run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Against {
    /// Differences in how the two were measured, in words; empty if there are none.
    pub caveats: Vec<String>,
    /// One row per ability, then the total. Rows without shared samples are omitted.
    pub rows: Vec<ComparisonRow>,
    /// Samples with a verdict in one run only.
    pub unmatched: usize,
    /// The ratio of the horizons; `None` unless both played horizon tasks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub horizon: Option<HorizonRatio>,
}

/// The run's horizon divided by the baseline's. The tasks need not be the same.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct HorizonRatio {
    /// The ratio.
    pub value: f64,
    /// Ends of its 95 % interval.
    pub interval: Interval,
}

impl HorizonRatio {
    fn of(base: &Record, other: &Record) -> Option<Self> {
        let ratio = ratio(&attempts(&base.samples), &attempts(&other.samples))?;
        let interval = Interval { low: ratio.low, high: ratio.high };
        Some(HorizonRatio { value: ratio.value, interval })
    }

    /// The ratio in a sentence about two named runs.
    pub fn sentence(&self, base: char, other: char) -> String {
        let Interval { low, high } = self.interval;
        let value = self.value;
        let sure = if low > 1.0 || high < 1.0 { "" } else { ", so they may be equal" };
        format!(
            "The horizon of {other} is {value:.2} times that of {base} (95 % interval {low:.2} to \
             {high:.2}){sure}."
        )
    }
}

/// One ability, or the total, of two runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ComparisonRow {
    /// The ability; `None` for the total.
    pub ability: Option<Ability>,
    /// The samples with a verdict in both runs.
    pub paired: Paired,
}

/// A sample on which the runs disagree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disagreement {
    /// `<dialogue>#<turn>`, without a trial.
    pub id: String,
    /// The ability that the dialogue measures.
    pub ability: Ability,
    /// Each run's trials; `None` where a run has no verdict.
    pub trials: Vec<Option<Trials>>,
}

/// The letter of a record: `A`, `B`, …
pub fn letter(index: usize) -> char {
    u8::try_from(index).ok().and_then(|index| b'A'.checked_add(index)).map_or('?', char::from)
}

/// A run's rates by ability, then the total. Each rate counts calls, or dialogues if there are no
/// calls.
pub fn rates(record: &Record, profile: Profile) -> Vec<(Option<Ability>, Rate)> {
    let summary = summarize(&record.samples, profile);
    let shape = Shape::of(&summary);
    let rows = summary.rows.iter().filter(|row| row.kind.is_none());
    rows.map(|row| (row.ability, *shape.rate(row))).collect()
}

/// Compares a run with the baseline run under a profile.
pub fn against(base: &Record, other: &Record, profile: Profile) -> Against {
    let (known, theirs) = (samples(base, profile), samples(other, profile));
    let mut abilities: BTreeMap<Ability, Pairs<'_>> = BTreeMap::new();
    let mut matched = 0;
    for (id, one) in &known {
        if let Some(other) = theirs.get(id) {
            abilities.entry(one.ability).or_default().add(one.dialogue, one.trials, other.trials);
            matched += 1;
        }
    }
    let row =
        |ability, pairs: &Pairs<'_>| Some(ComparisonRow { ability, paired: pairs.compare()? });
    let mut rows: Vec<ComparisonRow> =
        abilities.iter().filter_map(|(ability, pairs)| row(Some(*ability), pairs)).collect();
    rows.extend(row(None, &verdict::shared(&known, &theirs)));
    let unmatched = known.len() + theirs.len() - 2 * matched;
    let horizon = HorizonRatio::of(base, other);
    Against { caveats: caveats(base, other), rows, unmatched, horizon }
}

/// The samples on which the runs' rates differ, in the baseline run's order.
pub fn disagreements(records: &[&Record], profile: Profile) -> Vec<Disagreement> {
    let Some(base) = records.first() else { return Vec::new() };
    let by_run: Vec<_> = records.iter().map(|record| samples(record, profile)).collect();
    let mut found: Vec<Disagreement> = Vec::new();
    let mut known = BTreeSet::new();
    for sample in base.samples.iter().filter(|sample| known.insert(sample.untried())) {
        let trials: Vec<Option<Trials>> =
            by_run.iter().map(|run| run.get(sample.untried()).map(|run| run.trials)).collect();
        let mut rates = trials.iter().flatten();
        // Cross-multiplied, to compare exactly.
        let differs = |one: &Trials, other: &Trials| one.right * other.n != other.right * one.n;
        let first = rates.next();
        if first.is_some_and(|first| rates.any(|rate| differs(first, rate))) {
            let (id, ability) = (sample.untried().to_owned(), sample.ability);
            found.push(Disagreement { id, ability, trials });
        }
    }
    found
}

/// Differences in how two runs were measured.
fn caveats(base: &Record, other: &Record) -> Vec<String> {
    let mut found = Vec::new();
    let editions = editions(base, other);
    let is_edition = editions.is_some();
    found.extend(editions.map(|it| format!("The data set differs: {it}.")));
    let mut differ = |what: &str, first: &str, second: &str| {
        if first != second {
            found.push(format!("{what} differs: {first} and {second}."));
        }
    };
    let named = |record: &Record| {
        let digest = record.pack.digest.get(..8).unwrap_or(&record.pack.digest);
        format!("{} ({digest})", record.pack.title())
    };
    if !is_edition {
        differ("The data set", &named(base), &named(other));
    }
    differ("The protocol", base.protocol.as_str(), other.protocol.as_str());
    let prompts = |record: &Record| {
        let digest = record.prompts_digest.get(..8).unwrap_or("unknown digest");
        format!("{} ({digest})", record.prompts)
    };
    differ("The prompt text", &prompts(base), &prompts(other));
    for (name, one, two) in listed::differences(base, other) {
        // The data set has a line of its own.
        if name != "edition" {
            let option = OPTIONS.iter().find(|option| option.field == name);
            let said = |value: String| match option {
                Some(option) if value == listed::ABSENT => option.default.to_owned(),
                _ => value,
            };
            let title = match option {
                Some(option) => format!("The setting {:?}", option.label),
                None => format!("The {}", name.replace('_', " ")),
            };
            differ(&title, &said(one), &said(two));
        }
    }
    let dropped = |record: &Record| match record.dropped_parameters.as_slice() {
        [] => "none".to_owned(),
        names => names.join(", "),
    };
    differ("What the endpoint refused", &dropped(base), &dropped(other));
    let retriever = |record: &Record| retriever_title(record.search.retriever.as_ref()).to_owned();
    let searcher = |record: &Record| record.search.digest.get(..8).unwrap_or_default().to_owned();
    // Two retrievers have two digests.
    if retriever(base) == retriever(other) {
        differ("The model of API Search", &searcher(base), &searcher(other));
    }
    found
}

/// The editions of two runs on different editions of one pack.
fn editions(base: &Record, other: &Record) -> Option<String> {
    let (one, two) = (&base.pack, &other.pack);
    let same = (&one.name, &one.version) == (&two.name, &two.version);
    let both = [one.edition(), two.edition()];
    let named = both.iter().filter(|it| **it != Edition::Original).map(ToString::to_string);
    (same && one.edition() != two.edition()).then(|| named.collect::<Vec<_>>().join(" and "))
}
