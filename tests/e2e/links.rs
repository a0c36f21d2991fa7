//! Deep links: to every page, to a filled-in form, to a result. And the run's size, estimated in
//! the form.

use anyhow::{Context, Result, ensure};
use scripted_endpoint::{Config, Gold, Rule, Script, ScriptedEndpoint};
use thirtyfour::By;

use crate::{app::App, browser::Setup, stage::play, wait::SOON};

const KEY: &str = "sk-of-another-server";

async fn value(app: &App, hook: &str) -> Result<String> {
    app.control(hook).await?.value().await?.with_context(|| format!("{hook} has no value"))
}

#[tokio::test]
async fn the_header_leads_to_every_page_and_says_where_one_is() -> Result<()> {
    for window in [(1280, 900), (390, 844)] {
        play("header", Setup { window, ..Setup::default() }, async |app| {
            let here = async || -> Result<Vec<String>> {
                let found = app
                    .script(
                        "return [...document.querySelectorAll('header [aria-current=\"page\"]')]
                           .map(it => it.textContent)",
                    )
                    .await?;
                Ok(serde_json::from_value(found)?)
            };
            for (section, pages) in [
                ("Run", &[][..]),
                ("Demo", &[]),
                ("Compare", &[]),
                ("Leaderboard", &[]),
                ("Records", &["Saved runs", "Verify"]),
                ("Data", &["Dataset", "APIs", "Import", "Gold audit"]),
                ("Generate", &[]),
                ("Method", &[]),
            ] {
                let open = async |name: &str| -> Result<()> {
                    let links = app.driver().find_all(By::Css("header .nav-link")).await?;
                    for link in links {
                        if link.text().await? == name && link.is_displayed().await? {
                            return link
                                .click()
                                .await
                                .with_context(|| format!("can't press {name}"));
                        }
                    }
                    anyhow::bail!("{name} is not in sight")
                };
                open(section).await?;
                app.matching("main h1").await?;
                ensure!(
                    here().await?.contains(&section.to_owned()),
                    "{section}: {:?}",
                    here().await?
                );
                for page in pages {
                    open(page).await?;
                    app.matching("main h1").await?;
                    ensure!(
                        here().await?.contains(&(*page).to_owned()),
                        "{page}: {:?}",
                        here().await?
                    );
                }
            }
            let size =
                app.script("return document.documentElement.scrollWidth - innerWidth").await?;
            ensure!(size.as_i64() <= Some(0), "the header is too wide by {size} px");
            Ok(())
        })
        .await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_link_fills_the_form_in_and_names_what_it_cannot_take() -> Result<()> {
    play("fill", Setup::default(), async |app| {
        app.enter_endpoint("http://localhost:4999/v1", "mine", KEY).await?;
        app.go(
            "#/run?preset=vllm&model=a%2Fb&protocol=tools&trials=0&colour=red&api_key=sk-in-a-link",
        )
        .await?;
        let refused = app.text("link-refused").await?;
        for name in ["trials", "colour", "api_key"] {
            ensure!(refused.contains(name), "{refused:?} does not name {name}");
        }
        ensure!(value(app, "endpoint-model").await? == "a/b", "the model is another");
        ensure!(value(app, "protocol").await? == "tools", "the protocol is another");
        ensure!(value(app, "trials").await? == "1", "a wrong value was taken");
        ensure!(
            value(app, "endpoint-key").await?.is_empty(),
            "the key went along to another server"
        );
        let kept = app
            .script(
                "return JSON.stringify([{...localStorage}, {...sessionStorage}, location.href])",
            )
            .await?;
        ensure!(!kept.to_string().contains("sk-"), "a key is kept: {kept}");
        app.picture_here("filled-in").await?;

        app.press("settings-link").await?;
        let link = value(app, "settings-link-field").await?;
        app.press("link-undo").await?;
        ensure!(value(app, "endpoint-model").await? == "mine", "the form is not as it was");
        app.driver().goto(link.as_str()).await?;
        app.see("link-taken", SOON, |text| text.contains("protocol")).await?;
        ensure!(value(app, "endpoint-model").await? == "a/b", "its own link means something else");
        ensure!(!app.has("link-refused").await?, "its own link has something wrong");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_shared_result_shows_its_numbers_as_claims() -> Result<()> {
    play("share", Setup::default(), async |app| {
        app.run_baseline("keyword-baseline").await?;
        let shown = app.text("results-table").await?;
        let file = app.download_record().await?;
        app.press("result-link").await?;
        let link = value(app, "result-link-field").await?;
        // Discard the page's state: the link alone must suffice.
        app.driver().goto("about:blank").await?;
        app.driver().goto(link.as_str()).await?;
        let claim = app.text("claim").await?;
        ensure!(claim.contains("claims") && claim.contains(&file.record.digest), "{claim:?}");
        let numbers =
            |table: &str| -> Vec<String> { table.lines().skip(1).map(str::to_owned).collect() };
        let claimed = app.text("results-table").await?;
        ensure!(numbers(&claimed) == numbers(&shown), "claimed:\n{claimed}\nshown:\n{shown}");
        app.picture_here("shared").await?;
        app.press("claim-again").await?;
        app.see("link-taken", SOON, |text| text.contains("run")).await?;

        let broken = link.replace("total=", "total=9");
        app.driver().goto(broken.as_str()).await?;
        app.see("claim-refused", SOON, |text| text.contains("total")).await.map(drop)
    })
    .await
}

#[tokio::test]
async fn the_size_of_a_run_is_told_before_it_starts() -> Result<()> {
    play("estimate", Setup::default(), async |app| {
        let gold = Gold::builtin()?;
        let server =
            ScriptedEndpoint::start(gold.clone(), Config::new(Script::all(Rule::Right))).await?;
        app.enter_endpoint(&server.url(), "scripted", "").await?;
        app.press("size-all").await?;
        app.press("estimate-button").await?;
        let size =
            app.see("estimate-size", crate::wait::LONG, |text| text.contains("requests")).await?;
        let requests: String = size
            .split(' ')
            .next()
            .unwrap_or_default()
            .chars()
            .filter(char::is_ascii_digit)
            .collect();
        ensure!(requests == gold.samples().len().to_string(), "{size:?}");
        ensure!(app.text("estimate-time").await?.contains("unknown"), "a time out of nothing");
        app.test_connection().await?;
        app.see("estimate-time", SOON, |text| text.contains("about")).await?;
        app.press("estimate-prices").await?;
        app.fill("estimate-prompt-price", "1000").await?;
        app.see("estimate-cost", SOON, |text| text.contains("about")).await?;
        ensure!(server.requests().iter().all(|it| it.sample.is_none()), "a run was started");
        app.pick("amount", "tenth").await?;
        app.see("estimate-size", SOON, |text| text != size).await.map(drop)
    })
    .await
}
