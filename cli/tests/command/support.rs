//! Runs the program in fresh folders.

use serde_json::Value;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

pub(crate) fn started(arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_api-bank"))
        .args(arguments)
        .env("NO_PROXY", "127.0.0.1")
        .env_remove("API_BANK_KEY")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

pub(crate) fn api_bank(arguments: &[&str], input: &str) -> Output {
    let mut child = started(arguments);
    // A command that rejects its arguments doesn't read its input.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub(crate) fn rows(bytes: &[u8]) -> Vec<Value> {
    text(bytes).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Creates an empty folder for a test.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Whether the API Search files are available.
pub(crate) fn searchable(what: &str) -> bool {
    fixtures::search_files(what).is_some()
}

/// The folder of a Python package that an environment variable names.
pub(crate) fn python_package(variable: &str) -> Option<OsString> {
    let found = std::env::var_os(variable);
    if found.is_none() {
        let advice = format!("{variable} is not set: run `cargo xtask test`");
        assert!(!fixtures::is_ci(), "{advice}");
        eprintln!("SKIPPED: {advice}");
    }
    found
}

/// Runs a built-in model on a small subset, with additional arguments.
pub(crate) fn small_run(out: &Path, more: &[&str]) -> Output {
    let mut arguments = vec!["run", "--model", "keyword-baseline", "--subset", "2"];
    arguments.extend(["--seed", "5", "--out", out.to_str().unwrap()]);
    arguments.extend(more);
    api_bank(&arguments, "")
}

pub(crate) fn read_record(path: &Path) -> record::Record {
    let bytes = fs::read(path).unwrap();
    record::Record::read_whole(record::unpacked(&bytes[..]).unwrap(), &record::Limits::DISK)
        .unwrap()
}
