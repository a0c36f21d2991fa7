//! Page load: first paint, time to interactive, layout shift and long tasks.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use exchange::protocol::samples;
use serde::Deserialize;
use serde_json::json;
use xtask::bench::{Figure, Figures};

use crate::{
    numbers::median,
    stage::Stage,
    wait::{Found, LONG, until},
};

/// Page loads with an empty cache.
const LOADS: usize = 5;
/// CPU throttling factor for the page's thread.
const SLOW_DOWN: f64 = 4.0;
/// A page is interactive at the start of a window of this length without long tasks (web.dev, Time
/// to Interactive).
const QUIET_MS: f64 = 5000.0;
/// Browsers don't report shorter tasks (W3C, Long Tasks).
const LONG_TASK_MS: f64 = 50.0;

/// Gold replays on the page.
const RUNS: usize = 3;
/// Interval of the timer that measures how long the page is busy: browsers clamp shorter intervals
/// to this.
const TIMER_MS: f64 = 4.0;
/// Single-threaded work that detects CPU throttling: half a second of it, because the browser
/// throttles by pauses, and short work fits between them.
const SPIN: &str = "
    const times = [1, 2, 3].map(() => {
      const started = performance.now();
      let sum = 0;
      for (let at = 0; at < 1e8; at += 1) sum = (sum + at) | 0;
      return performance.now() - started + 0 * sum;
    });
    return Math.min(...times);";

/// Records the page's performance entries from the start.
const WATCH: &str = "
    (() => {
      const seen = { shift: 0, tasks: [], frames: [], paint: null, button: null };
      window.benchSeen = seen;
      const watch = (type, take) => new PerformanceObserver((list) => list.getEntries().forEach(take))
        .observe({ type, buffered: true });
      watch('layout-shift', (entry) => { if (!entry.hadRecentInput) seen.shift += entry.value; });
      watch('longtask', (entry) => seen.tasks.push([entry.startTime, entry.duration]));
      watch('long-animation-frame', (entry) => seen.frames.push([entry.startTime,
        `${Math.round(entry.duration)} ms (` + entry.scripts.map((it) =>
          `${it.invoker || it.invokerType} ${Math.round(it.duration)}`).join(', ') + ')']));
      watch('paint', (entry) => {
        if (entry.name === 'first-contentful-paint') seen.paint = entry.startTime;
      });
      new MutationObserver((_, observer) => {
        if (!document.querySelector('[data-test=\"run-button\"]:enabled')) return;
        seen.button = performance.now();
        observer.disconnect();
      }).observe(document, { attributes: true, childList: true, subtree: true });
    })();";

#[derive(Debug, Deserialize)]
struct Seen {
    shift: f64,
    /// Start and duration of long tasks.
    tasks: Vec<(f64, f64)>,
    /// Start of long frames, with the scripts that caused them.
    frames: Vec<(f64, String)>,
    paint: Option<f64>,
    button: Option<f64>,
}

impl Seen {
    /// Time to interactive: the controls exist and no long task follows.
    fn interactive(&self) -> Option<f64> {
        let mut at = self.button?;
        for (start, duration) in &self.tasks {
            if *start < at + QUIET_MS {
                at = at.max(start + duration);
            }
        }
        Some(at)
    }
}

/// Measures loading with CPU throttling, and a run without.
pub async fn measure(figures: &mut Figures) -> Result<()> {
    let stage = watched().await?;
    loads(&stage, figures).await?;
    busy(&stage, figures).await?;
    stage.browser.quit().await;
    Ok(())
}

/// A browser with an empty cache that records the page's performance entries.
async fn watched() -> Result<Stage> {
    let stage = Stage::start().await?;
    stage.browser.cdp("Page.addScriptToEvaluateOnNewDocument", json!({ "source": WATCH })).await?;
    // Measure a first visit: the service worker's cache is for later ones.
    stage.browser.cdp("Network.enable", json!({})).await?;
    stage.browser.cdp("Network.setBypassServiceWorker", json!({ "bypass": true })).await?;
    Ok(stage)
}

