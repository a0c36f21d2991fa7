//! Addresses of samples: in a page without state, after a reload, during a run.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use scripted_endpoint::{Config, Gold, Rule, Script, ScriptedEndpoint};

use crate::{
    app::App,
    browser::Setup,
    stage::play,
    wait::{Found, LONG, SOON, until},
};

const ID: &str = "call/already-covered#1";
const LISTED: &str = "#/sample/keyword-baseline/call/already-covered%231";

/// Opens an address in a page without state, like somebody who received it.
async fn receive(app: &App, fragment: &str) -> Result<()> {
    app.driver().goto("about:blank").await?;
    app.go(fragment).await
}

/// Waits until the page shows a sample with its verdict.
async fn see_sample(app: &App, fits: impl Fn(&str) -> bool) -> Result<String> {
    until("a sample", LONG, async || {
        // The page may replace the heading while it is read.
        let title = match app.text_of("main h1").await {
            Ok(title) => title,
            Err(absent) => return Ok(Found::NotYet(format!("{absent:#}"))),
        };
        let is_there = fits(&title) && app.has("sample-verdict").await?;
        Ok(if is_there { Found::Yes(title) } else { Found::NotYet(title) })
    })
    .await
}

/// The link that the page copies.
async fn copied(app: &App) -> Result<String> {
    app.press("sample-link").await?;
    app.element("sample-link-field").await?.value().await?.context("no link")
}

/// Checks that the page fetched this many records, and nothing from another host.
async fn see_fetched(app: &App, records: usize) -> Result<()> {
    let names =
        app.script("return performance.getEntriesByType('resource').map(it => it.name)").await?;
    let names: Vec<String> = serde_json::from_value(names)?;
    let foreign: Vec<&String> =
        names.iter().filter(|it| it.starts_with("http") && !it.starts_with(app.origin())).collect();
    ensure!(foreign.is_empty(), "the link made the page fetch {foreign:?}");
    let found = names.iter().filter(|name| name.ends_with(".json.gz")).count();
    ensure!(found == records, "{found} records were fetched, expected {records}");
    Ok(())
}

/// Picks two dialogues per ability.
async fn pick_few(app: &App) -> Result<()> {
    app.pick("amount", "count").await?;
    app.fill("per-ability", "2").await
}

#[tokio::test]
async fn a_sample_of_the_leaderboard_opens_from_its_address() -> Result<()> {
    play("sample-link", Setup::default(), async |app| {
        receive(app, LISTED).await?;
        see_sample(app, |title| title == ID).await?;
        see_fetched(app, 1).await?;
        let link = copied(app).await?;
        ensure!(link == format!("{}{LISTED}", app.url), "{link}");

        app.press("next-sample").await?;
        let next = see_sample(app, |title| title != ID && title.contains('#')).await?;
        app.driver().refresh().await?;
        see_sample(app, |title| title == next).await?;
        let here = app.script("return location.hash").await?;
        let here = here.as_str().context("a fragment")?;
        ensure!(here.starts_with("#/sample/keyword-baseline/"), "{here}");

        // Without a name, the address means the loaded run.
        app.go("#/sample/call/already-covered%231").await?;
        see_sample(app, |title| title == ID).await?;
        see_fetched(app, 1).await
    })
    .await
}

#[tokio::test]
async fn an_address_of_an_unknown_run_says_so_and_fetches_nothing() -> Result<()> {
    play("sample-link-unknown", Setup::default(), async |app| {
        for (run, said) in [
            ("no-such-record", "no record no-such-record"),
            ("https%3A%2F%2Fexample.org%2Frecord", "no record https://example.org/record"),
            ("0000000000001-00000000", "no readable run 0000000000001-00000000"),
        ] {
            receive(app, &format!("#/sample/{run}/call/already-covered%231")).await?;
            let text = app.see("sample-trouble", LONG, |text| text.contains(said)).await?;
            ensure!(text.contains("Verify"), "{text:?} names no remedy");
            see_fetched(app, 0).await?;
        }
        receive(app, "#/sample/call/already-covered%231").await?;
        app.see("sample-missing", LONG, |text| text.contains("No loaded run")).await.map(drop)
    })
    .await
}

#[tokio::test]
async fn a_stored_run_and_its_samples_survive_a_reload() -> Result<()> {
    play("sample-link-stored", Setup::default(), async |app| {
        pick_few(app).await?;
        app.run_baseline("gold-replay").await?;
        let id = app.element("sample-row").await?.attr("data-id").await?.context("an id")?;
        app.open_sample(&id).await?;
        let link = copied(app).await?;
        app.driver().refresh().await?;
        see_sample(app, |title| title == id).await?;
        let again = copied(app).await?;
        ensure!(again == link, "{again} opens what {link} opened");

        app.go("#/results").await?;
        app.element("sample-row").await?;
        app.driver().refresh().await?;
        app.see("last-run", LONG, |text| text.contains("Gold replay")).await?;
        app.press("show-last-run").await?;
        app.see_status("Finished").await?;
        app.see("cell-total-calls", SOON, |text| text == "100.0 %").await?;
        ensure!(!app.has("last-run").await?, "the run is offered beside its results");

        app.go("#/records").await?;
        app.press("delete-run").await?;
        app.press("delete-run-yes").await?;
        app.element("no-records").await?;
        app.driver().goto("about:blank").await?;
        app.driver().goto(link.as_str()).await?;
        app.see("sample-trouble", LONG, |text| text.contains("no readable run")).await.map(drop)
    })
    .await
}

#[tokio::test]
async fn a_link_does_not_disturb_a_run_in_progress() -> Result<()> {
    play("sample-link-running", Setup::default(), async |app| {
        let slow = Duration::from_millis(150);
        let config = Config { slow, ..Config::new(Script::all(Rule::Slow)) };
        let server = ScriptedEndpoint::start(Gold::builtin()?, config).await?;
        app.enter_endpoint(&server.url(), "scripted", "").await?;
        app.pick("amount", "count").await?;
        app.fill("per-ability", "60").await?;
        app.fill("endpoint-concurrency", "2").await?;
        app.press_run().await?;
        app.see_status("Running").await?;
        // Its own samples open while it goes on. Rows move as samples arrive, so nothing is clicked.
        app.element("sample-row").await?;
        let href =
            "return document.querySelector('[data-test=\"sample-row\"] a').getAttribute('href')";
        let href = app.script(href).await?;
        app.go(href.as_str().context("an address")?).await?;
        see_sample(app, |title| title.contains('#')).await?;
        app.go(LISTED).await?;
        app.see("sample-trouble", SOON, |text| text.contains("in progress")).await?;
        see_fetched(app, 0).await?;
        app.go("#/run").await?;
        app.see("status-text", SOON, |text| text == "Running").await.map(drop)
    })
    .await
}
