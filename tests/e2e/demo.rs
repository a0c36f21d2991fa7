//! The Demo page: stepping through a dialogue, and a visitor playing the model.

use anyhow::{Context, Result, ensure};
use dataset::{Ability, Dialogue, RecordedCall, Turn};
use exchange::call;
use thirtyfour::{Key, TypingData};

use crate::{
    app::App,
    browser::Setup,
    stage::play,
    wait::{Found, LONG, SOON, until},
};

/// The first dialogue of an ability, which the page opens by default.
fn first(ability: Ability) -> Result<Dialogue> {
    let pack = dataset::builtin()?;
    let found = pack.dialogues.into_iter().find(|dialogue| dialogue.ability == ability);
    found.context("no dialogue of this ability")
}

/// Steps forward to the first call and returns it as text.
async fn to_first_call(app: &App, dialogue: &Dialogue) -> Result<String> {
    let at = dialogue.turns.iter().position(|turn| turn.as_call().is_some()).context("a call")?;
    for _ in 0..at {
        app.press("demo-next").await?;
    }
    let Some(Turn::Api(gold)) = dialogue.turns.get(at) else { anyhow::bail!("no call") };
    Ok(call::format(&gold.api_name, &gold.param_dict))
}

/// An empty form is explained without a verdict; of a wrong call the gold is shown only on demand.
async fn wrong(app: &App, gold: &RecordedCall) -> Result<()> {
    let secret = gold.param_dict.values().filter_map(serde_json::Value::as_str).next_back();
    let secret = secret.context("a text argument")?;
    app.press(&format!("answer-{}", gold.api_name)).await?;
    app.press("answer-submit").await?;
    app.matching(".answer-form .field-error").await?;
    let judged = "return document.querySelector('[data-test=\"demo-verdict\"] .verdict') !== null";
    ensure!(app.script(judged).await? == false, "an empty form is judged");
    for name in gold.param_dict.keys() {
        app.fill(&format!("answer-field-{name}"), "nothing like it").await?;
    }
    app.press("answer-submit").await?;
    let verdict = app.see("demo-verdict", LONG, |text| text.contains("Show the answer")).await?;
    ensure!(verdict.starts_with("Wrong"), "{verdict}");
    app.press("demo-reveal").await?;
    app.see("demo-verdict", SOON, |text| text.contains(secret)).await.map(drop)
}

/// Waits until a table of the databases is open.
async fn see_table(app: &App, name: &str) -> Result<()> {
    until(&format!("the table {name}"), LONG, async || {
        let open = app.text_of("[data-test=\"demo-world\"] [aria-pressed=\"true\"]").await?;
        Ok(if open == name { Found::Yes(()) } else { Found::NotYet(open) })
    })
    .await
}

/// Presses a key where the focus is, and waits for the step.
async fn key_to(app: &App, key: impl Into<TypingData>, step: usize) -> Result<()> {
    app.driver().active_element().await?.send_keys(key).await?;
    let start = format!("Step {step} of");
    app.see("demo-step", SOON, |text| text.starts_with(&start)).await.map(drop)
}

