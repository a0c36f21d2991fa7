//! The Leaderboard page: rows, order, samples of a row, comparison with the user's run.

use anyhow::{Context, Result, ensure};
use record::leaderboard::{Kind, Leaderboard, LeaderboardRow};
use record::metrics::horizon;
use scoring::Profile;
use std::fs;
use thirtyfour::By;

use crate::{
    app::App,
    browser::Setup,
    stage::play,
    wait::{Found, LONG, SOON, until},
};

/// The table that the site ships.
pub fn shipped(app: &App) -> Result<Leaderboard> {
    for file in fs::read_dir(&app.dist)? {
        let path = file?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with("leaderboard-") && name.ends_with(".json") {
            return Ok(serde_json::from_slice(&fs::read(path)?)?);
        }
    }
    anyhow::bail!("the site has no leaderboard")
}

/// The models of the rows, from top to bottom.
async fn models(app: &App) -> Result<Vec<String>> {
    let found = app
        .script(
            "return [...document.querySelectorAll('[data-test=\"board-row\"]')]
                 .map(row => row.dataset.model)",
        )
        .await?;
    Ok(serde_json::from_value(found)?)
}

async fn see_models(app: &App, expected: &[&str]) -> Result<()> {
    until("the order of the rows", SOON, async || {
        let models = models(app).await?;
        let top: Vec<&str> = models.iter().take(expected.len()).map(String::as_str).collect();
        Ok(if top == expected { Found::Yes(()) } else { Found::NotYet(format!("{models:?}")) })
    })
    .await
}

/// Clicks a button of a model's row.
async fn press_of(app: &App, model: &str, hook: &str) -> Result<()> {
    let selector = format!("[data-model=\"{model}\"] [data-test=\"{hook}\"]");
    let button = app.matching(&selector).await?;
    button.scroll_into_view().await?;
    button.click().await.with_context(|| format!("can't press {hook} of {model}"))
}

/// How many records the page has fetched.
async fn fetched(app: &App) -> Result<u64> {
    let count = app
        .script(
            "return performance.getEntriesByType('resource')
                 .filter(it => it.name.endsWith('.json.gz')).length",
        )
        .await?;
    count.as_u64().context("a count")
}

/// The models without the trivial ones, by score.
fn best_first(board: &Leaderboard) -> Vec<&str> {
    let rows = board.rows.iter().filter(|row| row.kind != Kind::Trivial);
    let score =
        |row: &LeaderboardRow| row.scores(Profile::Execution).and_then(|it| it.total.0.value());
    let mut rows: Vec<_> = rows.map(|row| (row.model.as_str(), score(row))).collect();
    rows.sort_by(|(_, a), (_, b)| b.partial_cmp(a).unwrap_or(std::cmp::Ordering::Equal));
    rows.into_iter().map(|(model, _)| model).collect()
}

/// A record that can't be opened is reported in its row.
async fn failure_in_its_row(app: &App) -> Result<()> {
    app.script(
        "window.whole = window.fetch;
         window.fetch = () => Promise.reject(new TypeError('no network'))",
    )
    .await?;
    press_of(app, "Says nothing", "board-open").await?;
    app.matching("[data-model=\"Says nothing\"] [data-test=\"board-trouble\"]").await?;
    app.script("window.fetch = window.whole").await.map(drop)
}

async fn rows_follow_the_choices(app: &App, board: &Leaderboard) -> Result<()> {
    let rows = models(app).await?;
    let expected = best_first(board);
    ensure!(rows == expected, "{rows:?} are shown, {expected:?} are shipped");
    app.press("board-trivial").await?;
    for row in &board.rows {
        let rank = format!("[data-model=\"{}\"] [data-test=\"board-rank\"]", row.model);
        let (rank, scores) = (app.text_of(&rank).await?, row.scores(Profile::Execution));
        let expected = scores.context("scores")?.rank.map(|rank| rank.to_string());
        ensure!(rank == expected.as_deref().unwrap_or("–"), "{}: {rank}", row.model);
    }
    let shown = app.text_of("[data-model=\"Keyword baseline\"]").await?;
    let keyword = board.rows.iter().find(|row| row.model == "Keyword baseline");
    let rate = keyword.and_then(|row| row.scores(Profile::Execution)).context("scores")?.total.0;
    let percent = format!("{:.1} %", 100.0 * rate.value().context("a rate")?);
    ensure!(shown.contains(&percent), "{shown} lacks {percent}");
    // Names sort by the first click on their column, and turn by the second.
    let mut names: Vec<&str> = board.rows.iter().map(|row| row.model.as_str()).collect();
    names.sort_by_key(|name| name.to_lowercase());
    let last = names.last().copied().context("no rows")?;
    for expected in [names[0], last] {
        let heads = app.driver().find_all(By::Css("[data-test=\"leaderboard\"] .sort")).await?;
        heads.get(1).context("the model's column")?.click().await?;
        see_models(app, &[expected]).await?;
    }
    app.press("board-secondary").await?;
    let rates = ["Finds the API", "Knows when not to call", "Tells the result", "Whole dialogues"];
    app.see("leaderboard", SOON, |text| rates.iter().all(|rate| text.contains(rate))).await?;
    app.press("board-secondary").await?;
    app.press("board-kinds").await?;
    app.see("leaderboard", SOON, |text| text.contains("Hidden instructions")).await?;
    app.press("board-kinds").await?;
    app.press("board-builtin").await?;
    let part = board.rows.iter().find(|row| row.percent.is_some());
    let row = part.context("no model was run on a part")?;
    let (model, percent) = (&row.model, row.percent.unwrap_or_default());
    app.see("leaderboard", SOON, |text| text.contains(model) && !text.contains("Gold replay"))
        .await?;
    let row = app.text_of(&format!("[data-model=\"{model}\"]")).await?;
    ensure!(row.contains(&format!("{percent} % of the dialogues, n = ")), "{row}");
    app.press("board-builtin").await?;
    app.pick("board-profile", "exact").await?;
    app.see("leaderboard", SOON, |text| text.contains("profile exact")).await?;
    app.pick("board-profile", "execution").await
}

