//! Every page under the axe-core rules, in both themes: WCAG 2.2 AA and best practices.

use std::{cell::RefCell, fs};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use xtask::{cache::Cache, programs};

use crate::{
    app::App,
    browser::Setup,
    model_in_page,
    stage::{file, play},
    wait::LONG,
};

/// A violated rule.
#[derive(Debug, Deserialize)]
struct Violation {
    id: String,
    help: String,
    nodes: Vec<Node>,
}

/// An element that violates the rule.
#[derive(Debug, Deserialize)]
struct Node {
    html: String,
    #[serde(rename = "failureSummary")]
    why: String,
}

/// Runs axe and returns its violations. The driver injects the script, which bypasses the page's CSP.
const RUN: &str = "
    axe.run(document, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
        resultTypes: ['violations'],
    }).then(found => done({ violations: found.violations, rules: found.passes.length }),
            error => done({ error: String(error) }));";

/// The result of an axe run.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Outcome {
    Ran { violations: Vec<Violation>, rules: usize },
    Broke { error: String },
}

/// Checks the current page in both themes; appends violations to `broken`.
async fn check(app: &App, axe: &str, name: &str, broken: &RefCell<Vec<String>>) -> Result<()> {
    // The sticky header covers content that is scrolled under it.
    app.script("scrollTo(0, 0)").await?;
    if app.script("return typeof axe").await? == "undefined" {
        app.script(axe).await?;
    }
    for theme in ["light", "dark"] {
        app.browser.prefer(theme).await?;
        let outcome = serde_json::from_value(app.script_async(RUN).await?)
            .with_context(|| format!("axe on {name}, {theme}"))?;
        match outcome {
            Outcome::Broke { error } => bail!("axe broke down on {name}, {theme}: {error}"),
            Outcome::Ran { violations, rules } => {
                ensure!(rules > 0, "axe looked at nothing on {name}");
                let lines = violations.iter().map(|it| format!("{name}, {theme}: {}", tell(it)));
                broken.borrow_mut().extend(lines);
            }
        }
    }
    Ok(())
}

fn tell(violation: &Violation) -> String {
    let nodes = violation.nodes.iter().take(5);
    let nodes: Vec<String> = nodes.map(|it| format!("  {}\n    {}", it.html, it.why)).collect();
    let (id, help, count) = (&violation.id, &violation.help, violation.nodes.len());
    format!("{id}: {help} ({count} places)\n{}", nodes.join("\n"))
}

#[tokio::test]
async fn no_page_breaks_a_rule_in_either_theme() -> Result<()> {
    if crate::stage::dist()?.is_none() {
        return Ok(());
    }
    let axe = fs::read_to_string(programs::axe(&Cache::open()?)?)?;
    play("access", Setup::default(), async |app| {
        let broken = RefCell::new(Vec::new());
        let check = async |name: &str| check(app, &axe, name, &broken).await;
        check("run").await?;
        app.choose("endpoint").await?;
        app.script("document.querySelectorAll('details').forEach(it => it.open = true)").await?;
        check("run, endpoint").await?;
        app.press_run().await?;
        check("run, wrong fields").await?;
        let tiny = file("access.gguf", &gguf::tiny::model())?;
        model_in_page::give(app, &[tiny]).await?;
        app.element("in-page-context").await?;
        check("run, in page").await?;
        app.run_baseline("keyword-baseline").await?;
        check("results").await?;
        app.press("result-link").await?;
        let link = app.element("result-link-field").await?.value().await?.context("a link")?;
        app.press("filter-wrong").await?;
        let row = app.matching("[data-test=\"sample-row\"]").await?;
        let id = row.attr("data-id").await?.context("an id")?;
        app.open_sample(&id).await?;
        check("sample").await?;
        app.go("#/compare").await?;
        app.press("compare-last").await?;
        app.element("compare-rates").await?;
        check("compare").await?;
        app.go("#/leaderboard").await?;
        app.element("leaderboard").await?;
        check("leaderboard").await?;
        app.go("#/demo").await?;
        app.press("demo-next").await?;
        check("demo").await?;
        app.go("#/play?seed=1").await?;
        app.element("answer-submit").await?;
        check("play").await?;
        app.press("answer-").await?;
        app.press("answer-submit").await?;
        app.element("play-next").await?;
        check("play, judged").await?;
        app.go("#/dataset").await?;
        app.element("dialogue-row").await?;
        check("dataset").await?;
        app.go("#/dataset/call/already-covered").await?;
        app.element("dialogue-call").await?;
        check("dialogue").await?;
        app.go("#/audit").await?;
        app.press("audit-button").await?;
        app.element("audit-clean").await?;
        check("audit").await?;
        app.go("#/search-lab").await?;
        app.element("lab-standard").await?;
        check("search lab").await?;
        app.press("lab-standard").await?;
        app.see("lab-about", LONG, |text| !text.is_empty()).await?;
        app.script("document.querySelectorAll('main details').forEach(it => it.open = true)")
            .await?;
        check("search lab, compared").await?;
        app.go("#/records").await?;
        app.element("kept-run").await?;
        check("records").await?;
        for page in ["import", "method", "apis", "apis/dialogue/AddAlarm", "generate", "verify"] {
            app.go(&format!("#/{page}")).await?;
            app.matching("main h1").await?;
            check(page).await?;
        }
        app.driver().goto(link.as_str()).await?;
        app.element("claim").await?;
        check("shared").await?;
        app.go("#/run?model=m&protocol=shout").await?;
        app.element("link-refused").await?;
        check("filled in").await?;
        app.go("#/nowhere").await?;
        app.matching("main h1").await?;
        check("no page").await?;
        let broken = broken.take();
        ensure!(broken.is_empty(), "{} rules are broken:\n{}", broken.len(), broken.join("\n"));
        Ok(())
    })
    .await
}
