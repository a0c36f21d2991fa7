//! The page itself: first paint, when it answers, what shifts, and how long it is busy at a time.

use std::time::Duration;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::json;
use xtask::bench::{Figure, Figures};

use crate::{
    numbers::median,
    stage::Stage,
    wait::{Found, LONG, until},
};

/// How often the page is loaded anew, with an empty cache.
const LOADS: usize = 5;
/// How much slower the page's thread is made.
const SLOW_DOWN: f64 = 4.0;
/// A page answers once this many milliseconds have no long task in them (web.dev, Time to
/// Interactive); tasks before that push it back.
const QUIET_MS: f64 = 5000.0;
/// Tasks shorter than this are not told by the browser (W3C, Long Tasks).
const LONG_TASK_MS: f64 = 50.0;

/// Notes what the browser tells of a page from its first moment on.
const WATCH: &str = "
    (() => {
      const seen = { shift: 0, tasks: [], paint: null, button: null };
      window.benchSeen = seen;
      const watch = (type, take) => new PerformanceObserver((list) => list.getEntries().forEach(take))
        .observe({ type, buffered: true });
      watch('layout-shift', (entry) => { if (!entry.hadRecentInput) seen.shift += entry.value; });
      watch('longtask', (entry) => seen.tasks.push([entry.startTime, entry.duration]));
      watch('paint', (entry) => {
        if (entry.name === 'first-contentful-paint') seen.paint = entry.startTime;
      });
      new MutationObserver((_, observer) => {
        if (!document.querySelector('[data-test=\"run-button\"]')) return;
        seen.button = performance.now();
        observer.disconnect();
      }).observe(document, { childList: true, subtree: true });
    })();";

#[derive(Debug, Deserialize)]
struct Seen {
    shift: f64,
    /// Start and duration of long tasks.
    tasks: Vec<(f64, f64)>,
    paint: Option<f64>,
    button: Option<f64>,
}

impl Seen {
    /// When the page answers: its controls are there, and no long task is in the way any more.
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

/// Measures loading at a slow-down, and a run without.
pub async fn measure(figures: &mut Figures) -> Result<()> {
    let stage = Stage::start().await?;
    stage.browser.cdp("Page.addScriptToEvaluateOnNewDocument", json!({ "source": WATCH })).await?;
    // A first visit is measured: what a service worker keeps is for later ones.
    stage.browser.cdp("Network.enable", json!({})).await?;
    stage.browser.cdp("Network.setBypassServiceWorker", json!({ "bypass": true })).await?;
    loads(&stage, figures).await?;
    busy(&stage, figures).await?;
    stage.browser.quit().await;
    Ok(())
}

async fn loads(stage: &Stage, figures: &mut Figures) -> Result<()> {
    let (mut paints, mut ready, mut shifts) = (Vec::new(), Vec::new(), Vec::new());
    let rate = json!({ "rate": SLOW_DOWN });
    stage.browser.cdp("Emulation.setCPUThrottlingRate", rate).await?;
    for _ in 0..LOADS {
        stage.browser.driver.goto("about:blank").await?;
        stage.browser.cdp("Network.clearBrowserCache", json!({})).await?;
        stage.browser.driver.goto(stage.url.as_str()).await?;
        let seen = settled(stage).await?;
        paints.push(seen.paint.context("no first paint")? / 1e3);
        ready.push(seen.interactive().context("no button to run")? / 1e3);
        shifts.push(seen.shift);
    }
    stage.browser.cdp("Emulation.setCPUThrottlingRate", json!({ "rate": 1 })).await?;
    let how = format!("median of {LOADS} loads with an empty cache from a server on this machine");
    figures.add("paint", Figure::new(median(&paints), format!("{how}, first contentful paint")));
    let words = "the button to run is there and no task of 50 ms or more is in the way";
    figures.add("interactive", Figure::new(median(&ready), format!("{how}: {words}")));
    let worst = shifts.into_iter().fold(0.0, f64::max);
    figures.add("shift", Figure::new(worst, format!("the largest of {LOADS} loads")));
    Ok(())
}

/// What was seen once the page has been quiet for long enough.
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

/// The gold replay is the fastest run there is: nothing keeps its samples apart.
async fn busy(stage: &Stage, figures: &mut Figures) -> Result<()> {
    stage.browser.driver.goto(stage.url.as_str()).await?;
    settled(stage).await?;
    let begun: f64 = stage
        .script(
            "document.querySelector('[data-test=\"model-gold-replay\"]').click();
             document.querySelector('[data-test=\"run-button\"]').click();
             return performance.now()",
        )
        .await?;
    until("the end of the run", LONG, async || {
        let status =
            "return document.querySelector('[data-test=\"status-text\"]')?.textContent ?? ''";
        let status: String = stage.script(status).await?;
        Ok(if status == "Finished" { Found::Yes(()) } else { Found::NotYet(status) })
    })
    .await?;
    let ended: f64 = stage.script("return performance.now()").await?;
    // Entries of tasks come a moment after them.
    tokio::time::sleep(Duration::from_millis(500)).await;
    let seen: Seen = stage.script("return window.benchSeen").await?;
    let mut tasks: Vec<f64> =
        seen.tasks.iter().filter(|(start, _)| *start >= begun).map(|(_, length)| *length).collect();
    tasks.sort_by(|a, b| b.total_cmp(a));
    let note = format!(
        "gold replay on the page, {:.1} s in all; {} tasks of {LONG_TASK_MS} ms or more, the longest {}; \
         shorter ones are not told",
        (ended - begun) / 1e3,
        tasks.len(),
        tasks.iter().take(3).map(|it| format!("{it:.0}")).collect::<Vec<_>>().join(", ")
    );
    let longest = tasks.first().copied().unwrap_or(LONG_TASK_MS);
    figures.add("task", Figure::new(longest, note));
    Ok(())
}
