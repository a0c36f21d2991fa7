//! Keeps requests in flight, and tries again what may work the next time.
//!
//! Knows nothing of samples or formats, so that its tests run under a simulated clock.

use super::Ports;
use super::pace::{LONGEST_WAIT_S, Pace, luck, pause_ms};
use crate::provider::Failure;
use futures::poll;
use futures::stream::{FuturesUnordered, StreamExt};
use std::cell::RefCell;
use std::future::Future;
use std::task::Poll;

/// Works on every job, as many at a time as the pace allows, and hands each result
/// to `done`, once others have set out in its place: a server need not wait for what is
/// made of its answer. After a cancel no further job is begun.
pub(super) async fn drive<J, T, F: Future<Output = T>>(
    jobs: impl IntoIterator<Item = J>,
    pace: &RefCell<Pace>,
    cancelled: impl Fn() -> bool,
    work: impl Fn(J) -> F,
    mut done: impl FnMut(T),
) {
    let mut jobs = jobs.into_iter();
    let mut flight = FuturesUnordered::new();
    let mut fill = |flight: &mut FuturesUnordered<F>| {
        let room = pace.borrow().limit().saturating_sub(flight.len());
        if !cancelled() {
            flight.extend(jobs.by_ref().take(room).map(&work));
        }
    };
    fill(&mut flight);
    let mut next = flight.next().await;
    while let Some(result) = next {
        fill(&mut flight);
        // Jobs set out when they are polled; one may have its result at once.
        let early = poll!(flight.next());
        done(result);
        next = match early {
            Poll::Ready(Some(result)) => Some(result),
            _ => flight.next().await,
        };
    }
}

/// When a failed request is sent again.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    /// How often at most.
    pub retries: u32,
    /// The first pause, in milliseconds.
    pub first_ms: u32,
    /// Seed of the run.
    pub seed: u32,
}

/// What a request came to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tried<T> {
    /// Its answer, or how the last try failed.
    pub result: Result<T, Failure>,
    /// How the tries before the last failed.
    pub retries: Vec<String>,
}

/// Sends until there is an answer or a failure that stays. `None` when the run was
/// cancelled; `send` says so with `None` too.
///
/// `name` is the sample's: pauses follow from it and the seed.
pub(crate) async fn persist<T, P: Ports>(
    name: &str,
    patience: Patience,
    pace: &RefCell<Pace>,
    ports: &P,
    mut send: impl AsyncFnMut() -> Option<Result<T, Failure>>,
) -> Option<Tried<T>> {
    let mut retries = Vec::new();
    loop {
        clear_to_send(pace, ports).await?;
        let sent_ms = ports.now_ms();
        let failure = match send().await? {
            Ok(answer) => {
                pace.borrow_mut().answered();
                return Some(Tried { result: Ok(answer), retries });
            }
            Err(failure) => failure,
        };
        if failure.throttled {
            pace.borrow_mut().refused(sent_ms, ports.now_ms(), failure.retry_after);
        }
        let tries = u32::try_from(retries.len()).unwrap_or(u32::MAX).saturating_add(1);
        let too_long = failure.retry_after.is_some_and(|seconds| seconds > LONGEST_WAIT_S);
        if !failure.retry || tries > patience.retries || too_long {
            return Some(Tried { result: Err(failure), retries });
        }
        let luck = luck(patience.seed, name, tries);
        ports.wait(pause_ms(patience.first_ms, tries, failure.retry_after, luck)).await;
        retries.push(failure.message);
    }
}

/// Waits while the run is paused or the server wants silence; `None` when cancelled.
async fn clear_to_send<P: Ports>(pace: &RefCell<Pace>, ports: &P) -> Option<()> {
    loop {
        ports.resumed().await;
        if ports.cancelled() {
            return None;
        }
        let hold_ms = pace.borrow().hold_ms(ports.now_ms());
        if hold_ms == 0 {
            return Some(());
        }
        ports.wait(hold_ms).await;
    }
}

#[cfg(test)]
#[path = "drive_tests.rs"]
mod tests;
