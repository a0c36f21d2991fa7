//! Many samples: concurrency, retries, cancel, and the record at the end.

use super::{Ports, RunSettings, answered, failed};
use crate::bench::{Bench, SEARCH_MODEL};
use crate::protocol::{Message, Protocol, Sample, bracket, prompt, samples};
use crate::provider::chat_completions::{self, Endpoint};
use crate::provider::{Answer, Failure, TransportError};
use crate::record::{
    Model, Record, RunTimes, SCHEMA, SCHEMA_VERSION, SampleRecord, SearchSource, Status, summarize,
};
use crate::scoring::Profile;
use dataset::Ability;
use futures::StreamExt;
use serde::{Deserialize, Serialize};

/// The longest pause between two tries, in milliseconds.
const LONGEST_PAUSE_MS: u32 = 60_000;

/// What a run reports while it goes on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "progress", rename_all = "lowercase")]
pub enum Progress {
    /// The run begins.
    Started {
        /// Samples by ability.
        planned: Vec<(Ability, usize)>,
    },
    /// A sample is done.
    Sample(Box<SampleRecord>),
}

/// Runs a benchmark to its end, or until it is cancelled. A failed request is
/// recorded and the run goes on.
pub async fn run<P: Ports>(
    bench: &Bench,
    settings: &RunSettings,
    key: Option<&str>,
    ports: &P,
    mut report: impl FnMut(Progress),
) -> Record {
    let started_ms = ports.now_ms();
    let all = samples(&bench.pack);
    let chosen: Vec<&Sample<'_>> =
        all.iter().filter(|sample| settings.abilities.contains(&sample.ability())).collect();
    let planned = settings
        .abilities
        .iter()
        .map(|ability| (*ability, chosen.iter().filter(|s| s.ability() == *ability).count()))
        .collect();
    report(Progress::Started { planned });

    let mut done: Vec<(usize, SampleRecord)> = Vec::with_capacity(chosen.len());
    let mut stream = futures::stream::iter(chosen.iter().enumerate())
        .map(|(index, sample)| async move {
            one(bench, settings, key, ports, sample).await.map(|record| (index, record))
        })
        .buffer_unordered(settings.concurrency.clamp(1, 100));
    while let Some(finished) = stream.next().await {
        if let Some((index, record)) = finished {
            report(Progress::Sample(Box::new(record.clone())));
            done.push((index, record));
        }
    }
    drop(stream);
    // Answers come in any order; the record has the pack's.
    done.sort_by_key(|(index, _)| *index);
    let planned = chosen.len();
    let samples: Vec<SampleRecord> = done.into_iter().map(|(_, record)| record).collect();
    let status = if samples.len() == planned { Status::Finished } else { Status::Cancelled };
    Record {
        schema: SCHEMA.to_owned(),
        schema_version: SCHEMA_VERSION,
        app_version: env!("CARGO_PKG_VERSION").to_owned(),
        pack: bench.pack.source(),
        search: SearchSource { model: SEARCH_MODEL.to_owned(), digest: bench.search_digest() },
        protocol: Protocol::Bracket,
        prompts: bracket::version().to_owned(),
        abilities: settings.abilities.clone(),
        model: settings.model.clone(),
        status,
        planned,
        times: RunTimes { started_ms, finished_ms: ports.now_ms() },
        summary: summarize(&samples, Profile::Execution),
        samples,
    }
}

/// One sample; `None` when the run was cancelled before it had an answer.
async fn one<P: Ports>(
    bench: &Bench,
    settings: &RunSettings,
    key: Option<&str>,
    ports: &P,
    sample: &Sample<'_>,
) -> Option<SampleRecord> {
    // Others get a turn between samples: a cancel, a repaint.
    ports.wait(0).await;
    if ports.cancelled() {
        return None;
    }
    let started_ms = ports.now_ms();
    let messages = prompt(Protocol::Bracket, sample, bench.pack.manifest.today.0.year());
    let (answer, attempts) = match &settings.model {
        Model::Builtin { name } => {
            let answer = name.answer(bench, sample).map_err(Failure::infrastructure);
            (answer.map(|text| Answer { text, ..Answer::default() }), 0)
        }
        Model::ChatCompletions(endpoint) => ask(endpoint, &messages, settings, key, ports).await?,
    };
    let mut record = match answer {
        Ok(answer) => answered(bench, sample, messages, answer),
        Err(failure) => failed(sample, messages, &failure),
    };
    record.attempts = attempts;
    record.times.started_ms = started_ms;
    record.times.latency_ms = ports.now_ms().saturating_sub(started_ms);
    Some(record)
}

/// Asks an endpoint, again where that may help. `None` when cancelled.
async fn ask<P: Ports>(
    endpoint: &Endpoint,
    messages: &[Message],
    settings: &RunSettings,
    key: Option<&str>,
    ports: &P,
) -> Option<(Result<Answer, Failure>, u32)> {
    let mut attempts = 0;
    loop {
        attempts += 1;
        let request = endpoint.request(messages, key);
        let failure = match ports.send(request, settings.timeout_s).await {
            Ok(response) => match chat_completions::decode(&response) {
                Ok(answer) => return Some((Ok(answer), attempts)),
                Err(failure) => failure,
            },
            Err(TransportError::Cancelled) => return None,
            Err(error) => Failure::infrastructure(error.to_string()),
        };
        if !failure.retry || attempts > settings.retries {
            return Some((Err(failure), attempts));
        }
        ports.wait(pause_ms(settings.backoff_ms, attempts, failure.retry_after)).await;
        if ports.cancelled() {
            return None;
        }
    }
}

/// The pause before the next try: what the server asks for, else doubling.
fn pause_ms(backoff_ms: u32, attempts: u32, retry_after: Option<u32>) -> u32 {
    let doubled = backoff_ms.saturating_mul(2_u32.saturating_pow(attempts.saturating_sub(1)));
    retry_after.map_or(doubled, |seconds| seconds.saturating_mul(1000)).min(LONGEST_PAUSE_MS)
}

#[cfg(test)]
mod tests {
    use super::pause_ms;

    #[test]
    fn pauses_double_and_heed_the_server() {
        assert_eq!([1, 2, 3].map(|n| pause_ms(1000, n, None)), [1000, 2000, 4000]);
        assert_eq!(pause_ms(1000, 30, None), 60_000);
        assert_eq!(pause_ms(1000, 1, Some(7)), 7000);
    }
}
