//! The network of a command, which Ctrl-C stops.

use crate::CANCELLED;
use crate::ports::Native;
use crate::shown::tell;
use anyhow::{Context, Result};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

/// Sets up a runtime, and ports with a switch that stops them. Ctrl-C turns the switch.
///
/// # Errors
/// When threads or TLS can't be set up.
pub(crate) fn network() -> Result<(Runtime, watch::Sender<bool>, Native)> {
    let failed = "can't start the network";
    let runtime = Builder::new_current_thread().enable_all().build().context(failed)?;
    let (switch, stop) = stop_switch(&runtime);
    let ports = Native::new(stop).context(failed)?;
    Ok((runtime, switch, ports))
}

/// Turns true at the first Ctrl-C, or by its sender; a second Ctrl-C exits immediately.
fn stop_switch(runtime: &Runtime) -> (watch::Sender<bool>, watch::Receiver<bool>) {
    let (switch, stop) = watch::channel(false);
    let by_key = switch.clone();
    runtime.spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            tell!("\nStopping. What is done will be written; Ctrl-C again gives it up.");
            by_key.send_replace(true);
        }
        if tokio::signal::ctrl_c().await.is_ok() {
            std::process::exit(CANCELLED.into());
        }
    });
    (switch, stop)
}
