//! Plays a dialogue: asks for an answer, executes its calls, repeats.

use super::{failed, played};
use crate::benchmark::Benchmark;
use exchange::SampleTimes;
use exchange::protocol::agent::Episode;
use exchange::protocol::{Ask, Sample};
use provider::{Failure, Ports, Reply, RetryOutcome};
use record::SampleRecord;

/// Plays an episode to the end. `answer` gets the step number, from 1, and builds the request only if it
/// sends one: the schemas of all tools take longer than a gold call. `None` when the run was cancelled first. A failed request fails the whole episode: a partial one can't be scored.
pub(super) async fn play<P: Ports>(
    bench: &Benchmark,
    sample: &Sample<'_>,
    mut episode: Episode<'_>,
    ports: &P,
    answer: impl AsyncFn(usize, &Episode<'_>) -> Option<RetryOutcome<Reply>>,
) -> Option<SampleRecord> {
    let (mut step, mut attempts, mut retries) = (0, 0, Vec::new());
    let record = loop {
        if episode.is_over() {
            break played(bench, sample, episode.finish());
        }
        step += 1;
        let (started_ms, left_ms) = (ports.now_ms(), ports.elapsed_ms());
        let outcome = answer(step, &episode).await?;
        let first_token_ms = outcome.first_token_ms();
        attempts += outcome.attempts;
        retries.extend(outcome.retries);
        match outcome.result {
            Ok(reply) => {
                let latency_ms = ports.elapsed_ms().saturating_sub(left_ms);
                let times = SampleTimes { started_ms, latency_ms, first_token_ms };
                // Its calls may search.
                if let Err(reason) = bench.searchable().await {
                    break failed(sample, asked(&episode), &Failure::infrastructure(reason));
                }
                episode.take(reply.answer, outcome.attempts, times);
            }
            Err(failure) => break failed(sample, asked(&episode), &failure),
        }
    };
    Some(SampleRecord { attempts, retries, ..record })
}

/// The request that was to be answered.
pub(super) fn asked(episode: &Episode<'_>) -> Ask {
    episode.ask().unwrap_or_default()
}
