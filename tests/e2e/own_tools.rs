//! Your tools: from a list of tools to a verified record, with a built-in model and with an endpoint.

use std::{collections::BTreeMap, fs, sync::atomic::Ordering, time::Duration};

use anyhow::{Context, Result, ensure};
use dataset::Split;
use dataset::own_tools::{ToolsFile, example};
use generator::Agent;
use record::metrics::own_tools;
use record::{Limits, Record, RecordError};
use runner::benchmark::Benchmark;
use scoring::Profile;
use scripted_endpoint::{Agents, Config, Fault, Gold, Rule, Script, ScriptedEndpoint};
use thirtyfour::prelude::*;

use crate::{
    app::App,
    browser::Setup,
    model_in_page::file_server,
    stage::play,
    wait::{Found, LONG, SOON, until},
};

/// The example's benchmark.
fn shop() -> Result<Benchmark> {
    Ok(Benchmark::own_tools(ToolsFile::read(example::PACK)?.into_pack()?))
}

/// Reads the example on the page and chooses it for runs.
async fn choose_example(app: &App) -> Result<()> {
    app.go("#/tools").await?;
    app.press("tools-example").await?;
    app.see("tools-count", LONG, |text| text.starts_with("12 tools")).await?;
    app.see("tools-tasks-count", SOON, |text| text.starts_with("40 tasks")).await?;
    Ok(())
}

async fn keep(app: &App) -> Result<()> {
    app.press("tools-keep").await?;
    app.see("settings-changed", LONG, |text| text.contains("Kestrel Outdoor")).await?;
    app.element("settings").await?.click().await?;
    app.see("pack-facts", LONG, |text| text.starts_with("12 own tools")).await.map(drop)
}

fn verified(record: &Record, bench: &Benchmark) -> Result<()> {
    let text = record.to_json()?;
    let open = || Ok::<_, RecordError>(text.as_bytes());
    let found = runner::verify(open, bench, &Limits::DISK, |_, _| {})?;
    ensure!(found.holds(), "{:?}", found.differences);
    Ok(())
}

/// Checks that a record holds and that all its calls are right.
fn all_right(record: &Record, bench: &Benchmark) -> Result<()> {
    verified(record, bench)?;
    let calls = record.summary.rows.last().context("a row")?.calls;
    ensure!(calls.right == calls.n && calls.n > 0, "{} of {}", calls.right, calls.n);
    Ok(())
}

#[tokio::test]
async fn the_example_is_run_by_a_built_in_model() -> Result<()> {
    play("own-tools", Setup::default(), async |app| {
        choose_example(app).await?;
        app.fill("tools-filter", "parcel").await?;
        app.see("tools-table", SOON, |text| {
            text.contains("track_parcel") && !text.contains("apply_voucher")
        })
        .await?;
        app.picture_here("own-tools").await?;
        keep(app).await?;
        app.press("size-all").await?;
        app.run_baseline("keyword-baseline").await?;
        let record = app.download_record().await?.record;
        ensure!(record.pack.tools.as_ref().map(|it| it.count) == Some(12), "{:?}", record.pack);
        verified(&record, &shop()?)?;
        let report = own_tools(&record.samples, Profile::Execution).context("no matrix")?;
        ensure!(report.rows.len() == 13, "{report:?}");
        app.element("tool-matrix").await?.click().await?;
        app.see("tool-matrix-table", SOON, |text| text.contains("track_parcel")).await?;
        app.picture_here("own-tools-matrix").await?;
        // The pack stays for the next visit.
        app.go("#/import").await?;
        app.open().await?;
        // Its name is read with the settings.
        app.element("settings").await?.click().await?;
        app.see("settings-changed", LONG, |text| text.contains("Kestrel Outdoor")).await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn tools_and_logs_become_tasks_that_an_endpoint_solves() -> Result<()> {
    let bench = shop()?;
    let gold = Gold::steps(&bench.pack, Split::Standard);
    let server = ScriptedEndpoint::start(gold, Config::new(Script::all(Rule::Right))).await?;
    play("own-tools-endpoint", Setup::default(), async |app| {
        app.go("#/tools").await?;
        app.fill("tools-text", "[{\"name\": 3}]").await?;
        app.press("tools-read").await?;
        app.see("tools-trouble", LONG, |text| text.starts_with("tools[0].name")).await?;
        let list = r#"[{"name": "track", "description": "Tells where a parcel is.", "input_schema":
            {"type": "object", "properties": {"number": {"type": "string"}}}}]"#;
        app.fill("tools-text", &list.replace('\n', " ")).await?;
        app.press("tools-read").await?;
        app.see("tools-table", LONG, |text| text.contains("Without a description: number")).await?;
        app.matching("details summary").await?.click().await?;
        let log = r#"{"messages": [{"role": "user", "content": "Where is KX-1?"},
            {"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function",
             "function": {"name": "track", "arguments": "{\"number\": \"KX-2\"}"}}]},
            {"role": "tool", "tool_call_id": "a", "content": "{}"},
            {"role": "assistant", "content": "I see."}]}"#;
        app.fill("tools-log", &log.replace('\n', " ")).await?;
        app.press("tools-add-log").await?;
        let task = app.see("tools-task-log-1", LONG, |text| text.contains("KX-1")).await?;
        ensure!(task.contains("does not follow"), "the ungrounded argument is not told: {task}");
        app.element("tools-task-log-1").await?.send_keys(Key::Delete).await?;
        app.see("tools-tasks-count", LONG, |text| text.starts_with("0 tasks")).await?;

        // Other tools are read only after a question, so that no task is lost.
        ensure!(!app.has("tools-example").await?, "the example can replace a pack");
        app.press("tools-anew").await?;
        app.press("tools-anew-yes").await?;
        choose_example(app).await?;
        keep(app).await?;
        app.press("size-all").await?;
        app.enter_endpoint(&server.url(), "scripted", "").await?;
        app.press_run().await?;
        app.see_status("Finished").await?;
        all_right(&app.download_record().await?.record, &bench)
    })
    .await
}

