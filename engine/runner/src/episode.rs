//! Plays a dialogue: asks for an answer, runs its calls, asks again.

use super::{failed, played};
use crate::bench::Bench;
use dataset::Turn;
use exchange::SampleTimes;
use exchange::protocol::agent::Episode;
use exchange::protocol::{Ask, Sample};
use provider::Ports;
use provider::{Failure, Reply};
use record::SampleRecord;

/// What asking came to.
#[derive(Debug)]
pub(super) struct Given {
    /// The answer, or how the last try failed.
    pub result: Result<Reply, Failure>,
    /// Requests that were made.
    pub attempts: u32,
    /// How the tries before the last failed.
    pub retries: Vec<String>,
}

impl Given {
    /// Milliseconds until the first token, where they are known.
    pub(super) fn first_token_ms(&self) -> Option<u64> {
        self.result.as_ref().ok().and_then(|reply| reply.first_token_ms)
    }
}

/// Plays an episode to its end. `answer` gets the number of the step, from 1. `None` when the run
/// was cancelled before. A failed request fails the episode as a whole: half of one says nothing.
pub(super) async fn play<P: Ports>(
    bench: &Bench,
    sample: &Sample<'_>,
    mut episode: Episode<'_>,
    ports: &P,
    answer: impl AsyncFn(usize, &Ask, &[Turn]) -> Option<Given>,
) -> Option<SampleRecord> {
    let (mut step, mut attempts, mut retries) = (0, 0, Vec::new());
    let record = loop {
        let Some(ask) = episode.ask() else { break played(bench, sample, episode.finish()) };
        step += 1;
        let (started_ms, left_ms) = (ports.now_ms(), ports.elapsed_ms());
        let given = answer(step, &ask, episode.history()).await?;
        let first_token_ms = given.first_token_ms();
        attempts += given.attempts;
        retries.extend(given.retries);
        match given.result {
            Ok(reply) => {
                let latency_ms = ports.elapsed_ms().saturating_sub(left_ms);
                let times = SampleTimes { started_ms, latency_ms, first_token_ms };
                episode.take(reply.answer, given.attempts, times);
            }
            Err(failure) => break failed(sample, ask, &failure),
        }
    };
    Some(SampleRecord { attempts, retries, ..record })
}
