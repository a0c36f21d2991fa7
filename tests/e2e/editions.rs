//! Editions of the data: a variant beside the original, and a language.

use anyhow::{Result, ensure};
use dataset::{Edition, Language};
use record::Status;

use crate::{browser::Setup, stage::play, wait::LONG};

#[tokio::test]
async fn a_variant_is_run_beside_the_original_and_compared() -> Result<()> {
    play("variant", Setup::default(), async |app| {
        app.press("size-quick").await?;
        app.run_baseline("gold-replay").await?;
        app.press("run-variant").await?;
        app.see("compare-editions", LONG, |text| text.contains("Compare")).await?;
        app.see_status("Finished").await?;
        let record = app.download_record().await?.record;
        ensure!(record.pack.edition() == Edition::Variant(1), "{:?}", record.pack);
        let total = record.summary.rows.last().map(|row| row.calls);
        ensure!(total.is_some_and(|total| total.right == total.n && total.n > 20), "{total:?}");
        app.press("compare-editions").await?;
        app.see("compare-records", LONG, |text| text.contains("variant 1")).await?;
        let pair = app.see("compare-pair", LONG, |text| text.contains("Total")).await?;
        ensure!(pair.contains("0.0"), "{pair}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_language_is_a_setting_and_stands_in_record_and_link() -> Result<()> {
    play("language-edition", Setup::default(), async |app| {
        app.go("#/run?run=gold-replay&edition=es").await?;
        app.see("settings-changed", LONG, |text| text.contains("edition es")).await?;
        app.run_baseline("gold-replay").await?;
        let record = app.download_record().await?.record;
        ensure!(record.pack.language == Some(Language::Spanish), "{:?}", record.pack);
        ensure!(record.status == Status::Finished, "{:?}", record.status);
        let asked = record.samples.iter().flat_map(|sample| &sample.messages);
        ensure!(
            asked.into_iter().any(|message| message.content.contains("answer in Spanish")),
            "no prompt names the language"
        );
        // The hard split is not translated: the run is refused, with the remedy.
        app.go("#/run?run=gold-replay&edition=es&split=hard").await?;
        app.press_run().await?;
        app.see_status("Failed").await?;
        let page = app.text_of("main").await?;
        ensure!(page.contains("the hard split is English"), "{page}");
        Ok(())
    })
    .await
}
