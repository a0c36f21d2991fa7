//! Runs against the scripted endpoint: every kind of answer, and none at all.

use anyhow::{Context, Result, ensure};
use exchange::protocol::SampleKind;
use provider::FailureClass;
use record::order;
use record::{Outcome, Record, SampleRecord, Status, Subset, summarize};
use scoring::Profile;
use scripted_endpoint::{Config, Expected, Gold, Rule, Script, ScriptedEndpoint};

use crate::{
    app::App,
    baselines::FULL_ROUGE,
    browser::Setup,
    stage::play,
    wait::{Found, SOON, until},
};

const KEY: &str = "sk-only-for-the-endpoint";

/// Attempts per request on server errors.
const TRIES: usize = 3;

#[tokio::test]
async fn every_answer_gets_its_verdict_and_failures_are_counted_apart() -> Result<()> {
    play("every_answer", Setup::default(), async |app| {
        let gold = Gold::builtin()?;
        let rules: Vec<Rule> = Rule::ALL.into_iter().filter(|rule| *rule != Rule::Slow).collect();
        let script = Script::one_of_each(&gold, &rules);
        ensure!(script.samples.len() == rules.len(), "some rule has no sample: {script:?}");
        let config = Config { key: Some(KEY.to_owned()), ..Config::new(script.clone()) };
        let server = ScriptedEndpoint::start(gold.clone(), config).await?;

        app.enter_endpoint(&server.url(), "scripted", KEY).await?;
        app.press("size-all").await?;
        app.fill("endpoint-concurrency", "8").await?;
        app.press_run().await?;
        app.see_status("Finished").await?;

        let file = app.download_record().await?;
        ensure!(!file.text.contains(KEY), "the key is in the record");
        ensure!(file.record.status == Status::Finished, "{:?}", file.record.status);
        let (ran, known) = (file.record.samples.len(), gold.samples().len());
        ensure!(ran == known, "{ran} samples were run, this test knows {known} of them");
        app.see_results_of(&file.record, Profile::Execution).await?;
        check(&file.record, &gold, &script, &server)?;
        see_failures(app, &file.record).await?;
        key_stays_in_its_header(app, &server).await
    })
    .await
}

/// Checks that every sample of the record has the score that its rule expects.
fn check(record: &Record, gold: &Gold, script: &Script, server: &ScriptedEndpoint) -> Result<()> {
    for sample in &record.samples {
        let scripted = gold.sample(&sample.id).context("a sample of the pack")?;
        let rule = script.rule(scripted);
        check_sample(sample, rule).with_context(|| format!("{} by {rule:?}", sample.id))?;
        let tries = match rule.expected() {
            Expected::Failed(FailureClass::Infrastructure) => TRIES,
            // An empty answer is asked for once more.
            _ if rule == Rule::Empty => 2,
            _ => 1,
        };
        ensure!(sample.attempts as usize == tries, "{}: {} tries", sample.id, sample.attempts);
        if scripted.unique {
            let asked = server.asked(&sample.id);
            ensure!(asked == tries, "{}: asked {asked} times", sample.id);
        }
    }
    let failing = |rule: &&Rule| matches!(rule.expected(), Expected::Failed(_));
    let wrong = |rule: &&Rule| matches!(rule.expected(), Expected::Wrong(_));
    let mut summary = summarize(&record.samples, Profile::Execution);
    let calls = summary.paper.context("calls and searches")?;
    let total = summary.rows.pop().context("a total")?;
    ensure!(total.failed == script.samples.values().filter(failing).count(), "{total:?}");
    let errors: usize = total.errors.values().sum();
    ensure!(errors == script.samples.values().filter(wrong).count(), "{total:?}");
    ensure!(calls.right + errors == calls.n, "{calls:?}, {total:?}");
    Ok(())
}

