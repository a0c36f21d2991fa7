//! Measures of runs with intervals, differences of two runs, and the misses.

use crate::evaluation::Rankings;
use crate::measure::Measure;
use crate::query::Query;
use scoring::Interval;
use scoring::statistics::{self, PairedDialogue, sign_flip_test};
use serde::Serialize;
use std::collections::BTreeMap;

/// A mean over queries.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Mean {
    /// The measure.
    pub measure: Measure,
    /// The mean, 0 to 1.
    pub mean: f64,
    /// The 95 % interval, clustered by dialogue.
    pub interval: Interval,
}

/// The measures of some queries of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupMeasures {
    /// `all`, a kind of queries, or a domain.
    pub group: String,
    /// The number of queries.
    pub queries: usize,
    /// The number of clusters, which are the independent observations.
    pub clusters: usize,
    /// One estimate for each of [`Measure::ALL`].
    pub estimates: Vec<Mean>,
    /// The median time of a query, in milliseconds.
    pub median_ms: f64,
}

/// The difference of two runs on the same queries.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Paired {
    /// The measure.
    pub measure: Measure,
    /// The second run's mean minus the first's.
    pub difference: f64,
    /// Its 95 % interval, clustered by dialogue.
    pub interval: Interval,
    /// The two-sided p-value of the sign-flip test over clusters.
    pub p: f64,
    /// The number of queries in which only the first run has the larger value.
    pub only_first: usize,
    /// The number of queries in which only the second run has.
    pub only_second: usize,
}

/// A query whose relevant tools are not all among the first `k`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Miss {
    /// The query's index.
    pub query: usize,
    /// The relevant tools with their ranks.
    pub relevant: Vec<(String, Option<usize>)>,
    /// What came first instead: name and score.
    pub neighbours: Vec<(String, f64)>,
}

/// The measures of a run: over all queries, then by kind of query, then by domain. A group that is
/// all of the queries is not repeated.
pub fn rows(run: &Rankings) -> Vec<GroupMeasures> {
    let mut rows: Vec<GroupMeasures> = row(run, "all", |_| true).into_iter().collect();
    let groups = |of: fn(&Query) -> String| {
        let mut names: Vec<String> = Vec::new();
        for query in run.queries.iter() {
            let name = of(query);
            if !name.is_empty() && !names.contains(&name) {
                names.push(name);
            }
        }
        if names.len() > 1 { names } else { Vec::new() }
    };
    let kind = |query: &Query| query.kind.title().to_owned();
    for name in groups(kind) {
        rows.extend(row(run, &name, |query| kind(query) == name));
    }
    let domain = |query: &Query| query.group.clone();
    for name in groups(domain) {
        rows.extend(row(run, &name, |query| query.group == name));
    }
    rows
}

/// One cluster's sum and number of queries, by cluster.
fn clusters<'a>(values: impl Iterator<Item = (&'a str, f64)>) -> BTreeMap<&'a str, (f64, f64)> {
    let mut clusters: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for (cluster, value) in values {
        let (sum, n) = clusters.entry(cluster).or_default();
        *sum += value;
        *n += 1.0;
    }
    clusters
}

fn row(run: &Rankings, group: &str, counts: impl Fn(&Query) -> bool) -> Option<GroupMeasures> {
    let counted: Vec<_> =
        run.queries.iter().zip(&run.ranked).filter(|(query, _)| counts(query)).collect();
    let mut estimates = Vec::new();
    let mut count = 0;
    for measure in Measure::ALL {
        let of = counted.iter().map(|(query, it)| (query.cluster.as_str(), measure.of(&it.ranks)));
        let clusters = clusters(of);
        count = clusters.len();
        let sum: f64 = clusters.values().map(|(sum, _)| sum).sum();
        let dialogues: Vec<_> = clusters
            .values()
            .map(|(sum, n)| statistics::Dialogue { sum: *sum, n: *n, samples: *n })
            .collect();
        let interval = statistics::clustered(&dialogues)?;
        estimates.push(Mean { measure, mean: sum / counted.len() as f64, interval });
    }
    let mut times: Vec<f64> = counted.iter().map(|(_, it)| it.ms).collect();
    times.sort_by(f64::total_cmp);
    let median_ms = times.get(times.len() / 2).copied().unwrap_or_default();
    let (group, queries) = (group.to_owned(), counted.len());
    Some(GroupMeasures { group, queries, clusters: count, estimates, median_ms })
}

/// Units of the sign-flip test: every recall of up to ten relevant tools is a whole number of them.
const UNITS: f64 = 2_520.0;

/// The difference of two runs on the queries that both ranked; `None` if their queries differ or
/// there are none.
pub fn difference(first: &Rankings, second: &Rankings, measure: Measure) -> Option<Paired> {
    if first.queries != second.queries {
        return None;
    }
    let ranked = first.ranked.iter().zip(&second.ranked);
    let pairs: Vec<(&str, f64)> = first
        .queries
        .iter()
        .zip(ranked)
        .map(|(query, (one, other))| {
            (query.cluster.as_str(), measure.of(&other.ranks) - measure.of(&one.ranks))
        })
        .collect();
    let clusters = clusters(pairs.iter().copied());
    let paired: Vec<PairedDialogue> = clusters
        .values()
        .map(|(difference, samples)| PairedDialogue { difference: *difference, samples: *samples })
        .collect();
    let found = statistics::difference(&paired)?;
    let units: Vec<i64> = paired.iter().map(|it| (it.difference * UNITS).round() as i64).collect();
    Some(Paired {
        measure,
        difference: found.value,
        interval: found.interval,
        p: sign_flip_test(&units),
        only_first: pairs.iter().filter(|(_, it)| *it < 0.0).count(),
        only_second: pairs.iter().filter(|(_, it)| *it > 0.0).count(),
    })
}

/// The queries that lack a relevant tool among the first `k`, with the `k` tools that they got.
pub fn misses(run: &Rankings, k: usize) -> Vec<Miss> {
    let ranked = run.queries.iter().zip(&run.ranked).enumerate();
    let missed = ranked.filter(|(_, (_, it))| Measure::Completeness(k).of(&it.ranks) < 1.0);
    missed
        .map(|(at, (query, it))| {
            let name = |tool: usize| run.corpus.tools.get(tool).map(|tool| tool.name.clone());
            let top = it.top.iter().take(k);
            Miss {
                query: at,
                relevant: query.relevant.iter().cloned().zip(it.ranks.iter().copied()).collect(),
                neighbours: top.filter_map(|(tool, score)| Some((name(*tool)?, *score))).collect(),
            }
        })
        .collect()
}
