//! A host that sends no headers of the site's own: the service worker isolates the page, so that a
//! model in the page gets threads.

use anyhow::{Result, ensure};
use gguf::tiny;
use provider::Backend;
use scripted_endpoint::{Config, Gold, Rule, Script, ScriptedEndpoint};

use crate::{
    app::App,
    browser::Setup,
    model_in_page::{endpoint, load, small_record},
    stage::{file, play},
    wait::LONG,
};

const KEY: &str = "sk-on-an-isolated-page";

/// Lets the page count three cores: with two, it would leave one free and offer no threads.
const THREE_CORES: &str = "Object.defineProperty(navigator, 'hardwareConcurrency', { value: 3 })";

/// What the page's response gives it, besides the two headers; and what the tab keeps.
const OF_THE_PAGE: &str = "
    const [page] = performance.getEntriesByType('navigation');
    return [page.responseStatus, document.contentType, document.characterSet, document.lastModified,
        sessionStorage.getItem('before')];";

async fn is_isolated(app: &App) -> Result<bool> {
    Ok(app.script("return crossOriginIsolated").await? == true)
}

/// Reloads the page, and runs something in its worker.
async fn isolated_after_reload(app: &App) -> Result<()> {
    app.driver().refresh().await?;
    app.element("run-button").await?;
    ensure!(is_isolated(app).await?, "the page is not isolated");
    app.run_baseline("gold-replay").await
}

/// A small run of an endpoint at another port; an empty `key` is none.
async fn ask_endpoint(app: &App, key: &str) -> Result<()> {
    let config = Config {
        key: (!key.is_empty()).then(|| key.to_owned()),
        ..Config::new(Script::all(Rule::Right))
    };
    let server = ScriptedEndpoint::start(Gold::builtin()?, config).await?;
    app.enter_endpoint(&server.url(), "scripted", key).await?;
    app.press("size-quick").await?;
    app.press_run().await?;
    app.see_status("Finished").await?;
    let record = app.download_record().await?.record;
    ensure!(record.samples.iter().all(|sample| sample.attempts == 1), "requests were repeated");
    ensure!(server.requests().len() >= record.samples.len(), "the endpoint was not asked");
    for seen in server.requests() {
        let given = seen.header("authorization");
        let expected = if key.is_empty() { String::new() } else { format!("Bearer {key}") };
        ensure!(given == expected, "{} {}: {given:?}", seen.method, seen.path);
    }
    Ok(())
}

#[tokio::test]
async fn a_host_without_headers_gives_threads_after_a_reload() -> Result<()> {
    let setup = Setup { prefix: "/some/project/", plain_host: true, ..Setup::default() };
    play("plain-host", setup, async |app| {
        let model = file("tiny.gguf", &tiny::model())?;
        ensure!(!is_isolated(app).await?, "the host sends headers, so this would prove nothing");
        app.script(THREE_CORES).await?;
        load(app, std::slice::from_ref(&model)).await?;
        let ready = app.text("in-page-ready").await?;
        ensure!(ready.contains("one thread"), "{ready}");
        // As soon as the service worker can serve the page.
        app.see("in-page-faster", LONG, |text| text.contains("reload the page")).await?;
        app.script("sessionStorage.setItem('before', 'the reload')").await?;
        let before = app.script(OF_THE_PAGE).await?;

        isolated_after_reload(app).await?;
        let after = app.script(OF_THE_PAGE).await?;
        ensure!(after == before, "the reload changed {before} to {after}");
        ask_endpoint(app, "").await?;
        ask_endpoint(app, KEY).await?;

        app.script(THREE_CORES).await?;
        load(app, &[model]).await?;
        let hint = app.text("in-page-faster").await?;
        ensure!(hint.contains("WebGPU") && !hint.contains("reload"), "{hint}");
        let record = small_record(app).await?;
        let (_, model) = endpoint(&record)?;
        ensure!((model.backend, model.threads) == (Backend::Threads, 2), "{model:?}");

        // Without a kept page, the service worker passes on the host's.
        let emptied = "caches.keys().then((all) => Promise.all(all.map((it) => caches.delete(it))))
            .then(() => done(true))";
        app.script_async(emptied).await?;
        isolated_after_reload(app).await
    })
    .await
}
