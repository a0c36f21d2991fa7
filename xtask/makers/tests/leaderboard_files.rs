//! `leaderboard-files` on the records of `results/`: what the site ships is what the records give.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its data has failed")]

use record::leaderboard::{Entry, Leaderboard};
use runner::results;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results")
}

fn make(from: &Path, to: &Path) -> bool {
    let mut maker = Command::new(env!("CARGO_BIN_EXE_leaderboard-files"));
    maker.args([from, to]).status().unwrap().success()
}

#[test]
fn the_table_and_its_records_are_shipped() {
    let out = tempfile::tempdir().unwrap();
    assert!(make(&folder(), out.path()));
    let text = fs::read_to_string(out.path().join("leaderboard.json")).unwrap();
    let shipped: Leaderboard = serde_json::from_str(&text).unwrap();
    let mut entries: Vec<Entry> = Vec::new();
    for file in fs::read_dir(folder()).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let bytes = fs::read(&path).unwrap();
        assert_eq!(fs::read(out.path().join(&name)).unwrap(), bytes, "{name}");
        let record = results::read(&name, &bytes).unwrap();
        let entry = results::trusted(&name, bytes.len(), &record).unwrap();
        entries.push(entry.with_integrity(format!("integrity-of:{name}")));
    }
    let records: usize = shipped.rows.iter().map(|row| row.records.len()).sum();
    assert_eq!(
        records,
        entries.len(),
        "a record is of other data, see engine/runner/tests/results.rs"
    );
    let expected = Leaderboard::of(dataset::builtin().unwrap().source(), entries).unwrap();
    assert_eq!(text, serde_json::to_string(&expected).unwrap());
    assert!(text.len() < 40_000, "{} bytes", text.len());
}

#[test]
fn what_is_no_record_is_named() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(from.path().join("a.json.gz"), "{}").unwrap();
    assert!(!make(from.path(), to.path()));
}
