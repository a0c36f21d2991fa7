//! The main flow by keyboard, and system preferences: reduced motion, print.

use anyhow::{Context, Result, ensure};
use serde_json::json;
use thirtyfour::prelude::*;

use crate::{
    app::App,
    browser::{Setup, screenshots},
    stage::play,
    wait::{Found, SOON, until},
};

/// An element is unreachable after this many Tab presses.
const FAR: usize = 80;

/// Sends a key to the focused element.
async fn key(app: &App, key: impl Into<TypingData>) -> Result<()> {
    let here = app.driver().active_element().await?;
    here.send_keys(key).await.context("can't press a key")
}

/// The focused element's hook, or else its text, and whether the focus is visible. Returns "nothing"
/// if no element has the focus.
async fn here(app: &App) -> Result<(String, bool)> {
    let found = app
        .script(
            "const it = document.activeElement, style = getComputedStyle(it);
             const { width, height } = it.getBoundingClientRect();
             return [it === document.body ? 'nothing' : it.dataset.test ?? it.textContent.trim(),
                     it.tagName === 'MAIN' || it.tagName === 'BODY'
                         || style.outlineStyle !== 'none' && width > 1 && height > 1]",
        )
        .await?;
    Ok(serde_json::from_value(found)?)
}

/// Presses Tab until the element with this hook has the focus.
async fn tab_to(app: &App, hook: &str) -> Result<()> {
    let mut passed = Vec::new();
    for _ in 0..FAR {
        key(app, Key::Tab).await?;
        let (found, seen) = here(app).await?;
        ensure!(seen, "the focus on {found:?} can't be seen");
        if found == hook {
            return Ok(());
        }
        passed.push(found);
    }
    anyhow::bail!("Tab does not lead to {hook}, but to {passed:?}")
}

async fn see_here(app: &App, what: &str, fits: impl Fn(&str) -> bool) -> Result<String> {
    until(what, SOON, async || {
        let (found, _) = here(app).await?;
        Ok(if fits(&found) { Found::Yes(found) } else { Found::NotYet(found) })
    })
    .await
}

#[tokio::test]
async fn the_main_flow_needs_no_mouse() -> Result<()> {
    play("keyboard", Setup::default(), async |app| {
        key(app, Key::Tab).await?;
        let (first, _) = here(app).await?;
        ensure!(first == "Skip to the content", "Tab starts at {first:?}");
        key(app, Key::Enter).await?;
        tab_to(app, "model-keyword-baseline").await?;
        key(app, Key::Down).await?;
        see_here(app, "the second model", |focused| focused == "model-gold-replay").await?;
        tab_to(app, "run-button").await?;
        key(app, Key::Enter).await?;
        // The button is gone.
        see_here(app, "the progress", |focused| focused == "Progress").await?;
        app.see_status("Finished").await?;
        see_here(app, "the progress", |focused| focused == "Progress").await?;
        app.see("cell-total-calls", SOON, |text| text == "100.0 %").await?;

        // The list is complete a moment after the rates.
        app.see("samples-count", SOON, |text| {
            text.split_once(" of ").is_some_and(|(seen, all)| seen == all)
        })
        .await?;
        // The list: down, up, search, open, next sample.
        app.script("document.activeElement.blur()").await?;
        key(app, "j").await?;
        let one = see_here(app, "the first sample", |focused| focused.contains('#')).await?;
        key(app, "j").await?;
        let two = see_here(app, "the second sample", |it| it.contains('#') && it != one).await?;
        key(app, "k").await?;
        see_here(app, "the first sample again", |focused| focused == one).await?;
        key(app, Key::Enter).await?;
        app.see("sample-verdict", SOON, |text| !text.is_empty()).await?;
        ensure!(app.text_of("main h1").await? == one, "Enter opened another sample");
        key(app, "j").await?;
        until("the next sample", SOON, async || {
            let title = app.text_of("main h1").await?;
            Ok(if title == two { Found::Yes(()) } else { Found::NotYet(title) })
        })
        .await?;
        app.go("#/results").await?;
        app.element("samples-list").await?;
        key(app, "/").await?;
        see_here(app, "the search", |focused| focused == "filter-text").await?;
        key(app, "early").await?;
        app.see("samples-count", SOON, |text| !text.starts_with("0 of")).await.map(drop)
    })
    .await
}

/// Tab stops that nobody can see.
const INVISIBLE: &str = "
    const stops = 'a[href], button, input, select, textarea, summary, [tabindex]';
    return [...document.querySelectorAll(stops)].filter(it => {
        const { width, height } = it.getBoundingClientRect();
        return it.getAttribute('tabindex') !== '-1' && !it.disabled && !it.closest('[inert]')
            && it.checkVisibility({ visibilityProperty: true })
            && (width <= 1 || height <= 1 || it.closest('.visually-hidden'));
    }).map(it => it.outerHTML.slice(0, 120))";

