//! A short streamed run in each wire format, after the preflight checks.

use anyhow::{Context, Result, ensure};
use provider::WireFormat;
use record::{Model, Outcome};
use scripted_endpoint::{Config, Gold, Rule, Script, ScriptedEndpoint};

use crate::{app::App, browser::Setup, stage::play};

const KEY: &str = "sk-formats";

#[tokio::test]
async fn every_wire_format_runs() -> Result<()> {
    play("formats", Setup::default(), async |app| {
        let config = Config { key: Some(KEY.to_owned()), ..Config::new(Script::all(Rule::Right)) };
        let server = ScriptedEndpoint::start(Gold::builtin()?, config).await?;
        app.enter_endpoint(&server.url(), "scripted", KEY).await?;
        app.fill("endpoint-concurrency", "4").await?;
        app.pick("amount", "count").await?;
        app.fill("per-ability", "1").await?;
        for format in WireFormat::ALL {
            app.pick("endpoint-format", format.as_str()).await?;
            run(app, format).await.with_context(|| format!("in {}", format.title()))?;
        }
        Ok(())
    })
    .await
}

async fn run(app: &App, format: WireFormat) -> Result<()> {
    let message = app.test_connection().await?;
    ensure!(message.starts_with("Works."), "{message}");
    let tools = app.element("check-tools").await?.attr("data-state").await?;
    let expected = if format == WireFormat::Completions { "skipped" } else { "good" };
    ensure!(tools.as_deref() == Some(expected), "tool calls: {tools:?}, {message}");
    app.press_run().await?;
    app.see_status("Finished").await?;
    let record = app.download_record().await?.record;
    let Model::Endpoint(endpoint) = &record.model else { anyhow::bail!("no endpoint") };
    ensure!(endpoint.format == format && endpoint.streaming, "{endpoint:?}");
    ensure!(!record.samples.is_empty(), "no sample was run");
    for sample in &record.samples {
        ensure!(matches!(sample.outcome, Outcome::Answered(_)), "{:?}", sample.outcome);
        ensure!(sample.times.first_token_ms.is_some(), "{}: it did not stream", sample.id);
    }
    let total = record.summary.rows.last().context("a total")?;
    ensure!(total.calls.n > 0 && total.calls.right == total.calls.n, "{total:?}");
    Ok(())
}
