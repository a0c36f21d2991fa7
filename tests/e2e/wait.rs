//! Waiting: a probe is asked again until it says yes or the time is up.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// Pause between two probes.
const PAUSE: Duration = Duration::from_millis(30);

/// For what should happen at once.
pub const SOON: Duration = Duration::from_secs(10);
/// For what loads the engine or runs every sample.
pub const LONG: Duration = Duration::from_secs(120);

/// What a probe found.
pub enum Found<T> {
    /// What was waited for.
    Yes(T),
    /// Not yet; what is there instead goes into the message at the end.
    NotYet(String),
}

/// Asks `probe` until it finds something.
///
/// # Errors
/// When it has not after `limit`, or fails itself.
pub async fn until<T>(
    what: &str,
    limit: Duration,
    mut probe: impl AsyncFnMut() -> Result<Found<T>>,
) -> Result<T> {
    let started = Instant::now();
    loop {
        match probe().await? {
            Found::Yes(found) => return Ok(found),
            Found::NotYet(instead) if started.elapsed() > limit => {
                bail!("waited {limit:?} for {what}; at the end there was: {instead}")
            }
            Found::NotYet(_) => tokio::time::sleep(PAUSE).await,
        }
    }
}
