//! A first-time user: what pages say first, and the steps to a score with time and clicks. The steps are
//! a report rather than a timing test: run it manually, `-- --ignored --nocapture newcomer`.

use std::time::Instant;

use anyhow::{Result, ensure};
use scripted_endpoint::{Config, Gold, Rule, Script, ScriptedEndpoint};

use crate::{
    browser::Setup,
    stage::play,
    wait::{LONG, SOON},
};

#[tokio::test]
async fn pages_say_first_what_they_are_for() -> Result<()> {
    play("first-sentences", Setup::default(), async |app| {
        for page in
            ["demo", "method", "generate", "endpoints", "import", "audit", "verify", "dataset"]
        {
            app.go(&format!("#/{page}")).await?;
            app.matching("main h1").await?;
            let first = app.text_of("main h1 + p").await?;
            let is_sentence = first.contains(' ') && first.contains(['.', '?']);
            ensure!(is_sentence && !first.contains("SHA"), "{page} begins with {first:?}");
        }
        Ok(())
    })
    .await
}

#[tokio::test]
#[ignore = "a measurement"]
async fn a_newcomer_from_the_address_to_a_score() -> Result<()> {
    play("newcomer", Setup::default(), async |app| {
        let mut last = Instant::now();
        let mut step = |what: &str, clicks: usize| {
            println!("{what}: {:.1} s, {clicks} clicks", last.elapsed().as_secs_f64());
            last = Instant::now();
        };
        app.driver().goto(app.url.as_str()).await?;
        app.element("run-button").await?;
        step("open the address, the page can be used", 0);
        app.press_run().await?;
        app.see("status-text", LONG, |text| text == "Running" || text == "Finished").await?;
        step("press Run, the engine has loaded and the first samples come", 1);
        app.see_status("Finished").await?;
        step("the benchmark is finished, the score is there", 0);
        let record = app.download_record().await?;
        ensure!(!record.record.samples.is_empty(), "the record holds the samples");
        step("Download record, the record is on disk", 1);

        let config = Config::new(Script::all(Rule::Right));
        let server = ScriptedEndpoint::start(Gold::builtin()?, config).await?;
        step("(the bench starts an endpoint)", 0);
        app.choose("endpoint").await?;
        app.fill("endpoint-url", &server.url()).await?;
        app.fill("endpoint-model", "scripted").await?;
        step("pick the endpoint, two fields: address and model", 1);
        app.press("test-connection").await?;
        app.see("connection-message", SOON, |text| text.contains("Works")).await?;
        step("Test connection, it works", 1);
        app.press_run().await?;
        app.see_status("Finished").await?;
        step("press Run, the model's score is there", 1);
        println!("score: {}", app.text("cell-total-calls").await?);
        Ok(())
    })
    .await
}
