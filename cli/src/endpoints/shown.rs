//! The comparison as text and as JSON.

use crate::table;
use anyhow::Result;
use record::compare::{Cell, EndpointDifference, EndpointReport, Parting, Trials, letter};
use record::table::p_value;
use serde_json::json;

/// The maximum number of samples listed.
const MOST_LISTED: usize = 20;

pub(super) fn as_json(titles: &[&str], report: &EndpointReport) -> Result<String> {
    Ok(serde_json::to_string_pretty(&json!({"runs": titles, "report": report}))?)
}

pub(super) fn as_text(titles: &[&str], report: &EndpointReport) -> String {
    let mut text = String::new();
    for (index, title) in titles.iter().enumerate() {
        text.push_str(&format!("{}   {title}\n", letter(index)));
    }
    text.push_str(&format!("\nMeans\n{}", means(titles.len(), report)));
    text.push_str("\nAgainst A; noise is what two runs of A differ in 95 % of cases\n");
    let mut rows = vec![
        ["", "", "samples", "difference", "95 % interval", "noise", "p", "Holm p", ""]
            .map(str::to_owned)
            .to_vec(),
    ];
    rows.extend(report.differences.iter().map(difference));
    text.push_str(&table::aligned(&rows));
    let parted = &report.parted;
    text.push_str(&format!("\nSamples with different verdicts: {}\n", parted.len()));
    if !parted.is_empty() {
        text.push_str(&samples(titles.len(), parted));
    }
    if parted.len() > MOST_LISTED {
        text.push_str(&format!("and {} more: --json lists them\n", parted.len() - MOST_LISTED));
    }
    text
}

fn means(runs: usize, report: &EndpointReport) -> String {
    let mut head = vec![String::new()];
    head.extend((0..runs).map(|index| letter(index).to_string()));
    let mut rows = vec![head];
    for (measure, cells) in &report.cells {
        let cell = |Cell { mean, n }: &Cell| {
            mean.map_or_else(|| "-".to_owned(), |mean| format!("{} (n {n})", measure.number(mean)))
        };
        rows.push([measure.title().to_owned()].into_iter().chain(cells.iter().map(cell)).collect());
    }
    table::aligned(&rows)
}

fn difference(row: &EndpointDifference) -> Vec<String> {
    let measure = row.measure;
    let interval = row.interval;
    vec![
        letter(row.run).to_string(),
        measure.title().to_owned(),
        row.samples.to_string(),
        measure.signed(row.difference),
        format!("{} to {}", measure.signed(interval.low), measure.signed(interval.high)),
        row.noise.map_or_else(|| "-".to_owned(), |noise| measure.number(noise)),
        p_value(row.p),
        p_value(row.adjusted_p),
        if row.differs { "differs" } else { "" }.to_owned(),
    ]
}

fn samples(runs: usize, parted: &[Parting]) -> String {
    let mut head = vec![String::new()];
    head.extend((0..runs).map(|index| letter(index).to_string()));
    let mut rows = vec![head];
    for parting in parted.iter().take(MOST_LISTED) {
        let cell = |trials: &Option<Trials>| match trials {
            None => "-".to_owned(),
            Some(Trials { right, n: 1 }) => if *right == 1 { "right" } else { "wrong" }.to_owned(),
            Some(Trials { right, n }) => format!("{right} of {n}"),
        };
        rows.push(
            [parting.id.clone()].into_iter().chain(parting.trials.iter().map(cell)).collect(),
        );
    }
    table::aligned(&rows)
}