#[tokio::test]
async fn a_row_opens_its_samples_and_is_compared_with_a_run() -> Result<()> {
    play("leaderboard", Setup::default(), async |app| {
        let board = shipped(app)?;
        app.go("#/leaderboard").await?;
        app.see("leaderboard", LONG, |text| text.contains("Gold replay")).await?;
        app.picture_here("leaderboard").await?;
        rows_follow_the_choices(app, &board).await?;
        app.press("board-secondary").await?;
        app.press("board-kinds").await?;
        let tall = "return document.querySelector('[data-test=\"board-row\"]').offsetHeight";
        let before = app.script(tall).await?;
        app.press("board-origin").await?;
        app.see("board-facts", SOON, |text| text.contains("api-bank run")).await?;
        ensure!(app.script(tall).await? == before, "the facts make the row taller");
        app.picture_here("leaderboard-kinds").await?;
        ensure!(fetched(app).await? == 0, "a record was loaded before its row was opened");

        failure_in_its_row(app).await?;
        press_of(app, "Says nothing", "board-open").await?;
        app.see("cell-total-calls", LONG, |text| text == "0.0 %").await?;
        ensure!(fetched(app).await? == 1, "one record was opened");
        let listed = crate::list::listed(app).await?;
        ensure!(listed.len() > 1000, "{} samples are listed", listed.len());

        // A run of the user's own, small enough to be quick.
        app.go("#/run").await?;
        app.pick("amount", "count").await?;
        app.fill("per-ability", "2").await?;
        app.run_baseline("gold-replay").await?;
        app.go("#/leaderboard").await?;
        app.press("board-trivial").await?;
        press_of(app, "Says nothing", "board-compare").await?;
        app.see("compare-records", LONG, |text| text.contains("Gold replay")).await?;
        let records = app.text("compare-records").await?;
        ensure!(records.contains("A Says nothing"), "{records}");
        app.see("compare-pairs", LONG, |text| text.contains("B is better")).await.map(drop)
    })
    .await
}

#[tokio::test]
async fn horizons_are_listed_and_open_their_samples() -> Result<()> {
    play("leaderboard-horizons", Setup::default(), async |app| {
        let board = shipped(app)?;
        app.go("#/leaderboard").await?;
        let section = app.see("board-horizons", LONG, |text| text.contains("Seeds")).await?;
        let shown: Vec<_> = board.horizons.iter().filter(|it| it.kind != Kind::Trivial).collect();
        ensure!(!shown.is_empty(), "the leaderboard has no horizon");
        for row in &shown {
            let all = row.total().context("a horizon over all tasks")?;
            let words = horizon::words(&all.estimate);
            ensure!(section.contains(&row.model) && section.contains(&words), "{section}");
        }
        let rows = app.driver().find_all(By::Css("[data-test=\"board-horizon\"]")).await?;
        ensure!(rows.len() == shown.len(), "{} rows of {}", rows.len(), shown.len());
        app.matching("[data-test=\"board-horizons\"]").await?.scroll_into_view().await?;
        app.picture_here("leaderboard-horizons").await?;

        let (first, tasks) = (shown[0], shown[0].total().map_or(0, |it| it.tasks));
        press_of(app, &first.model, "board-open-horizon").await?;
        let words = first.total().map(|it| horizon::words(&it.estimate)).unwrap_or_default();
        app.see("horizon-words", LONG, |text| text == words).await?;
        let listed = crate::list::listed(app).await?;
        ensure!(listed.len() == tasks, "{} of {tasks} tasks are listed", listed.len());
        // Without the built-in models there is nothing left to list.
        app.go("#/leaderboard").await?;
        app.press("board-builtin").await?;
        app.see("leaderboard", SOON, |text| !text.contains("Gold replay")).await?;
        let models = shown.iter().any(|row| row.kind == Kind::Model);
        ensure!(app.has("board-horizons").await? == models, "the section follows the choice");
        Ok(())
    })
    .await
}
