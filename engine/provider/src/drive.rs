//! Keeps as many requests in flight as the pace allows.

use crate::pace::Pace;
use futures::poll;
use futures::stream::{FuturesUnordered, StreamExt};
use std::cell::RefCell;
use std::future::Future;
use std::task::Poll;

/// Runs every job, with as many in flight as the pace allows. Starts the next jobs before passing a
/// result to `done`, so that the server stays busy while the result is processed. Starts no more
/// jobs once the run is cancelled or stopped by the endpoint.
pub async fn drive<J, T, F: Future<Output = T>>(
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
        if !cancelled() && pace.borrow().stopped().is_none() {
            flight.extend(jobs.by_ref().take(room).map(&work));
        }
    };
    fill(&mut flight);
    let mut next = flight.next().await;
    while let Some(result) = next {
        fill(&mut flight);
        // Futures start only when polled; one may finish at once.
        let early = poll!(flight.next());
        done(result);
        next = match early {
            Poll::Ready(Some(result)) => Some(result),
            _ => flight.next().await,
        };
    }
}
