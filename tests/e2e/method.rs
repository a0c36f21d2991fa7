//! The Method page: its live examples give the stated results.

use anyhow::{Context, Result, ensure};
use scoring::ErrorClass;
use thirtyfour::prelude::*;

use crate::{browser::Setup, looks::picture, stage::play, wait::LONG};

#[tokio::test]
async fn every_example_gets_the_class_that_it_stands_for() -> Result<()> {
    play("method", Setup::default(), async |app| {
        app.go("#/method").await?;
        app.press("judge-examples").await?;
        app.see("examples-judged", LONG, |text| text.contains("just now")).await?;
        let mut classes = 0;
        for example in app.driver().find_all(By::Css("[data-test=\"example\"]")).await? {
            let of = example.attr("data-of").await?.context("what it is an example of")?;
            let text = example.text().await?;
            if of == "profiles" {
                ensure!(text.contains("execution Right"), "{text}");
                ensure!(text.contains("exact Wrong"), "{text}");
            } else if !of.is_empty() {
                // The page's own name; the paper's is "Has Exception".
                let title = if of == "Has Exception" { "Call failed" } else { &of };
                ensure!(text.contains(&format!("execution Wrong: {title}")), "of {of}: {text}");
                classes += 1;
            }
        }
        let all = ErrorClass::ALL.len();
        ensure!(classes == all, "{classes} of {all} classes");
        let first = app.text("example").await?;
        for profile in ["execution", "exact", "f1"] {
            ensure!(first.contains(&format!("{profile} Right")), "{profile}: {first}");
        }
        let all = app.text_of("article").await?;
        let rouge: f64 = app.text("example-rouge").await?.parse()?;
        ensure!(0.2 < rouge && rouge < 0.9, "a score between: {rouge}");
        ensure!(all.contains("80.0 %, interval 56.3 % to 92.6 %"), "an interval of dialogues");
        ensure!(all.contains("C(5, 2) = 0.60"), "pass^2");
        picture(app, "method-examples").await
    })
    .await
}

#[tokio::test]
async fn the_table_of_trivial_models_follows_protocol_and_profile() -> Result<()> {
    play("trivial", Setup::default(), async |app| {
        app.go("#/method").await?;
        app.see("trivial-table", LONG, |text| text.contains("Says nothing")).await?;
        ensure!(app.text("trivial-table").await?.contains("ROUGE-L"), "replies have a score");
        ensure!(app.text("agreement").await?.contains("of 139"), "wrong answers to calls");
        picture(app, "method-trivial").await?;
        app.pick("trivial-protocol", "agent").await?;
        app.see("trivial-table", LONG, |text| text.contains("Share of dialogues")).await?;
        let execution = app.text("trivial-table").await?;
        app.pick("trivial-profile", "exact").await?;
        app.see("trivial-table", LONG, |text| text != execution).await?;
        Ok(())
    })
    .await
}
