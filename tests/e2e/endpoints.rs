//! The Endpoints page: one model behind two servers, one of which never calls.

use anyhow::{Result, ensure};
use scripted_endpoint::{Config, Gold, Rule, Script, ScriptedEndpoint};

use crate::{
    app::App,
    browser::Setup,
    looks::picture,
    stage::play,
    wait::{LONG, SOON},
};

const KEY: &str = "sk-of-the-first-alone";

/// Adds the endpoint at an address.
async fn add(app: &App, url: &str, key: &str) -> Result<()> {
    app.press("preset-custom").await?;
    app.fill("endpoint-url", url).await?;
    app.fill("endpoint-model", "scripted").await?;
    if !key.is_empty() {
        app.fill("endpoint-key", key).await?;
    }
    app.press("endpoints-add").await
}

#[tokio::test]
async fn a_server_that_never_calls_differs_and_the_samples_are_shown() -> Result<()> {
    play("endpoints", Setup::default(), async |app| {
        let gold = Gold::builtin()?;
        let right = Config { key: Some(KEY.to_owned()), ..Config::new(Script::all(Rule::Right)) };
        let first = ScriptedEndpoint::start(gold.clone(), right).await?;
        let other =
            ScriptedEndpoint::start(gold.clone(), Config::new(Script::all(Rule::NoCall))).await?;

        app.go("#/endpoints").await?;
        app.see("endpoints-empty", LONG, |text| text.contains("None yet")).await?;
        app.press("endpoints-start").await?;
        app.see("endpoints-trouble", SOON, |text| text.contains("at least two")).await?;
        add(app, &first.url(), KEY).await?;
        app.see("endpoints-list", SOON, |text| text.contains("with a key")).await?;
        add(app, &other.url(), "").await?;
        app.see("endpoints-list", SOON, |text| text.contains("without a key")).await?;
        picture(app, "endpoints-form").await?;

        app.press("size-quick").await?;
        app.press("endpoints-start").await?;
        app.see("endpoints-status", LONG, |text| text == "Finished").await?;
        let verdict = app.text("endpoints-verdict").await?;
        ensure!(verdict.contains("Differences beyond noise"), "{verdict}");
        let differences = app.text("endpoints-differences").await?;
        ensure!(
            differences.contains("same effect") && differences.contains("differs"),
            "{differences}"
        );
        let means = app.text("endpoints-means").await?;
        ensure!(means.contains("100.0 %") && means.contains("scripted @"), "{means}");
        picture(app, "endpoints-result").await?;

        let (asked, asked_other) = (first.requests().len(), other.requests().len());
        ensure!(asked == 2 * asked_other, "{asked} and {asked_other}: the reference runs twice");
        for seen in first.requests() {
            ensure!(seen.header("authorization") == format!("Bearer {KEY}"), "without the key");
        }
        for seen in other.requests() {
            ensure!(seen.header("authorization").is_empty(), "the key of another host was sent");
        }

        app.press("endpoints-samples").await?;
        let records = app.see("compare-records", LONG, |text| text.contains('C')).await?;
        ensure!(records.matches("scripted").count() >= 3, "{records}");
        // The runs are stored like any other.
        app.go("#/records").await?;
        app.matching("[data-test=\"kept-run\"]:nth-of-type(3)").await?;
        Ok(())
    })
    .await
}