/// The files that a first visit requests before the Run button appears, once per network transfer,
/// as the browser reports them. Requests made by the worker and the service worker are not
/// included, but their scripts are.
pub async fn visit() -> Result<Vec<String>> {
    #[derive(Deserialize)]
    struct Sent {
        name: String,
        started: f64,
        bytes: f64,
        kind: String,
    }
    let stage = watched().await?;
    stage.browser.driver.goto(stage.url.as_str()).await?;
    let button = settled(&stage).await?.button.context("no button to run")?;
    let sent: Vec<Sent> = stage
        .script(
            "return ['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type))
               .map((it) => ({ name: it.name, started: it.startTime, bytes: it.transferSize,
                               kind: it.initiatorType }))",
        )
        .await?;
    stage.browser.quit().await;
    let mut names = Vec::new();
    println!("  the button to run is there after {button:.0} ms");
    for Sent { name, started, bytes, kind } in sent {
        let file = name.strip_prefix(&stage.url).unwrap_or(&name);
        let file = if file.is_empty() { "index.html" } else { file };
        println!("  {started:>7.0} ms {bytes:>9} bytes by {kind}: {file}");
        // A second read from the cache is not a transfer.
        if started <= button && (bytes > 0.0 || !names.iter().any(|known| known == file)) {
            names.push(file.to_owned());
        }
    }
    Ok(names)
}

async fn loads(stage: &Stage, figures: &mut Figures) -> Result<()> {
    let (mut paints, mut forms, mut ready) = (Vec::new(), Vec::new(), Vec::new());
    let mut shifts = Vec::new();
    let rate = json!({ "rate": SLOW_DOWN });
    stage.browser.driver.goto(stage.url.as_str()).await?;
    let quick: f64 = stage.script(SPIN).await?;
    stage.browser.cdp("Emulation.setCPUThrottlingRate", rate).await?;
    let slow: f64 = stage.script(SPIN).await?;
    println!("  work of {quick:.0} ms takes {slow:.0} ms at the slow-down");
    ensure!(slow > SLOW_DOWN / 2.0 * quick, "the browser does not slow down");
    for _ in 0..LOADS {
        stage.browser.driver.goto("about:blank").await?;
        stage.browser.cdp("Network.clearBrowserCache", json!({})).await?;
        stage.browser.driver.goto(stage.url.as_str()).await?;
        let seen = settled(stage).await?;
        paints.push(seen.paint.context("no first paint")? / 1e3);
        forms.push(seen.button.context("no button to run")? / 1e3);
        ready.push(seen.interactive().context("no button to run")? / 1e3);
        shifts.push(seen.shift);
    }
    stage.browser.cdp("Emulation.setCPUThrottlingRate", json!({ "rate": 1 })).await?;
    let how = format!(
        "median of {LOADS} loads with an empty cache from a server on this machine, the page's thread \
         slowed down ({:.1}× by a loop), not the threads that compile WebAssembly",
        slow / quick
    );
    let words = "first contentful paint";
    figures.add("paint", Figure::new(median(&paints), format!("{how}: {words}")));
    let words = format!(
        "the button to run is there (after {:.2} s) and no task of 50 ms or more is in the way",
        median(&forms)
    );
    figures.add("interactive", Figure::new(median(&ready), format!("{how}: {words}")));
    let worst = shifts.into_iter().fold(0.0, f64::max);
    figures.add("shift", Figure::new(worst, format!("the largest of {LOADS} loads")));
    Ok(())
}

/// The entries, once the page has been idle for long enough.
async fn settled(stage: &Stage) -> Result<Seen> {
    until("a quiet page", LONG, async || {
        let now: f64 = stage.script("return performance.now()").await?;
        let seen: Seen = stage.script("return window.benchSeen").await?;
        Ok(match seen.interactive() {
            Some(at) if now > at + QUIET_MS => Found::Yes(seen),
            at => Found::NotYet(format!("{at:?} at {now}")),
        })
    })
    .await
}

/// A run on the page, times in milliseconds.
struct Busy {
    /// From the click to the end of the run.
    whole: f64,
    /// Durations of long tasks, longest first.
    tasks: Vec<f64>,
    /// The timer's maximum delay.
    late: f64,
}

