//! Keeps the agents at work: asks what the machine wants asked, as many at a time as the endpoint
//! takes, and hands every entry on before the next question.

use super::checks::Embed;
use super::journal::JournalEntry;
use super::state::{Next, State};
use super::{Asking, Stop};
use futures::stream::{FuturesUnordered, StreamExt};
use provider::{ApiKey, Client};
use provider::{Pace, Ports, RetryPolicy, send_with_retries};
use std::cell::RefCell;

/// Generates until the machine ends or the ports say stop. `keep` gets every entry and has to keep
/// it before it returns.
///
/// # Errors
/// When an entry cannot be kept, the embedding model fails, or the endpoint refuses for good.
pub async fn generate<P: Ports>(
    state: &mut State,
    asking: &Asking,
    key: Option<&ApiKey>,
    ports: &P,
    embed: &impl Embed,
    mut keep: impl AsyncFnMut(JournalEntry) -> Result<(), String>,
) -> Result<Stop, String> {
    let client = Client::new(&asking.endpoint, key, asking.timeouts);
    let pace = RefCell::new(Pace::new(asking.concurrency));
    let seed = state.settings().seed;
    let retry_policy = RetryPolicy { retries: asking.retries, first_ms: asking.backoff_ms, seed };
    let send = async |id: u64, ask| {
        let send = async || client.ask(&ask, ports).await;
        (id, send_with_retries(&id.to_string(), retry_policy, &pace, ports, send).await)
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
        // An answer that a cancel cut off is asked for again after the next start.
        let Some(tried) = tried else { continue };
        let requests = u64::from(tried.attempts);
        let answer = tried.result.map(|reply| reply.answer);
        keep(state.take(id, answer, requests, embed)?).await?;
        // Others get a turn: a cancel, a repaint.
        ports.wait(0).await;
    }
    if let (None, Some(reason)) = (&end, pace.borrow().stopped()) {
        return Err(reason.to_owned());
    }
    Ok(end.map_or(Stop::Cancelled, Stop::Ended))
}
