//! A run on an endpoint that fails in every way: no sample is lost or scored wrongly.

use std::{collections::BTreeMap, time::Duration};

use anyhow::{Context, Result, ensure};
use exchange::protocol::SampleKind;
use provider::FailureClass;
use record::order;
use record::{Outcome, Record, SampleRecord, Status, Subset};
use scoring::Profile;
use scripted_endpoint::{
    Expected, Gold,
    fault::{Fault, FaultScript, FaultyEndpoint, spread},
};

use crate::{
    app::{App, grouped},
    baselines::FULL_ROUGE,
    browser::Setup,
    stage::play,
};

/// The minimum number of samples in the run.
const SAMPLES: usize = 300;
/// How often each fault occurs: once, because five consecutive refusals would stop the rerun.
const ROUNDS: usize = 1;
/// Retries wait for seconds.
const LIMIT: Duration = Duration::from_secs(400);

/// The smallest number of dialogues per ability that yields `samples` samples, and their ids in the
/// order of a run with seed 1.
pub fn part(gold: &Gold, samples: usize) -> Result<(u32, Vec<&str>)> {
    let given: Vec<_> = gold.samples().iter().map(|it| (it.ability, it.dialogue())).collect();
    for dialogues in 1..1000 {
        let run = order(&given, &Subset::PerAbility(dialogues), 1);
        if run.len() >= samples {
            let ids = run.into_iter().map(|index| gold.samples()[index].id.as_str());
            return Ok((dialogues, ids.collect()));
        }
    }
    anyhow::bail!("the pack has less than {samples} samples")
}

#[tokio::test]
async fn every_fault_ends_as_it_deserves() -> Result<()> {
    play("faults", Setup::default(), async |app| {
        let gold = Gold::builtin()?;
        let (dialogues, run) = part(&gold, SAMPLES)?;
        let script = spread(&gold, &run, ROUNDS);
        ensure!(script.len() == ROUNDS * Fault::ALL.len(), "{} samples fail", script.len());
        let server = FaultyEndpoint::start(gold.clone(), script.clone()).await?;

        app.enter_endpoint(&server.url(), "faulty", "").await?;
        app.pick("amount", "count").await?;
        app.fill("per-ability", &dialogues.to_string()).await?;
        app.fill("endpoint-concurrency", "50").await?;
        app.press_run().await?;
        app.see("status-text", LIMIT, |text| text == "Finished").await?;

        let record = app.download_record().await?.record;
        ensure!(record.status == Status::Finished, "{:?}", record.status);
        ensure!(record.samples.len() == run.len(), "{} samples", record.samples.len());
        let table = check(&record, &script, &gold, &server)?;
        ensure!(table.values().all(|(seen, _)| *seen == ROUNDS), "{table:?}");
        print(&table);
        app.see_results_of(&record, Profile::Execution).await?;
        see_list(app, &record).await?;
        rerun(app, &record, &server).await
    })
    .await
}

/// By fault: how often it occurred, and its outcome.
type Table = BTreeMap<Fault, (usize, String)>;

/// Checks every sample against its fault, and the request counts on both sides.
fn check(
    record: &Record,
    script: &FaultScript,
    gold: &Gold,
    server: &FaultyEndpoint,
) -> Result<Table> {
    let mut table = Table::new();
    for sample in &record.samples {
        let fault = script.get(&sample.id);
        let expected = fault.map_or(Expected::Right, |fault| fault.expected());
        let tries = fault.map_or(1, |fault| fault.tries());
        let what = || format!("{} with {fault:?}: {:?}", sample.id, sample.outcome);
        judge(sample, expected).with_context(what)?;
        ensure!(sample.attempts == tries, "{}: {} tries", what(), sample.attempts);
        ensure!(sample.retries.len() + 1 == tries as usize, "{}: {:?}", what(), sample.retries);
        if gold.sample(&sample.id).is_some_and(|it| it.unique) {
            let asked = server.asked(&sample.id);
            ensure!(asked == tries, "{}: the server was asked {asked} times", what());
        }
        if let Some(fault) = fault {
            let outcome = format!("{expected:?} after {tries}");
            table.entry(*fault).or_insert((0, outcome)).0 += 1;
        }
    }
    Ok(table)
}

fn judge(sample: &SampleRecord, expected: Expected) -> Result<()> {
    let verdict = sample.verdict(Profile::Execution);
    match (expected, &sample.outcome) {
        (Expected::Right, Outcome::Answered(_)) if sample.kind == SampleKind::Reply => {
            let score = sample.rouge_l.context("a ROUGE-L")?;
            ensure!(score > FULL_ROUGE, "the gold reply scores {score}");
        }
        (Expected::Right, Outcome::Answered(_)) => {
            ensure!(verdict.is_some_and(|verdict| verdict.correct), "{verdict:?}");
        }
        (Expected::Wrong(class), Outcome::Answered(_)) => {
            ensure!(verdict.and_then(|it| it.error_class) == Some(class), "{verdict:?}");
        }
        (Expected::Failed(class), Outcome::Failed { class: got, .. }) => {
            ensure!(class == *got, "{got:?}");
            ensure!(verdict.is_none() && sample.rouge_l.is_none(), "a failure was scored");
        }
        (expected, _) => anyhow::bail!("expected {expected:?}"),
    }
    Ok(())
}

fn print(table: &Table) {
    for (fault, (seen, outcome)) in table {
        let lasts = if fault.lasts { "always" } else { "once" };
        println!("{:<32} {lasts:<7} {seen} x {outcome}", format!("{:?}", fault.trouble));
    }
}

/// Checks that the page lists every failure and every retry.
async fn see_list(app: &App, record: &Record) -> Result<()> {
    let failed = record.samples.iter().filter(|it| matches!(it.outcome, Outcome::Failed { .. }));
    let (failed, retried) =
        (failed.count(), record.samples.iter().filter(|sample| !sample.retries.is_empty()));
    let answered = retried.filter(|sample| matches!(sample.outcome, Outcome::Answered(_))).count();
    let text = app.text("failures-count").await?;
    let expected = format!(
        "{} without an answer, {} answered after a retry.",
        grouped(failed),
        grouped(answered)
    );
    ensure!(text == expected, "the page says {text:?}, the record {expected:?}");
    app.picture_here("failures").await
}

/// Checks that a rerun asks only the failed samples. Nothing answers it, so it waits a minute for the
/// server and ends.
async fn rerun(app: &App, record: &Record, server: &FaultyEndpoint) -> Result<()> {
    let before: Vec<u32> = record.samples.iter().map(|sample| server.asked(&sample.id)).collect();
    app.press("rerun-failed").await?;
    app.see("status-text", LIMIT, |text| text == "Stopped early").await?;
    for (old, before) in record.samples.iter().zip(before) {
        let asked = server.asked(&old.id) - before;
        let expected = match &old.outcome {
            // A server that may be gone is asked until the minute is over.
            Outcome::Failed { message, .. } if message.starts_with("No answer from") => {
                asked.max(3)
            }
            Outcome::Failed { class: FailureClass::Infrastructure, .. } => 3,
            Outcome::Failed { .. } => 1,
            Outcome::Answered(_) => 0,
        };
        // An unreadable refusal must not count a request twice.
        ensure!(asked == expected, "{} was asked {asked} times more, not {expected}", old.id);
    }
    Ok(())
}
