//! A key is sent only to the origin that it was entered for: no record, link, other tab or redirect
//! changes that, and a key that an endpoint echoes is never shown.

use std::fs;

use anyhow::{Result, bail, ensure};
use provider::{Backend, Endpoint, InPageModel, WireFormat};
use record::{Model, Outcome, Record};
use scripted_endpoint::{Config, Gold, Mischief, Rule, Script, ScriptedEndpoint};

use crate::{
    app::App,
    browser::Setup,
    stage::play,
    wait::{LONG, SOON},
};

const KEY: &str = "sk-of-the-first-endpoint";
const REMOVED: &str = "[API key removed]";

async fn server(script: Script, mischief: Mischief) -> Result<ScriptedEndpoint> {
    let config = Config { mischief, ..Config::new(script) };
    Ok(ScriptedEndpoint::start(Gold::builtin()?, config).await?)
}

/// Whether any request carries the key in any header.
fn got_key(server: &ScriptedEndpoint) -> bool {
    let holds = |value: &[u8]| String::from_utf8_lossy(value).contains(KEY);
    let requests = server.requests();
    requests.iter().any(|seen| seen.headers.values().any(|value| holds(value.as_bytes())))
}

async fn smallest_run(app: &App) -> Result<()> {
    app.pick("amount", "count").await?;
    app.fill("per-ability", "1").await
}

/// An endpoint that has no answer to one sample.
async fn failing() -> Result<ScriptedEndpoint> {
    let mut script = Script::all(Rule::Right);
    let gold = Gold::builtin()?;
    let (_, run) = crate::faults::part(&gold, 1)?;
    script.samples.insert(run[0].to_owned(), Rule::Html);
    server(script, Mischief::None).await
}

/// The record of a run at an endpoint.
async fn run_at(app: &App, server: &ScriptedEndpoint, key: &str) -> Result<Record> {
    app.enter_endpoint(&server.url(), "scripted", key).await?;
    smallest_run(app).await?;
    app.press_run().await?;
    app.see_status("Finished").await?;
    Ok(app.download_record().await?.record)
}

/// Opens a record that somebody changed.
async fn open(app: &App, mut record: Record, change: impl FnOnce(&mut Endpoint)) -> Result<()> {
    let Model::Endpoint(endpoint) = &mut record.model else { bail!("{:?}", record.model) };
    change(endpoint);
    record.digest = record.computed_digest()?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("theirs.json");
    fs::write(&file, record.to_json()?)?;
    app.go("#/verify").await?;
    app.element("verify-file").await?.send_keys(file.to_string_lossy()).await?;
    app.see("verify-result", LONG, |text| !text.is_empty()).await.map(drop)
}

/// Asks the failed samples of the opened record again.
async fn rerun(app: &App) -> Result<()> {
    app.go("#/results").await?;
    app.press("rerun-failed").await
}

/// The page names the address before anything is sent there.
async fn see_question(
    app: &App,
    server: &ScriptedEndpoint,
    path: &str,
    before: usize,
) -> Result<()> {
    let address = app.text("send-address").await?;
    let expected = format!("{}{path}/chat/completions", server.origin());
    ensure!(address == expected, "the question names {address}, not {expected}");
    ensure!(server.requests().len() == before, "it was asked before the user agreed");
    Ok(())
}

