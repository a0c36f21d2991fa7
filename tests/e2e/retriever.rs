//! The retriever of a run: chosen in the settings, named in the record, compared with the built-in one.

use anyhow::{Result, ensure};
use record::{Record, Retriever};

use crate::{
    app::App,
    browser::Setup,
    looks::picture,
    stage::play,
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
