//! `cargo xtask bench`: benchmarks against the obvious alternatives, part by part, and updates the
//! table in `docs/performance.md`.
//!
//! Each part writes its [`Figures`] to `target/bench/<part>.json`; the table combines all existing
//! parts. [`goals`] defines the measurements and goals.

pub mod goals;
mod machine;
mod native;
mod peers;
mod report;
mod sizes;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::{
    cache::Cache,
    chromium::Chromium,
    features::{BROWSER_FEATURE, NATIVE_FEATURES},
    process::{cargo, root, run, target},
    search,
    site::{self, Profile},
};
use strum::{EnumCount, IntoStaticStr, VariantArray};

/// A part of the benchmark that can run separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
#[derive(EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Part {
    /// Scoring on this machine, without a browser.
    Native,
    /// Size of the built site in bytes.
    Sizes,
    /// Search, start, runs and the results page in Chromium.
    Browser,
    /// Runs against an endpoint, many requests in flight.
    Load,
}

impl Part {
    /// All parts, fast ones first.
    pub const ALL: [Part; Part::COUNT] = *Part::VARIANTS.first_chunk().unwrap();

    /// The identifier on the command line and in file names.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The figure of a table row.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// This project's figure, in the unit of its row.
    pub ours: f64,
    /// The peer's figure, if the row has a peer.
    #[serde(default)]
    pub peer: Option<f64>,
    /// How it was measured: the number of repeats, and other observations.
    #[serde(default)]
    pub note: String,
}

impl Figure {
    /// A figure without a peer.
    #[must_use]
    pub fn new(ours: f64, note: impl Into<String>) -> Self {
        Figure { ours, peer: None, note: note.into() }
    }

    /// A figure with a peer's.
    #[must_use]
    pub fn beside(ours: f64, peer: f64, note: impl Into<String>) -> Self {
        Figure { ours, peer: Some(peer), note: note.into() }
    }
}

/// The figures of one part.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// By the key of the row.
    pub rows: BTreeMap<String, Figure>,
    /// Versions of the software used, by name.
    #[serde(default)]
    pub versions: BTreeMap<String, String>,
}

impl Figures {
    /// Adds a row's figure.
    pub fn add(&mut self, key: &str, figure: Figure) {
        println!("  {key}: {:.4} {:?} {}", figure.ours, figure.peer, figure.note);
        self.rows.insert(key.to_owned(), figure);
    }

    /// Writes the figures to a file.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn write(&self, file: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        fs::write(file, text).with_context(|| format!("can't write {}", file.display()))
    }

    fn read(file: &Path) -> Result<Self> {
        let text =
            fs::read_to_string(file).with_context(|| format!("can't read {}", file.display()))?;
        serde_json::from_str(&text).with_context(|| format!("{} is damaged", file.display()))
    }
}

/// The options of a benchmark.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The parts; none means all.
    pub parts: Vec<Part>,
    /// A built site; `None` builds it as it is published.
    pub site: Option<PathBuf>,
}

/// Measures and writes the table.
///
/// # Errors
/// When a part fails. Figures of other parts are kept.
pub fn bench(cache: &Cache, options: &Options) -> Result<()> {
    let parts = if options.parts.is_empty() { &Part::ALL[..] } else { &options.parts };
    let started = Instant::now();
    let dir = folder()?;
    let mut site = None;
    for part in parts {
        let (at, busy) = (started.elapsed().as_secs_f32(), machine::load().unwrap_or_default());
        println!("\n== bench: {} (at {at:.0} s; load of the machine {busy})", part.as_str());
        if *part != Part::Native && site.is_none() {
            site = Some(built(cache, options.site.as_deref())?);
        }
        let out = dir.join(format!("{}.json", part.as_str()));
        let dist = site.as_deref();
        match (part, dist) {
            (Part::Native, _) => native::measure(cache)?.write(&out)?,
            (Part::Sizes, Some(dist)) => {
                let list = dir.join("visit.json");
                in_browser(cache, Script::Visit, dist, &list)?;
                sizes::measure(cache, dist, &sizes::visited(&list)?)?.write(&out)?;
            }
            (Part::Browser, Some(dist)) => {
                in_browser(cache, Script::Browser, dist, &out)?;
                if options.site.is_none() {
                    add_quick_search(cache, &out)?;
                }
            }
            (Part::Load, Some(dist)) => in_browser(cache, Script::Load, dist, &out)?,
            (_, None) => {}
        }
    }
    let mut all = Figures::default();
    for part in Part::ALL {
        let file = dir.join(format!("{}.json", part.as_str()));
        if file.is_file() {
            let part = Figures::read(&file)?;
            all.rows.extend(part.rows);
            all.versions.extend(part.versions);
        }
    }
    report::write(&all)?;
    println!(
        "\nmeasured in {:.0} s, written to docs/performance.md",
        started.elapsed().as_secs_f32()
    );
    Ok(())
}