/// Presses a key on the focused task.
async fn press(app: &App, key: impl Into<TypingData>) -> Result<()> {
    Ok(app.driver().active_element().await?.send_keys(key).await?)
}

/// Three of the example's tools, as a list.
fn three_tools() -> Result<String> {
    let tools = ToolsFile::read(example::PACK)?.tools;
    Ok(serde_json::to_string(&tools[..3])?)
}

/// Reads three tools, and opens the panel where a model writes tasks for them.
async fn read_three_tools(app: &App) -> Result<()> {
    app.go("#/tools").await?;
    app.fill("tools-text", &three_tools()?).await?;
    app.press("tools-read").await?;
    app.see("tools-count", LONG, |text| text.starts_with("3 tools")).await?;
    Ok(app.matching("[data-test=\"tools-write\"] > summary").await?.click().await?)
}

#[tokio::test]
async fn a_model_writes_tasks_that_somebody_reads_before_they_run() -> Result<()> {
    let faults = BTreeMap::from([((Agent::Tester, 2), Fault::Rejects)]);
    let agents = Agents::new(faults, String::new());
    let config = Config { agents, ..Config::new(Script::all(Rule::Right)) };
    let server = ScriptedEndpoint::start(Gold::builtin()?, config).await?;
    play("own-tools-written", Setup::default(), async |app| {
        read_three_tools(app).await?;
        app.fill("tools-write-count", "0").await?;
        app.see("tools-write-wrong", SOON, |text| text.contains("from 1 to 500")).await?;
        app.fill("tools-write-count", "6").await?;
        app.see("tools-write-estimate", LONG, |text| text.starts_with("About 18 requests")).await?;
        app.press("preset-custom").await?;
        app.fill("endpoint-url", &server.url()).await?;
        app.fill("endpoint-model", "scripted").await?;
        app.press("tools-write-start").await?;
        let progress =
            app.see("tools-write-progress", LONG, |text| text.ends_with("Finished.")).await?;
        // A rejected task is continued anew, and tested again.
        ensure!(progress.starts_with("6 of 6 tasks, 20 requests"), "{progress}");
        let refused = app.element("tools-write-refused").await?;
        refused.find(By::Css("summary")).await?.click().await?;
        ensure!(refused.text().await?.contains("No office works like this"), "no reason");
        app.picture_here("own-tools-written").await?;
        ensure!(!app.element("tools-keep").await?.is_enabled().await?, "drafts alone can be run");

        // Nothing is lost with a reload, and the tasks are read by keyboard.
        app.open().await?;
        app.go("#/tools").await?;
        app.see("tools-tasks-count", LONG, |text| text.starts_with("6 tasks")).await?;
        app.element("tools-task-task-1").await?.focus().await?;
        press(app, "a").await?;
        app.see("tools-task-task-1", LONG, |text| !text.contains("Draft")).await?;
        press(app, "a").await?;
        app.see("tools-task-task-2", LONG, |text| !text.contains("Draft")).await?;
        press(app, Key::Delete).await?;
        app.see("tools-tasks-count", LONG, |text| text.starts_with("5 tasks")).await?;
        app.press("tools-accept-all").await?;
        app.see("tools-task-list", LONG, |text| !text.contains("Draft")).await?;
        app.press("tools-save").await?;
        let saved = app.browser.downloads().join("tools.json");
        let text = until("tools.json", LONG, async || {
            let text = fs::read_to_string(&saved).unwrap_or_default();
            Ok(if text.is_empty() { Found::NotYet(String::new()) } else { Found::Yes(text) })
        })
        .await?;
        let file = ToolsFile::read(&text)?;
        ensure!(file.written_by.as_deref() == Some("scripted"), "{:?}", file.written_by);
        let bench = Benchmark::own_tools(file.into_pack()?);
        app.press("tools-keep").await?;
        app.see("settings-changed", LONG, |text| text.contains("My tools")).await?;
        app.element("settings").await?.click().await?;
        app.press("size-all").await?;
        app.run_baseline("gold-replay").await?;
        all_right(&app.download_record().await?.record, &bench)
    })
    .await
}

