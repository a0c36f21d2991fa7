//! Interrupted runs: by a crash, a pause, another tab.

use std::{
    collections::BTreeMap,
    env,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use record::{Record, Status};
use scripted_endpoint::{Config, Gold, Rule, Script, ScriptedEndpoint};
use thirtyfour::Key;
use xtask::site_server::SiteServer;

use crate::{
    app::App,
    browser::{Browser, Setup},
    faults::part,
    stage::{dist, play, slot},
    wait::{Found, LONG, SOON, until},
};

/// How often the browser is killed.
const KILLS: usize = 10;
/// The minimum number of samples in the run: more than all sessions but the last can ask.
const SAMPLES: usize = 240;
/// The time per answer.
const ANSWER: Duration = Duration::from_millis(150);
/// The maximum lifetime of a browser during the run, in milliseconds.
const LIFE_MS: u64 = 900;

async fn slow_server(gold: &Gold) -> Result<ScriptedEndpoint> {
    let config = Config { slow: ANSWER, ..Config::new(Script::all(Rule::Slow)) };
    Ok(ScriptedEndpoint::start(gold.clone(), config).await?)
}

/// Fills in the form and clicks Run.
async fn begin(app: &App, server: &ScriptedEndpoint, dialogues: u32) -> Result<()> {
    app.enter_endpoint(&server.url(), "scripted", "").await?;
    app.pick("amount", "count").await?;
    app.fill("per-ability", &dialogues.to_string()).await?;
    app.fill("endpoint-concurrency", "2").await?;
    app.press_run().await
}

/// The ids of the samples on the page.
async fn shown(app: &App) -> Result<Vec<String>> {
    Ok(crate::list::listed(app).await?.into_iter().map(|(id, _)| id).collect())
}

/// A pseudo-random number below `below`, from a seed.
fn draw(seed: &mut u64, below: u64) -> u64 {
    // Marsaglia's xorshift.
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    *seed % below
}

/// Opens the page in a browser with this profile.
async fn live(profile: Option<PathBuf>, site: &SiteServer, dist: &Path) -> Result<App> {
    let browser = Browser::start(&Setup { profile, ..Setup::default() }).await?;
    let app = App::new(browser, site.url(), dist.to_owned());
    app.open().await?;
    Ok(app)
}

#[tokio::test]
async fn a_browser_killed_ten_times_leaves_the_same_record() -> Result<()> {
    let Some(dist) = dist()? else { return Ok(()) };
    let _slot = slot().await?;
    let mut seed = match env::var("API_BANK_KILL_SEED") {
        Ok(text) => text.parse().context("API_BANK_KILL_SEED: expected a number above 0")?,
        Err(_) => 20_261_122,
    };
    println!("API_BANK_KILL_SEED={seed}");
    let site = SiteServer::start(&dist, "/").await?;
    let gold = Gold::builtin()?;
    let (dialogues, run) = part(&gold, SAMPLES)?;
    let profile = tempfile::tempdir()?;

    let server = slow_server(&gold).await?;
    let mut app = live(Some(profile.path().to_owned()), &site, &dist).await?;
    begin(&app, &server, dialogues).await?;
    // How often each sample had been asked when it was last seen on the page.
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for kill in 1..=KILLS {
        app.see("status-text", LONG, |text| text == "Running").await?;
        let life = draw(&mut seed, LIFE_MS);
        tokio::time::sleep(Duration::from_millis(life)).await;
        let done = shown(&app).await?;
        println!("kill {kill} after {life} ms, {} of {} samples shown", done.len(), run.len());
        ensure!(
            done.len() < run.len(),
            "the run was over before kill {kill}: give it more samples"
        );
        seen.extend(done.into_iter().map(|id| (id.clone(), server.asked(&id))));
        app.browser.kill(profile.path()).await?;
        app = live(Some(profile.path().to_owned()), &site, &dist).await?;
        let offer = app.text("unfinished").await?;
        ensure!(offer.contains(&format!("of {} samples", run.len())), "{offer}");
        app.press("resume-run").await?;
    }
    app.see_status("Finished").await?;
    let killed = app.download_record().await?.record;
    app.browser.quit().await;
    for (id, asked) in &seen {
        let now = server.asked(id);
        ensure!(now == *asked, "{id} was shown and asked again: {asked} times, then {now}");
    }

    let app = live(None, &site, &dist).await?;
    // Bound to a name, so that it lives as long as the run.
    let server = slow_server(&gold).await?;
    begin(&app, &server, dialogues).await?;
    app.see_status("Finished").await?;
    let whole = app.download_record().await?.record;
    app.browser.quit().await;
    same(killed, whole)
}

/// Checks that two records are equal except for times and the endpoint's address.
fn same(killed: Record, mut whole: Record) -> Result<()> {
    ensure!(killed.status == Status::Finished, "{:?}", killed.status);
    // The servers differ only in their port.
    whole.model = killed.model.clone();
    let bare = |record: Record| {
        let digest = record.computed_digest();
        digest.and_then(|digest| Record { digest, ..record }.without_times().to_json())
    };
    let (killed, whole) = (bare(killed)?, bare(whole)?);
    let differs = killed.lines().zip(whole.lines()).find(|(a, b)| a != b);
    ensure!(killed == whole, "the killed run differs: {differs:?}");
    Ok(())
}

#[tokio::test]
async fn a_pause_sends_nothing_and_another_tab_keeps_off() -> Result<()> {
    play("pause", Setup::default(), async |app| {
        let gold = Gold::builtin()?;
        let server = slow_server(&gold).await?;
        let (dialogues, run) = part(&gold, 90)?;
        begin(app, &server, dialogues).await?;
        app.see_status("Running").await?;
        app.press("pause-button").await?;
        app.see("status-text", SOON, |text| text == "Paused").await?;
        // Requests in flight finish; then none is sent.
        tokio::time::sleep(ANSWER * 4).await;
        let requests = server.requests().len();
        app.picture_here("paused").await?;
        tokio::time::sleep(ANSWER * 4).await;
        ensure!(server.requests().len() == requests, "a paused run sends requests");
        ensure!(requests < run.len(), "the pause came after the end");

        see_other_tab(app).await?;
        app.press("pause-button").await?;
        app.see_status("Finished").await?;
        see_records(app, run.len()).await
    })
    .await
}

/// Checks that another tab says that the run is active here, and offers no actions.
async fn see_other_tab(app: &App) -> Result<()> {
    let first = app.driver().window().await?;
    let second = app.driver().new_tab().await?;
    app.driver().switch_to_window(second).await?;
    app.open().await?;
    let text = app.text("run-elsewhere").await?;
    ensure!(text.contains("another tab"), "{text}");
    ensure!(!app.has("resume-run").await?, "a run of another tab is offered");
    app.driver().close_window().await?;
    app.driver().switch_to_window(first).await?;
    Ok(())
}

/// Checks that the finished run is listed, opens with its results, and can be deleted.
async fn see_records(app: &App, samples: usize) -> Result<()> {
    let file = app.download_record().await?;
    app.go("#/records").await?;
    let row = app.text("kept-run").await?;
    ensure!(row.contains("Finished") && row.contains(&format!("{samples} / {samples}")), "{row}");
    app.picture_here("records").await?;
    app.driver().refresh().await?;
    app.press("open-run").await?;
    app.see_status("Finished").await?;
    let opened = app.download_record().await?;
    ensure!(opened.text == file.text, "the opened record is not the one that was saved");
    app.go("#/records").await?;
    app.press("delete-run").await?;
    app.press("delete-run-yes").await?;
    app.element("no-records").await.map(drop)
}

#[tokio::test]
async fn a_reload_offers_the_run() -> Result<()> {
    play("reload", Setup::default(), async |app| {
        let gold = Gold::builtin()?;
        let server = slow_server(&gold).await?;
        // Enough samples to outlast the pictures, which take long on a busy machine.
        let (dialogues, run) = part(&gold, 150)?;
        begin(app, &server, dialogues).await?;
        until("some samples", SOON, async || {
            let done = shown(app).await?.len();
            Ok(if done > 4 { Found::Yes(()) } else { Found::NotYet(done.to_string()) })
        })
        .await?;
        app.picture_here("run-going-on").await?;
        app.driver().refresh().await?;
        app.element("unfinished").await?;
        app.picture_here("run-offer").await?;
        // Partial results become a record.
        app.press("save-run").await?;
        app.see("status-text", LONG, |text| text == "Stopped early").await?;
        let part = app.download_record().await?.record;
        ensure!(part.status == Status::Cancelled && part.planned == run.len(), "{}", part.planned);
        ensure!((5..run.len()).contains(&part.samples.len()), "{}", part.samples.len());
        Ok(())
    })
    .await
}

/// The size of the headline's figure, in pixels.
async fn figure_px(app: &App) -> Result<f64> {
    let size = "return parseFloat(getComputedStyle(
                    document.querySelector('[data-test=\"headline-score\"]')).fontSize)";
    app.script(size).await?.as_f64().context("a size")
}

