//! `api-bank stats`: a pack's statistics, counted as in the paper's Tables 2 and 8.

use crate::{FINISHED, output, pack, table};
use anyhow::{Context, Result};
use clap::Args;
use dataset::statistics::{Counts, Statistics, measure, published};
use dataset::{Pack, Split};
use serde_json::json;
use std::path::{Path, PathBuf};

/// What to count.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The original's data, in any of its released layouts: a folder, a file, or a zip or tar.gz
    /// archive; can be repeated. Defaults to the built-in pack.
    #[arg(long, value_name = "PATH")]
    pack: Vec<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Prints the statistics of each split that has dialogues.
pub(crate) fn run(arguments: &Arguments) -> Result<u8> {
    let pack = match &arguments.pack[..] {
        [] => dataset::builtin().context("the data set of this program is damaged")?,
        places => pack::runnable(places)?,
    };
    let text = if arguments.json { as_json(&pack) } else { as_text(&pack) };
    output::write(Path::new("-"), &text)?;
    Ok(FINISHED)
}

fn splits(pack: &Pack) -> impl Iterator<Item = (Split, Statistics)> {
    Split::ALL
        .into_iter()
        .filter(|split| !pack.split(*split).is_empty())
        .map(|split| (split, measure(pack.split(split))))
}

fn as_json(pack: &Pack) -> String {
    let splits: serde_json::Map<_, _> =
        splits(pack).map(|(split, it)| (split.as_str().to_owned(), json!(it))).collect();
    let published: Vec<_> = dataset::Ability::ALL
        .into_iter()
        .map(|ability| {
            let size = published::size(ability);
            json!({"ability": ability, "dialogues": size.dialogues, "calls": size.calls})
        })
        .collect();
    let all = json!({
        "pack": pack.source(),
        "splits": splits,
        "published": {"source": published::SOURCE, "apis": published::APIS, "abilities": published},
    });
    format!("{all:#}\n")
}

fn as_text(pack: &Pack) -> String {
    let mut text = format!("{} {}\n", pack.manifest.name, pack.manifest.version);
    for (split, statistics) in splits(pack) {
        let standard = split == Split::Standard;
        text.push_str(&format!("\nBy ability, {} split\n", split.as_str()));
        text.push_str(&abilities(&statistics, standard));
        text.push_str(&format!("\nBy domain, {} split\n", split.as_str()));
        text.push_str(&domains(&statistics));
    }
    text.push_str(&format!("\nOriginal: {}.\n", published::SOURCE));
    text
}

fn abilities(statistics: &Statistics, standard: bool) -> String {
    let head = [
        "",
        "dialogues",
        "original",
        "calls",
        "original",
        "utterances",
        "APIs",
        "domains",
        "calls each",
        "utterances each",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    let originals = |dialogues: usize, calls: usize| {
        if standard {
            [dialogues.to_string(), calls.to_string()]
        } else {
            ["-"; 2].map(str::to_owned)
        }
    };
    for row in &statistics.abilities {
        let paper = published::size(row.ability);
        let original = originals(paper.dialogues, paper.calls);
        rows.push(ability(row.ability.title(), &row.counts, &original));
    }
    let paper = published::total();
    rows.push(ability("All", &statistics.total, &originals(paper.dialogues, paper.calls)));
    table::aligned(&rows)
}

fn ability(title: &str, counts: &Counts, original: &[String; 2]) -> Vec<String> {
    vec![
        title.to_owned(),
        counts.dialogues.to_string(),
        original[0].clone(),
        counts.calls.to_string(),
        original[1].clone(),
        counts.turns.to_string(),
        counts.apis.to_string(),
        counts.domains.to_string(),
        format!("{:.2}", counts.calls_a_dialogue()),
        format!("{:.2}", counts.turns_a_dialogue()),
    ]
}

fn domains(statistics: &Statistics) -> String {
    let head = ["", "dialogues", "calls", "share", "APIs", "of the pool"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(statistics.domains.iter().map(|row| {
        vec![
            row.domain.title().to_owned(),
            row.dialogues.to_string(),
            row.calls.to_string(),
            format!("{:.1} %", 100.0 * row.share),
            row.apis.to_string(),
            row.pool.to_string(),
        ]
    }));
    table::aligned(&rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_say_the_same() {
        let pack = dataset::builtin().unwrap();
        let text = as_text(&pack);
        let line = text.lines().find(|line| line.starts_with("Plan+Retrieve+Call")).unwrap();
        let cells: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(cells[1..5], ["50", "50", "245", "245"], "{text}");
        let json: serde_json::Value = serde_json::from_str(&as_json(&pack)).unwrap();
        let plan = &json["splits"]["standard"]["abilities"][2]["counts"];
        assert_eq!(plan["calls"], 245);
        assert_eq!(plan["turns"].to_string(), cells[5]);
        assert_eq!(json["published"]["abilities"][2]["dialogues"], 50);
    }
}
