//! Runs stored in the browser: named, exported together, and rerun in part.

use std::{collections::BTreeSet, fs, io::Read};

use anyhow::{Context, Result, ensure};
use record::{Record, Subset};

use crate::{
    app::App,
    browser::Setup,
    stage::play,
    wait::{Found, LONG, SOON, until},
};

/// Waits until the newest run has this name.
async fn see_label(app: &App, wanted: &str) -> Result<()> {
    until(wanted, SOON, async || {
        let label = app.element("kept-label").await?.value().await?.unwrap_or_default();
        Ok(if label == wanted { Found::Yes(()) } else { Found::NotYet(label) })
    })
    .await
}

#[tokio::test]
async fn kept_runs_have_labels_and_are_saved_all_at_once() -> Result<()> {
    play("records", Setup::default(), async |app| {
        app.run_baseline("keyword-baseline").await?;
        app.press("filter-right").await?;
        app.pick("filter-ability", "plan").await?;
        let listed = app.text("samples-count").await?;
        app.press("rerun-listed").await?;
        app.see_status("Finished").await?;
        let part = app.download_record().await?.record;
        let Subset::Dialogues(chosen) = &part.subset else {
            anyhow::bail!("the part is of chosen dialogues, not {:?}", part.subset);
        };
        let run: BTreeSet<&str> = part.samples.iter().map(|it| it.dialogue.as_str()).collect();
        let chosen: BTreeSet<&str> = chosen.iter().map(String::as_str).collect();
        ensure!(
            run == chosen && !run.is_empty(),
            "of {listed}: {chosen:?} were chosen, {run:?} run"
        );
        ensure!(run.iter().all(|id| id.starts_with("plan/")), "only what was listed: {run:?}");

        app.go("#/records").await?;
        let what = app.see("kept-what", SOON, |text| text.contains("chosen")).await?;
        ensure!(what.contains(&format!("{} chosen dialogues", chosen.len())), "{what}");
        app.fill("kept-label", "after the new prompt\u{e007}").await?;
        app.go("#/method").await?;
        app.go("#/records").await?;
        see_label(app, "after the new prompt").await?;
        app.driver().refresh().await?;
        see_label(app, "after the new prompt").await?;

        app.press("export-all").await?;
        let file = app.browser.downloads().join("api-bank-records.zip");
        until("the archive", LONG, async || {
            let whole = fs::File::open(&file).is_ok_and(|it| zip::ZipArchive::new(it).is_ok());
            Ok(if whole { Found::Yes(()) } else { Found::NotYet("no file".to_owned()) })
        })
        .await?;
        let mut archive = zip::ZipArchive::new(fs::File::open(&file)?)?;
        ensure!(archive.len() == 2, "two runs, {} files", archive.len());
        for at in 0..archive.len() {
            let mut text = String::new();
            archive.by_index(at)?.read_to_string(&mut text)?;
            let record = Record::from_json(&text).context("a record of the archive")?;
            ensure!(record.computed_digest()? == record.digest, "its digest fits");
        }
        Ok(())
    })
    .await
}
