//! The Demo page: stepping through a dialogue, and a visitor playing the model.

use anyhow::{Context, Result, ensure};
use dataset::{Ability, Dialogue, Turn};
use exchange::call;

use crate::{app::App, browser::Setup, stage::play, wait::LONG};

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
        app.fill("demo-typed", "I would rather not.").await?;
        app.press("demo-check").await?;
        app.see("demo-verdict", LONG, |text| text.contains("No API Call")).await?;
        app.fill("demo-typed", &gold).await?;
        app.press("demo-check").await?;
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
        Ok(())
    })
    .await
}
