//! The results page with a record of ten thousand samples: the tab's memory and response times.

use std::{collections::BTreeMap, fs, time::Duration};

use anyhow::{Context, Result};
use provider::{HttpRequest, Ports, Sink, Timeouts, TransportError};
use record::{Baseline, Model, Record, RunSettings};
use runner::benchmark::Benchmark;
use serde::Deserialize;
use serde_json::json;
use thirtyfour::By;
use xtask::bench::{Figure, Figures};

use crate::{
    numbers::median,
    stage::Stage,
    wait::{Found, LONG, until},
};

/// The minimum number of samples in the record.
const SAMPLES: usize = 10_000;
/// Repeats per action.
const REPEATS: usize = 5;
/// Idle time of a tab before its memory is measured.
const REST: Duration = Duration::from_secs(5);
/// Actions on the page: name, script, and the condition that it is shown. In order: each starts
/// where the previous one ends.
const ACTIONS: [(&str, &str, &str); 15] = [
    ("right ones", "press('filter-right')", "is('filter-right') && differs()"),
    ("wrong ones", "press('filter-wrong')", "is('filter-wrong') && differs()"),
    ("all", "press('filter-all')", "is('filter-all') && differs()"),
    ("a word", "type('alarm')", "differs()"),
    ("no word", "type('')", "differs()"),
    ("another profile", "press('profile-exact')", "is('profile-exact')"),
    ("the first profile", "press('profile-execution')", "is('profile-execution')"),
    ("by latency", "press('sort-latency')", "one('th[aria-sort] [data-test=\"sort-latency\"]')"),
    ("the middle of the list", "scroll(0.5)", "!rows().some((it) => it.dataset.at === '0')"),
    ("the start of the list", "scroll(0)", "rows().some((it) => it.dataset.at === '0')"),
    ("a bar of the errors", "bar().click()", "differs()"),
    ("the map of APIs", "heat().open = true", "one('.heat-button').offsetHeight > 0"),
    ("a cell of the map", "one('.heat-button').click()", "differs()"),
    ("another page", "heat().open = false; location.hash = '#/records'", "!find('samples-count')"),
    ("the results page", "location.hash = '#/results'", "rows().length > 0"),
];
/// Runs before each repeat of the actions, for equal starting conditions.
const BEGIN: &str = "press('filter-all'); every('filter-api'); type(''); scroll(0)";
/// Acts, and waits for the frame that shows the result.
const ANSWER: &str = "
    const done = arguments[arguments.length - 1];
    const one = (selector) => document.querySelector(selector);
    const find = (hook) => one(`[data-test=\"${hook}\"]`);
    const press = (hook) => find(hook).click();
    const is = (hook) => find(hook).getAttribute('aria-pressed') === 'true';
    const rows = () => [...document.querySelectorAll('[data-test=\"sample-row\"]')];
    const heat = () => find('heat');
    const bar = () => one('.bar-cell').closest('tr').querySelector('button');
    const listed = () => find('samples-count')?.textContent;
    const type = (text) => {
      const field = find('filter-text');
      field.value = text;
      field.dispatchEvent(new Event('input', { bubbles: true }));
    };
    const every = (hook) => {
      const menu = find(hook);
      menu.value = '';
      menu.dispatchEvent(new Event('change', { bubbles: true }));
    };
    const scroll = (share) => {
      const list = find('samples-list');
      list.scrollTop = share * list.scrollHeight;
    };
    const before = listed();
    const differs = () => listed() !== before;
    const drawn = () => new Promise((resolve) => requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = resolve;
      port2.postMessage(0);
    }));
    (async () => {
      await drawn();
      const started = performance.now();
      ACTION;
      do {
        await drawn();
        if (performance.now() - started > 10000) throw new Error(`not shown: ${listed()}`);
      } while (!(SHOWN));
      return performance.now() - started;
    })().then((value) => done({ value }), (error) => done({ failed: String(error) }));";
/// Keeps a reference to the page's WebAssembly memory.
const MEMORY: &str = "
    for (const name of ['instantiate', 'instantiateStreaming']) {
      const real = WebAssembly[name];
      WebAssembly[name] = async (...given) => {
        const made = await real(...given);
        const { exports } = made.instance ?? made;
        window.benchMemory ??= Object.values(exports).find((it) => it instanceof WebAssembly.Memory);
        return made;
      };
    }";

