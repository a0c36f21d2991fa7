//! A second visit while offline.

use anyhow::{Context, Result, ensure};
use tokio::runtime::{Builder, Runtime};
use xtask::site_server::SiteServer;

use crate::{
    app::App,
    browser::{Browser, Setup},
    stage::{dist, slot},
};

/// A path other than the root, which a service worker could take for granted.
const PREFIX: &str = "/some/project/";

/// A server on a separate runtime, so that it can be stopped with all its connections.
struct Mortal {
    /// `None` once stopped.
    runtime: Option<Runtime>,
    url: String,
    /// Serves until dropped.
    _site: SiteServer,
}

impl Mortal {
    async fn start(dist: &std::path::Path) -> Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let dist = dist.to_owned();
        let site = runtime.spawn(async move { SiteServer::start(&dist, PREFIX).await });
        let site = site.await?.context("can't serve the site")?;
        Ok(Mortal { runtime: Some(runtime), url: site.url(), _site: site })
    }
}

impl Drop for Mortal {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn visits(app: &App, server: Mortal) -> Result<()> {
    app.open().await?;
    let active = app
        .script_async("navigator.serviceWorker.ready.then(it => done(it.active !== null))")
        .await?;
    ensure!(active == true, "no service worker is there: {active}");
    drop(server);
    let reached = app
        .script_async("fetch('./nothing-of-the-site').then(() => done('yes'), () => done('no'))")
        .await?;
    ensure!(reached == "no", "the server still answers, so this would prove nothing");

    app.driver().goto("about:blank").await?;
    app.open().await?;
    app.run_baseline("gold-replay").await?;
    app.see("cell-total-calls", crate::wait::SOON, |text| text == "100.0 %").await?;
    let kept = app
        .script_async(
            "caches.keys().then(async names => {
                 const urls = [];
                 for (const name of names) {
                     for (const it of await (await caches.open(name)).keys()) urls.push(it.url);
                 }
                 done(urls);
             })",
        )
        .await?;
    let kept: Vec<String> = serde_json::from_value(kept)?;
    ensure!(kept.iter().all(|url| url.starts_with(&app.url)), "others are kept: {kept:?}");
    Ok(())
}

#[tokio::test]
async fn a_second_visit_needs_no_network() -> Result<()> {
    let Some(dist) = dist()? else { return Ok(()) };
    let _slot = slot().await?;
    let server = Mortal::start(&dist).await?;
    let browser = Browser::start(&Setup::default()).await?;
    let app = App::new(browser, server.url.clone(), dist);
    let outcome = visits(&app, server).await;
    if outcome.is_err() {
        app.browser.report_failure("offline").await;
    }
    app.browser.quit().await;
    outcome
}
