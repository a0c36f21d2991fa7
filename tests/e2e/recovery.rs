//! A worker that breaks down.

use anyhow::{Result, ensure};

use crate::{browser::Setup, stage::play, wait::LONG};

#[tokio::test]
async fn a_panic_is_shown_and_a_fresh_worker_starts() -> Result<()> {
    let errors = &["provoked", "unreachable"];
    play("panic", Setup { errors, ..Setup::default() }, async |app| {
        app.run_baseline("gold-replay").await?;
        app.go("#/debug/panic").await?;
        let shown = app.see("worker-error", LONG, |text| text.contains("provoked")).await?;
        ensure!(shown.contains("panic"), "{shown}");
        app.press("restart-worker").await?;
        app.go("#/run").await?;
        app.run_baseline("keyword-baseline").await?;
        ensure!(!app.has("worker-error").await?, "the error is still shown");
        Ok(())
    })
    .await
}
