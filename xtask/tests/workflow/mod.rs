//! A workflow as data, and whether it is consistent with the workspace.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;
use xtask::package::{CHECKSUMS, PLATFORMS};

/// What is wrong, a line each.
pub type Findings = Vec<String>;

/// The hosted runners in use. A job whose label does not exist waits for a day.
const RUNNERS: [&str; 7] = [
    "macos-15",
    "macos-15-intel",
    "ubuntu-22.04",
    "ubuntu-22.04-arm",
    "ubuntu-24.04",
    "windows-2025",
    "${{ matrix.runner }}",
];
/// Programs of the runners that scripts may call, besides the workspace's own.
const PROGRAMS: [&str; 11] =
    ["cargo", "do", "done", "for", "gh", "mkdir", "mv", "npm", "rustup", "sha256sum", "tar"];

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A workflow.
pub struct Workflow {
    /// Its file name.
    pub name: String,
    /// Its YAML.
    pub text: String,
    /// The parsed YAML; `Null` if it is none.
    tree: Value,
}

impl Workflow {
    /// A workflow from its text.
    pub fn new(name: &str, text: &str) -> Self {
        let tree = serde_yaml_ng::from_str(text).unwrap_or_default();
        Workflow { name: name.to_owned(), text: text.to_owned(), tree }
    }

    /// A workflow of the repository.
    pub fn of(name: &str) -> Self {
        let file = root().join(".github/workflows").join(name);
        Workflow::new(name, &fs::read_to_string(file).expect("a workflow"))
    }

    /// All workflows of the repository.
    pub fn all() -> Vec<Self> {
        let folder = fs::read_dir(root().join(".github/workflows")).expect("the workflows");
        let names = folder.map(|entry| entry.expect("a file").file_name());
        let all: Vec<_> = names.map(|name| Workflow::of(&name.to_string_lossy())).collect();
        assert!(all.len() >= 2, "tests and releases have a workflow each");
        all
    }

    fn jobs(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.tree["jobs"].as_object().into_iter().flatten()
    }

    fn steps(&self) -> impl Iterator<Item = &Value> {
        self.jobs().flat_map(|(_, job)| job["steps"].as_array().into_iter().flatten())
    }

    /// The scripts of all steps.
    pub fn scripts(&self) -> impl Iterator<Item = &str> {
        self.steps().filter_map(|step| step["run"].as_str())
    }

    /// The inputs of all steps that use an action.
    fn uses<'a>(&'a self, action: &'a str) -> impl Iterator<Item = &'a Value> {
        let is_it = move |step: &&Value| {
            step["uses"].as_str().is_some_and(|uses| uses.split('@').next() == Some(action))
        };
        self.steps().filter(is_it).map(|step| &step["with"])
    }
}

/// What a workflow says and the workspace does not.
pub fn consistency(workflow: &Workflow) -> Findings {
    let mut found = Findings::new();
    if workflow.jobs().next().is_none() {
        return vec!["no jobs".to_owned()];
    }
    for (name, job) in workflow.jobs() {
        if let Some(called) = job["uses"].as_str() {
            if !root().join(called).is_file() {
                found.push(format!("job {name}: {called} does not exist"));
            }
            continue;
        }
        if !job["timeout-minutes"].is_u64() {
            found.push(format!("job {name}: no timeout-minutes"));
        }
        let included = job["strategy"]["matrix"]["include"].as_array().into_iter().flatten();
        for label in included.map(|row| &row["runner"]).chain([&job["runs-on"]]) {
            if !label.as_str().is_some_and(|label| RUNNERS.contains(&label)) {
                found.push(format!("job {name}: unknown runner {label}"));
            }
        }
    }
    found.extend(workflow.scripts().flat_map(str::lines).filter_map(|line| command(line).err()));
    found.extend(toolchain(workflow));
    found.extend(artifacts(workflow));
    if workflow.name == "release.yml" {
        found.extend(release(workflow));
    }
    found
}

