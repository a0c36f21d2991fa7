//! Ten thousand samples: only visible rows are in the DOM, and the page stays responsive.

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use scripted_endpoint::Gold;

use crate::{
    app::{App, grouped},
    browser::Setup,
    stage::play,
    wait::{Found, SOON, until},
};

/// The samples of a long run.
const MANY: usize = 10_000;
/// The maximum number of rows in the DOM: a screenful with margins.
const SCREENFUL: usize = 70;
/// The timeout for ten thousand samples on a busy machine.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(600);

/// The rows in the DOM: how many, and the first and last visible ids.
async fn rows(app: &App) -> Result<(usize, String, String)> {
    let found = app
        .script(
            "const list = document.querySelector('[data-test=\"samples-list\"]');
             const box = list.getBoundingClientRect();
             const rows = [...list.querySelectorAll('[data-test=\"sample-row\"]')];
             const seen = rows.filter(row => {
                 const own = row.getBoundingClientRect();
                 return own.bottom > box.top + 40 && own.top < box.bottom - 4;
             });
             return [rows.length, seen.at(0)?.dataset.at ?? '', seen.at(-1)?.dataset.at ?? '']",
        )
        .await?;
    Ok(serde_json::from_value(found)?)
}

/// Performs an action and prints the time until the page shows the result.
async fn timed(what: &str, act: impl AsyncFnOnce() -> Result<()>) -> Result<()> {
    let started = Instant::now();
    act().await.with_context(|| what.to_owned())?;
    println!("long list: {what}: {} ms", started.elapsed().as_millis());
    Ok(())
}

#[tokio::test]
async fn ten_thousand_samples_are_listed_a_screenful_at_a_time() -> Result<()> {
    play("long_list", Setup::default(), async |app| {
        let once = Gold::builtin()?.samples().len();
        let trials = MANY.div_ceil(once);
        let all = once * trials;
        app.fill("trials", &trials.to_string()).await?;
        app.choose("keyword-baseline").await?;
        timed("run", async || {
            app.press_run().await?;
            app.see("status-text", PATIENCE, |text| text == "Finished").await.map(drop)
        })
        .await?;
        let whole = format!("{0} of {0}", grouped(all));
        app.see("samples-count", SOON, |text| text == whole).await?;
        let (count, first, _) = rows(app).await?;
        ensure!(count <= SCREENFUL && first == "0", "{count} rows from {first}");

        timed("end", async || {
            app.script(
                "const it = document.querySelector('[data-test=\"samples-list\"]');
                        it.scrollTop = it.scrollHeight",
            )
            .await?;
            see_rows(app, |_, last| last == all - 1).await
        })
        .await?;
        timed("sort", async || {
            app.press("sort-latency").await?;
            app.press("sort-latency").await?;
            app.matching("th[aria-sort=\"descending\"]").await?;
            see_rows(app, |first, _| first == 0).await
        })
        .await?;
        timed("filter by state", async || {
            app.press("filter-wrong").await?;
            app.see("samples-count", SOON, |text| text != whole).await.map(drop)
        })
        .await?;
        app.press("filter-all").await?;
        timed("filter by words", async || {
            app.fill("filter-text", "wrong api").await?;
            app.see("samples-count", SOON, |text| text != whole && !text.starts_with("0 "))
                .await
                .map(drop)
        })
        .await?;
        app.fill("filter-text", " ").await?;
        app.see("samples-count", SOON, |text| text == whole).await?;
        // The keyboard moves past the edge of the visible rows.
        app.script("document.activeElement.blur()").await?;
        let (_, _, last) = rows(app).await?;
        let steps = last.parse::<usize>()? + 5;
        timed("keys", async || {
            for _ in 0..=steps {
                app.driver().active_element().await?.send_keys("j").await?;
            }
            until("the keyboard on a row further down", SOON, async || {
                let at =
                    app.script("return document.activeElement.closest('tr')?.dataset.at").await?;
                let there = at.as_str() == Some(steps.to_string().as_str());
                Ok(if there { Found::Yes(()) } else { Found::NotYet(at.to_string()) })
            })
            .await
        })
        .await?;
        let (count, ..) = rows(app).await?;
        ensure!(count <= SCREENFUL, "{count} rows");
        Ok(())
    })
    .await
}

/// Waits until the range of visible rows, numbered from 0, matches.
async fn see_rows(app: &App, fits: impl Fn(usize, usize) -> bool) -> Result<()> {
    until("certain rows", SOON, async || {
        let (count, first, last) = rows(app).await?;
        ensure!(count <= SCREENFUL, "{count} rows");
        let found = match (first.parse(), last.parse()) {
            (Ok(first), Ok(last)) => fits(first, last),
            _ => false,
        };
        let there = format!("{first} to {last}");
        Ok(if found { Found::Yes(()) } else { Found::NotYet(there) })
    })
    .await
}
