//! Runs the script that takes the records of a pull request on repositories of its kinds.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot run git has failed")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Enough changed files to fill a pipe.
const MANY: usize = 6000;

fn git(at: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(at)
        .args(["-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main"])
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// What the script writes as its output for a pull request that adds these files.
fn taken(name: &str, files: &[String]) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    let repository = folder.join("repository");
    fs::create_dir_all(repository.join("results")).unwrap();
    git(&repository, &["init", "--quiet"]);
    fs::write(repository.join("results/old.json.gz"), "old").unwrap();
    git(&repository, &["add", "."]);
    git(&repository, &["commit", "--quiet", "-m", "base"]);
    let base = git(&repository, &["rev-parse", "HEAD"]);
    for file in files {
        fs::write(repository.join(file), "new").unwrap();
    }
    git(&repository, &["add", "."]);
    git(&repository, &["commit", "--quiet", "-m", "head"]);
    let head = git(&repository, &["rev-parse", "HEAD"]);
    git(&repository, &["update-ref", "refs/pull/1/head", &head]);
    git(&repository, &["remote", "add", "origin", "."]);
    git(&repository, &["checkout", "--quiet", &base]);
    let output = folder.join("output");
    fs::write(&output, "").unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../.github/scripts/take-records.sh");
    let ran = Command::new("bash")
        .arg(script)
        .current_dir(&repository)
        .envs([("NUMBER", "1"), ("BASE", &base), ("HEAD", &head)])
        .env("RUNNER_TEMP", &folder)
        .env("GITHUB_OUTPUT", &output)
        .output()
        .unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    fs::read_to_string(&output).unwrap()
}

#[test]
fn records_are_taken_only_if_nothing_else_changes() {
    let records = |count: usize| -> Vec<String> {
        (0..count).map(|index| format!("results/a-record-{index:05}.json.gz")).collect()
    };
    assert_eq!(taken("records", &records(3)), "only=yes\n");
    assert_eq!(taken("many-records", &records(MANY)), "only=yes\n");
    for (name, file) in [("first", "engine.rs"), ("last", "z.rs"), ("name", "results/A b.json.gz")]
    {
        let with = |count| [records(count), vec![file.to_owned()]].concat();
        assert_eq!(taken(&format!("{name}-of-many"), &with(MANY)), "", "{file}");
        assert_eq!(taken(name, &with(1)), "", "{file}");
    }
}
