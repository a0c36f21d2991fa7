//! The results page with a record of ten thousand samples: memory of the tab, and how fast it
//! answers.

use std::{collections::BTreeMap, fs, time::Duration};

use anyhow::{Context, Result};
use engine::{
    baseline::Baseline,
    bench::Bench,
    provider::{HttpRequest, Sink, Timeouts, TransportError},
    record::{Model, Record},
    runner::{self, Ports, RunSettings},
};
use serde::Deserialize;
use serde_json::json;
use thirtyfour::By;
use xtask::bench::{Figure, Figures};

use crate::{
    numbers::median,
    stage::Stage,
    wait::{Found, LONG, until},
};

/// Samples of the record, at least.
const SAMPLES: usize = 10_000;
/// How often each thing is asked of the page.
const REPEATS: usize = 3;
/// What the page is asked for, as name and script.
const ACTIONS: [(&str, &str); 7] = [
    ("right ones", "press('filter-right')"),
    ("wrong ones", "press('filter-wrong')"),
    ("all", "press('filter-all')"),
    ("a word", "type('alarm')"),
    ("no word", "type('')"),
    ("another profile", "press('profile-exact')"),
    ("the first profile", "press('profile-execution')"),
];
/// Acts and waits until the frame that shows it is drawn.
const ANSWER: &str = "
    const done = arguments[arguments.length - 1];
    const find = (hook) => document.querySelector(`[data-test=\"${hook}\"]`);
    const press = (hook) => find(hook).click();
    const type = (text) => {
      const field = find('filter-text');
      field.value = text;
      field.dispatchEvent(new Event('input', { bubbles: true }));
    };
    const drawn = () => new Promise((resolve) => requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = resolve;
      port2.postMessage(0);
    }));
    (async () => {
      await drawn();
      const started = performance.now();
      ACTION;
      await drawn();
      return performance.now() - started;
    })().then((value) => done({ value }), (error) => done({ failed: String(error) }));";

/// Ports of a run that sends nothing and takes no time.
struct Still;

impl Ports for Still {
    fn now_ms(&self) -> u64 {
        0
    }

    async fn send(
        &self,
        request: HttpRequest,
        _: Timeouts,
        _: &mut dyn Sink,
    ) -> Result<(), TransportError> {
        Err(TransportError::Unreachable(format!("a baseline asked for {}", request.url)))
    }

    async fn wait(&self, _: u32) {}

    fn cancelled(&self) -> bool {
        false
    }
}

/// Opens the record and measures.
pub async fn measure(figures: &mut Figures) -> Result<()> {
    let stage = Stage::start().await?;
    let record = large(&stage).await?;
    let samples = record.samples.len();
    let dir = tempfile::tempdir()?;
    let file = dir.path().join("record.json");
    fs::write(&file, record.to_json()?)?;
    let size = fs::metadata(&file)?.len();
    drop(record);

    stage.browser.driver.goto(format!("{}#/verify", stage.url)).await?;
    let input = until("the field for a file", LONG, async || {
        let found = stage.browser.driver.find_all(By::Css("[data-test=\"verify-file\"]")).await?;
        Ok(found.into_iter().next().map_or(Found::NotYet(String::new()), Found::Yes))
    })
    .await?;
    let started = std::time::Instant::now();
    input.send_keys(file.to_string_lossy()).await?;
    appears(&stage, "verify-result").await?;
    let opened = started.elapsed().as_secs_f64();
    stage.browser.driver.goto(format!("{}#/results", stage.url)).await?;
    appears(&stage, "samples-count").await?;
    tab(&stage, figures, samples, size, opened).await?;
    answers(&stage, figures, samples).await?;
    stage.browser.quit().await;
    Ok(())
}

/// A record of the keyword baseline, asked often enough.
async fn large(stage: &Stage) -> Result<Record> {
    let bench = Bench::new(dataset::builtin()?, stage.search()?);
    let mut settings = RunSettings::new(Model::Builtin { name: Baseline::KeywordBaseline });
    let once = runner::in_run(&bench, &settings).len();
    settings.trials = u32::try_from(SAMPLES.div_ceil(once.max(1)))?;
    Ok(runner::run(&bench, &settings, None, &Still, |_| {}).await)
}

async fn appears(stage: &Stage, hook: &str) -> Result<()> {
    until(hook, Duration::from_secs(240), async || {
        let page: String = stage.script("return document.body.innerText.slice(0, 300)").await?;
        let found =
            stage.browser.driver.find_all(By::Css(format!("[data-test=\"{hook}\"]"))).await?;
        Ok(if found.is_empty() { Found::NotYet(page) } else { Found::Yes(()) })
    })
    .await
}

async fn tab(
    stage: &Stage,
    figures: &mut Figures,
    samples: usize,
    size: u64,
    opened: f64,
) -> Result<()> {
    // What no longer is used would be counted otherwise, more or less of it each time.
    stage.browser.cdp("HeapProfiler.collectGarbage", json!({})).await?;
    #[derive(Deserialize)]
    struct Heap {
        used: f64,
    }
    let heap: Heap = stage.script("return { used: performance.memory.usedJSHeapSize }").await?;
    let resident = stage.browser.chromedriver.id().and_then(renderer_bytes);
    let megabytes = resident.context("the tab's memory is read from /proc, which is not there")?;
    let note = format!(
        "anonymous memory of the tab's process (Linux, RssAnon), page and worker together, after a \
         collection; {samples} samples in a file of {:.0} MB that took {opened:.1} s to verify and \
         open; JavaScript heap of the page {:.0} MB",
        size as f64 / 1e6,
        heap.used / 1e6
    );
    figures.add("tab", Figure::new(megabytes / 1e6, note));
    Ok(())
}

async fn answers(stage: &Stage, figures: &mut Figures, samples: usize) -> Result<()> {
    let mut took: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for _ in 0..REPEATS {
        for (name, action) in ACTIONS {
            let script = ANSWER.replace("ACTION", action);
            took.entry(name).or_default().push(stage.resolve(&script).await?);
        }
    }
    let each: Vec<String> =
        took.iter().map(|(name, times)| format!("{name} {:.0} ms", median(times))).collect();
    let worst = took.values().map(|times| median(times)).fold(0.0, f64::max);
    let note = format!(
        "the slowest of {} things, from the press to the frame that shows it, {samples} samples, \
         medians of {REPEATS}: {}",
        ACTIONS.len(),
        each.join(", ")
    );
    figures.add("scale", Figure::new(worst, note));
    Ok(())
}

/// Bytes of anonymous memory of the largest renderer below a process; `None` where there is no
/// /proc.
fn renderer_bytes(ancestor: u32) -> Option<f64> {
    let mut below = vec![ancestor];
    let mut parents: BTreeMap<u32, u32> = BTreeMap::new();
    for entry in fs::read_dir("/proc").ok()?.flatten() {
        let Ok(process) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        if let Some(parent) = status(process, "PPid") {
            parents.insert(process, parent as u32);
        }
    }
    let mut at = 0;
    while let Some(&process) = below.get(at) {
        below.extend(parents.iter().filter(|(_, parent)| **parent == process).map(|(it, _)| *it));
        at += 1;
    }
    let is_renderer = |process: &&u32| {
        let line = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains("--type=renderer")
    };
    let sizes = below.iter().filter(is_renderer).filter_map(|it| status(*it, "RssAnon"));
    sizes.max().map(|kilobytes| kilobytes as f64 * 1024.0)
}

/// A number of /proc/<process>/status.
fn status(process: u32, name: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.split_whitespace().next()?.parse().ok()
}