/// Checks a line of a script.
fn command(line: &str) -> Result<(), String> {
    let line = line.trim();
    let words: Vec<&str> = line.split_whitespace().map(|word| word.trim_matches('"')).collect();
    match words.as_slice() {
        ["cargo", "xtask", ..] => xtask::arguments::grammar()
            .try_get_matches_from(&words[1..])
            .map(drop)
            .map_err(|error| format!("`{line}`: {error}")),
        ["cargo", "build", ..] => {
            let package = words.iter().skip_while(|word| **word != "-p").nth(1);
            programs(package.unwrap_or(&"")).map(drop)
        }
        ["cargo", "install", "--locked", "cargo-deny", "--version", _]
        | ["cargo", "deny", "check", ..] => Ok(()),
        ["test", ..] => Ok(()),
        [program, ..] if PROGRAMS.contains(program) && *program != "cargo" => Ok(()),
        // A program of the archive.
        [program, ..] if program.ends_with("/api-bank") => Ok(()),
        [script] if root().join(script).is_file() => Ok(()),
        _ => Err(format!("unknown command `{line}`")),
    }
}

/// The binaries of a package.
fn programs(package: &str) -> Result<Vec<String>, String> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    let mut packages = metadata["packages"].as_array().into_iter().flatten();
    let found = packages.find(|it| it["name"] == package);
    let found = found.ok_or_else(|| format!("there is no package {package}"))?;
    let targets = found["targets"].as_array().into_iter().flatten();
    let binaries = targets.filter(|target| target["kind"][0] == "bin");
    Ok(binaries.filter_map(|target| target["name"].as_str().map(str::to_owned)).collect())
}

fn toolchain(workflow: &Workflow) -> Option<String> {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("the manifest");
    let line = manifest.lines().find_map(|line| line.strip_prefix("rust-version = "));
    let expected = line.expect("the workspace's rust-version").trim_matches('"');
    let found = workflow.tree["env"]["RUSTUP_TOOLCHAIN"].as_str();
    (found != Some(expected))
        .then(|| format!("the workspace's rust-version is {expected}, RUSTUP_TOOLCHAIN {found:?}"))
}

/// Checks that what is downloaded was uploaded.
fn artifacts(workflow: &Workflow) -> Findings {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let uploads: Vec<String> =
        workflow.uses("actions/upload-artifact").map(|with| text(&with["name"])).collect();
    let mut found = Findings::new();
    for with in workflow.uses("actions/download-artifact") {
        let (name, pattern) = (text(&with["name"]), text(&with["pattern"]));
        let start = pattern.trim_end_matches('*');
        let is_there =
            |upload: &String| *upload == name || (!start.is_empty() && upload.starts_with(start));
        if !uploads.iter().any(is_there) {
            found.push(format!("nothing uploads {name}{pattern}: there are {uploads:?}"));
        }
    }
    found
}

/// Checks targets, programs and checksums against `cargo xtask package`.
fn release(workflow: &Workflow) -> Findings {
    let mut found = Findings::new();
    let rows = workflow
        .jobs()
        .flat_map(|(_, job)| job["strategy"]["matrix"]["include"].as_array().into_iter().flatten());
    let targets: BTreeSet<&str> = rows.filter_map(|row| row["target"].as_str()).collect();
    let released = BTreeSet::from(PLATFORMS.map(|platform| platform.target));
    if targets != released {
        found.push(format!("the targets are {targets:?}, the release has {released:?}"));
    }
    let programs = programs("cli").expect("the package cli");
    let uploads = workflow.uses("actions/upload-artifact");
    let paths = uploads.filter_map(|with| with["path"].as_str()).flat_map(str::lines);
    for path in paths.filter(|path| path.starts_with("target/")) {
        let file = path.rsplit('/').next().unwrap_or_default();
        if !programs.iter().any(|program| file == program || file == format!("{program}.exe")) {
            found.push(format!("{path} is no program of cli: {programs:?}"));
        }
    }
    if !workflow.scripts().any(|script| script == format!("sha256sum --check --strict {CHECKSUMS}"))
    {
        found.push(format!("no step checks {CHECKSUMS}"));
    }
    let subjects = format!("release/{CHECKSUMS}");
    let mut attested = workflow.uses("actions/attest-build-provenance");
    if !attested.any(|with| with["subject-checksums"] == *subjects) {
        found.push(format!("no step attests the files of {subjects}"));
    }
    found
}
