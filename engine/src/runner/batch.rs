//! Many samples, from the settings to the record.

use super::drive::{Patience, Tried, drive, persist};
use super::pace::Pace;
use super::{Ports, RunSettings, answered, failed, order};
use crate::bench::{Bench, SEARCH_MODEL};
use crate::protocol::{Ask, Protocol, Sample, bracket, prompt, samples_of};
use crate::provider::{Answer, Client, Failure, Reply};
use crate::record::{
    Model, Record, RunTimes, SCHEMA, SCHEMA_VERSION, SampleRecord, SearchSource, Status, summarize,
};
use crate::scoring::Profile;
use dataset::Ability;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::BTreeSet;

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
    report: impl FnMut(Progress),
) -> Record {
    resume(bench, settings, key, ports, Vec::new(), report).await
}

/// Runs what is not among `kept`, the samples of an earlier part of the same run.
/// Kept samples are neither asked again nor reported.
pub async fn resume<P: Ports>(
    bench: &Bench,
    settings: &RunSettings,
    key: Option<&str>,
    ports: &P,
    kept: Vec<SampleRecord>,
    mut report: impl FnMut(Progress),
) -> Record {
    let started_ms = ports.now_ms();
    let all = samples_of(&bench.pack, settings.split);
    let chosen = chosen(&all, settings);
    report(Progress::Started { planned: planned(&chosen, settings) });

    let client = match &settings.model {
        Model::Builtin { .. } => None,
        Model::Endpoint(endpoint) => Some(Client::new(endpoint, key, settings.timeouts)),
    };
    let mut done = kept;
    let known: BTreeSet<&str> = done.iter().map(|sample| sample.id.as_str()).collect();
    let missing: Vec<&Sample<'_>> =
        chosen.iter().copied().filter(|sample| !known.contains(sample.id().as_str())).collect();
    let pace = RefCell::new(Pace::new(settings.concurrency));
    let asking = Asking { bench, settings, client: client.as_ref(), ports, pace: &pace };
    let work = |sample| asking.one(sample);
    let finished = |record: Option<SampleRecord>| {
        if let Some(record) = record {
            report(Progress::Sample(Box::new(record.clone())));
            done.push(record);
        }
    };
    drive(missing, &pace, || ports.cancelled(), work, finished).await;
    let times = RunTimes { started_ms, finished_ms: ports.now_ms() };
    let dropped_parameters = client.as_ref().map_or(Vec::new(), Client::dropped);
    Record { dropped_parameters, ..head(bench, settings).filled(done, times) }
}

/// The record of a run that has no sample yet.
pub fn head(bench: &Bench, settings: &RunSettings) -> Record {
    let planned = chosen(&samples_of(&bench.pack, settings.split), settings).len();
    Record {
        schema: SCHEMA.to_owned(),
        schema_version: SCHEMA_VERSION,
        app_version: env!("CARGO_PKG_VERSION").to_owned(),
        pack: bench.pack.source(),
        search: SearchSource { model: SEARCH_MODEL.to_owned(), digest: bench.search_digest() },
        protocol: Protocol::Bracket,
        prompts: bracket::version().to_owned(),
        split: settings.split,
        abilities: settings.abilities().to_vec(),
        subset: settings.subset,
        seed: settings.seed,
        model: settings.model.clone(),
        dropped_parameters: Vec::new(),
        status: Status::Cancelled,
        planned,
        times: RunTimes::default(),
        summary: summarize(&[], Profile::Execution),
        samples: Vec::new(),
    }
}

/// The samples that the settings choose, in the order of the run.
fn chosen<'a, 'b>(all: &'b [Sample<'a>], settings: &RunSettings) -> Vec<&'b Sample<'a>> {
    let of_ability: Vec<&Sample<'_>> =
        all.iter().filter(|sample| settings.abilities().contains(&sample.ability())).collect();
    let given: Vec<(Ability, &str)> =
        of_ability.iter().map(|it| (it.ability(), it.dialogue.id.as_str())).collect();
    let order = order(&given, settings.subset, settings.seed);
    order.into_iter().filter_map(|index| of_ability.get(index).copied()).collect()
}

fn planned(chosen: &[&Sample<'_>], settings: &RunSettings) -> Vec<(Ability, usize)> {
    let count = |ability| chosen.iter().filter(|sample| sample.ability() == ability).count();
    settings.abilities().iter().map(|ability| (*ability, count(*ability))).collect()
}

/// What every sample of a run is asked with.
struct Asking<'a, P> {
    bench: &'a Bench,
    settings: &'a RunSettings,
    /// `None` of a built-in model.
    client: Option<&'a Client<'a>>,
    ports: &'a P,
    pace: &'a RefCell<Pace>,
}

impl<P: Ports> Asking<'_, P> {
    /// One sample; `None` when the run was cancelled before it had an answer.
    async fn one(&self, sample: &Sample<'_>) -> Option<SampleRecord> {
        // Others get a turn between samples: a cancel, a repaint.
        self.ports.wait(0).await;
        self.ports.resumed().await;
        if self.ports.cancelled() {
            return None;
        }
        let started_ms = self.ports.now_ms();
        let year = self.bench.pack.manifest.today.0.year();
        let messages = prompt(Protocol::Bracket, sample, year);
        let ask = Ask { messages, ..Ask::default() };
        let (tried, attempts) = match (&self.settings.model, self.client) {
            (Model::Builtin { name }, _) => {
                let text = name.answer(self.bench, sample).map_err(Failure::infrastructure);
                let answer = text.map(|text| Answer { text, ..Answer::default() });
                let result = answer.map(|answer| Reply { answer, first_token_ms: None });
                (Tried { result, retries: Vec::new() }, 0)
            }
            (Model::Endpoint(_), client) => {
                let tried = self.ask(client?, &ask, &sample.id()).await?;
                let attempts = u32::try_from(tried.retries.len()).unwrap_or(u32::MAX);
                (tried, attempts.saturating_add(1))
            }
        };
        let first_token_ms = tried.result.as_ref().ok().and_then(|reply| reply.first_token_ms);
        let mut record = match tried.result {
            Ok(reply) => answered(self.bench, sample, ask.messages, reply.answer),
            Err(failure) => failed(sample, ask.messages, &failure),
        };
        record.times.first_token_ms = first_token_ms;
        record.attempts = attempts;
        record.retries = tried.retries;
        record.times.started_ms = started_ms;
        record.times.latency_ms = self.ports.now_ms().saturating_sub(started_ms);
        Some(record)
    }

    /// Asks an endpoint, again where that may help. `None` when cancelled.
    async fn ask(&self, client: &Client<'_>, ask: &Ask, name: &str) -> Option<Tried<Reply>> {
        let settings = self.settings;
        let patience = Patience {
            retries: settings.retries,
            first_ms: settings.backoff_ms,
            seed: settings.seed,
        };
        let send = async || client.ask(ask, self.ports).await;
        persist(name, patience, self.pace, self.ports, send).await
    }
}
