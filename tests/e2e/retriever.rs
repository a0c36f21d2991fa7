//! The retriever of a run: chosen in the settings, named in the record, compared with the built-in one.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use record::{Record, Retriever};

use crate::{
    app::App,
    browser::Setup,
    looks::picture,
    native,
    stage::{file, play},
    wait::{LONG, SOON},
};

/// Runs the keyword baseline with a retriever.
async fn run_with(app: &App, retriever: &str) -> Result<Record> {
    app.go("#/run").await?;
    app.pick("retriever", retriever).await?;
    app.run_baseline("keyword-baseline").await?;
    Ok(app.download_record().await?.record)
}

fn searches_right(record: &Record) -> (usize, usize) {
    let total = record.summary.rows.last();
    total.map_or((0, 0), |row| (row.searches.right, row.searches.n))
}

#[tokio::test]
async fn retriever_answers_the_searches_of_a_run_and_is_compared() -> Result<()> {
    play("retriever", Setup::default(), async |app| {
        app.pick("amount", "count").await?;
        app.fill("per-ability", "8").await?;
        let builtin = run_with(app, "builtin").await?;
        ensure!(builtin.search.retriever.is_none(), "{:?}", builtin.search);
        ensure!(!app.has("compare-builtin").await?, "nothing else was run");
        let oracle = run_with(app, "oracle").await?;
        ensure!(oracle.search.retriever == Some(Retriever::Oracle), "{:?}", oracle.search);
        let (right, n) = searches_right(&oracle);
        ensure!(n > 0 && right == n, "the oracle finds {right} of {n}");
        ensure!(searches_right(&builtin).0 < n, "the built-in retriever finds all");
        let bm25 = run_with(app, "bm25").await?;
        ensure!(bm25.search.retriever == Some(Retriever::BM25), "{:?}", bm25.search);
        app.see("settings-changed", SOON, |text| text.contains("retriever bm25")).await?;
        app.see("results-table", SOON, |text| text.contains("retriever bm25")).await?;
        app.element("compare-oracle").await?;
        picture(app, "retriever").await?;
        app.press("compare-builtin").await?;
        let records = app
            .see("compare-records", LONG, |text| text.contains("A ") && text.contains("B "))
            .await?;
        ensure!(!records.contains("C "), "{records}");
        ensure!(records.contains("retriever bm25"), "{records}");
        // A run without searches has no retriever.
        app.go("#/run").await?;
        app.press("ability-retrieve").await?;
        app.press("ability-plan").await?;
        ensure!(!app.has("retriever").await?, "Call has no searches");
        app.run_baseline("keyword-baseline").await?;
        let call = app.download_record().await?.record;
        ensure!(call.search.retriever.is_none(), "{:?}", call.search);
        Ok(())
    })
    .await
}

/// Adds the built-in model in the Search lab, as if it were the user's own; returns its weights.
pub async fn add_model(app: &App) -> Result<Vec<u8>> {
    let (onnx, vocabulary) = native::model_files(&app.dist)?;
    let files = [file("model.onnx", &onnx)?, file("vocab.txt", &vocabulary)?];
    let files = files.map(|it| it.display().to_string()).join("\n");
    app.go("#/search-lab").await?;
    app.element("lab-model").await?.send_keys(files).await.context("can't choose files")?;
    app.see("lab-model-facts", LONG, |text| !text.is_empty()).await?;
    Ok(onnx)
}

/// Verifies a record's file and waits until the page says a part of its verdict, or of its reason to
/// give none.
async fn see_verdict(app: &App, hook: &str, record: &Path, part: &str) -> Result<()> {
    app.go("#/method").await?;
    app.go("#/verify").await?;
    let input = app.element("verify-file").await?;
    input.send_keys(record.to_string_lossy()).await.context("can't choose a file")?;
    app.see(hook, LONG, |text| text.contains(part)).await.map(drop)
}

#[tokio::test]
async fn a_model_of_the_search_lab_answers_the_searches_of_a_run() -> Result<()> {
    play("retriever-own", Setup::default(), async |app| {
        let onnx = add_model(app).await?;
        app.go("#/run").await?;
        app.pick("amount", "count").await?;
        app.fill("per-ability", "8").await?;
        let builtin = run_with(app, "builtin").await?;
        let own = run_with(app, "own-0").await?;
        let Some(Retriever::Model(model)) = &own.search.retriever else {
            anyhow::bail!("{:?}", own.search);
        };
        ensure!(model.digest == retrieval::sha256_hex(&onnx), "{model:?}");
        // It is the built-in model, so it finds what that one finds.
        ensure!(searches_right(&own) == searches_right(&builtin), "{:?}", own.summary);
        app.see("settings-changed", SOON, |text| text.contains(&model.name)).await?;
        picture(app, "retriever-own").await?;
        let record = file("own.json", app.download_record().await?.text.as_bytes())?;
        see_verdict(app, "verify-result", &record, &model.name).await?;
        // A run that needs a model that is not loaded says what to do, and so does the verification.
        app.go("#/search-lab").await?;
        app.press("lab-model-remove").await?;
        see_verdict(app, "verify-trouble", &record, "add them in the Search lab").await?;
        app.go("#/run").await?;
        let offered = app.control("retriever").await?.text().await?;
        ensure!(!offered.contains("Your model"), "{offered}");
        ensure!(run_with(app, "builtin").await?.search.retriever.is_none());
        Ok(())
    })
    .await
}
