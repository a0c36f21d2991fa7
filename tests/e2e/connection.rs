//! Test connection: its messages on success and on failure.

use anyhow::{Result, ensure};
use scripted_endpoint::{Config, Gold, Rule, Script, ScriptedEndpoint};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::{
    app::App,
    browser::Setup,
    stage::play,
    wait::{LONG, SOON},
};

const KEY: &str = "sk-right";

async fn says(app: &App, parts: &[&str]) -> Result<()> {
    let message = app.test_connection().await?;
    for part in parts {
        ensure!(message.contains(part), "the message lacks {part:?}: {message}");
    }
    Ok(())
}

#[tokio::test]
async fn test_connection_says_what_to_do() -> Result<()> {
    play("connection", Setup::default(), async |app| {
        let config = Config { key: Some(KEY.to_owned()), ..Config::new(Script::all(Rule::Right)) };
        let server = ScriptedEndpoint::start(Gold::builtin()?, config).await?;

        app.enter_endpoint(&server.url(), "", KEY).await?;
        says(app, &["Works", "scripted"]).await?;
        let model = app.element("endpoint-model").await?.prop("value").await?;
        ensure!(model.as_deref() == Some("scripted"), "the first model is not taken: {model:?}");

        app.fill("endpoint-key", "sk-wrong").await?;
        says(app, &["401", "key", "Incorrect API key provided"]).await?;

        app.fill("endpoint-key", KEY).await?;
        app.fill("endpoint-model", "another").await?;
        says(app, &["\"another\"", "scripted"]).await?;

        app.fill("endpoint-model", "scripted").await?;
        app.fill("endpoint-url", &server.web_page_url()).await?;
        says(app, &["web page", "/v1"]).await?;

        app.fill("endpoint-url", "http://example.com/v1").await?;
        says(app, &["No answer from example.com"]).await?;
        let exposed = app.text("key-exposed").await?;
        ensure!(exposed.contains("https://"), "the field says nothing of plain http: {exposed:?}");

        let gone = server.url();
        drop(server);
        app.fill("endpoint-url", &gone).await?;
        says(app, &["127.0.0.1", "running", "CORS", app.origin()]).await?;
        app.press("preset-lm-studio").await?;
        app.fill("endpoint-url", &gone).await?;
        says(app, &["Doesn't work", "LM Studio", "lms server start --cors"]).await
    })
    .await
}

/// A server that answers everything and lets no page read it.
async fn shut_server() -> Result<(String, tokio::task::JoinHandle<()>)> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/v1", listener.local_addr()?);
    let serve = async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = [0; 4096];
            drop(stream.read(&mut request).await);
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi";
            drop(stream.write_all(answer.as_bytes()).await);
        }
    };
    Ok((url, tokio::spawn(serve)))
}

#[tokio::test]
async fn a_server_that_shuts_pages_out_is_told_from_one_that_is_gone() -> Result<()> {
    play("shut-server", Setup::default(), async |app| {
        let (url, server) = shut_server().await?;
        app.enter_endpoint(&url, "m", "").await?;
        says(app, &["answers, but the browser keeps its answers", "CORS", app.origin()]).await?;
        server.abort();
        drop(server.await);
        app.fill("endpoint-model", "n").await?;
        says(app, &["No answer from 127.0.0.1"]).await
    })
    .await
}

#[tokio::test]
async fn the_checks_propose_how_to_run() -> Result<()> {
    play("checks", Setup::default(), async |app| {
        let config = Config::new(Script::all(Rule::Right));
        let server = ScriptedEndpoint::start(Gold::builtin()?, config).await?;
        app.enter_endpoint(&server.url(), "scripted", "").await?;
        app.fill("endpoint-concurrency", "7").await?;
        says(app, &["Works.", "1 model", "Native tool calls work", "arrived whole"]).await?;
        for check in ["check-models", "check-answer", "check-tools", "check-context"] {
            let state = app.element(check).await?.attr("data-state").await?;
            ensure!(state.as_deref() == Some("good"), "{check}: {state:?}");
        }
        let proposal = app.text("connection-proposal").await?;
        ensure!(proposal.contains("protocol tools, 1 request"), "{proposal}");
        app.press("take-proposal").await?;
        let concurrency = app.element("endpoint-concurrency").await?.prop("value").await?;
        ensure!(concurrency.as_deref() == Some("1"), "{concurrency:?}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_wrong_key_stops_the_run_and_the_right_one_resumes_it() -> Result<()> {
    play("wrong-key", Setup::default(), async |app| {
        let config = Config { key: Some(KEY.to_owned()), ..Config::new(Script::all(Rule::Right)) };
        let server = ScriptedEndpoint::start(Gold::builtin()?, config).await?;
        app.enter_endpoint(&server.url(), "scripted", "sk-wrong").await?;
        app.pick("amount", "count").await?;
        app.fill("per-ability", "5").await?;
        app.fill("endpoint-concurrency", "8").await?;
        app.press_run().await?;
        app.see_status("Stopped early").await?;
        app.see("stopped", SOON, |text| text.contains("refused the key")).await?;
        let record = app.download_record().await?.record;
        ensure!(record.samples.len() == 5, "{} samples failed", record.samples.len());
        let sent = server.requests().len();
        ensure!((5..=12).contains(&sent), "{sent} requests went out");
        app.see("cell-total-calls", SOON, |text| text == "–").await?;

        app.see("stopped-why", LONG, |text| text.contains("refused the key")).await?;
        app.fill("resume-key", KEY).await?;
        app.press("resume-run").await?;
        app.see_status("Finished").await?;
        let record = app.download_record().await?.record;
        let total = record.summary.rows.last().map(|row| row.failed);
        ensure!(total == Some(0), "failed: {total:?}");
        ensure!(record.samples.len() == record.planned, "{} samples", record.samples.len());
        let again = server.requests().len() - sent;
        ensure!(again == record.planned, "{again} requests for {} samples", record.planned);
        Ok(())
    })
    .await
}