#[tokio::test]
async fn a_record_of_a_stranger_gets_no_key_and_no_request_unasked() -> Result<()> {
    play("stranger", Setup::default(), async |app| {
        let mine = server(Script::all(Rule::Right), Mischief::None).await?;
        let theirs = failing().await?;
        let record = run_at(app, &theirs, "").await?;
        app.enter_endpoint(&mine.url(), "scripted", KEY).await?;
        let message = app.test_connection().await?;
        ensure!(message.starts_with("Works.") && got_key(&mine), "{message}");

        let before = theirs.requests().len();
        open(app, record, |_| {}).await?;
        rerun(app).await?;
        see_question(app, &theirs, "/v1", before).await?;
        app.picture_here("send-question").await?;
        app.press("send-cancel").await?;
        ensure!(theirs.requests().len() == before, "it was asked before the user agreed");

        app.press("rerun-failed").await?;
        app.press("send-agree").await?;
        app.see_status("Finished").await?;
        ensure!(theirs.requests().len() > before, "the user agreed, and nothing was asked");
        ensure!(!got_key(&theirs), "the key of one endpoint went to another");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn the_path_and_the_fields_of_a_record_stand_in_the_question() -> Result<()> {
    play("tenant", Setup::default(), async |app| {
        let gateway = failing().await?;
        // The user has a key for this host, and has agreed to its own path.
        let record = run_at(app, &gateway, KEY).await?;
        let before = gateway.requests().len();
        open(app, record, |endpoint| {
            endpoint.base_url = format!("{}/EVILTENANT/v1", gateway.origin());
            endpoint.extra.insert("user".to_owned(), "pays".into());
        })
        .await?;
        let facts = app.text("verify-facts").await?;
        ensure!(facts.contains("extra.user = pays"), "{facts}");
        rerun(app).await?;
        see_question(app, &gateway, "/EVILTENANT/v1", before).await?;
        let fields = app.text("send-extra").await?;
        ensure!(fields.contains("user") && fields.contains("pays"), "{fields}");
        app.press("send-cancel").await?;
        ensure!(gateway.requests().len() == before, "it was asked before the user agreed");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_record_that_names_a_model_in_the_page_and_a_host_is_asked_about() -> Result<()> {
    play("stranger-in-page", Setup::default(), async |app| {
        let theirs = failing().await?;
        let record = run_at(app, &theirs, "").await?;
        // A second visit: nobody has agreed to this host.
        app.driver().refresh().await?;
        let before = theirs.requests().len();
        open(app, record, |endpoint| {
            endpoint.in_page = Some(Box::new(InPageModel {
                library: "wllama".to_owned(),
                version: "3.8.1".to_owned(),
                backend: Backend::SingleThread,
                threads: 1,
                digests: vec!["0".repeat(64)],
                bytes: 1,
                architecture: "llama".to_owned(),
                quantization: None,
                parameters: 1,
                context: 512,
                template_digest: None,
            }));
        })
        .await?;
        rerun(app).await?;
        see_question(app, &theirs, "/v1", before).await
    })
    .await
}

#[tokio::test]
async fn a_link_in_one_tab_gets_no_key_of_another() -> Result<()> {
    play("two_tabs", Setup::default(), async |app| {
        let mine = server(Script::all(Rule::Right), Mischief::None).await?;
        let theirs = server(Script::all(Rule::Right), Mischief::None).await?;
        app.enter_endpoint(&mine.url(), "scripted", KEY).await?;
        app.press("keep-key").await?;
        let link = format!(
            "#/run?run=endpoint&address={}&model=scripted&amount=count&per_ability=1",
            theirs.url().replace(':', "%3A").replace('/', "%2F")
        );
        let first = app.driver().window().await?;
        let second = app.driver().new_tab().await?;
        app.driver().switch_to_window(second).await?;
        app.open().await?;
        app.go(&link).await?;
        app.see("link-taken", SOON, |text| text.contains("address")).await?;
        app.driver().close_window().await?;
        app.driver().switch_to_window(first).await?;

        app.driver().refresh().await?;
        app.press_run().await?;
        see_question(app, &theirs, "/v1", 0).await?;
        app.press("send-agree").await?;
        app.see_status("Finished").await?;
        ensure!(!theirs.requests().is_empty() && !got_key(&theirs), "the key went along");

        // The key is still stored for its own host.
        app.fill("endpoint-url", &mine.url()).await?;
        app.press_run().await?;
        app.see_status("Finished").await?;
        ensure!(got_key(&mine), "the key of this tab is gone");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn no_format_follows_a_redirect_or_shows_a_key_that_comes_back() -> Result<()> {
    play("redirect", Setup::default(), async |app| {
        let target = server(Script::all(Rule::Right), Mischief::None).await?;
        let gold = Script::all(Rule::Right);
        let sends_on = server(gold.clone(), Mischief::Redirect(target.origin())).await?;
        let echoes = server(gold, Mischief::Echo).await?;
        app.enter_endpoint(&sends_on.url(), "scripted", KEY).await?;
        smallest_run(app).await?;
        for format in WireFormat::ALL {
            app.pick("endpoint-format", format.as_str()).await?;
            app.fill("endpoint-url", &sends_on.url()).await?;
            app.fill("endpoint-key", KEY).await?;
            let message = app.test_connection().await?;
            ensure!(message.contains("redirects"), "{}: {message}", format.title());
            ensure!(got_key(&sends_on), "{}: it was not asked", format.title());
            ensure!(target.requests().is_empty(), "{}: it was followed", format.title());

            app.fill("endpoint-url", &echoes.url()).await?;
            app.fill("endpoint-key", KEY).await?;
            app.press_run().await?;
            app.see_status("Finished").await?;
            let file = app.download_record().await?;
            ensure!(!file.text.contains(KEY), "{}: the key is in the record", format.title());
            let answered = |outcome: &Outcome| matches!(outcome, Outcome::Answered(_));
            let (said, failed): (Vec<_>, Vec<_>) =
                file.record.samples.iter().partition(|sample| answered(&sample.outcome));
            for samples in [said, failed] {
                let text = serde_json::to_string(&samples)?;
                ensure!(text.contains(REMOVED), "{}: {text}", format.title());
            }
            let page = app.script("return document.documentElement.outerHTML").await?;
            ensure!(!page.to_string().contains(KEY), "{}: the page shows it", format.title());
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn what_is_no_key_is_told_at_its_field() -> Result<()> {
    play("no_key", Setup::default(), async |app| {
        let server = server(Script::all(Rule::Right), Mischief::None).await?;
        app.enter_endpoint(&server.url(), "scripted", "").await?;
        for (typed, part) in [
            ("sk-\u{200b}hidden", "U+200B"),
            ("sk-schl\u{fc}ssel", "U+00FC"),
            ("Bearer sk", "Bearer"),
        ] {
            app.fill("endpoint-key", typed).await?;
            app.see("endpoint-key-problem", SOON, |text| text.contains(part)).await?;
            app.press_run().await?;
            ensure!(server.requests().is_empty(), "a run was started");
        }
        app.fill("endpoint-key", KEY).await?;
        let message = app.test_connection().await?;
        ensure!(message.starts_with("Works."), "{message}");
        Ok(())
    })
    .await
}
