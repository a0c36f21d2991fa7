//! Horizon tasks: run, curve, figures, and the record.

use anyhow::{Result, ensure};
use dataset::{Edition, TaskId, Tier};
use record::Status;
use record::metrics::horizon;
use scoring::statistics::horizon::Bound;

use crate::{browser::Setup, stage::play, wait::LONG};

#[tokio::test]
async fn the_horizon_is_run_shown_and_kept() -> Result<()> {
    play("horizon", Setup::default(), async |app| {
        app.press("size-horizon").await?;
        app.run_baseline("gold-replay").await?;
        app.see("horizon-words", LONG, |text| text.starts_with("at least")).await?;
        let table = app.see("horizon-table", LONG, |text| text.contains("Planning")).await?;
        for tier in Tier::ALL {
            ensure!(table.contains(tier.title()), "{table}");
        }
        let lengths = app.text("horizon-lengths").await?;
        ensure!(lengths.contains("256"), "the longest task is missing: {lengths}");
        ensure!(!app.has("headline-incomplete").await?, "the run is told to be incomplete");
        app.picture_here("horizon").await?;

        let record = app.download_record().await?.record;
        ensure!(record.pack.edition() == Edition::Horizon(1), "{:?}", record.pack);
        let pinned = include_str!("../../engine/horizon/data/seed-1.sha256").trim();
        ensure!(record.pack.digest == pinned, "the browser generates other tasks");
        ensure!(record.status == Status::Finished, "{:?}", record.status);
        ensure!(record.planned == record.samples.len(), "{} planned", record.planned);
        let tasks = record.samples.iter().filter_map(|sample| TaskId::parse(&sample.dialogue));
        ensure!(tasks.count() == record.samples.len(), "a sample is no task");
        let rows = horizon::horizons(&record.samples);
        ensure!(rows.iter().all(|row| row.completed == row.tasks), "{rows:?}");
        ensure!(matches!(rows[0].estimate.bound, Some(Bound::AtLeast(_))), "{:?}", rows[0]);

        // A sample shows the requirement and each step.
        app.go(&format!("#/sample/{}", record.samples[0].id)).await?;
        app.see("sample-prompt", LONG, |text| text.contains("2024")).await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_model_without_a_horizon_is_asked_few_tasks() -> Result<()> {
    play("horizon-baseline", Setup::default(), async |app| {
        app.go("#/run?run=keyword-baseline&amount=horizon").await?;
        app.run_baseline("keyword-baseline").await?;
        app.see("horizon-words", LONG, |text| text == "below 1 call").await?;
        let record = app.download_record().await?.record;
        ensure!(record.samples.len() < 30, "{} tasks were asked", record.samples.len());
        ensure!(record.status == Status::Finished, "{:?}", record.status);

        // Each failed task says where its goal was lost.
        app.go(&format!("#/sample/{}", record.samples[0].id)).await?;
        app.see("trace", LONG, |text| text.contains("Missing changes")).await?;
        app.picture_here("horizon-trace").await?;

        // Two runs in one picture.
        app.go("#/compare").await?;
        app.press("compare-last").await?;
        app.see("compare-horizons", LONG, |text| text.contains("A Keyword baseline")).await?;
        app.go("#/run?run=gold-replay&amount=horizon").await?;
        app.run_baseline("gold-replay").await?;
        app.go("#/compare").await?;
        app.press("compare-last").await?;
        let text = app.see("compare-horizons", LONG, |text| text.contains("B Gold replay")).await?;
        ensure!(text.contains("below 1 call") && text.contains("at least 256 calls"), "{text}");
        app.picture_here("compare-horizons").await
    })
    .await
}
