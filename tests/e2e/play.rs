//! The game: played to its end by keyboard alone, on a phone.

use anyhow::{Context, Result, ensure};
use dataset::{Dialogue, RecordedCall, Turn};
use serde_json::Value;
use thirtyfour::{Key, TypingData};

use crate::{
    app::App,
    browser::Setup,
    looks::picture,
    stage::play,
    wait::{Found, LONG, SOON, until},
};

/// The questions of this game: more than one kind, and both ends of a reload.
const LINK: &str = "#/play?questions=4&seed=5";

/// Sends a key to the focused element.
async fn key(app: &App, key: impl Into<TypingData>) -> Result<()> {
    app.driver().active_element().await?.send_keys(key).await.context("can't press a key")
}

/// The hook of the focused element.
async fn here(app: &App) -> Result<String> {
    let hook = app.script("return document.activeElement.dataset.test ?? ''").await?;
    Ok(hook.as_str().unwrap_or_default().to_owned())
}

/// Presses a key until the element with this hook has the focus.
async fn press_to(app: &App, way: Key, hook: &str) -> Result<()> {
    for _ in 0..40 {
        if here(app).await? == hook {
            return Ok(());
        }
        key(app, way.clone() + "").await?;
    }
    anyhow::bail!("{way:?} does not lead to {hook}, but to {}", here(app).await?)
}

async fn see_focus(app: &App, hook: &str) -> Result<()> {
    until(hook, LONG, async || {
        let found = here(app).await?;
        Ok(if found == hook { Found::Yes(()) } else { Found::NotYet(found) })
    })
    .await
}

/// The gold of the question on the screen: its dialogue and turn follow from the table's steps.
fn gold(dialogues: &[Dialogue], id: &str) -> Result<Option<RecordedCall>> {
    let (name, turn) = id.rsplit_once('#').context("an id")?;
    let dialogue = dialogues.iter().find(|dialogue| dialogue.id == name).context("a dialogue")?;
    Ok(match dialogue.turns.get(turn.parse::<usize>()?).context("a turn")? {
        Turn::Api(call) => Some(call.clone()),
        _ => None,
    })
}

/// A value as the form takes it.
fn typed(value: &Value) -> String {
    let line = |item: &Value| match item {
        Value::Object(fields) => fields.values().map(typed).collect::<Vec<_>>().join(": "),
        other => typed(other),
    };
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(line).collect::<Vec<_>>().join("\n"),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        other => other.to_string(),
    }
}

/// Answers with the gold, by Tab, arrow keys and Enter.
async fn answer(app: &App, gold: Option<&RecordedCall>) -> Result<()> {
    see_focus(app, "play-count").await?;
    press_to(app, Key::Tab, "answer-").await?;
    let Some(call) = gold else {
        key(app, " ").await?;
        return key(app, Key::Enter + "").await;
    };
    press_to(app, Key::Down, &format!("answer-{}", call.api_name)).await?;
    for (name, value) in &call.param_dict {
        press_to(app, Key::Tab, &format!("answer-field-{name}")).await?;
        key(app, typed(value)).await?;
    }
    press_to(app, Key::Tab, "answer-submit").await?;
    key(app, Key::Enter + "").await
}

/// The ids of the game's questions, from the links of its result.
async fn asked(app: &App) -> Result<Vec<String>> {
    let links =
        "return [...document.querySelectorAll('[data-test=\"play-result\"] td:last-child a')]
        .map(it => decodeURIComponent(it.hash))";
    let links: Vec<String> = serde_json::from_value(app.script(links).await?)?;
    let id = |link: &String| link.splitn(4, '/').nth(3).map(str::to_owned);
    links.iter().map(id).collect::<Option<_>>().context("links to samples")
}

