//! The Compare page: two records, their paired difference, and where they disagree.

use anyhow::{Context, Result, ensure};
use record::{Baseline, Record, compare};
use scoring::Profile;
use std::fs;
use std::path::Path;

use crate::{
    app::App,
    browser::Setup,
    looks::picture,
    native,
    score::{saved, see_page},
    stage::play,
    wait::LONG,
};

async fn choose(app: &App, file: &std::path::Path) -> Result<()> {
    let path = file.to_str().context("a path in UTF-8")?;
    app.element("compare-files").await?.send_keys(path).await?;
    Ok(())
}

/// A second run of a model: equal within any margin, and the noise floor is 0.
async fn margins_and_noise(app: &App, keyword: &Record, dir: &Path) -> Result<()> {
    let mut again = keyword.clone();
    again.seed += 1;
    let file = dir.join("again.json");
    fs::write(&file, again.to_json()?)?;
    choose(app, &file).await?;
    app.see("compare-noise", LONG, |text| text.contains("B and C, runs of one model")).await?;
    app.see("compare-pairs", LONG, |text| text.contains("equal within ± 5 points")).await?;
    app.pick("compare-margin", "2").await?;
    app.see("compare-pairs", LONG, |text| text.contains("equal within ± 2 points")).await?;
    picture(app, "compare-three").await
}

#[tokio::test]
async fn two_records_are_compared_sample_by_sample() -> Result<()> {
    play("compare", Setup::default(), async |app| {
        let gold =
            native::record(&app.dist, Baseline::GoldReplay, dataset::Split::Standard).await?;
        let keyword =
            native::record(&app.dist, Baseline::KeywordBaseline, dataset::Split::Standard).await?;
        let dir = tempfile::tempdir()?;
        let files = [("gold.json", gold.to_json()?), ("keyword.json", keyword.to_json()?)];
        app.go("#/compare").await?;
        app.see("compare-empty", LONG, |text| text.contains("Nothing to compare")).await?;
        for (name, text) in &files {
            let file = dir.path().join(name);
            fs::write(&file, text)?;
            choose(app, &file).await?;
            let title = if *name == "gold.json" { "Gold replay" } else { "Keyword baseline" };
            app.see("compare-records", LONG, |text| text.contains(title)).await?;
        }
        let against = compare::against(&gold, &keyword, Profile::Execution);
        let total = against.rows.last().context("a total")?.paired;
        let difference = format!("{:+.1}", 100.0 * total.difference);
        app.see("compare-pair", LONG, |text| text.contains(&difference)).await?;
        let pairs = app.text("compare-pairs").await?;
        ensure!(pairs.contains("A is better") && pairs.contains(&difference), "{pairs}");
        let flips = format!("{:.0} only A, {:.0} only B", total.only_first, total.only_second);
        ensure!(pairs.contains(&flips), "{flips}: {pairs}");
        let noise = app.text("compare-noise").await?;
        ensure!(noise.contains("Noise floor unknown"), "{noise}");
        picture(app, "compare-pairs").await?;
        let differing = compare::disagreements(&[&gold, &keyword], Profile::Execution);
        let first = differing.first().context("a sample that differs")?;
        app.see("compare-differing", LONG, |text| text.contains(&first.id)).await?;
        app.matching("[data-test=\"compare-differing\"] button").await?.click().await?;
        let sides = app.see("compare-sides", LONG, |text| text.contains(&first.id)).await?;
        ensure!(sides.contains("right") && sides.contains("wrong"), "{sides}");
        let name = "Comparison-of-Gold-replay-Keyword-baseline.html";
        let html = saved(app, "save-page", name, b"</html>\n").await?;
        see_page(&html, &["A is better", &difference, &first.id])?;
        margins_and_noise(app, &keyword, dir.path()).await?;

        let hostile = dir.path().join("hostile.json");
        fs::write(&hostile, r#"{"schema": "<script>alert(1)</script>", "schema_version": 9}"#)?;
        choose(app, &hostile).await?;
        app.see("compare-trouble", LONG, |text| text.contains("hostile.json")).await?;
        let kept = app.text("compare-records").await?;
        ensure!(kept.contains("Gold replay") && kept.contains("Keyword baseline"), "{kept}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn stored_runs_are_compared_after_a_reload() -> Result<()> {
    play("compare-stored", Setup::default(), async |app| {
        app.pick("amount", "count").await?;
        app.fill("per-ability", "2").await?;
        app.run_baseline("gold-replay").await?;
        app.run_baseline("keyword-baseline").await?;
        app.go("#/compare").await?;
        app.driver().refresh().await?;
        app.element("compare-kept").await?;
        let runs = app
            .script(
                "return [...document.querySelectorAll('[data-test=\"compare-kept\"] option')]
                     .map(it => [it.value, it.textContent])",
            )
            .await?;
        let runs: Vec<(String, String)> = serde_json::from_value(runs)?;
        ensure!(runs.len() == 2, "two runs are stored, {runs:?} are offered");
        for ((id, text), title) in runs.iter().zip(["Keyword baseline", "Gold replay"]) {
            ensure!(text.contains(title), "the newest run comes first: {runs:?}");
            app.pick("compare-kept", id).await?;
            app.press("compare-add-kept").await?;
            app.see("compare-records", LONG, |text| text.contains(title)).await?;
        }
        let records = app.text("compare-records").await?;
        ensure!(records.contains("A Keyword baseline"), "{records}");
        ensure!(records.contains("B Gold replay"), "{records}");
        app.element("compare-pairs").await?;
        app.press("compare-add-kept").await?;
        app.see("compare-trouble", LONG, |text| text.contains("already")).await.map(drop)
    })
    .await
}
