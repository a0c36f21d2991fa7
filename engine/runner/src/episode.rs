//! Plays a dialogue: asks for an answer, executes its calls, repeats.

use super::{failed, played};
use crate::bench::Bench;
use dataset::Turn;
use exchange::SampleTimes;
use exchange::protocol::agent::Episode;
use exchange::protocol::{Ask, Sample};
use provider::Ports;
use provider::{Failure, Reply};
use record::SampleRecord;

/// The result of one request.
#[derive(Debug)]
pub(super) struct Given {
    /// The answer, or the last failure.
    pub result: Result<Reply, Failure>,
    /// The number of requests sent.
    pub attempts: u32,
    /// How the earlier attempts failed.
    pub retries: Vec<String>,
}

impl Given {
    /// Milliseconds to the first token, if known.
    pub(super) fn first_token_ms(&self) -> Option<u64> {
        self.result.as_ref().ok().and_then(|reply| reply.first_token_ms)
    }
}

/// Plays an episode to the end. `answer` gets the step number, from 1. `None` when the run was
/// cancelled first. A failed request fails the whole episode: a partial one can't be scored.
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