#[tokio::test]
async fn a_game_is_played_by_keyboard_and_compared_with_both_models() -> Result<()> {
    let phone = Setup { window: (390, 844), ..Setup::default() };
    play("play", phone, async |app| {
        let dialogues = dataset::builtin()?.dialogues;
        app.go(LINK).await?;
        for _ in 0..4 {
            app.press("answer-").await?;
            app.press("answer-submit").await?;
            see_focus(app, "play-verdict").await?;
            app.press("play-next").await?;
        }
        app.element("play-scores").await?;
        let ids = asked(app).await?;
        let calls: Vec<_> = ids.iter().map(|id| gold(&dialogues, id)).collect::<Result<_>>()?;
        ensure!(calls.iter().any(Option::is_some) && calls.iter().any(Option::is_none), "{ids:?}");
        app.script("sessionStorage.clear()").await?;
        app.go("#/run").await?;
        app.go(LINK).await?;
        app.element("answer-submit").await?;
        app.script("document.querySelector('.play-count').focus()").await?;
        for (at, gold) in calls.iter().enumerate() {
            answer(app, gold.as_ref()).await?;
            see_focus(app, "play-verdict").await?;
            let verdict = app.text("play-verdict").await?;
            ensure!(verdict.starts_with("Right"), "{verdict}");
            if at == 1 {
                picture(app, "play-verdict").await?;
                app.browser.resize(390, 844).await?;
                app.driver().refresh().await?;
                see_focus(app, "play-verdict").await?;
            }
            key(app, Key::Enter + "").await?;
        }
        see_focus(app, "play-sentence").await?;
        let sentence = app.text("play-sentence").await?;
        ensure!(sentence.contains("You beat") && sentence.contains("4"), "{sentence}");
        let scores = app.text("play-scores").await?;
        ensure!(scores.contains("You") && scores.contains("Keyword baseline"), "{scores}");
        ensure!(scores.lines().filter(|line| line.ends_with("of 4")).count() == 3, "{scores}");
        ensure!(asked(app).await? == ids, "the link asks other questions");
        picture(app, "play-result").await?;
        app.press("play-again").await?;
        app.see("play-count", LONG, |text| text == "Question 1 of 4").await?;
        let address = app.driver().current_url().await?;
        let seed = address.fragment().and_then(|it| it.split_once("seed=")).context("a seed")?.1;
        ensure!(seed != "5" && seed.parse::<u32>().is_ok(), "{address}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_wrong_value_is_explained_and_a_page_of_a_teacher_has_no_frame() -> Result<()> {
    play("play_embedded", Setup::default(), async |app| {
        app.driver().goto(format!("{}?embed#/play?ability=call&seed=-1", app.url)).await?;
        app.element("play-count").await?;
        for frame in [".header", ".footer"] {
            let script = format!("return document.querySelector('{frame}') === null");
            ensure!(app.script(&script).await? == true, "{frame} is shown");
        }
        let notice = app.text_of(".notice").await?;
        ensure!(notice.contains("seed") && notice.contains("-1"), "{notice}");
        picture(app, "play-embedded").await?;
        app.see("answer-submit", LONG, |_| true).await?;
        // Some question has an API with a required parameter.
        let api = app
            .script(
                "const it = [...document.querySelectorAll('.answer-apis input')].find(it => it.value);
             it.click(); return it.value",
            )
            .await?;
        let api = api.as_str().context("an API")?.to_owned();
        app.press("answer-submit").await?;
        app.matching(".answer-form .field-error").await?;
        ensure!(!app.has("play-verdict").await?, "{api} without arguments was judged");
        app.driver().refresh().await?;
        until("the choice is kept", SOON, async || {
            let kept = "return document.querySelector('.answer-apis :checked')?.value ?? ''";
            let kept = app.script(kept).await?;
            Ok(if kept == api.as_str() { Found::Yes(()) } else { Found::NotYet(kept.to_string()) })
        })
        .await?;
        app.driver().goto(format!("{}?embed#/method", app.url)).await?;
        app.matching(".header").await.map(drop)
    })
    .await
}