#[tokio::test]
async fn every_tab_stop_is_visible() -> Result<()> {
    play("tab-stops", Setup::default(), async |app| {
        let mut hidden = Vec::new();
        for page in [
            "run",
            "demo",
            "compare",
            "leaderboard",
            "records",
            "verify",
            "dataset",
            "apis",
            "import",
            "audit",
            "method",
            "search-lab",
            "generate",
        ] {
            app.go(&format!("#/{page}")).await?;
            app.matching("main h1").await?;
            hidden.push((page, app.script(INVISIBLE).await?));
        }
        app.go("#/run").await?;
        app.run_baseline("keyword-baseline").await?;
        app.element("sample-row").await?;
        hidden.push(("results", app.script(INVISIBLE).await?));
        hidden.retain(|(_, found)| *found != json!([]));
        ensure!(hidden.is_empty(), "invisible tab stops: {hidden:?}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn an_error_of_the_headline_leads_to_its_samples() -> Result<()> {
    play("headline-errors", Setup::default(), async |app| {
        app.run_baseline("keyword-baseline").await?;
        app.element("sample-row").await?;
        let place =
            "const top = document.getElementById('samples-title').getBoundingClientRect().top;
                     return top >= 0 && top < innerHeight";
        app.script("scrollTo(0, 0)").await?;
        ensure!(app.script(place).await? == false, "the samples are in view from the start");
        app.element("headline-error").await?.send_keys(Key::Enter).await?;
        see_here(app, "the heading of the samples", |focused| focused == "Samples").await?;
        ensure!(app.script(place).await? == true, "the samples are out of view");
        app.see("samples-count", SOON, |text| {
            text.split_once(" of ").is_some_and(|(seen, all)| seen != all)
        })
        .await
        .map(drop)
    })
    .await
}

#[tokio::test]
async fn what_destroys_asks_and_the_keyboard_stays_with_it() -> Result<()> {
    play("confirm", Setup::default(), async |app| {
        app.run_baseline("gold-replay").await?;
        app.go("#/records").await?;
        app.element("kept-run").await?;
        tab_to(app, "delete-run").await?;
        key(app, Key::Enter).await?;
        see_here(app, "the answer that keeps it", |focused| focused == "delete-run-keep").await?;
        key(app, Key::Enter).await?;
        see_here(app, "the button again", |focused| focused == "delete-run").await?;
        ensure!(app.has("kept-run").await?, "it was deleted");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn nothing_moves_for_who_wants_no_motion() -> Result<()> {
    play("motion", Setup::default(), async |app| {
        app.browser.emulate("", "prefers-reduced-motion", "reduce").await?;
        app.run_baseline("gold-replay").await?;
        let moving = app
            .script(
                "return [...document.querySelectorAll('*')].filter(it => {
                     const style = getComputedStyle(it);
                     return style.animationName !== 'none'
                         || style.transitionDuration.split(', ').some(time => parseFloat(time) > 0)
                         || style.scrollBehavior === 'smooth';
                 }).map(it => it.outerHTML.slice(0, 100))",
            )
            .await?;
        ensure!(moving == json!([]), "these move: {moving}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_result_prints_as_a_clean_page() -> Result<()> {
    play("print", Setup::default(), async |app| {
        app.pick("theme", "dark").await?;
        app.run_baseline("keyword-baseline").await?;
        app.browser.emulate("print", "prefers-color-scheme", "light").await?;
        let left = app
            .script(
                "const seen = it => it.checkVisibility();
                 return [...document.querySelectorAll('header, footer, form, button, input, select')]
                     .filter(seen).map(it => it.outerHTML.slice(0, 100))",
            )
            .await?;
        // The error classes are links in a table, and also meaningful on paper.
        let left: Vec<String> = serde_json::from_value(left)?;
        let controls: Vec<_> = left.iter().filter(|it| !it.contains("class=\"link\"")).collect();
        ensure!(controls.is_empty(), "controls would be printed: {controls:?}");
        ensure!(app.element("results-table").await?.is_displayed().await?, "no table on paper");
        let paper = app.script("return getComputedStyle(document.querySelector('.scroll')).backgroundColor").await?;
        ensure!(paper == "rgb(255, 255, 255)", "the paper is {paper}");
        let file = screenshots().join("print-result.png");
        std::fs::create_dir_all(screenshots())?;
        app.driver().screenshot(&file).await.context("no screenshot")
    })
    .await
}
