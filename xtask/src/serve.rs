//! `cargo xtask serve`: serves the built site on this machine.

use std::{env, path::Path, process::Command};

use anyhow::{Context, Result};

use crate::{process::on_path, site_server};

/// Serves the site at `dir` until interrupted, on `port` or the next free one.
///
/// # Errors
/// When the folder contains no site, or no port is available.
pub fn serve(dir: &Path, port: u16, open: bool) -> Result<()> {
    let router = site_server::router(dir, "/")?;
    let runtime = tokio::runtime::Runtime::new().context("can't start the server")?;
    runtime.block_on(async {
        let listener = site_server::bind(port)
            .await
            .with_context(|| format!("no free port from {port} on: name another with --port"))?;
        let address = listener.local_addr()?;
        let url = format!("http://{address}/");
        if address.port() != port {
            println!("port {port} is taken");
        }
        println!("\n  API-Bank is at  {url}\n\n  Ctrl+C ends it.");
        if open {
            open_browser(&url);
        }
        axum::serve(listener, router)
            .with_graceful_shutdown(async {
                tokio::signal::ctrl_c().await.ok();
            })
            .await
            .context("the server stopped")
    })
}

/// Opens the page if there is a desktop; the URL is printed anyway.
fn open_browser(url: &str) {
    let opener = if cfg!(target_os = "macos") {
        "open"
    } else if env::var_os("DISPLAY").is_some() || env::var_os("WAYLAND_DISPLAY").is_some() {
        "xdg-open"
    } else {
        return;
    };
    if on_path(opener).is_some() {
        Command::new(opener).arg(url).spawn().ok();
    }
}