/// The folder for the parts' figures.
fn folder() -> Result<PathBuf> {
    let dir = target().join("bench");
    fs::create_dir_all(&dir).with_context(|| format!("can't make {}", dir.display()))?;
    Ok(dir)
}

/// The site to measure. Not `dist`, which may hold either build.
fn built(cache: &Cache, given: Option<&Path>) -> Result<PathBuf> {
    if let Some(site) = given {
        let site = root().join(site);
        ensure!(site.join("index.html").is_file(), "no built site in {}", site.display());
        println!("  measuring the site in {}", site.display());
        return Ok(site);
    }
    site_of(cache, Profile::Release)
}

/// Builds a site for the benchmark alone.
fn site_of(cache: &Cache, profile: Profile) -> Result<PathBuf> {
    let dist = target().join("site").join("measured").join(profile.name());
    site::build(cache, profile, &dist)?;
    println!("  measuring the build {}", profile.name());
    Ok(dist)
}

/// Measures a search in the build that `cargo xtask serve` makes, and adds its row to the figures.
fn add_quick_search(cache: &Cache, out: &Path) -> Result<()> {
    let quick = out.with_extension("quick.json");
    in_browser(cache, Script::Browser, &site_of(cache, Profile::Fast)?, &quick)?;
    let mut figures = Figures::read(out)?;
    let search = Figures::read(&quick)?.rows.remove("search").context("a figure of searches")?;
    figures.add("search-quick", search);
    figures.write(out)
}

/// Benchmarks in `tests/bench`, next to the browser tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[derive(IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
enum Script {
    /// Lists the files of a first visit.
    Visit,
    /// The part `browser`.
    Browser,
    /// The part `load`.
    Load,
}

impl Script {
    fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Runs one of the benchmarks in `tests/bench`.
fn in_browser(cache: &Cache, script: Script, dist: &Path, out: &Path) -> Result<()> {
    let chromium = Chromium::ensure()?;
    let mut command = cargo();
    command.arg("bench");
    if script == Script::Load {
        // The command line uses the cache's search files, the browser uses the site's.
        search::ensure(cache)?;
        // The endpoint runs in the script, on the cores that it measures, so it must be cheap.
        command.env("API_BANK_BENCH_PROGRAM", optimized()?);
    } else {
        // With the tests' profile, to share their dependencies: it only drives and observes.
        command.args(["--profile", "dev"]);
    }
    command.args(selection()).args(["--bench", "site", "--"]);
    command.args([script.as_str(), "--out"]).arg(out);
    command.env("API_BANK_DIST", dist);
    command.env("API_BANK_CHROMIUM", &chromium.browser);
    command.env("API_BANK_CHROMEDRIVER", &chromium.driver);
    if script == Script::Browser {
        command.env("API_BANK_BENCH_ONNX", &crate::model::ensure(cache)?.onnx);
        if let Some(peer) = peers::onnxruntime(cache)? {
            command.env("API_BANK_BENCH_PEER", &peer.folder);
        }
    }
    run(&mut command)
}

/// The selection of every benchmark command: other features would recompile everything.
fn selection() -> [&'static str; 5] {
    ["--workspace", "--features", NATIVE_FEATURES, "--features", BROWSER_FEATURE]
}

/// Compiles in one go everything that is measured or must be fast, with the benchmark profile, and
/// returns the path of `api-bank`.
fn optimized() -> Result<PathBuf> {
    let mut command: Command = cargo();
    println!("  compiling for speed (minutes)");
    command.args(["build", "--profile", "bench"]).args(selection());
    run(command.args(["--bench", "scoring", "--bench", "site", "--bin", "api-bank"]))?;
    // The profile `bench` shares the folder of `release`.
    let name = format!("api-bank{}", std::env::consts::EXE_SUFFIX);
    Ok(target().join("release").join(name))
}