fn check_sample(sample: &SampleRecord, rule: Rule) -> Result<()> {
    let verdict = sample.verdict(Profile::Execution);
    match (rule.expected(), &sample.outcome) {
        (Expected::Failed(expected), Outcome::Failed { class, message }) => {
            ensure!(*class == expected, "{class:?}: {message}");
            ensure!(verdict.is_none() && sample.rouge_l.is_none(), "a failure was scored");
        }
        (Expected::Right, Outcome::Answered(_)) if sample.kind == SampleKind::Reply => {
            let score = sample.rouge_l.context("a ROUGE-L")?;
            ensure!(score > FULL_ROUGE, "the gold reply scores {score}");
        }
        (Expected::Right, Outcome::Answered(answer)) => {
            let verdict = verdict.context("a verdict")?;
            ensure!(verdict.correct, "{}: {}", answer.text, verdict.explanation);
        }
        (Expected::Wrong(class), Outcome::Answered(answer)) => {
            let verdict = verdict.context("a verdict")?;
            ensure!(!verdict.correct && verdict.error_class == Some(class), "{verdict:?}");
            ensure!(rule != Rule::Empty || answer.text.is_empty(), "{:?}", answer.text);
        }
        (expected, outcome) => anyhow::bail!("expected {expected:?}, got {outcome:?}"),
    }
    Ok(())
}

/// Checks that the page counts failures separately and explains each.
async fn see_failures(app: &App, record: &Record) -> Result<()> {
    app.press("filter-failed").await?;
    for sample in &record.samples {
        let Outcome::Failed { message, .. } = &sample.outcome else { continue };
        app.open_sample(&sample.id).await?;
        let why = app.text("sample-why").await?;
        ensure!(&why == message, "{why:?} is not {message:?}");
        app.go("#/results").await?;
    }
    Ok(())
}

/// Checks that every request carries the key, and neither storage nor the URL contains it.
async fn key_stays_in_its_header(app: &App, server: &ScriptedEndpoint) -> Result<()> {
    for seen in server.requests() {
        let given = seen.header("authorization");
        ensure!(given == format!("Bearer {KEY}"), "{} {}: {given:?}", seen.method, seen.path);
        ensure!(seen.header("referer").is_empty(), "the page gave its address away");
        ensure!(seen.header("cookie").is_empty(), "a cookie was sent");
    }
    let kept = app
        .script("return JSON.stringify([{...localStorage}, {...sessionStorage}, location.href, document.cookie])")
        .await?;
    ensure!(!kept.to_string().contains(KEY), "the key is kept: {kept}");
    Ok(())
}

#[tokio::test]
async fn a_cancelled_run_keeps_what_is_done() -> Result<()> {
    play("cancel", Setup::default(), async |app| {
        let gold = Gold::builtin()?;
        // The first answers are immediate, the next one would take a minute.
        let answered = 3;
        let mut script = Script::all(Rule::Slow);
        let given: Vec<_> = gold.samples().iter().map(|it| (it.ability, it.dialogue())).collect();
        for index in order(&given, &Subset::All, 1).into_iter().take(answered) {
            script.samples.insert(gold.samples()[index].id.clone(), Rule::Right);
        }
        let server = ScriptedEndpoint::start(gold.clone(), Config::new(script)).await?;
        app.enter_endpoint(&server.url(), "scripted", "").await?;
        app.press("size-all").await?;
        app.fill("endpoint-concurrency", "1").await?;
        app.press_run().await?;
        until("a slow request", SOON, async || {
            let requests = server.requests().len();
            let there = requests > answered;
            Ok(if there { Found::Yes(()) } else { Found::NotYet(format!("{requests} requests")) })
        })
        .await?;
        app.see_status("Running").await?;
        app.press("cancel-button").await?;
        app.see("status-text", SOON, |text| text == "Stopped early").await?;

        let record = app.download_record().await?.record;
        ensure!(record.status == Status::Cancelled, "{:?}", record.status);
        ensure!(record.planned == gold.samples().len(), "{} were planned", record.planned);
        ensure!(record.samples.len() == answered, "{} samples are kept", record.samples.len());
        app.see_results_of(&record, Profile::Execution).await?;
        // The engine is ready for the next run.
        app.run_baseline("gold-replay").await
    })
    .await
}
