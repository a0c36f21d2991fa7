//! A small benchmark on a real language model, started by `cargo xtask test --real-model`; skipped
//! without it.

use std::{env, io::Write, time::Duration};

use anyhow::{Context, Result, ensure};
use record::{Outcome, Record, Status};

use crate::{app::App, browser::Setup, stage::play};

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

async fn run(format: &str) -> Result<()> {
    let Ok(url) = env::var("API_BANK_REAL_MODEL") else {
        // Bypass the test runner's capture, so that a skipped test does not look like a passed one.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED a run on a real model: run `cargo xtask test --real-model`"
        );
        return Ok(());
    };
    play("real_model", Setup::default(), async |app| {
        let record = benchmark(app, &url, format).await?;
        ensure!(record.status == Status::Finished, "{:?}", record.status);
        for sample in &record.samples {
            let Outcome::Answered(answer) = &sample.outcome else {
                anyhow::bail!("{}: {:?}", sample.id, sample.outcome)
            };
            let usage = answer.usage.with_context(|| format!("{} has no tokens", sample.id))?;
            ensure!(usage.prompt_tokens > 100, "{}: {usage:?}", sample.id);
        }
        print(format, &record);
        Ok(())
    })
    .await
}

/// One Call dialogue: a prompt has a thousand tokens.
async fn benchmark(app: &App, url: &str, format: &str) -> Result<Record> {
    app.enter_endpoint(url, "gemma-3-270m", "").await?;
    app.pick("endpoint-format", format).await?;
    app.fill("endpoint-max-tokens", "48").await?;
    app.press("ability-retrieve").await?;
    app.press("ability-plan").await?;
    app.pick("amount", "count").await?;
    app.fill("per-ability", "1").await?;
    let said = app.test_connection().await?;
    println!("{format}: {said}");
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
    let latency: u64 = record.samples.iter().map(|it| it.times.latency_ms).sum();
    println!("{format}: {} samples in {} s", record.samples.len(), latency / 1000);
}
