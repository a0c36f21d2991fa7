//! A model in the page: a tiny one of random weights runs, and nothing is asked of another host;
//! files that can't be loaded; a cancelled run.

use std::{
    fs::File,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use anyhow::{Context, Result, ensure};
use gguf::{MOST_FILE_BYTES, tiny};
use provider::{Backend, Endpoint, InPageModel, WireFormat};
use record::{Model, Outcome, Record, Status};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use xtask::digest;

use crate::{
    app::App,
    browser::Setup,
    looks::picture,
    proxy::Proxy,
    stage::{dist, file, play},
    wait::{Found, LONG, SOON, until},
};

/// Chooses the card and gives it files.
pub async fn give(app: &App, files: &[PathBuf]) -> Result<()> {
    app.choose("in-page").await?;
    app.element("in-page-files").await?;
    let paths: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let selector = "[data-test=\"in-page-files\"]";
    let input = app.driver().find(thirtyfour::By::Css(selector)).await?;
    input.send_keys(paths.join("\n")).await.context("can't choose files")
}

/// Gives files and loads the model.
pub async fn load(app: &App, files: &[PathBuf]) -> Result<()> {
    give(app, files).await?;
    app.see("in-page-digest", LONG, |text| text.len() >= 64).await?;
    app.press("in-page-load").await?;
    app.see("in-page-ready", LONG, |text| text.contains("is loaded")).await.map(drop)
}

/// One Call dialogue, with short answers.
async fn small_run(app: &App) -> Result<()> {
    app.press("ability-retrieve").await?;
    app.press("ability-plan").await?;
    app.pick("amount", "count").await?;
    app.fill("per-ability", "1").await?;
    app.fill("endpoint-max-tokens", "8").await
}

/// Runs one Call dialogue; returns its record, in which every sample is answered.
pub async fn small_record(app: &App) -> Result<Record> {
    small_run(app).await?;
    app.press_run().await?;
    app.see_status("Finished").await?;
    let record = app.download_record().await?.record;
    all_answered(&record)?;
    Ok(record)
}

/// Waits for the problem with the model.
async fn see_problem(app: &App, part: &str) -> Result<()> {
    until(part, SOON, async || {
        let text = app.text_of("#error-model").await?;
        Ok(if text.contains(part) { Found::Yes(()) } else { Found::NotYet(text) })
    })
    .await
}

/// What a record says of its model in the page.
pub fn endpoint(record: &Record) -> Result<(&Endpoint, &InPageModel)> {
    let Model::Endpoint(endpoint) = &record.model else { anyhow::bail!("{:?}", record.model) };
    let model = endpoint.in_page.as_deref().context("no model in the page")?;
    Ok((endpoint, model))
}

/// Checks that the model answered every request.
fn all_answered(record: &Record) -> Result<()> {
    ensure!(record.status == Status::Finished, "{:?}", record.status);
    ensure!(record.samples.len() > 1, "{} samples", record.samples.len());
    for sample in &record.samples {
        let Outcome::Answered(answer) = &sample.outcome else {
            anyhow::bail!("{}: {:?}", sample.id, sample.outcome)
        };
        let usage = answer.usage.with_context(|| format!("{} has no tokens", sample.id))?;
        ensure!(usage.prompt_tokens > 100, "{}: {usage:?}", sample.id);
        ensure!(!answer.text.is_empty(), "{} has no text", sample.id);
    }
    Ok(())
}

#[tokio::test]
async fn model_in_page_runs_and_asks_no_other_host() -> Result<()> {
    if dist()?.is_none() {
        return Ok(());
    }
    let proxy = Proxy::start().await?;
    let setup = Setup { proxy: Some(proxy.address), ..Setup::default() };
    play("model-in-page", setup, async |app| {
        let bytes = tiny::model();
        let model = file("tiny.gguf", &bytes)?;
        app.press_run().await?;
        app.see_status("Finished").await?;
        let engine = |what: &str| proxy.requests().iter().any(|request| request.url.contains(what));
        give(app, std::slice::from_ref(&model)).await?;
        let facts = app.see("in-page-facts", LONG, |text| text.contains(tiny::NAME)).await?;
        for fact in [tiny::NAME, "llama", "F32", "0.5 MB", "8,192 tokens"] {
            ensure!(facts.contains(fact), "{fact} is missing: {facts}");
        }
        let sha256 = digest::hex(&bytes);
        app.see("in-page-digest", LONG, |text| text == sha256).await?;
        ensure!(engine("worker_bg") && !engine("llama"), "the engine came before it was asked for");
        let cores = app.script("return navigator.hardwareConcurrency").await?;
        let cores = cores.as_u64().unwrap_or(1).min(4);
        if cores > 1 {
            app.fill("in-page-threads", "0").await?;
            let said = app.text_of("#in-page-context-said").await?;
            ensure!(said.contains("Threads: expected a whole number from 1"), "{said}");
            app.fill("in-page-threads", &cores.to_string()).await?;
        }
        app.press("in-page-load").await?;
        let ready = app.see("in-page-ready", LONG, |text| text.contains("is loaded")).await?;
        ensure!(ready.contains(tiny::NAME) && ready.contains("CPU"), "{ready}");
        ensure!(!app.has("in-page-progress").await?, "progress of nothing is shown");
        ensure!(engine("/llama-"), "the engine was not fetched");
        picture(app, "model-in-page").await?;

        small_run(app).await?;
        app.press_run().await?;
        app.see_status("Finished").await?;
        let downloaded = app.download_record().await?;
        let record = &downloaded.record;
        all_answered(record)?;
        let (endpoint, model) = endpoint(record)?;
        ensure!(endpoint.format == WireFormat::ChatCompletions, "{:?}", endpoint.format);
        ensure!((endpoint.temperature, endpoint.max_tokens) == (Some(0.0), Some(8)));
        ensure!(model.digests == [sha256.clone()], "{:?}", model.digests);
        let template = digest::hex(tiny::TEMPLATE.as_bytes());
        ensure!(model.template_digest.as_deref() == Some(template.as_str()));
        ensure!(model.version == xtask::programs::WLLAMA.version, "{}", model.version);
        ensure!(model.backend != Backend::WebGpu, "{model:?}");
        ensure!(u64::from(model.threads) == cores, "{model:?} on {cores} cores");
        ensure!(model.context == u64::from(tiny::CONTEXT), "{}", model.context);
        app.see_results_of(record, scoring::Profile::Execution).await?;

        let saved = file("record.json", downloaded.text.as_bytes())?;
        app.go("#/verify").await?;
        let input = app.element("verify-file").await?;
        input.send_keys(saved.to_string_lossy()).await?;
        let verdict = app.see("verify-result", LONG, |text| !text.is_empty()).await?;
        ensure!(verdict.starts_with("Consistent"), "{verdict}");

        let left = crate::isolation::elsewhere(&proxy, app);
        ensure!(left.is_empty(), "requests went elsewhere: {left:?}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn model_in_page_without_a_template_continues_texts() -> Result<()> {
    play("model-in-page-base", Setup::default(), async |app| {
        let bytes = tiny::write(&tiny::fields("llama", None), &tiny::tensors());
        load(app, &[file("base.gguf", &bytes)?]).await?;
        small_run(app).await?;
        app.pick("protocol", "tools").await?;
        app.press_run().await?;
        see_problem(app, "bracket").await?;
        app.pick("protocol", "bracket").await?;
        app.press_run().await?;
        app.see_status("Finished").await?;
        let record = app.download_record().await?.record;
        all_answered(&record)?;
        let (endpoint, model) = endpoint(&record)?;
        ensure!(endpoint.format == WireFormat::Completions && model.template_digest.is_none());

        // The engine takes the grammar of the run, and obeys one.
        app.press("endpoint-constrained").await?;
        app.press_run().await?;
        app.see("results-table", LONG, |text| text.contains("with a grammar")).await?;
        let record = app.download_record().await?.record;
        all_answered(&record)?;
        ensure!(record.dropped_parameters.is_empty(), "{:?}", record.dropped_parameters);
        app.press("endpoint-constrained").await?;
        // A grammar of the user's own is no setting of a run: the record would not say so.
        app.fill("endpoint-extra", r#"{"grammar": "root ::= \"[GetToday()]\""}"#).await?;
        app.press_run().await?;
        until("the problem", SOON, async || {
            let text = app.text_of("#error-extra").await?;
            Ok(if text.contains("grammar") { Found::Yes(()) } else { Found::NotYet(text) })
        })
        .await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn model_in_page_answers_on_the_demo_and_plays_the_agents() -> Result<()> {
    play("model-in-page-elsewhere", Setup::default(), async |app| {
        app.go("#/generate").await?;
        app.element("endpoint-url").await?;
        app.go("#/run").await?;
        load(app, &[file("tiny.gguf", &tiny::model())?]).await?;
        app.fill("endpoint-max-tokens", "8").await?;

        app.go("#/demo").await?;
        until("a step that is scored", SOON, async || {
            if app.has("demo-player-endpoint").await? {
                app.press("demo-player-endpoint").await?;
            }
            if app.has("demo-ask").await? {
                return Ok(Found::Yes(()));
            }
            app.press("demo-next").await?;
            Ok(Found::NotYet("no step that is scored".to_owned()))
        })
        .await?;
        let asked = app.text("demo-ask").await?;
        ensure!(asked.contains(tiny::NAME), "{asked}");
        app.press("demo-ask").await?;
        app.see("demo-verdict", LONG, |text| !text.is_empty() && !text.starts_with("Waiting"))
            .await?;
        app.picture_here("model-in-page-demo").await?;

        app.go("#/generate").await?;
        app.see("agents-in-page", SOON, |text| text.contains(tiny::NAME)).await?;
        ensure!(!app.has("endpoint-url").await?, "an endpoint is asked for");
        app.fill("limit-requests", "2").await?;
        app.press("generate-start").await?;
        app.see("generate-ending", LONG, |text| text.starts_with("Limit reached")).await?;
        let facts = app.text("generate-facts").await?;
        let tokens = facts.lines().find(|line| line.ends_with(" out")).context("no tokens")?;
        ensure!(!tokens.starts_with("0 in"), "{facts}");
        app.picture_here("model-in-page-generate").await
    })
    .await
}

/// Serves one file at every path to every site; answers the path `/missing` with 404. Counts the
/// requests.
pub(crate) async fn file_server(bytes: Vec<u8>) -> Result<(String, Arc<AtomicUsize>)> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = format!("http://{}", listener.local_addr()?);
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut head = [0; 4096];
            let Ok(read) = stream.read(&mut head).await else { continue };
            counted.fetch_add(1, Ordering::Relaxed);
            let missing = head[..read].starts_with(b"GET /missing");
            let (status, body) =
                if missing { ("404 Not Found", &[][..]) } else { ("200 OK", &*bytes) };
            let head = format!(
                "HTTP/1.1 {status}\r\naccess-control-allow-origin: *\r\ncontent-length: {}\r\n\
                 connection: close\r\n\r\n",
                body.len()
            );
            // The page may have gone.
            let _ = stream.write_all(&[head.as_bytes(), body].concat()).await;
        }
    });
    Ok((address, count))
}

#[tokio::test]
async fn model_in_page_comes_from_an_address_after_a_question() -> Result<()> {
    play("model-in-page-address", Setup::default(), async |app| {
        let bytes = tiny::model();
        let (server, requests) = file_server(bytes.clone()).await?;
        let requests = || requests.load(Ordering::Relaxed);
        app.choose("in-page").await?;
        app.press("in-page-address").await?;
        app.fill("in-page-url", "http://models.example/m.gguf").await?;
        app.press("in-page-fetch").await?;
        app.see("in-page-url-error", SOON, |text| text.contains("https://")).await?;
        app.fill("in-page-url", &format!("{server}/models/tiny.gguf?a=b")).await?;
        app.press("in-page-fetch").await?;
        let host = server.trim_start_matches("http://");
        app.see("in-page-question", SOON, |text| text.contains(&format!("tiny.gguf from {host}?")))
            .await?;
        picture(app, "model-in-page-address").await?;
        app.press("in-page-decline").await?;
        ensure!(!app.has("in-page-question").await? && requests() == 0, "it was fetched unasked");
        app.press("in-page-fetch").await?;
        app.press("in-page-agree").await?;
        let sha256 = digest::hex(&bytes);
        app.see("in-page-digest", LONG, |text| text == sha256).await?;
        let facts = app.text("in-page-facts").await?;
        ensure!(facts.contains("tiny.gguf") && requests() == 1, "{} requests: {facts}", requests());
        app.press("in-page-load").await?;
        app.see("in-page-ready", LONG, |text| text.contains("is loaded")).await?;

        app.fill("in-page-url", &format!("{server}/missing")).await?;
        app.press("in-page-fetch").await?;
        app.press("in-page-agree").await?;
        app.see("in-page-url-error", LONG, |text| text.contains("HTTP 404")).await?;
        ensure!(app.has("in-page-ready").await?, "the loaded model is lost");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn model_in_page_says_what_it_cannot_load() -> Result<()> {
    play("model-in-page-broken", Setup::default(), async |app| {
        let whole = tiny::model();
        give(app, &[file("text.gguf", b"<!doctype html>")?]).await?;
        app.see("in-page-failure", LONG, |text| text.contains("not a GGUF file")).await?;
        give(app, &[file("cut.gguf", &whole[..whole.len() / 2])?]).await?;
        app.see("in-page-failure", LONG, |text| text.contains("download it again")).await?;
        ensure!(!app.has("in-page-load").await?, "a broken file can be loaded");
        let strange = tiny::write(&tiny::fields("clip", None), &tiny::tensors());
        give(app, &[file("strange.gguf", &strange)?]).await?;
        app.see("in-page-problem", LONG, |text| text.contains("\"clip\"")).await?;
        let [first, _] = tiny::parts();
        give(app, &[file("tiny-00001-of-00002.gguf", &first)?]).await?;
        app.see("in-page-failure", LONG, |text| text.contains("2 parts, but 1")).await?;
        let large = file("large.gguf", &whole)?;
        // The rest of the file takes no room on the disk.
        File::options().write(true).open(&large)?.set_len(MOST_FILE_BYTES + 1)?;
        give(app, &[large]).await?;
        app.see("in-page-problem", LONG, |text| text.contains("llama-gguf-split")).await?;
        ensure!(!app.has("in-page-load").await?, "too large a file can be loaded");
        // The header is whole, the engine finds what it does not say.
        let few = tiny::write(&tiny::fields("llama", None), &tiny::tensors()[..3]);
        give(app, &[file("few.gguf", &few)?]).await?;
        app.see("in-page-digest", LONG, |text| text.len() >= 64).await?;
        app.press("in-page-load").await?;
        let failure = app.see("in-page-failure", LONG, |text| !text.is_empty()).await?;
        ensure!(failure.contains("can't be loaded") && failure.contains("blk.0"), "{failure}");
        picture(app, "model-in-page-broken").await?;
        app.press_run().await?;
        see_problem(app, "load it first").await?;
        // After all that, a whole file is loaded.
        load(app, &[file("tiny.gguf", &whole)?]).await
    })
    .await
}

#[tokio::test]
async fn model_in_page_of_two_files_runs() -> Result<()> {
    play("model-in-page-split", Setup::default(), async |app| {
        let [first, second] = tiny::parts();
        let files =
            [file("tiny-00002-of-00002.gguf", &second)?, file("tiny-00001-of-00002.gguf", &first)?];
        load(app, &files).await?;
        let record = small_record(app).await?;
        let (_, model) = endpoint(&record)?;
        ensure!(
            model.digests == [digest::hex(&first), digest::hex(&second)],
            "{:?}",
            model.digests
        );
        Ok(())
    })
    .await
}

#[tokio::test]
async fn model_in_page_is_cancelled_and_runs_again() -> Result<()> {
    play("model-in-page-cancel", Setup::default(), async |app| {
        load(app, &[file("tiny.gguf", &tiny::model())?]).await?;
        app.fill("endpoint-max-tokens", "4000").await?;
        app.press_run().await?;
        app.see("status-text", LONG, |text| text == "Running").await?;
        app.press("cancel-button").await?;
        app.see_status("Stopped early").await?;
        small_run(app).await?;
        app.press_run().await?;
        app.see_status("Finished").await?;
        all_answered(&app.download_record().await?.record)?;
        app.press("in-page-unload").await?;
        app.press_run().await?;
        see_problem(app, "load it first").await
    })
    .await
}
