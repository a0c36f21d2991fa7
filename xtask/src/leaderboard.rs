//! The leaderboard that the site ships: the table `www/leaderboard.json`, and the records that it
//! links to. A test holds the table to the records (`xtask/makers/tests/leaderboard_files.rs`).

use std::{collections::BTreeSet, fs, path::Path};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::process::root;

/// The table's name in the site before hashing.
pub const TABLE: &str = "leaderboard.json";

/// The part of the table that names files.
#[derive(Deserialize)]
struct Table {
    rows: Vec<Row>,
    #[serde(default)]
    horizons: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    records: Vec<Record>,
}

#[derive(Deserialize)]
struct Record {
    url: String,
}

/// Copies the records that the table names into a folder.
///
/// # Errors
/// When the table can't be read, or a record is missing.
pub fn copy_records(to: &Path) -> Result<()> {
    let table = root().join("www").join(TABLE);
    let text =
        fs::read_to_string(&table).with_context(|| format!("can't read {}", table.display()))?;
    let table: Table = serde_json::from_str(&text)
        .with_context(|| format!("{} is no table of records", table.display()))?;
    let records = table.rows.into_iter().chain(table.horizons).flat_map(|row| row.records);
    for file in records.map(|record| record.url).collect::<BTreeSet<_>>() {
        let from = root().join("results").join(&file);
        fs::copy(&from, to.join(&file))
            .with_context(|| format!("can't copy {}", from.display()))?;
    }
    Ok(())
}
