//! The frames of the moving picture of a run in the README.
//!
//! ```sh
//! cargo test --test e2e moving_picture -- --ignored
//! python3 xtask/moving_picture.py target/screenshots/run-frames docs/run.webp
//! ```

use std::{fs, time::Duration};

use anyhow::{Result, ensure};

use crate::{
    app::App,
    browser::{Setup, screenshots},
    stage::play,
};

/// The size of the picture.
const WINDOW: (u32, u32) = (1200, 760);
/// The time between two frames of a run.
const STEP: Duration = Duration::from_millis(100);
/// More frames than any run needs.
const MOST: usize = 600;

#[tokio::test]
#[ignore = "takes the frames of docs/run.webp"]
async fn moving_picture_of_a_run() -> Result<()> {
    play("moving-picture", Setup { window: WINDOW, ..Setup::default() }, async |app| {
        let dir = screenshots().join("run-frames");
        if dir.exists() {
            fs::remove_dir_all(&dir)?;
        }
        fs::create_dir_all(&dir)?;
        app.browser.prefer("light").await?;
        app.choose("keyword-baseline").await?;
        let mut frames = 0;
        let mut frame = async |app: &App| {
            app.driver().screenshot(&dir.join(format!("{frames:03}.png"))).await?;
            frames += 1;
            ensure!(frames < MOST, "the run does not end");
            Ok(())
        };
        frame(app).await?;
        app.press_run().await?;
        while !app.has("status-text").await? || app.text("status-text").await? != "Finished" {
            frame(app).await?;
            tokio::time::sleep(STEP).await;
        }
        app.element("sample-row").await?;
        tokio::time::sleep(5 * STEP).await;
        frame(app).await?;
        app.press("filter-wrong").await?;
        app.script("document.getElementById('samples-title').scrollIntoView()").await?;
        tokio::time::sleep(5 * STEP).await;
        frame(app).await
    })
    .await
}