impl Busy {
    /// The longest task. If the browser reports none, the timer's delay, which includes other load
    /// on the machine.
    fn longest(&self) -> f64 {
        self.tasks.first().copied().unwrap_or_else(|| self.late.min(LONG_TASK_MS))
    }
}

/// The gold replay is the fastest possible run: nothing spaces out its samples.
async fn busy(stage: &Stage, figures: &mut Figures) -> Result<()> {
    let all = dataset::builtin()?;
    let samples = samples(&all).len();
    let mut runs = Vec::new();
    for _ in 0..RUNS {
        runs.push(replay(stage, samples).await?);
    }
    let list =
        |figure: &dyn Fn(&Busy) -> String| runs.iter().map(figure).collect::<Vec<_>>().join(", ");
    let note = format!(
        "the longest of {RUNS} gold replays on the page, {samples} samples each, from the press to the \
         end ({} s): long tasks (from {LONG_TASK_MS} ms on) {}; a timer of {TIMER_MS} ms came late by \
         at most {} ms",
        list(&|run| format!("{:.1}", run.whole / 1e3)),
        list(&|run| match run.tasks.as_slice() {
            [] => "none".to_owned(),
            tasks => tasks.iter().map(|task| format!("{task:.0}")).collect::<Vec<_>>().join(" + "),
        }),
        list(&|run| format!("{:.0}", run.late)),
    );
    let longest = runs.iter().map(Busy::longest).fold(0.0, f64::max);
    figures.add("task", Figure::new(longest, note));
    Ok(())
}

/// Replays the gold on a fresh page with a fresh worker.
async fn replay(stage: &Stage, samples: usize) -> Result<Busy> {
    stage.browser.driver.goto("about:blank").await?;
    stage.browser.driver.goto(stage.url.as_str()).await?;
    settled(stage).await?;
    let started: f64 = stage
        .script(&format!(
            "const started = performance.now();
             let last = started;
             window.benchLate = 0;
             const look = () => {{
               const now = performance.now();
               window.benchLate = Math.max(window.benchLate, now - last - {TIMER_MS});
               last = now;
               setTimeout(look);
             }};
             setTimeout(look);
             document.querySelector('[data-test=\"model-gold-replay\"]').click();
             document.querySelector('[data-test=\"run-button\"]').click();
             const watch = new MutationObserver(() => {{
               const status = document.querySelector('[data-test=\"status-text\"]')?.textContent;
               window.benchEnded ??= status === 'Finished' ? performance.now() : null;
             }});
             watch.observe(document, {{ characterData: true, childList: true, subtree: true }});
             return started"
        ))
        .await?;
    // Poll rarely: answering is work for the page.
    let ended = until("the end of the run", LONG, async || {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let ended: Option<f64> = stage.script("return window.benchEnded ?? null").await?;
        Ok(ended.map_or_else(|| Found::NotYet("no end".to_owned()), Found::Yes))
    })
    .await?;
    // Long-task entries arrive slightly after the task.
    tokio::time::sleep(Duration::from_millis(500)).await;
    let late: f64 = stage.script("return window.benchLate").await?;
    let seen: Seen = stage.script("return window.benchSeen").await?;
    let count = "return document.querySelector('[data-test=\"samples-count\"]').textContent";
    let count: String = stage.script(count).await?;
    let samples = record::table::grouped(samples);
    ensure!(count == format!("{samples} of {samples}"), "the page lists {count}");
    for (_, frame) in seen.frames.iter().filter(|(start, _)| *start > started) {
        println!("  a long frame of the page during the run: {frame}");
    }
    // A task that spans the start belongs to the run: it includes the click.
    let within = |start: f64, length: f64| start + length > started && start < ended + 500.0;
    let tasks = seen.tasks.iter().filter(|(start, length)| within(*start, *length));
    let mut tasks: Vec<f64> = tasks.map(|(_, length)| *length).collect();
    tasks.sort_by(|a, b| b.total_cmp(a));
    Ok(Busy { whole: ended - started, tasks, late })
}
