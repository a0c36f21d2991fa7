//! Evaluations as text and JSON.

use super::Arguments;
use crate::table::aligned;
use ranking::{
    GroupMeasures, Mean, Measure, Paired, Rankings, difference, misses, projected, rows,
};
use record::table::{p_value, points};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// How many tools a search returns: a query that lacks one among them is a miss.
const RESULTS: usize = 5;

/// The measures that are shown with their interval.
fn has_interval(measure: Measure) -> bool {
    matches!(measure, Measure::Recall(1 | 5) | Measure::Ndcg(_))
}

pub(super) fn as_text(arguments: &Arguments, runs: &[Rankings]) -> String {
    let mut head = vec!["retriever".to_owned(), "corpus".to_owned(), "queries".to_owned()];
    head.extend(Measure::ALL.map(Measure::title));
    head.push("ms/query".to_owned());
    let mut lines = vec![head];
    for run in runs {
        let groups = if arguments.groups { usize::MAX } else { 1 };
        for (index, row) in rows(run).into_iter().take(groups).enumerate() {
            lines.push(cells(run, index, &row));
        }
    }
    let mut text = aligned(&lines);
    text.push_str("\nPercent, with 95 % intervals clustered by dialogue.\n");
    if arguments.compare {
        text.push_str(&compared(runs));
    }
    if arguments.misses > 0 {
        for run in runs {
            text.push_str(&missed(run, arguments.misses));
        }
    }
    text
}

fn cells(run: &Rankings, index: usize, row: &GroupMeasures) -> Vec<String> {
    let first = if index == 0 { run.retriever.clone() } else { format!("  {}", row.group) };
    let corpus = if index == 0 { run.corpus.title.clone() } else { String::new() };
    let mut cells = vec![first, corpus, row.queries.to_string()];
    cells.extend(row.estimates.iter().map(estimate));
    cells.push(format!("{:.1}", row.median_ms));
    cells
}

fn estimate(Mean { measure, mean, interval }: &Mean) -> String {
    let percent = |share: f64| format!("{:.1}", 100.0 * share);
    if !has_interval(*measure) {
        return percent(*mean);
    }
    format!("{} ({}-{})", percent(*mean), percent(interval.low), percent(interval.high))
}

/// The pairs of a corpus: its first run with each other one.
fn pairs(runs: &[Rankings]) -> Vec<(&Rankings, &Rankings)> {
    let mut pairs = Vec::new();
    let mut first: Option<&Rankings> = None;
    for run in runs {
        match first.filter(|first| first.corpus == run.corpus) {
            Some(first) => pairs.push((first, run)),
            None => first = Some(run),
        }
    }
    pairs
}

fn compared(runs: &[Rankings]) -> String {
    let head =
        ["", "corpus", "measure", "difference", "95 % interval", "only first", "only second", "p"];
    let mut lines = vec![head.map(str::to_owned).to_vec()];
    for (first, second) in pairs(runs) {
        let measures = Measure::ALL.into_iter().filter(|measure| has_interval(*measure));
        for found in measures.filter_map(|measure| difference(first, second, measure)) {
            lines.push(difference_cells(first, second, &found));
        }
    }
    format!("\nDifferences in points, the second minus the first\n{}", aligned(&lines))
}

fn difference_cells(first: &Rankings, second: &Rankings, found: &Paired) -> Vec<String> {
    vec![
        format!("{} and {}", first.retriever, second.retriever),
        first.corpus.title.clone(),
        found.measure.title(),
        points(found.difference),
        format!("{} to {}", points(found.interval.low), points(found.interval.high)),
        found.only_first.to_string(),
        found.only_second.to_string(),
        p_value(found.p),
    ]
}

fn missed(run: &Rankings, most: usize) -> String {
    let all = misses(run, RESULTS);
    let (n, queries) = (all.len(), run.queries.len());
    let (retriever, corpus) = (&run.retriever, &run.corpus.title);
    let mut text = format!(
        "\nMisses of {retriever} on {corpus}: {n} of {queries} lack a tool among {RESULTS}\n"
    );
    for miss in all.iter().take(most) {
        let query = run.queries.get(miss.query).map(|query| query.text.as_str());
        let relevant = miss.relevant.iter().map(|(name, rank)| match rank {
            Some(rank) => format!("{name} is {rank}"),
            None => format!("{name} is no hit"),
        });
        let won = miss.neighbours.iter().map(|(name, score)| format!("{name} {score:.2}"));
        let (relevant, won) =
            (relevant.collect::<Vec<_>>().join(", "), won.collect::<Vec<_>>().join(", "));
        let _ = writeln!(text, "{:?}: {relevant}; first are {won}", query.unwrap_or_default());
    }
    text
}

pub(super) fn as_json(arguments: &Arguments, runs: &[Rankings]) -> String {
    let run = |run: &Rankings| {
        let misses: Vec<Value> = misses(run, RESULTS)
            .iter()
            .take(arguments.misses)
            .map(|miss| {
                let query = run.queries.get(miss.query);
                json!({
                    "query": query.map(|query| &query.id),
                    "text": query.map(|query| &query.text),
                    "relevant": miss.relevant,
                    "neighbours": miss.neighbours,
                })
            })
            .collect();
        let names = run.corpus.tools.iter().map(|tool| (&tool.name, &tool.group));
        let points = names.zip(projected(&run.vectors));
        let map = points.map(|((name, group), at)| json!({"tool": name, "group": group, "at": at}));
        json!({
            "map": map.collect::<Vec<_>>(),
            "retriever": run.retriever,
            "corpus": run.corpus.title,
            "tools": run.corpus.tools.len(),
            "rows": rows(run),
            "misses": misses,
        })
    };
    let pair = |(first, second): (&Rankings, &Rankings)| {
        let found = Measure::ALL.into_iter().filter_map(|it| difference(first, second, it));
        json!({
            "first": first.retriever,
            "second": second.retriever,
            "corpus": first.corpus.title,
            "differences": found.collect::<Vec<_>>(),
        })
    };
    let compared: Vec<Value> = match arguments.compare {
        true => pairs(runs).into_iter().map(pair).collect(),
        false => Vec::new(),
    };
    let runs: Vec<Value> = runs.iter().map(run).collect();
    format!("{:#}\n", json!({"runs": runs, "compared": compared}))
}