#[tokio::test]
async fn an_incomplete_run_is_no_result_and_resumes() -> Result<()> {
    play("incomplete", Setup::default(), async |app| {
        let gold = Gold::builtin()?;
        let server = slow_server(&gold).await?;
        let (dialogues, run) = part(&gold, 90)?;
        begin(app, &server, dialogues).await?;
        app.see("samples-count", LONG, |text| {
            text.split_once(" of ")
                .is_some_and(|(_, all)| all.parse().is_ok_and(|all: usize| all > 4))
        })
        .await?;
        app.element("cancel-button").await?.send_keys(Key::Enter).await?;
        app.see_status("Stopped early").await?;
        until("the focus", SOON, async || {
            let id = app.script("return document.activeElement.id").await?;
            Ok(if id == "progress-title" { Found::Yes(()) } else { Found::NotYet(id.to_string()) })
        })
        .await?;
        let done = app.download_record().await?.record.samples.len();
        let expected = format!("{done} of {} samples", run.len());
        app.see("headline-samples", SOON, |text| text == expected).await?;
        let note = app.text("headline-incomplete").await?;
        ensure!(note.starts_with("Not a result"), "{note}");
        let small = figure_px(app).await?;
        app.picture_here("incomplete").await?;

        app.press("headline-resume").await?;
        app.see_status("Finished").await?;
        let whole = app.download_record().await?.record;
        ensure!(whole.samples.len() == run.len(), "{} samples", whole.samples.len());
        ensure!(!app.has("headline-incomplete").await?, "a finished run is called incomplete");
        let large = figure_px(app).await?;
        ensure!(small < large, "the figure has {small} px, that of a result {large} px");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn site_data_cleared_during_a_run_is_told_and_written_again() -> Result<()> {
    play("cleared", Setup::default(), async |app| {
        let gold = Gold::builtin()?;
        let server = slow_server(&gold).await?;
        let (dialogues, run) = part(&gold, 40)?;
        begin(app, &server, dialogues).await?;
        until("some samples", LONG, async || match shown(app).await?.len() {
            0..10 => Ok(Found::NotYet("too few".to_owned())),
            _ => Ok(Found::Yes(())),
        })
        .await?;
        let origin = app.script("return location.origin").await?;
        let cleared = serde_json::json!({ "origin": origin, "storageTypes": "indexeddb" });
        app.browser.cdp("Storage.clearDataForOrigin", cleared).await?;
        until("the notice", LONG, async || {
            let page = app.text_of("body").await?;
            match page.contains("data was cleared during the run") {
                true => Ok(Found::Yes(())),
                false => Ok(Found::NotYet(page)),
            }
        })
        .await?;
        app.see_status("Finished").await?;
        let stored = async || {
            app.script_async(
                "const open = indexedDB.open('api-bank');
                 open.onsuccess = () => {
                     const samples = open.result.transaction('samples').objectStore('samples');
                     samples.count().onsuccess = (event) => done(event.target.result);
                 };",
            )
            .await
        };
        until("all samples", SOON, async || {
            let count = stored().await?;
            match count == run.len() {
                true => Ok(Found::Yes(())),
                false => Ok(Found::NotYet(format!("{count} of {} samples are stored", run.len()))),
            }
        })
        .await
    })
    .await
}
