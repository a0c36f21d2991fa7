//! A crashing worker, and a browser whose storage is full.

use std::fs;

use anyhow::{Result, ensure};
use scoring::Profile;
use serde_json::json;

use crate::{
    app::App,
    browser::Setup,
    retriever::add_model,
    stage::{dist, play},
    wait::LONG,
};

/// Makes the worker's database report a full disk after a hundred values.
const FULL_STORAGE: &str = r#"
    const put = IDBObjectStore.prototype.put;
    let left = 100;
    IDBObjectStore.prototype.put = function (...values) {
        if (left-- > 0) return put.apply(this, values);
        throw new DOMException("no room", "QuotaExceededError");
    };"#;

/// Adds a custom section to the worker's WebAssembly, which changes its hash but not its behavior.
const ANOTHER_PROGRAM: &str = r#"
    const real = self.fetch;
    self.fetch = async (url, ...more) => {
        const response = await real(url, ...more);
        if (!String(url).endsWith(".wasm")) return response;
        const bytes = [await response.arrayBuffer(), new Uint8Array([0, 2, 1, 97])];
        return new Response(new Blob(bytes), { headers: { "content-type": "application/wasm" } });
    };"#;

/// Reloads the page with code prepended to its worker's script.
async fn reload_with_worker(app: &App, code: &str) -> Result<()> {
    let script = r#"
        const Real = Worker;
        window.Worker = class extends Real {
            constructor(url, options) {
                const boot = JSON.stringify(String(new URL(url, document.baseURI)));
                const code = `CODE; await import(${boot});`;
                super(URL.createObjectURL(new Blob([code], { type: "text/javascript" })), options);
                window.latestWorker ??= this;
            }
        };"#;
    // The page's CSP forbids workers made from a string.
    app.browser.cdp("Page.setBypassCSP", json!({ "enabled": true })).await?;
    let source = json!({ "source": script.replace("CODE", code) });
    app.browser.cdp("Page.addScriptToEvaluateOnNewDocument", source).await?;
    Ok(app.driver().refresh().await?)
}

/// Makes the armed worker's WebAssembly panic in the next run: it reads a file whose bytes claim to be
/// more than a WebAssembly program can hold.
const ENDLESS_FILE: &str = r#"
    const post = self.postMessage;
    const bytes = new ArrayBuffer(2);
    let armed = false;
    self.addEventListener("message", (event) => {
        armed ||= event.data.armed === true;
    });
    self.postMessage = function (...values) {
        post.apply(this, values);
        if (!armed || !values[0].progress) return;
        armed = false;
        Blob.prototype.arrayBuffer = async () => bytes;
        self.Uint8Array = new Proxy(Uint8Array, {
            construct(target, given) {
                const made = new target(...given);
                if (given[0] === bytes) Object.defineProperty(made, "length", { value: 2 ** 31 });
                return made;
            },
        });
        const files = [new File(["[]"], "tools.json")];
        self.onmessage({ data: { id: 0, request: { read_tools: {} }, files } });
    };"#;

/// A message without effect that arms the worker.
const ARM: &str = "window.latestWorker.postMessage({ armed: true });";

/// Blocks the page's lazy-loaded module once.
const NO_SECOND_FILE: &str = r#"
    const real = window.fetch;
    let broken = true;
    window.fetch = (url, ...more) => {
        if (!broken || !String(url).includes("split_later")) return real(url, ...more);
        broken = false;
        return Promise.reject(new TypeError("provoked"));
    };"#;