#[tokio::test]
async fn the_table_that_a_step_uses_is_open() -> Result<()> {
    play("demo_tables", Setup::default(), async |app| {
        app.go("#/demo/plan/amber-weekend").await?;
        app.see("demo-step", LONG, |text| text.starts_with("Step 1 of")).await?;
        see_table(app, "Flight").await?;
        // The search for flights, two searches of flights, the search for hotels.
        for table in ["Flight", "Flight", "Flight", "HotelOffer"] {
            app.press("demo-next").await?;
            see_table(app, table).await?;
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn arrow_keys_step_except_in_a_field() -> Result<()> {
    play("demo_keys", Setup::default(), async |app| {
        app.go("#/demo").await?;
        app.see("demo-step", LONG, |text| text.starts_with("Step 1 of")).await?;
        let top = "const it = document.querySelector('[data-test=\"demo-talk\"]');
             return it.getBoundingClientRect().top + scrollY";
        let top = app.script(top).await?.as_f64().context("a number")?;
        ensure!(top < 320.0, "the conversation begins {top} px down");
        app.script("document.querySelector('[data-test=\"demo-call\"]').focus()").await?;
        key_to(app, Key::Right + "", 2).await?;
        key_to(app, Key::Right + "", 3).await?;
        key_to(app, Key::Left + "", 2).await?;
        app.fill("demo-keywords", "ab").await?;
        key_to(app, Key::Left + "c", 2).await?;
        let typed = app.element("demo-keywords").await?.prop("value").await?.unwrap_or_default();
        ensure!(typed.len() == 3, "the field has {typed:?}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn the_keyword_baseline_stands_in_for_a_missing_model() -> Result<()> {
    play("demo_baseline", Setup::default(), async |app| {
        app.go("#/demo").await?;
        app.see("demo-step", LONG, |text| text.starts_with("Step 1 of")).await?;
        to_first_call(app, &first(Ability::Call)?).await?;
        app.press("demo-player-endpoint").await?;
        let asked = app.text("demo-ask").await?;
        ensure!(asked == "Ask Keyword baseline", "{asked}");
        app.press("demo-ask").await?;
        app.see("demo-verdict", LONG, |text| text.contains("Right") || text.contains("Wrong"))
            .await?;
        app.matching("[data-test=\"demo-no-model\"] a").await?.click().await?;
        app.element("endpoint-url").await.map(drop)
    })
    .await
}

#[tokio::test]
async fn a_visitor_is_the_model() -> Result<()> {
    play("demo", Setup::default(), async |app| {
        app.go("#/demo").await?;
        let dialogue = first(Ability::Call)?;
        app.see("demo-step", LONG, |text| text.starts_with("Step 1 of")).await?;
        let gold = to_first_call(app, &dialogue).await?;
        app.see("demo-talk", LONG, |text| text.contains(&gold)).await?;
        app.press("demo-player-visitor").await?;
        let talk = app.text("demo-talk").await?;
        ensure!(!talk.contains(&gold), "the gold call is given away: {talk}");
        let call = dialogue.calls().next().context("a call")?;
        wrong(app, call).await?;
        app.press("answer-").await?;
        app.press("answer-submit").await?;
        app.see("demo-verdict", LONG, |text| text.contains("No API Call")).await?;
        app.press(&format!("answer-{}", call.api_name)).await?;
        for (name, value) in &call.param_dict {
            let text = value.as_str().context("a text argument")?;
            app.fill(&format!("answer-field-{name}"), text).await?;
        }
        app.press("answer-submit").await?;
        app.see("demo-verdict", LONG, |text| text.starts_with("Right")).await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_search_shows_its_five_best() -> Result<()> {
    play("demo_search", Setup::default(), async |app| {
        let dialogue = first(Ability::Retrieve)?;
        app.go(&format!("#/demo/{}", dialogue.id)).await?;
        app.see("demo-step", LONG, |text| text.starts_with("Step 1 of")).await?;
        to_first_call(app, &dialogue).await?;
        let hits = app.see("demo-hits", LONG, |text| text.lines().count() >= 5).await?;
        let found = dialogue
            .calls()
            .find(|call| call.api_name != "ToolSearcher" && call.api_name != "GetUserToken")
            .context("a call after the search")?;
        ensure!(hits.contains(&found.api_name), "{hits} lacks {}", found.api_name);
        app.press("demo-player-visitor").await?;
        until("empty keywords", SOON, async || {
            let typed = app.element("demo-keywords").await?.prop("value").await?;
            let typed = typed.unwrap_or_default();
            Ok(if typed.is_empty() { Found::Yes(()) } else { Found::NotYet(typed) })
        })
        .await?;
        Ok(())
    })
    .await
}