#[tokio::test]
async fn tasks_are_reviewed_during_generation_and_tabs_are_independent() -> Result<()> {
    let config =
        Config { thinking: Duration::from_millis(400), ..Config::new(Script::all(Rule::Right)) };
    let server = ScriptedEndpoint::start(Gold::builtin()?, config).await?;
    play("own-tools-tabs", Setup::default(), async |app| {
        read_three_tools(app).await?;
        app.fill("tools-write-count", "6").await?;
        app.press("preset-custom").await?;
        app.fill("endpoint-url", &server.url()).await?;
        app.fill("endpoint-model", "scripted").await?;
        app.press("tools-write-start").await?;
        app.press("tools-edit-search_products").await?;
        app.fill("tools-description", "Finds what the shop sells.").await?;
        app.element("tools-task-task-1").await?.focus().await?;
        press(app, "a").await?;
        app.see("tools-task-task-1", LONG, |text| !text.contains("Draft")).await?;
        // Neither a new task nor the accepted one disturbs the description that is being written.
        app.press("tools-describe").await?;
        app.see("tools-table", LONG, |text| text.contains("Finds what the shop sells.")).await?;
        ensure!(app.has("tools-write-cancel").await?, "all tasks were written before");
        // The pack can't be replaced meanwhile: the next tasks would belong to other tools.
        app.press("tools-anew").await?;
        app.press("tools-anew-yes").await?;
        app.see("tools-trouble", SOON, |text| text.contains("Cancel it or wait")).await?;
        app.see("tools-write-progress", LONG, |text| text.ends_with("Finished.")).await?;
        app.see("tools-tasks-count", LONG, |text| text.starts_with("6 tasks")).await?;
        ensure!(!app.text("tools-task-task-1").await?.contains("Draft"), "it is a draft again");
        app.see("tools-table", LONG, |text| text.contains("Finds what the shop sells.")).await?;

        // A new tab begins with the latest pack; what it changes is its own.
        let first = app.driver().window().await?;
        let second = app.driver().new_tab().await?;
        app.driver().switch_to_window(second).await?;
        app.open().await?;
        app.go("#/tools").await?;
        app.element("tools-task-task-1").await?.focus().await?;
        press(app, Key::Delete).await?;
        app.see("tools-tasks-count", LONG, |text| text.starts_with("5 tasks")).await?;
        app.driver().switch_to_window(first).await?;
        app.open().await?;
        app.go("#/tools").await?;
        app.see("tools-tasks-count", LONG, |text| text.starts_with("6 tasks")).await?;
        // After starting over, the pack of the other tab does not appear.
        app.press("tools-anew").await?;
        app.press("tools-anew-yes").await?;
        app.element("tools-text").await?;
        app.open().await?;
        app.go("#/tools").await?;
        read_three_tools(app).await?;
        app.see("tools-tasks-count", SOON, |text| text.starts_with("0 tasks")).await.map(drop)
    })
    .await
}

#[tokio::test]
async fn a_link_brings_a_pack_after_a_question() -> Result<()> {
    play("own-tools-link", Setup::default(), async |app| {
        let (server, requests) = file_server(example::PACK.as_bytes().to_vec()).await?;
        let requests = || requests.load(Ordering::Relaxed);
        app.go("#/tools?file=javascript:alert(1)").await?;
        app.see("tools-linked-wrong", SOON, |text| text.contains("https://")).await?;
        read_three_tools(app).await?;
        let link = format!("#/tools?file={server}/models/shop.json");
        app.go(&link).await?;
        let host = server.trim_start_matches("http://");
        app.see("tools-linked-question", SOON, |text| {
            text.contains(&format!("shop.json from {host}?"))
        })
        .await?;
        app.picture_here("own-tools-link").await?;
        app.press("tools-linked-decline").await?;
        app.see("tools-count", SOON, |text| text.starts_with("3 tools")).await?;
        ensure!(!app.has("tools-linked-question").await? && requests() == 0, "fetched unasked");
        app.go(&link).await?;
        app.press("tools-linked-agree").await?;
        app.see("tools-count", LONG, |text| text.starts_with("12 tools")).await?;
        ensure!(!app.has("tools-linked-question").await? && requests() == 1, "asked twice");

        // What is missing changes nothing.
        app.go(&format!("#/tools?file={server}/missing")).await?;
        app.press("tools-linked-agree").await?;
        app.see("tools-trouble", LONG, |text| text.contains("HTTP 404")).await?;
        app.see("tools-count", SOON, |text| text.starts_with("12 tools")).await.map(drop)
    })
    .await
}
