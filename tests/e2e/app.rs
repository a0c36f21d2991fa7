//! Page object for the app: user-level actions and queries.
//!
//! Elements are found by `data-test`, the page's stable hooks for tests.

use std::{
    io::Read,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use record::{AbilityRow, Rate, Record};
use scoring::Profile;
use serde_json::Value;
use thirtyfour::prelude::*;

use crate::{
    browser::Browser,
    wait::{Found, LONG, SOON, until},
};

/// The page in a browser.
pub struct App {
    pub browser: Browser,
    /// The page's URL, with a trailing slash.
    pub url: String,
    /// The folder that the site is served from.
    pub dist: PathBuf,
}

impl App {
    /// A page that is not open yet.
    pub fn new(browser: Browser, url: String, dist: PathBuf) -> Self {
        App { browser, url, dist }
    }

    pub fn driver(&self) -> &WebDriver {
        &self.browser.driver
    }

    /// Opens the page and waits for its first paint.
    pub async fn open(&self) -> Result<()> {
        self.driver().goto(self.url.as_str()).await?;
        self.element("run-button").await.map(drop)
    }

    /// The site's origin, without a slash.
    pub fn origin(&self) -> &str {
        let end = self.url.match_indices('/').nth(2).map_or(self.url.len(), |(at, _)| at);
        &self.url[..end]
    }

    /// Navigates to a fragment, for example `#/method`.
    pub async fn go(&self, fragment: &str) -> Result<()> {
        self.driver().goto(format!("{}{fragment}", self.url)).await?;
        Ok(())
    }

    /// Waits for the visible element with a hook.
    pub async fn element(&self, hook: &str) -> Result<WebElement> {
        self.matching(&format!("[data-test=\"{hook}\"]")).await
    }

    /// Waits for the first visible element that matches a selector.
    pub async fn matching(&self, selector: &str) -> Result<WebElement> {
        until(selector, SOON, async || {
            for element in self.driver().find_all(By::Css(selector)).await? {
                if element.is_displayed().await.unwrap_or(false) {
                    return Ok(Found::Yes(element));
                }
            }
            let page = self.script("return document.body.innerText.slice(0, 400)").await?;
            Ok(Found::NotYet(format!("{page}")))
        })
        .await
    }

    /// Whether the page has an element with this hook now.
    pub async fn has(&self, hook: &str) -> Result<bool> {
        let selector = format!("[data-test=\"{hook}\"]");
        Ok(!self.driver().find_all(By::Css(selector)).await?.is_empty())
    }

    /// The text of an element.
    pub async fn text(&self, hook: &str) -> Result<String> {
        Ok(self.element(hook).await?.text().await?)
    }

    /// The text of the first visible element that matches a selector.
    pub async fn text_of(&self, selector: &str) -> Result<String> {
        Ok(self.matching(selector).await?.text().await?)
    }

    /// Expands the collapsed parents of an element. If the element does not exist, expands the
    /// settings, which are rendered when first expanded.
    async fn unfold(&self, hook: &str) -> Result<()> {
        let script = format!(
            "const find = () => document.querySelector('[data-test=\"{hook}\"]');
             if (!find()) document.querySelector('details.settings')?.setAttribute('open', '');
             for (let at = find()?.parentElement; at; at = at.parentElement)
               if (at.tagName === 'DETAILS' && !(at.firstElementChild?.contains(find())))
                 at.setAttribute('open', '');"
        );
        self.script(&script).await.map(drop)
    }

    /// Waits for the visible element with a hook, and expands its parents.
    pub async fn control(&self, hook: &str) -> Result<WebElement> {
        until(hook, SOON, async || {
            self.unfold(hook).await?;
            for element in
                self.driver().find_all(By::Css(format!("[data-test=\"{hook}\"]"))).await?
            {
                if element.is_displayed().await.unwrap_or(false) {
                    return Ok(Found::Yes(element));
                }
            }
            let page = self.script("return document.body.innerText.slice(0, 400)").await?;
            Ok(Found::NotYet(format!("{page}")))
        })
        .await
    }

    /// Clicks the element with this hook.
    pub async fn press(&self, hook: &str) -> Result<()> {
        let element = self.control(hook).await?;
        element.scroll_into_view().await?;
        element.click().await.with_context(|| format!("can't press {hook}"))
    }

    /// Replaces the content of a text field.
    pub async fn fill(&self, hook: &str, text: &str) -> Result<()> {
        let field = self.control(hook).await?;
        field.clear().await?;
        field.send_keys(text).await.with_context(|| format!("can't type into {hook}"))
    }

    /// Takes screenshots of the current page in both themes and widths.
    pub async fn picture_here(&self, name: &str) -> Result<()> {
        crate::looks::picture(self, name).await
    }

    /// Waits until an element exists and its text matches.
    pub async fn see(
        &self,
        hook: &str,
        limit: Duration,
        fits: impl Fn(&str) -> bool,
    ) -> Result<String> {
        until(&format!("a certain text of {hook}"), limit, async || {
            Ok(match self.text(hook).await {
                Ok(text) if fits(&text) => Found::Yes(text),
                Ok(text) => Found::NotYet(text),
                Err(absent) => Found::NotYet(format!("{absent:#}")),
            })
        })
        .await
    }

    /// Selects a built-in model, or `endpoint`.
    pub async fn choose(&self, model: &str) -> Result<()> {
        self.press(&format!("model-{model}")).await
    }

    /// Selects a menu entry by its value.
    pub async fn pick(&self, hook: &str, value: &str) -> Result<()> {
        let menu = self.control(hook).await?;
        let entry = menu.find(By::Css(format!("option[value=\"{value}\"]"))).await?;
        entry.click().await.with_context(|| format!("can't pick {value} of {hook}"))
    }

    /// Selects `endpoint` without a preset, and enters its address, model and key.
    pub async fn enter_endpoint(&self, url: &str, model: &str, key: &str) -> Result<()> {
        self.choose("endpoint").await?;
        self.press("preset-custom").await?;
        self.fill("endpoint-url", url).await?;
        self.fill("endpoint-model", model).await?;
        self.fill("endpoint-key", key).await
    }

    pub async fn press_run(&self) -> Result<()> {
        self.press("run-button").await
    }

    /// Waits for the run's status label.
    pub async fn see_status(&self, status: &str) -> Result<()> {
        self.see("status-text", LONG, |text| text == status).await.map(drop)
    }

    /// Runs a built-in model to the end.
    pub async fn run_baseline(&self, model: &str) -> Result<()> {
        self.choose(model).await?;
        self.press_run().await?;
        self.see_status("Finished").await
    }

    /// Clicks Test connection and waits for the result.
    pub async fn test_connection(&self) -> Result<String> {
        self.press("test-connection").await?;
        self.see("connection-message", LONG, |text| !text.is_empty() && !text.starts_with("Asking"))
            .await
    }

    /// Downloads the record and parses it.
    pub async fn download_record(&self) -> Result<Downloaded> {
        let files = || -> Result<Vec<PathBuf>> {
            let mut files = Vec::new();
            for entry in std::fs::read_dir(self.browser.downloads())? {
                files.push(entry?.path());
            }
            Ok(files)
        };
        let before = files()?;
        self.press("download").await?;
        let (file, text) = until("a downloaded file", SOON, async || {
            let mut new = files()?;
            new.retain(|file| !before.contains(file));
            let packed = new.iter().find(|file| file.to_string_lossy().ends_with(".json.gz"));
            let text = packed.and_then(|file| Some((file.clone(), unpacked_text(file).ok()?)));
            // The file name appears before the content, and an empty file unpacks to nothing.
            let text = text.filter(|(_, text)| !text.is_empty());
            Ok(text.map_or_else(|| Found::NotYet(format!("{new:?}")), Found::Yes))
        })
        .await?;
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let record = Record::from_json(&text).with_context(|| format!("in {name}"))?;
        Ok(Downloaded { name, text, record })
    }

    /// Compares every number of the results table with a summary of the record.
    pub async fn see_results_of(&self, record: &Record, profile: Profile) -> Result<()> {
        let summary = record::summarize(&record.samples, profile);
        let total = summary.rows.last().context("a total")?;
        for row in &summary.rows {
            let id = match (row.ability, row.kind) {
                (Some(ability), _) => ability.as_str(),
                (None, Some(kind)) => kind.as_str(),
                (None, None) => "total",
            };
            for (name, expected) in cells(row, total) {
                let shown = self.text(&format!("cell-{id}-{name}")).await?;
                ensure!(
                    shown == expected,
                    "{profile:?}, {id}, {name}: the page says {shown:?}, the record {expected:?}"
                );
            }
        }
        let columns = cells(&summary.rows[0], total).len();
        let rows = summary.rows.len() + usize::from(summary.paper.is_some());
        let shown = self.driver().find_all(By::Css("[data-test^=\"cell-\"]")).await?.len();
        ensure!(
            shown == columns * rows,
            "expected {columns} numbers in {rows} rows, the page shows {shown}"
        );
        Ok(())
    }

    /// Opens the page of a sample in the run.
    pub async fn open_sample(&self, id: &str) -> Result<()> {
        crate::list::bring_into_sight(self, id).await?;
        let row = self.matching(&format!("[data-test=\"sample-row\"][data-id=\"{id}\"] a")).await?;
        row.click().await.with_context(|| format!("can't open the sample {id}"))?;
        self.element("sample-verdict").await.map(drop)
    }

    /// Runs a script in the page.
    pub async fn script(&self, script: &str) -> Result<Value> {
        Ok(self.driver().execute(script, Vec::<Value>::new()).await?.json().clone())
    }

    /// Runs a script that ends by calling `done(value)`.
    pub async fn script_async(&self, script: &str) -> Result<Value> {
        let script = format!("const done = arguments[arguments.length - 1]; {script}");
        Ok(self.driver().execute_async(script, Vec::<Value>::new()).await?.json().clone())
    }
}

/// The text of a compressed file.
fn unpacked_text(file: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    record::unpacked(&std::fs::read(file)?[..])?.read_to_string(&mut text)?;
    Ok(text)
}

/// A downloaded record file.
pub struct Downloaded {
    pub name: String,
    pub text: String,
    pub record: Record,
}

/// A count with thousands separators.
pub fn grouped(n: usize) -> String {
    match n {
        0..1000 => n.to_string(),
        _ => format!("{},{:03}", grouped(n / 1000), n % 1000),
    }
}

/// The cells of a table row, formatted independently: a test that used the page's own formatting
/// would not notice its bugs.
fn cells(row: &AbilityRow, total: &AbilityRow) -> Vec<(&'static str, String)> {
    let dash = || "–".to_owned();
    let percent = |rate: &Rate| match rate.n {
        0 => dash(),
        n => format!("{:.1} %", 100.0 * rate.right as f64 / n as f64),
    };
    // A run of whole dialogues counts no calls.
    let calls = if total.calls.n == 0 { &row.dialogues } else { &row.calls };
    let interval = calls.interval.map_or_else(dash, |interval| {
        format!("{:.1} – {:.1}", 100.0 * interval.low, 100.0 * interval.high)
    });
    let whole = |rate: &Rate| match rate.interval {
        None => dash(),
        Some(it) => format!(
            "{:.1} % of {} ({:.1} – {:.1})",
            100.0 * rate.right as f64 / rate.n as f64,
            grouped(rate.n),
            100.0 * it.low,
            100.0 * it.high
        ),
    };
    let mut cells = vec![
        ("calls", percent(calls)),
        ("n", grouped(calls.n)),
        ("interval", interval),
        ("rouge", row.rouge_l.mean.map_or_else(dash, |mean| format!("{mean:.3}"))),
        ("replies", grouped(row.rouge_l.n)),
        ("failed", grouped(row.failed)),
    ];
    if total.calls.n > 0 {
        cells.push(("dialogues", whole(&row.dialogues)));
    }
    let others = [
        ("restraint", &row.restraint, &total.restraint),
        ("searches", &row.searches, &total.searches),
        ("told", &row.told, &total.told),
    ];
    let some = others.into_iter().filter(|(.., total)| total.n > 0);
    cells.extend(some.map(|(name, rate, _)| (name, whole(rate))));
    cells
}
