//! Polls a condition until it holds or times out.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// The polling interval.
const PAUSE: Duration = Duration::from_millis(30);

/// For immediate effects.
pub const SOON: Duration = Duration::from_secs(10);
/// For loading the engine, or running every sample.
pub const LONG: Duration = Duration::from_secs(300);

/// The result of a poll.
pub enum Found<T> {
    /// The awaited value.
    Yes(T),
    /// Not yet; the current state goes into the timeout message.
    NotYet(String),
}

/// Polls `probe` until it finds something.
///
/// # Errors
/// When it finds nothing within `limit`, or fails itself.
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
