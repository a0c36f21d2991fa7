//! A slow connection: the search model, by far the largest file, arrives after everything else.

use anyhow::{Context, Result, ensure};
use scripted_endpoint::{Config, Gold, GoldSample, Rule, Script, ScriptedEndpoint};
use xtask::site_server::Held;

use crate::{
    app::{App, grouped},
    browser::Setup,
    stage::play,
    wait::LONG,
};

/// The file name of the search model, up to its hash.
const MODEL: &str = "model-";

fn setup(held: &Held) -> Setup {
    Setup { held: Some(held.clone()), ..Setup::default() }
}

/// A gold search that can have other keywords.
fn search(gold: &Gold) -> Option<&GoldSample> {
    gold.samples().iter().find(|sample| sample.unique && Rule::OtherKeywords.applies(sample))
}

async fn see_count(app: &App, count: usize) -> Result<()> {
    let whole = format!("{0} of {0}", grouped(count));
    app.see("samples-count", LONG, |text| text == whole).await.map(drop)
}

#[tokio::test]
async fn only_a_search_waits_for_the_search_model() -> Result<()> {
    let held = Held::new(MODEL);
    play("slow-model", setup(&held), async |app| {
        let gold = Gold::builtin()?;
        let all = gold.samples().len();
        // Its keywords are nowhere in the data, so only the model can answer it.
        let searched = search(&gold).context("a search")?.id.clone();
        let mut script = Script::all(Rule::Right);
        script.samples.insert(searched.clone(), Rule::OtherKeywords);
        let server = ScriptedEndpoint::start(gold, Config::new(script)).await?;
        app.enter_endpoint(&server.url(), "scripted", "").await?;
        app.press("size-all").await?;
        app.press_run().await?;
        see_count(app, all - 1).await?;
        ensure!(server.asked(&searched) == 1, "the search was not asked");
        let status = app.text("status-text").await?;
        ensure!(status != "Finished", "the search was judged without the search model");
        held.release();
        app.see_status("Finished").await?;
        see_count(app, all).await?;
        let record = app.download_record().await?.record;
        let found = record.samples.iter().find(|sample| sample.id == searched);
        let verdicts = found.and_then(|sample| sample.verdicts.as_ref()).context("a verdict")?;
        ensure!(!verdicts.execution.correct, "the search for other keywords is right");
        let failed = record.samples.iter().filter(|sample| sample.verdicts.is_none());
        ensure!(failed.filter(|sample| sample.rouge_l.is_none()).count() == 0, "samples failed");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn the_keyword_baseline_needs_no_search_model() -> Result<()> {
    let held = Held::new(MODEL);
    play("slow-model-baseline", setup(&held), async |app| {
        app.run_baseline("keyword-baseline").await?;
        held.release();
        Ok(())
    })
    .await
}
