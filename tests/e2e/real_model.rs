//! A small benchmark on a real language model, started by `cargo xtask test --real-model`; skipped
//! without it.

use std::{env, io::Write, time::Duration};

use anyhow::{Context, Result, ensure};
use record::{Model, Outcome, Record, Status};
use thirtyfour::By;

use crate::{app::App, browser::Setup, stage::play, wait::LONG};

/// On two busy cores a model reads a hundred tokens per second.
const LIMIT: Duration = Duration::from_secs(1500);

#[tokio::test]
async fn real_model_by_completions() -> Result<()> {
    run("completions").await
}

#[tokio::test]
async fn real_model_by_chat() -> Result<()> {
    run("chat-completions").await
}

/// The same file in the page: one thread of a busy core reads some ten tokens per second.
#[tokio::test]
async fn real_model_in_page() -> Result<()> {
    let Ok(file) = env::var("API_BANK_REAL_MODEL_FILE") else { return skipped() };
    play("real_model_in_page", Setup::default(), async |app| {
        app.choose("in-page").await?;
        app.element("in-page-files").await?;
        let input = app.driver().find(By::Css("[data-test=\"in-page-files\"]")).await?;
        input.send_keys(&file).await.context("can't choose the file")?;
        let facts = app.see("in-page-facts", LONG, |text| !text.is_empty()).await?;
        println!("in the page: {}", facts.replace('\n', " "));
        app.see("in-page-digest", LONG, |text| text.len() >= 64).await?;
        app.press("in-page-load").await?;
        let ready = app.see("in-page-ready", LIMIT, |text| text.contains("is loaded")).await?;
        println!("in the page: {}", ready.replace('\n', " "));
        // Short prompts: the dialogue's own APIs.
        app.pick("described-apis", "own").await?;
        let record = call_dialogues(app, "4").await?;
        ensure!(record.samples.len() >= 6, "{} steps", record.samples.len());
        check(&record)?;
        let Model::Endpoint(endpoint) = &record.model else { anyhow::bail!("{:?}", record.model) };
        let model = endpoint.in_page.as_deref().context("no model in the page")?;
        println!("in the page: {model:?}");
        print("in the page", &record);
        Ok(())
    })
    .await
}

fn skipped() -> Result<()> {
    // Bypass the test runner's capture, so that a skipped test does not look like a passed one.
    let _ = writeln!(
        std::io::stderr(),
        "SKIPPED a run on a real model: run `cargo xtask test --real-model`"
    );
    Ok(())
}

async fn run(format: &str) -> Result<()> {
    let Ok(url) = env::var("API_BANK_REAL_MODEL") else { return skipped() };
    play("real_model", Setup::default(), async |app| {
        let record = benchmark(app, &url, format).await?;
        check(&record)?;
        print(format, &record);
        Ok(())
    })
    .await
}

/// Every sample is answered, by a model that read the prompt.
fn check(record: &Record) -> Result<()> {
    ensure!(record.status == Status::Finished, "{:?}", record.status);
    for sample in &record.samples {
        let Outcome::Answered(answer) = &sample.outcome else {
            anyhow::bail!("{}: {:?}", sample.id, sample.outcome)
        };
        let usage = answer.usage.with_context(|| format!("{} has no tokens", sample.id))?;
        ensure!(usage.prompt_tokens > 100, "{}: {usage:?}", sample.id);
    }
    Ok(())
}

async fn benchmark(app: &App, url: &str, format: &str) -> Result<Record> {
    app.enter_endpoint(url, "gemma-3-270m", "").await?;
    app.pick("endpoint-format", format).await?;
    let said = app.test_connection().await?;
    println!("{format}: {said}");
    call_dialogues(app, "1").await
}

/// A number of Call dialogues: a prompt has a thousand tokens.
async fn call_dialogues(app: &App, count: &str) -> Result<Record> {
    app.fill("endpoint-max-tokens", "48").await?;
    app.press("ability-retrieve").await?;
    app.press("ability-plan").await?;
    app.pick("amount", "count").await?;
    app.fill("per-ability", count).await?;
    app.press_run().await?;
    app.see("status-text", LIMIT, |text| text == "Finished" || text == "Failed").await?;
    Ok(app.download_record().await?.record)
}

fn print(format: &str, record: &Record) {
    for row in &record.summary.rows {
        println!(
            "{format}: {:?}: {} of {} calls right, ROUGE-L {:?} of {} replies, errors {:?}",
            row.ability, row.calls.right, row.calls.n, row.rouge_l.mean, row.rouge_l.n, row.errors
        );
    }
    let latency: u64 = record.samples.iter().map(|sample| sample.times.latency_ms).sum();
    println!("{format}: {} samples in {} s", record.samples.len(), latency / 1000);
}