/// Ports that send nothing and take no time.
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

    stage.browser.cdp("Page.addScriptToEvaluateOnNewDocument", json!({ "source": MEMORY })).await?;
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

/// A record of the keyword baseline with enough trials.
async fn large(stage: &Stage) -> Result<Record> {
    let bench = Benchmark::new(dataset::builtin()?, stage.search()?);
    let mut settings = RunSettings::new(Model::Builtin { name: Baseline::KeywordBaseline });
    let once = runner::in_run(&bench, &settings).len();
    settings.trials = u32::try_from(SAMPLES.div_ceil(once.max(1)))?;
    Ok(runner::run(&bench, &settings, None, &Still, |_| {}).await)
}

async fn appears(stage: &Stage, hook: &str) -> Result<()> {
    until(hook, Duration::from_secs(240), async || {
        // Poll rarely: answering is work for the page being measured.
        tokio::time::sleep(Duration::from_millis(200)).await;
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
    let own = |stage: &Stage| {
        let resident = stage.browser.chromedriver.id().and_then(renderer_bytes);
        resident.context("the tab's memory is read from /proc, which is not there")
    };
    let opening = own(stage)? / 1e6;
    // Unreachable objects would be counted too, in varying amounts.
    stage.browser.cdp("HeapProfiler.collectGarbage", json!({})).await?;
    tokio::time::sleep(REST).await;
    let megabytes = own(stage)? / 1e6;
    #[derive(Deserialize)]
    struct Held {
        heap: f64,
        wasm: f64,
    }
    let held: Held = stage
        .script(
            "return { heap: performance.memory.usedJSHeapSize,
                      wasm: window.benchMemory?.buffer.byteLength ?? 0 }",
        )
        .await?;
    // The browser collects a worker's garbage only under memory pressure.
    let pressure = json!({ "level": "critical" });
    stage.browser.cdp("Memory.simulatePressureNotification", pressure).await?;
    tokio::time::sleep(REST).await;
    let pressed = own(stage)? / 1e6;
    let note = format!(
        "anonymous memory of the tab's process (Linux, RssAnon), page and worker together, {} s after \
         a collection on the page; {opening:.0} MB right after opening, {pressed:.0} MB once the browser \
         is told that memory is short; {samples} samples in a file of {:.0} MB that took {opened:.1} s to \
         verify and open; of the page WebAssembly {:.0} MB, JavaScript {:.0} MB",
        REST.as_secs(),
        size as f64 / 1e6,
        held.wasm / 1e6,
        held.heap / 1e6
    );
    figures.add("tab", Figure::new(megabytes, note));
    Ok(())
}

async fn answers(stage: &Stage, figures: &mut Figures, samples: usize) -> Result<()> {
    let mut took: Vec<Vec<f64>> = vec![Vec::new(); ACTIONS.len()];
    for _ in 0..REPEATS {
        let begin = ANSWER.replace("ACTION", BEGIN).replace("SHOWN", "true");
        stage.resolve::<f64>(&begin).await?;
        for ((name, action, shown), times) in ACTIONS.iter().zip(&mut took) {
            let script = ANSWER.replace("ACTION", action).replace("SHOWN", shown);
            let time = stage.resolve(&script).await.with_context(|| (*name).to_owned())?;
            times.push(time);
        }
    }
    let mut each: Vec<(f64, &str)> =
        took.iter().zip(ACTIONS).map(|(times, (name, ..))| (median(times), name)).collect();
    each.sort_by(|a, b| b.0.total_cmp(&a.0));
    let words: Vec<String> = each.iter().map(|(time, name)| format!("{name} {time:.0}")).collect();
    let note = format!(
        "the slowest of {} things, from the press to the frame that shows it, {samples} samples, \
         medians of {REPEATS} in ms: {}; a frame takes 17",
        ACTIONS.len(),
        words.join(", ")
    );
    let worst = each.first().map_or(0.0, |(time, _)| *time);
    figures.add("scale", Figure::new(worst, note));
    Ok(())
}

/// Anonymous memory in bytes of the largest renderer below a process; `None` without /proc.
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
    let sizes = below.iter().filter(is_renderer).filter_map(|process| status(*process, "RssAnon"));
    sizes.max().map(|kilobytes| kilobytes as f64 * 1024.0)
}

/// A numeric field of /proc/<process>/status.
fn status(process: u32, name: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.split_whitespace().next()?.parse().ok()
}