#[tokio::test]
async fn a_missing_second_file_is_told_and_loaded_again() -> Result<()> {
    let errors = &["provoked"];
    play("second-file", Setup { errors, ..Setup::default() }, async |app| {
        let source = json!({ "source": NO_SECOND_FILE });
        app.browser.cdp("Page.addScriptToEvaluateOnNewDocument", source).await?;
        app.driver().refresh().await?;
        app.element("later-missing").await?;
        app.choose("gold-replay").await?;
        app.press("size-quick").await?;
        app.press_run().await?;
        app.press("load-later").await?;
        // The request made meanwhile is fulfilled.
        app.see_status("Finished").await?;
        ensure!(!app.has("later-missing").await?, "the alert is still there");
        let quick = app.control("size-quick").await?.is_selected().await?;
        ensure!(quick, "the size that was chosen is lost");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_panic_is_shown_and_a_fresh_worker_starts() -> Result<()> {
    let errors = &["capacity overflow", "unreachable"];
    play("panic", Setup { errors, ..Setup::default() }, async |app| {
        reload_with_worker(app, ENDLESS_FILE).await?;
        app.run_baseline("gold-replay").await?;
        add_model(app).await?;
        app.go("#/run").await?;
        app.pick("retriever", "own-0").await?;
        app.script(ARM).await?;
        app.press_run().await?;
        let shown = app.see("worker-error", LONG, |text| text.contains("panicked at")).await?;
        ensure!(shown.contains("capacity"), "another panic: {shown}");
        app.press("restart-worker").await?;
        app.go("#/run").await?;
        // The model was in the worker.
        let offered = app.control("retriever").await?.text().await?;
        ensure!(!offered.contains("Your model"), "{offered}");
        app.run_baseline("keyword-baseline").await?;
        let retriever = app.download_record().await?.record.search.retriever;
        ensure!(retriever.is_none(), "{retriever:?}");
        ensure!(!app.has("worker-error").await?, "the error is still shown");
        Ok(())
    })
    .await
}

#[test]
fn nothing_in_the_site_panics_on_purpose() -> Result<()> {
    let Some(dist) = dist()? else { return Ok(()) };
    let mut programs = 0;
    for entry in fs::read_dir(&dist)? {
        let path = entry?.path();
        if path.extension().is_some_and(|it| it == "wasm" || it == "js") {
            let bytes = fs::read(&path)?;
            for words in ["debug/panic", "provoked by"] {
                let found = bytes.windows(words.len()).any(|window| window == words.as_bytes());
                ensure!(!found, "{} holds {words:?}", path.display());
            }
            programs += usize::from(path.extension().is_some_and(|it| it == "wasm"));
        }
    }
    ensure!(programs >= 3, "expected the page's two programs and the worker's: {programs}");
    Ok(())
}

#[tokio::test]
async fn full_storage_is_told_and_loses_no_result() -> Result<()> {
    play("full-storage", Setup::default(), async |app| {
        reload_with_worker(app, FULL_STORAGE).await?;
        app.choose("gold-replay").await?;
        app.press_run().await?;
        let message = app.see("not-kept", LONG, |text| text.contains("no room left")).await?;
        ensure!(message.contains("Delete packs or records"), "what to do is said: {message}");
        app.see_status("Finished").await?;
        let downloaded = app.download_record().await?;
        ensure!(downloaded.record.samples.len() > 1000, "every sample is in the record");
        app.see_results_of(&downloaded.record, Profile::Execution).await
    })
    .await
}

#[tokio::test]
async fn storage_that_has_room_again_keeps_what_it_missed() -> Result<()> {
    play("room-again", Setup::default(), async |app| {
        let again = FULL_STORAGE.replace("left-- > 0", "left-- > 0 || left < -1");
        reload_with_worker(app, &again).await?;
        app.choose("gold-replay").await?;
        app.press_run().await?;
        app.see_status("Finished").await?;
        ensure!(!app.has("not-kept").await?, "what was kept at last is still called not kept");
        let all = app.download_record().await?.record.samples.len();
        let kept = app
            .script_async(
                "const open = indexedDB.open('api-bank');
                 open.onsuccess = () => {
                     const samples = open.result.transaction('samples').objectStore('samples');
                     samples.count().onsuccess = (event) => done(event.target.result);
                 };",
            )
            .await?;
        ensure!(kept == all, "{kept} of {all} samples are kept");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn another_program_than_the_sites_is_told() -> Result<()> {
    let errors = &["is not the file that this site was built with"];
    play("another-program", Setup { errors, ..Setup::default() }, async |app| {
        reload_with_worker(app, ANOTHER_PROGRAM).await?;
        app.choose("gold-replay").await?;
        app.press_run().await?;
        app.see("worker-error", LONG, |text| text.contains(errors[0])).await?;
        app.element("restart-worker").await?;
        Ok(())
    })
    .await
}
