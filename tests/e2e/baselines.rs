//! The built-in models, from the Run button to the downloaded file.

use anyhow::{Context, Result, ensure};
use exchange::protocol::SampleKind;
use record::{Baseline, Outcome, Record, SampleRecord, Status};
use scoring::{ErrorClass, Profile};

use crate::{
    app::{App, Downloaded},
    browser::Setup,
    native,
    stage::play,
    wait::{Found, LONG, SOON, until},
};

/// ROUGE-L of equal texts: 1, minus the 1e-8 that keeps its formula from dividing by zero.
pub const FULL_ROUGE: f64 = 0.999_999;

/// Runs a baseline, compares page, file and a native run, and returns the file.
async fn run(app: &App, baseline: Baseline) -> Result<Downloaded> {
    app.run_baseline(baseline.as_str()).await?;
    let file = app.download_record().await?;
    ensure!(file.name.starts_with(&format!("api-bank-{}-", baseline.as_str())), "{}", file.name);
    ensure!(file.record.status == Status::Finished, "{:?}", file.record.status);
    ensure!(file.record.samples.len() == file.record.planned, "samples are missing");
    ensure!(!file.record.samples.is_empty(), "nothing was run");
    app.see_results_of(&file.record, Profile::Execution).await?;
    app.press("profile-exact").await?;
    app.see_results_of(&file.record, Profile::Exact).await?;
    app.press("profile-execution").await?;
    same(&file.record, &native::record(&app.dist, baseline, file.record.split).await?)?;
    Ok(file)
}

/// Compares two records as files and reports the first line that differs.
fn same(browser: &Record, native: &Record) -> Result<()> {
    ensure!(
        browser.pack == native.pack,
        "the site was built from another data set than this test: run `cargo xtask test`"
    );
    let browser = browser.clone().without_times().to_json()?;
    let native = native.clone().without_times().to_json()?;
    if browser == native {
        return Ok(());
    }
    let (line, pair) = browser
        .lines()
        .zip(native.lines())
        .enumerate()
        .find(|(_, (browser, native))| browser != native)
        .context("one record is longer than the other")?;
    anyhow::bail!(
        "line {} of the records differs:\n  browser: {}\n  native:  {}",
        line + 1,
        pair.0,
        pair.1
    )
}

