//! What every test stands on: the site, a browser, and their end.

use std::{env, future::Future, path::PathBuf};

use anyhow::{Context, Result, bail, ensure};
use futures::FutureExt;
use tokio::sync::{Semaphore, SemaphorePermit};
use xtask::site_server::SiteServer;

use crate::{
    app::App,
    browser::{Browser, Setup},
};

/// Browsers that run at a time: each keeps a core busy.
static SLOTS: Semaphore = Semaphore::const_new(2);

/// The built site; `None` when there is none and none is asked for.
///
/// # Errors
/// When there is none although it is asked for, or the folder holds no site.
pub fn dist() -> Result<Option<PathBuf>> {
    let Some(dist) = env::var_os("API_BANK_DIST").filter(|value| !value.is_empty()) else {
        const ADVICE: &str = "API_BANK_DIST names no built site: run `cargo xtask test`";
        if fixtures::is_ci() || env::var_os("API_BANK_REQUIRE_BROWSER").is_some() {
            bail!("{ADVICE}");
        }
        // Past the test runner's capture, so that nobody takes a skipped test for a passed one.
        use std::io::Write;
        let _ = writeln!(std::io::stderr(), "SKIPPED a browser test: {ADVICE}");
        return Ok(None);
    };
    let dist = PathBuf::from(dist);
    ensure!(dist.join("index.html").is_file(), "no index.html in {}", dist.display());
    Ok(Some(dist))
}

/// Waits until a browser may run; it may as long as the slot is held.
///
/// # Errors
/// Never: the slots are not closed.
pub async fn slot() -> Result<SemaphorePermit<'static>> {
    SLOTS.acquire().await.context("a slot for a browser")
}

/// Serves the site, opens it in a fresh browser, plays a test and cleans up, whatever happens.
/// A failure leaves a screenshot in `target/screenshots/failed` and the console in the output.
///
/// # Errors
/// What the test says.
///
/// # Panics
/// As the test does.
pub async fn play(
    name: &str,
    setup: Setup,
    test: impl AsyncFnOnce(&App) -> Result<()>,
) -> Result<()> {
    let Some(dist) = dist()? else { return Ok(()) };
    let _slot = slot().await?;
    let site = SiteServer::start(&dist, setup.prefix).await.context("can't serve the site")?;
    let browser = Browser::start(&setup).await?;
    let app = App::new(browser, site.url(), dist);
    let outcome = caught(async {
        app.open().await?;
        test(&app).await?;
        no_errors(&app, setup.errors).await
    })
    .await;
    if !matches!(outcome, Ok(Ok(()))) {
        app.browser.report_failure(name).await;
    }
    app.browser.quit().await;
    match outcome {
        Ok(result) => result,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// Lines of the console that tell of a request that failed: a browser writes them itself, and no page
/// can keep it from that.
const OF_THE_NETWORK: [&str; 3] = ["Failed to load resource", "net::ERR_", "CORS policy"];

/// Whether the console is free of errors but for those that a test brings about.
async fn no_errors(app: &App, expected: &[&str]) -> Result<()> {
    let mut lines = app.browser.console().await?;
    lines.retain(|line| line.starts_with("SEVERE"));
    lines.retain(|line| !OF_THE_NETWORK.iter().chain(expected).any(|known| line.contains(known)));
    ensure!(lines.is_empty(), "the console has errors: {lines:?}");
    Ok(())
}

async fn caught(
    test: impl Future<Output = Result<()>>,
) -> std::result::Result<Result<()>, Box<dyn std::any::Any + Send>> {
    std::panic::AssertUnwindSafe(test).catch_unwind().await
}
