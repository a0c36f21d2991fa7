//! `www/leaderboard.json`, the table that the site ships, is what the records of `results/` give.
//!
//! `UPDATE=1 cargo test -p makers --test leaderboard_files` writes it again. The records themselves
//! are verified by `engine/runner/tests/results.rs`, and by the workflow of every change to them.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its data has failed")]

use record::leaderboard::{ENDING, Entry, Leaderboard};
use runner::results;
use std::{
    fs,
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The records, by name.
fn records() -> Vec<PathBuf> {
    let files = fs::read_dir(root().join("results")).unwrap().map(|file| file.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.to_string_lossy().ends_with(ENDING)).collect();
    files.sort();
    files
}

fn entry(path: &Path) -> Entry {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let bytes = fs::read(path).unwrap();
    let record = results::read(&name, &bytes).unwrap();
    let entry = results::trusted(&name, bytes.len(), &record).unwrap();
    entry.with_integrity(format!("integrity-of:{name}"))
}

#[test]
fn the_shipped_table_is_that_of_the_records() {
    let entries: Vec<Entry> = records().iter().map(|path| entry(path)).collect();
    let count = entries.len();
    let board = Leaderboard::of(dataset::builtin().unwrap().source(), entries).unwrap();
    let rows = board.rows.iter().map(|row| row.records.len());
    let listed: usize = rows.chain(board.horizons.iter().map(|it| it.records.len())).sum();
    assert_eq!(listed, count, "a record is of other data, see engine/runner/tests/results.rs");
    let made = serde_json::to_string(&board).unwrap() + "\n";
    let file = root().join("www/leaderboard.json");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(file, made).unwrap();
        return;
    }
    let shipped = fs::read_to_string(file).expect("www/leaderboard.json");
    assert!(
        shipped == made,
        "www/leaderboard.json is of other records: write it again with \
         `UPDATE=1 cargo test -p makers --test leaderboard_files`"
    );
}