#[tokio::test]
async fn gold_replay_scores_all_and_equals_the_native_run() -> Result<()> {
    play("gold_replay", Setup::default(), async |app| {
        let record = run(app, Baseline::GoldReplay).await?.record;
        for profile in Profile::ALL {
            for row in record::summarize(&record.samples, profile).rows {
                ensure!(row.calls.n > 0 && row.calls.right == row.calls.n, "{profile:?} {row:?}");
                ensure!(row.failed == 0, "{row:?}");
            }
        }
        let replies: Vec<f64> = record.samples.iter().filter_map(|sample| sample.rouge_l).collect();
        ensure!(!replies.is_empty(), "the pack has no reply");
        for score in replies {
            ensure!(score > FULL_ROUGE, "a gold reply scores {score}");
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn keyword_baseline_equals_the_native_run() -> Result<()> {
    play("keyword_baseline", Setup::default(), async |app| {
        let record = run(app, Baseline::KeywordBaseline).await?.record;
        let total = record.summary.rows.last().context("a total")?;
        ensure!(total.calls.right > 0, "the baseline has no call right");
        ensure!(total.calls.right < total.calls.n, "the baseline has every call right");
        see_samples(app, &record).await
    })
    .await
}

/// Checks that the list shows every sample's state, and a sample's page matches the record.
async fn see_samples(app: &App, record: &Record) -> Result<()> {
    let listed = crate::list::listed(app).await?;
    ensure!(listed.len() == record.samples.len(), "{} rows are listed", listed.len());
    for (sample, (id, state)) in record.samples.iter().zip(&listed) {
        let expected = match sample.verdict(Profile::Execution) {
            Some(verdict) if verdict.correct => "right",
            Some(_) => "wrong",
            None => "reply",
        };
        ensure!((&sample.id, expected) == (id, state.as_str()), "{id} is listed as {state}");
    }
    let wrong = record
        .samples
        .iter()
        .find(|sample| sample.verdict(Profile::Execution).is_some_and(|verdict| !verdict.correct))
        .context("a wrong sample")?;
    app.open_sample(&wrong.id).await?;
    let verdict = wrong.verdict(Profile::Execution).context("a verdict")?;
    let class = verdict.error_class.context("a class")?;
    let shown = app.text("sample-verdict").await?;
    // The page's own name; the paper's is "Has Exception".
    let title = if class == ErrorClass::HasException { "Call failed" } else { class.title() };
    ensure!(shown.contains(title), "{shown:?} lacks {title:?}");
    let why = app.text("sample-why").await?;
    ensure!(why == verdict.explanation, "{why:?} is not {:?}", verdict.explanation);
    if let Outcome::Answered(answer) = &wrong.outcome {
        let shown = app.text("sample-answer").await?;
        ensure!(shown.trim() == answer.text.trim(), "{shown:?} is not {:?}", answer.text);
    }
    for message in &wrong.messages {
        let first = message.content.lines().next().unwrap_or_default();
        let prompt = app.text("sample-prompt").await?;
        ensure!(prompt.contains(first), "the prompt lacks {first:?}");
    }
    Ok(())
}

#[tokio::test]
async fn the_hard_split_is_run_apart_and_says_what_is_right() -> Result<()> {
    play("hard_split", Setup::default(), async |app| {
        app.pick("split", "hard").await?;
        let record = run(app, Baseline::KeywordBaseline).await?.record;
        ensure!(
            record.samples.iter().all(|sample| sample.dialogue.starts_with("hard/")),
            "others were run"
        );
        let total = record.summary.rows.last().context("a total")?;
        ensure!(total.restraint.n > 0, "there is no step without a call");
        let shown = app.text("cell-total-restraint").await?;
        let expected = format!(" % of {} (", total.restraint.n);
        ensure!(shown.contains(&expected), "{shown:?} lacks {expected:?}");
        let planted = |it: &&SampleRecord| {
            it.kind == SampleKind::Restraint
                && it.hard.as_ref().is_some_and(|hard| hard.planted.is_some())
        };
        let sample = record.samples.iter().find(planted).context("a hidden instruction")?;
        app.open_sample(&sample.id).await?;
        let hard = app.text("sample-hard").await?;
        let right = &sample.hard.as_ref().context("a kind")?.right;
        ensure!(hard.contains(right), "{hard:?} lacks {right:?}");
        let verdict = sample.verdict(Profile::Execution).context("a verdict")?;
        ensure!(app.text("sample-why").await? == verdict.explanation, "the reason is another");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn the_site_works_below_a_path() -> Result<()> {
    let setup = Setup { prefix: "/some/project", ..Setup::default() };
    play("sub_path", setup, async |app| {
        app.run_baseline("gold-replay").await?;
        app.see("cell-total-calls", crate::wait::SOON, |text| text == "100.0 %").await?;
        app.driver().refresh().await?;
        app.element("run-button").await.map(drop)
    })
    .await
}

async fn see_size(app: &App, size: &str) -> Result<()> {
    until(&format!("the size {size}"), SOON, async || {
        let is_chosen = app.control(&format!("size-{size}")).await?.is_selected().await?;
        Ok(if is_chosen { Found::Yes(()) } else { Found::NotYet("another size".to_owned()) })
    })
    .await
}

#[tokio::test]
async fn models_that_cost_start_with_a_quick_run() -> Result<()> {
    play("usual-sizes", Setup::default(), async |app| {
        see_size(app, "all").await?;
        ensure!(!app.has("estimate-requests").await?, "a built-in model sends requests");
        for model in ["endpoint", "in-page"] {
            app.choose(model).await?;
            see_size(app, "quick").await?;
            app.see("estimate-requests", SOON, |text| text == "72 requests.").await?;
            app.choose("gold-replay").await?;
            see_size(app, "all").await?;
        }
        app.press("size-quarter").await?;
        app.choose("endpoint").await?;
        app.see("estimate-requests", SOON, |text| text == "366 requests.").await?;
        see_size(app, "quarter").await
    })
    .await
}

#[tokio::test]
async fn sizes_tell_their_samples_before_the_engine_counts_them() -> Result<()> {
    play("sizes", Setup::default(), async |app| {
        let sizes = ["quick", "quarter", "all", "horizon"].map(|size| format!("size-{size}-takes"));
        let mut shown = Vec::new();
        for size in &sizes {
            shown.push(app.see(size, SOON, |text| text.contains("samples")).await?);
        }
        let counted = "return document.querySelectorAll('[data-counted]').length";
        ensure!(app.script(counted).await? == 0, "the engine counted already");
        app.press("estimate-button").await?;
        until("the engine's counts", LONG, async || {
            let found = app.script(counted).await?;
            Ok(if found == 3 { Found::Yes(()) } else { Found::NotYet(found.to_string()) })
        })
        .await?;
        for (size, shown) in sizes.iter().zip(shown) {
            let counted = app.text(size).await?;
            ensure!(counted == shown, "{size}: {shown} at first, then {counted}");
        }
        Ok(())
    })
    .await
}
