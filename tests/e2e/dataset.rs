//! The Dataset page: counts, URL filters, the keyboard, a dialogue with its calls.

use anyhow::{Context, Result, ensure};
use thirtyfour::Key;

use crate::{
    app::grouped,
    browser::Setup,
    stage::play,
    wait::{LONG, SOON},
};

#[tokio::test]
async fn dialogues_are_found_and_read() -> Result<()> {
    play("dataset", Setup::default(), async |app| {
        let pack = dataset::builtin().context("the embedded pack")?;
        let all = grouped(pack.dialogues.len() + pack.hard.len());
        app.go("#/dataset").await?;
        app.see("dialogues-count", LONG, |text| text == format!("{all} of {all}")).await?;
        let row = app.text("dataset-row-plan").await?;
        ensure!(row.contains("50") && row.contains("245"), "Plan's row says {row:?}");

        // The URL stores the filter and restores it.
        app.fill("dataset-text", "climb first light").await?;
        app.see("dialogues-count", SOON, |text| text == format!("1 of {all}")).await?;
        let address = app.script("return location.hash").await?;
        ensure!(address == "#/dataset?q=climb%20first%20light", "the address is {address}");
        app.go("#/dataset?ability=plan&domain=finance").await?;
        let plans = pack.dialogues.iter().filter(|dialogue| {
            dialogue.ability == dataset::Ability::Plan
                && dataset::statistics::domains_of(dialogue).contains(&apis::Domain::Finance)
        });
        let expected = format!("{} of {all}", grouped(plans.count()));
        app.see("dialogues-count", SOON, |text| text == expected).await?;
        app.go("#/dataset?q=nothing-has-this-word").await?;
        app.press("dialogues-all").await?;
        app.see("dialogues-count", SOON, |text| text == format!("{all} of {all}")).await?;

        // Slash focuses the search; j selects the first row and Enter opens it.
        let body = app.matching("main").await?;
        body.send_keys("/").await?;
        let focused = app.script("return document.activeElement.dataset.test").await?;
        ensure!(focused == "dataset-text", "the keyboard is at {focused}");
        app.fill("dataset-text", "already-covered").await?;
        app.see("dialogues-count", SOON, |text| text == format!("1 of {all}")).await?;
        app.script("document.activeElement.blur()").await?;
        app.matching("main").await?.send_keys("j").await?;
        app.driver().active_element().await?.send_keys(Key::Enter + "").await?;
        app.see("dialogue-title", SOON, |text| text == "call/already-covered").await?;

        // The second alarm is rejected and changes nothing, the third adds a row.
        let states = app
            .script(
                "return [...document.querySelectorAll('[data-api=AddAlarm] summary .tag')]
                    .map(it => it.textContent)",
            )
            .await?;
        ensure!(states == serde_json::json!(["refused", "1 row changed"]), "{states}");
        let link =
            app.script("return document.querySelector('[data-api=AddAlarm] a').hash").await?;
        ensure!(link == "#/apis/dialogue/AddAlarm", "the API's link is {link}");
        app.go("#/dataset/call/no-such-dialogue").await?;
        app.see("dialogue-missing", SOON, |text| text.contains("no dialogue")).await?;
        Ok(())
    })
    .await
}
