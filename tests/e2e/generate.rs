//! The Generate page with scripted agents, correct and faulty.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use dataset::import::{Intake, Limits, import};
use generator::Agent;
use scripted_endpoint::{Agents, Config, Fault, Gold, Rule, Script, ScriptedEndpoint};
use serde_json::Value;

use crate::{
    app::App,
    browser::Setup,
    looks::picture,
    stage::play,
    wait::{Found, LONG, until},
};

/// The timeout of a large generation.
const HOUR: Duration = Duration::from_secs(3600);

/// 20 dialogues despite a few faults, which are retried, counted by reason and saved in the files.
#[tokio::test]
async fn five_agents_fill_the_targets_whatever_goes_wrong_on_the_way() -> Result<()> {
    play("generate", Setup::default(), async |app| {
        let faults = BTreeMap::from([
            ((Agent::Domains, 0), Fault::BrokenJson),
            ((Agent::Apis, 1), Fault::Refusal),
            // Late, so that no other fault removes the answer that it repeats.
            ((Agent::Query, 15), Fault::Repeat),
            ((Agent::Calls, 2), Fault::Ungrounded),
            ((Agent::Calls, 6), Fault::WrongApi),
            ((Agent::Tester, 4), Fault::Rejects),
        ]);
        let agents = Agents::new(faults, String::new());
        let config = Config { agents, ..Config::new(Script::all(Rule::Right)) };
        let server = ScriptedEndpoint::start(Gold::builtin()?, config).await?;

        app.go("#/generate").await?;
        app.press("preset-custom").await?;
        app.fill("endpoint-url", &server.url()).await?;
        app.fill("endpoint-model", "scripted").await?;
        app.press("generate-start").await?;
        app.see("generate-ending", LONG, |text| text == "Finished.").await?;

        let facts = app.text("generate-facts").await?;
        ensure!(facts.contains("10 of 10") && facts.contains("25 of 25"), "{facts}");
        let yields = app.text("yield-table").await?;
        for reason in [
            "no-json 1",
            "refused 1",
            "near-duplicate 1",
            "ungrounded 1",
            "unknown-api 1",
            "api-authenticity 1",
        ] {
            ensure!(yields.contains(reason), "{reason} is not in {yields}");
        }
        let script = "return document.querySelectorAll('[data-fate=\"accepted\"]').length";
        let accepted = app.script(script).await?;
        ensure!(accepted == 20, "{accepted} accepted dialogues");
        let set = app.text("set-table").await?;
        ensure!(set.lines().any(|line| line.starts_with("All 20 ")), "{set}");

        app.matching("[data-test=\"dialogue\"] button").await?.click().await?;
        let way = app.element("way").await?;
        let steps = way.text().await?;
        for agent in Agent::ALL {
            ensure!(steps.contains(agent.title()), "{} is not in {steps}", agent.title());
        }
        picture(app, "generate").await?;

        // Everything survives a reload, and the chats contain every dialogue.
        app.driver().refresh().await?;
        app.see("generate-ending", LONG, |text| text == "Finished.").await?;
        app.press("save-chat.jsonl").await?;
        let file = app.browser.downloads().join("chat.jsonl");
        let chats = until("chat.jsonl", LONG, async || {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            Ok(if text.is_empty() {
                Found::NotYet(file.display().to_string())
            } else {
                Found::Yes(text)
            })
        })
        .await?;
        ensure!(chats.lines().count() == 20, "{} chats", chats.lines().count());
        for line in chats.lines() {
            let chat: Value = serde_json::from_str(line)?;
            ensure!(chat["messages"].as_array().is_some_and(|it| it.len() > 3), "{line}");
        }
        see_pack(app).await
    })
    .await
}

/// Exports the dialogues as a pack: as a file to import, and as data for a run.
async fn see_pack(app: &App) -> Result<()> {
    app.press("save-training-pack.zip").await?;
    let file = app.browser.downloads().join("training-pack.zip");
    let bytes = until("training-pack.zip", LONG, async || {
        let bytes = std::fs::read(&file).unwrap_or_default();
        Ok(if bytes.is_empty() {
            Found::NotYet(file.display().to_string())
        } else {
            Found::Yes(bytes)
        })
    })
    .await?;
    let mut intake = Intake::new(Limits::default());
    intake.add("training-pack.zip", bytes);
    let texts = intake.files.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    let (original, report) = import(texts);
    let dialogues = original.dialogues.len() + original.plans.len();
    ensure!(dialogues == 20, "{dialogues} dialogues: {report:?}");

    app.press("generated-import").await?;
    app.see("import-found", LONG, |text| text.contains("dialogue")).await?;
    picture(app, "generated-import").await
}

/// A benchmark of a large generation: `cargo test … --test e2e two_thousand -- --ignored
/// --nocapture`. Prints the duration and asserts none.
#[tokio::test]
#[ignore = "a measurement that takes minutes"]
async fn two_thousand_dialogues_in_one_run() -> Result<()> {
    play("generate-2000", Setup::default(), async |app| {
        let agents = Agents::new(BTreeMap::new(), String::new());
        let config = Config { agents, ..Config::new(Script::all(Rule::Right)) };
        let server = ScriptedEndpoint::start(Gold::builtin()?, config).await?;
        app.go("#/generate").await?;
        app.press("preset-custom").await?;
        app.fill("endpoint-url", &server.url()).await?;
        app.fill("endpoint-model", "scripted").await?;
        app.fill("endpoint-concurrency", "6").await?;
        app.fill("limit-requests", "20000").await?;
        let targets = [
            ("call", "1000"),
            ("retrieve", "500"),
            ("plan", "500"),
            ("domains", "1000"),
            ("apis", "2200"),
        ];
        for (name, count) in targets {
            app.fill(&format!("target-{name}"), count).await?;
        }
        let started = Instant::now();
        app.press("generate-start").await?;
        until("the end of the generation", HOUR, async || {
            let script =
                "return document.querySelector('[data-test=\"generate-ending\"]')?.innerText ?? ''";
            let text = app.script(script).await?.as_str().unwrap_or_default().to_owned();
            let facts = app.text("generate-facts").await?.replace('\n', " ");
            println!("{:.0} s: {facts}", started.elapsed().as_secs_f32());
            tokio::time::sleep(Duration::from_secs(10)).await;
            Ok(if text.is_empty() { Found::NotYet(facts) } else { Found::Yes(()) })
        })
        .await?;
        println!(
            "{} after {:.0} s",
            app.text("generate-ending").await?,
            started.elapsed().as_secs_f32()
        );
        println!("{}", app.text("set-table").await?);
        println!("{}", app.text("yield-table").await?);
        Ok(())
    })
    .await
}
