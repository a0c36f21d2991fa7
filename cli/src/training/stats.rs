//! `api-bank training stats`: a set's statistics, as in the paper's Table 2.

use super::load;
use crate::FINISHED;
use crate::shown::{put, say, shown};
use crate::table::aligned;
use anyhow::Result;
use clap::Args;
use dataset::Ability;
use generator::statistics::{PAPER, Row, Statistics};
use std::path::PathBuf;

/// Which set.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The set's folder, with domains/ and rejected/.
    folder: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Counts and prints.
pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    let set = load(&arguments.folder)?;
    let mut statistics = Statistics::default();
    for (domain, item) in set.items() {
        statistics.add(&domain.domain, item);
    }
    let abilities = Ability::ALL.map(|ability| (ability.title(), statistics.row(ability)));
    let defined: usize = set.domains.values().map(|it| it.apis.len()).sum();
    if arguments.json {
        let rows: serde_json::Map<String, serde_json::Value> = abilities
            .iter()
            .map(|(title, row)| ((*title).to_owned(), serde_json::json!(row)))
            .chain([("All".to_owned(), serde_json::json!(statistics.total()))])
            .chain([("apis_defined".to_owned(), defined.into())])
            .collect();
        put(&format!("{:#}\n", serde_json::Value::Object(rows)));
        return Ok(FINISHED);
    }
    let mut rows = vec![head()];
    rows.extend(abilities.iter().map(|(title, row)| cells(title, row)));
    rows.push(cells("All", &statistics.total()));
    put(&shown(&aligned(&rows)));
    let (domains, apis, dialogues) = PAPER;
    say!(
        "\n{} domains and {defined} APIs are defined. The paper's training set: {domains} domains, \
         {apis} APIs, {dialogues} dialogues.",
        set.domains.len()
    );
    Ok(FINISHED)
}

fn head() -> Vec<String> {
    [
        "",
        "dialogues",
        "turns",
        "calls",
        "searches",
        "one call",
        "several",
        "calls each",
        "APIs",
        "domains",
    ]
    .map(str::to_owned)
    .to_vec()
}

fn cells(title: &str, row: &Row) -> Vec<String> {
    vec![
        title.to_owned(),
        row.dialogues.to_string(),
        row.turns.to_string(),
        row.calls.to_string(),
        row.searches.to_string(),
        row.single_call.to_string(),
        row.multi_call.to_string(),
        format!("{:.2}", row.calls_each()),
        row.apis.to_string(),
        row.domains.to_string(),
    ]
}
