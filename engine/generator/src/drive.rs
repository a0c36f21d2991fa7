//! Sends the questions of a state machine concurrently, at the endpoint's pace.

use super::checks::Embed;
use super::state::{Machine, Next, TakeError};
use super::{Asking, Stop};
use futures::stream::{FuturesUnordered, StreamExt};
use provider::{ApiKey, Client};
use provider::{Pace, Ports, RetryPolicy, ask_with_retries};
use std::cell::RefCell;
use thiserror::Error;

/// Why a generation failed.
#[derive(Debug, Error)]
pub enum GenerateError<E> {
    /// An answer could not be judged.
    #[error(transparent)]
    Take(#[from] TakeError),
    /// An entry could not be stored.
    #[error("{0}")]
    Keep(E),
    /// The endpoint rejects every request, with its message and the remedy.
    #[error("{0}")]
    Endpoint(String),
}

/// Generates until the state ends or the ports are cancelled. `keep` must have stored an entry
/// before it returns.
///
/// # Errors
/// When an entry cannot be stored, the embedding model fails, or the endpoint rejects every
/// request.
pub async fn generate<M: Machine, P: Ports, E>(
    state: &mut M,
    asking: &Asking,
    key: Option<&ApiKey>,
    ports: &P,
    embed: &impl Embed,
    mut keep: impl AsyncFnMut(M::Entry) -> Result<(), E>,
) -> Result<Stop, GenerateError<E>> {
    let client = Client::new(&asking.endpoint, key, asking.timeouts);
    let pace = RefCell::new(Pace::new(asking.concurrency));
    let seed = state.seed();
    let retry_policy = RetryPolicy { retries: asking.retries, first_ms: asking.backoff_ms, seed };
    let send = async |id: u64, ask| {
        let name = id.to_string();
        (id, ask_with_retries(&client, &ask, &name, retry_policy, &pace, ports).await)
    };
    let mut flight = FuturesUnordered::new();
    let mut end = None;
    loop {
        while !ports.cancelled()
            && pace.borrow().stopped().is_none()
            && flight.len() < pace.borrow().limit()
        {
            match state.next_step() {
                Next::Ask(job) => flight.push(send(job.id, job.ask)),
                Next::Wait => break,
                Next::End(why) => {
                    end = Some(why);
                    break;
                }
            }
        }
        let Some((id, tried)) = flight.next().await else { break };
        // A cancelled request leaves no entry, so a resumed generation sends it again.
        let Some(tried) = tried else { continue };
        let requests = u64::from(tried.attempts);
        let answer = tried.result.map(|reply| reply.answer);
        let entry = state.take(id, answer, requests, embed)?;
        keep(entry).await.map_err(GenerateError::Keep)?;
        // Yield, so that a cancel is seen and the page can repaint.
        ports.wait(0).await;
    }
    if let (None, Some(reason)) = (&end, pace.borrow().stopped()) {
        return Err(GenerateError::Endpoint(reason.to_owned()));
    }
    Ok(end.map_or(Stop::Cancelled, Stop::Ended))
}
