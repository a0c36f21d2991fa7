//! The browser's own model, by a scripted stand-in of its interface.

use anyhow::{Context, Result, bail, ensure};
use provider::{BROWSER_MODEL_ADDRESS, Backend};
use record::{Model, Outcome, Status};
use serde_json::json;

use crate::{
    app::App,
    browser::Setup,
    looks::picture,
    stage::{file, play},
    wait::{Found, LONG, SOON, until},
};

/// The interface as its specification has it, as far as the page uses it. It writes one call; while
/// `standIn.fails` names an error it fails with that, and while `standIn.waits` it never ends.
const STAND_IN: &str = r#"
    globalThis.standIn = { sessions: 0, fails: null, waits: false };
    const count = (prompts) => prompts.reduce((sum, { content }) => sum + content.length / 4, 0);
    class LanguageModel {
      static async availability({ expectedInputs: [{ type }] }) {
        return type === "text" ? "downloadable" : "unavailable";
      }
      static async create({ initialPrompts = [], monitor, signal }) {
        signal?.throwIfAborted();
        const target = new EventTarget();
        monitor?.(target);
        for (const loaded of [0, 0.5, 1]) {
          target.dispatchEvent(Object.assign(new Event("downloadprogress"), { loaded }));
        }
        if (initialPrompts.slice(1).some(({ role }) => role === "system")) throw new TypeError("system");
        standIn.sessions += 1;
        return new LanguageModel(initialPrompts);
      }
      constructor(prompts) {
        this.contextWindow = 9216;
        this.contextUsage = count(prompts);
      }
      async measureContextUsage(prompts) {
        return count(prompts);
      }
      promptStreaming(prompts, { signal }) {
        if (prompts.some(({ role }) => role === "system")) throw new DOMException("role", "NotSupportedError");
        return new ReadableStream({
          start: async (control) => {
            signal.addEventListener("abort", () => control.error(signal.reason));
            if (standIn.fails) return control.error(new DOMException("as told", standIn.fails));
            control.enqueue("[GetToday");
            if (standIn.waits) return;
            control.enqueue("()]");
            this.contextUsage += count(prompts) + 5;
            control.close();
          },
        });
      }
      destroy() {
        standIn.sessions -= 1;
      }
    }
    Object.defineProperty(globalThis, "LanguageModel", { value: LanguageModel });
"#;

/// Opens the page in a browser with a model, and starts it.
async fn start(app: &App) -> Result<()> {
    let source = json!({ "source": STAND_IN });
    app.browser.cdp("Page.addScriptToEvaluateOnNewDocument", source).await?;
    app.driver().refresh().await?;
    app.choose("in-page").await?;
    app.element("browser-model").await?;
    picture(app, "browser-model").await?;
    app.press("browser-model-use").await?;
    app.see("in-page-ready", LONG, |text| text.contains("the browser's own engine")).await.map(drop)
}

async fn sessions(app: &App, expected: u64) -> Result<()> {
    until("the number of sessions", LONG, async || {
        let open = app.script("return standIn.sessions").await?;
        Ok(if open == expected { Found::Yes(()) } else { Found::NotYet(open.to_string()) })
    })
    .await
}

/// One Call dialogue.
async fn small_run(app: &App) -> Result<()> {
    app.press("ability-retrieve").await?;
    app.press("ability-plan").await?;
    app.pick("amount", "count").await?;
    app.fill("per-ability", "1").await
}

#[tokio::test]
async fn browser_model_runs_and_its_record_says_so() -> Result<()> {
    play("browser-model", Setup::default(), async |app| {
        start(app).await?;
        small_run(app).await?;
        app.pick("protocol", "tools").await?;
        app.press_run().await?;
        until("the problem", SOON, async || {
            let text = app.text_of("#error-model").await?;
            let said = text.contains("takes no tools");
            Ok(if said { Found::Yes(()) } else { Found::NotYet(text) })
        })
        .await?;
        app.pick("protocol", "bracket").await?;
        app.press_run().await?;
        app.see_status("Finished").await?;
        let downloaded = app.download_record().await?;
        let record = &downloaded.record;
        ensure!(record.status == Status::Finished && record.samples.len() > 1);
        for sample in &record.samples {
            let Outcome::Answered(answer) = &sample.outcome else {
                bail!("{}: {:?}", sample.id, sample.outcome)
            };
            ensure!(answer.text == "[GetToday()]", "{}: {}", sample.id, answer.text);
            let usage = answer.usage.context("no tokens")?;
            ensure!(usage.prompt_tokens > 100 && usage.completion_tokens == 5, "{usage:?}");
        }
        let Model::Endpoint(endpoint) = &record.model else { bail!("{:?}", record.model) };
        ensure!(endpoint.base_url == BROWSER_MODEL_ADDRESS && endpoint.temperature.is_none());
        let model = endpoint.in_page.as_deref().context("no model in the page")?;
        ensure!((model.backend, model.context) == (Backend::Browser, 9216), "{model:?}");
        ensure!(model.digests.is_empty() && model.version.contains(char::is_numeric), "{model:?}");
        sessions(app, 1).await?;

        let saved = file("record.json", downloaded.text.as_bytes())?;
        app.go("#/verify").await?;
        app.element("verify-file").await?.send_keys(saved.to_string_lossy()).await?;
        let verdict = app.see("verify-result", LONG, |text| !text.is_empty()).await?;
        ensure!(verdict.starts_with("Consistent"), "{verdict}");
        let page = app.script("return document.body.innerText").await?;
        ensure!(page.to_string().contains("Nobody can repeat this run exactly"), "no warning");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn browser_model_is_cancelled_fails_and_is_given_up() -> Result<()> {
    play("browser-model-failures", Setup::default(), async |app| {
        start(app).await?;
        small_run(app).await?;
        app.script("standIn.waits = true").await?;
        app.press_run().await?;
        sessions(app, 2).await?;
        app.press("cancel-button").await?;
        app.see_status("Stopped early").await?;
        sessions(app, 1).await?;

        app.script("standIn.waits = false; standIn.fails = 'QuotaExceededError'").await?;
        app.press_run().await?;
        app.see_status("Finished").await?;
        for sample in &app.download_record().await?.record.samples {
            let Outcome::Failed { message, .. } = &sample.outcome else {
                bail!("{}: {:?}", sample.id, sample.outcome)
            };
            ensure!(message.contains("context"), "{}: {message}", sample.id);
        }
        sessions(app, 1).await?;
        app.press("in-page-unload").await?;
        sessions(app, 0).await?;
        until("the model is gone", SOON, async || {
            let is_shown = app.has("in-page-ready").await?;
            Ok(if is_shown { Found::NotYet("still loaded".to_owned()) } else { Found::Yes(()) })
        })
        .await
    })
    .await
}
