//! Runs many samples, from settings to record.

mod waiting;

use super::episode;
use super::{answered, failed};
use crate::baseline;
use crate::benchmark::Benchmark;
use crate::staircase::{self, Played, Staircase};
use dataset::{Ability, Turn};
use exchange::protocol;
use exchange::protocol::agent::Episode;
use exchange::protocol::{Ask, Plan, Protocol, Sample, SampleKind, plan};
use provider::Pace;
use provider::Ports;
use provider::{ApiKey, Client, Failure, FailureClass, Reply};
use provider::{RetryOutcome, RetryPolicy, ask_with_retries, drive};
use record::{
    App, Model, Outcome, Record, RunTimes, SCHEMA, SCHEMA_VERSION, SampleRecord, Shards, Status,
    summarize,
};
use record::{RunSettings, SettingsError, Subset, order};
use scoring::Profile;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;
use waiting::Waiting;

/// Progress events of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "progress", rename_all = "lowercase")]
pub enum Progress {
    /// The run started.
    Started {
        /// The number of samples by ability.
        planned: Vec<(Ability, usize)>,
    },
    /// A sample is done.
    Sample(Box<SampleRecord>),
    /// The run stopped early without being cancelled. It can be resumed.
    Stopped {
        /// The endpoint's reason, and what to do.
        reason: String,
    },
}

/// The outcome of [`Run::ask`], besides the responses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// The parameters that the endpoint rejected.
    pub dropped: Vec<String>,
    /// Why the run stopped early without being cancelled.
    pub stopped: Option<String>,
}

/// Runs a benchmark until it is done or cancelled. A failed request is recorded and the run
/// continues; it stops if the endpoint rejects every request.
pub async fn run<P: Ports>(
    bench: &Benchmark,
    settings: &RunSettings,
    key: Option<&ApiKey>,
    ports: &P,
    report: impl FnMut(Progress),
) -> Record {
    resume(bench, settings, key, ports, Vec::new(), report).await
}

/// Resumes a run: `kept` holds the samples of its earlier sessions, which are neither asked again
/// nor reported.
pub async fn resume<P: Ports>(
    bench: &Benchmark,
    settings: &RunSettings,
    key: Option<&ApiKey>,
    ports: &P,
    kept: Vec<SampleRecord>,
    mut report: impl FnMut(Progress),
) -> Record {
    let started_ms = ports.now_ms();
    let run = Run::new(bench, settings);
    report(Progress::Started { planned: run.planned() });
    let missing = run.missing(&kept);
    let mut done = kept;
    let mut judged = |record: SampleRecord| {
        report(Progress::Sample(Box::new(record.clone())));
        done.push(record);
    };
    let mut waiting = Waiting::default();
    let response = |response| waiting.judge(&run, response, &mut judged);
    let Asked { dropped, stopped } = run.ask(missing, key, ports, response).await;
    // A cancelled run ends now: like the requests in flight, they are asked again when it is resumed.
    if !ports.cancelled() || run.bench.is_settled() {
        waiting.finish(&run, &mut judged).await;
    }
    let finished_ms = ports.now_ms().max(started_ms);
    let record = run.record(done, dropped, RunTimes { started_ms, finished_ms });
    if let Some(reason) = stopped.filter(|_| record.status == Status::Cancelled) {
        report(Progress::Stopped { reason });
    }
    record
}

/// A run split into asking and judging, for multi-threaded platforms: one thread queries the model,
/// any thread judges. [`resume`] does both in turn.
#[derive(Debug)]
pub struct Run<'a> {
    /// With the settings' number of search results and retriever.
    bench: Benchmark,
    settings: &'a RunSettings,
    /// In the order asked.
    samples: Vec<Sample<'a>>,
    /// The horizon tasks that have been played.
    played: Played,
}

impl<'a> Run<'a> {
    /// The run that the settings describe.
    pub fn new(bench: &'a Benchmark, settings: &'a RunSettings) -> Self {
        let prepared = bench.prepared(settings);
        let played = Played::default();
        Run { bench: prepared, settings, samples: in_run(bench, settings), played }
    }

    /// Everything the run needs.
    pub(crate) fn bench(&self) -> &Benchmark {
        &self.bench
    }

    /// The number of samples by ability.
    pub fn planned(&self) -> Vec<(Ability, usize)> {
        if staircase::adaptive(self.settings).is_some() {
            return vec![(Ability::Plan, staircase::planned(&self.samples, self.settings))];
        }
        let count =
            |ability| self.samples.iter().filter(|sample| sample.ability() == ability).count();
        let abilities = self.settings.abilities().iter();
        abilities.map(|ability| (*ability, count(*ability))).collect()
    }

    /// The samples that are not in `kept`.
    pub fn missing(&self, kept: &[SampleRecord]) -> Vec<Sample<'a>> {
        kept.iter().for_each(|sample| self.played.note(sample));
        let known: BTreeSet<&str> = kept.iter().map(|sample| sample.id.as_str()).collect();
        let missing = self.samples.iter().filter(|sample| !known.contains(sample.id().as_str()));
        missing.copied().collect()
    }

    /// Asks until all samples are done, the run is cancelled or the endpoint stops it. `response`
    /// gets each response.
    pub async fn ask<P: Ports>(
        &self,
        samples: Vec<Sample<'a>>,
        key: Option<&ApiKey>,
        ports: &P,
        mut response: impl FnMut(Response<'a>),
    ) -> Asked {
        let client = client_of(self.settings, key);
        let pace = RefCell::new(Pace::new(self.settings.concurrency));
        let client = client.as_ref();
        let asking =
            Asking { bench: &self.bench, settings: self.settings, client, ports, pace: &pace };
        let work = async |sample| {
            let response = asking.one(sample).await;
            if let Some(Content::Dialogue(record)) = response.as_ref().map(|it| &it.content) {
                self.played.note(record);
            }
            response
        };
        let samples: Box<dyn Iterator<Item = Sample<'a>>> = match staircase::adaptive(self.settings)
        {
            Some(most) => Box::new(Staircase::new(samples, most, &self.played)),
            None => Box::new(samples.into_iter()),
        };
        // Samples that nobody answered since the last answer. If the server turns out to be gone, they
        // stay missing, so that resuming the run asks them.
        let mut unanswered = Vec::new();
        let done = |came: Option<Response<'a>>| match came {
            Some(came) if came.is_unanswered() => unanswered.push(came),
            Some(came) => {
                unanswered.drain(..).for_each(&mut response);
                response(came);
            }
            None => {}
        };
        drive(samples, &pace, || ports.cancelled(), work, done).await;
        let stopped = pace.borrow().stopped().map(str::to_owned);
        if stopped.is_none() {
            unanswered.into_iter().for_each(response);
        }
        Asked { dropped: client.map_or(Vec::new(), Client::dropped), stopped }
    }

    /// Judges an answer; returns the sample's record.
    pub fn judge(&self, response: Response<'_>) -> SampleRecord {
        response.judged(&self.bench, self.settings.protocol)
    }

    /// Assembles the run's record.
    pub fn record(
        &self,
        samples: Vec<SampleRecord>,
        dropped_parameters: Vec<String>,
        times: RunTimes,
    ) -> Record {
        Record { dropped_parameters, ..head(&self.bench, self.settings) }.filled(samples, times)
    }
}

/// Runs and judges one sample, even outside the settings' subset; `None` for an unknown id, or when
/// cancelled.
pub async fn run_one<P: Ports>(
    bench: &Benchmark,
    settings: &RunSettings,
    key: Option<&ApiKey>,
    ports: &P,
    id: &str,
) -> Option<SampleRecord> {
    let plan = planned_samples(bench, settings);
    let sample = plan.samples.into_iter().find(|sample| sample.id() == id)?;
    let client = client_of(settings, key);
    let pace = RefCell::new(Pace::new(1));
    let bench = &bench.prepared(settings);
    let asking = Asking { bench, settings, client: client.as_ref(), ports, pace: &pace };
    Some(asking.one(sample).await?.judged(bench, settings.protocol))
}

/// The client that sends the requests; `None` for a built-in model.
fn client_of<'a>(settings: &'a RunSettings, key: Option<&'a ApiKey>) -> Option<Client<'a>> {
    match &settings.model {
        Model::Builtin { .. } | Model::Agent(_) => None,
        Model::Endpoint(endpoint) => Some(Client::new(endpoint, key, settings.timeouts)),
    }
}

/// The run's record without samples.
pub fn head(bench: &Benchmark, settings: &RunSettings) -> Record {
    let plan = planned_samples(bench, settings);
    let planned = planned(bench, settings);
    let prompts = settings.prompts();
    Record {
        schema: SCHEMA.to_owned(),
        schema_version: SCHEMA_VERSION,
        app: App::this(),
        pack: bench.pack.source(),
        search: bench.prepared(settings).search_source(),
        protocol: settings.protocol,
        prompts: prompts.version.clone(),
        prompts_digest: prompts.digest(),
        custom_prompts: prompts.is_custom().then(|| prompts.clone()),
        trials: settings.trials,
        turn_limit: settings.protocol.is_agent().then_some(settings.turn_limit),
        steps: settings.steps,
        described_apis: settings.described_apis,
        left_out: plan.left_out,
        split: settings.split,
        abilities: settings.abilities().to_vec(),
        subset: settings.subset.clone(),
        seed: settings.seed,
        shard: settings.shard.map(Shards::from),
        model: settings.model.clone(),
        dropped_parameters: Vec::new(),
        status: Status::Cancelled,
        planned,
        times: RunTimes::default(),
        summary: summarize(&[], Profile::Execution),
        digest: String::new(),
        signatures: Vec::new(),
        samples: Vec::new(),
    }
}

/// How many samples a run has when it is finished.
pub(crate) fn planned(bench: &Benchmark, settings: &RunSettings) -> usize {
    staircase::planned(&in_run(bench, settings), settings)
}

/// The samples of a run, in the order asked; of an adaptive run, all candidates.
pub fn in_run<'a>(bench: &'a Benchmark, settings: &RunSettings) -> Vec<Sample<'a>> {
    let plan = planned_samples(bench, settings);
    chosen(&plan.samples, settings).into_iter().copied().collect()
}

/// Validates the settings, and checks that every listed dialogue exists in the data.
///
/// # Errors
/// The first invalid setting, or all missing dialogues.
pub fn check(bench: &Benchmark, settings: &RunSettings) -> Result<(), SettingsError> {
    settings.check()?;
    let plays = [Protocol::Bracket, Protocol::Tools, Protocol::AllTools];
    if bench.pack.tools.is_some() && !plays.contains(&settings.protocol) {
        return Err(SettingsError::OwnTools(settings.protocol));
    }
    let retriever = bench.check_retriever(settings.retriever.as_ref());
    retriever.map_err(SettingsError::NoRetriever)?;
    let Subset::Dialogues(ids) = &settings.subset else { return Ok(()) };
    let all = planned_samples(bench, settings).samples;
    let is_there = |id: &String| all.iter().any(|sample| sample.dialogue.id == *id);
    let missing: Vec<&str> = ids.iter().filter(|id| !is_there(id)).map(String::as_str).collect();
    if missing.is_empty() { Ok(()) } else { Err(SettingsError::Dialogues(missing.join(", "))) }
}

/// The samples of the settings' abilities under their protocol, in the pack's order.
fn planned_samples<'a>(bench: &'a Benchmark, settings: &RunSettings) -> Plan<'a> {
    let RunSettings { protocol, split, trials, described_apis, .. } = *settings;
    plan(protocol, &bench.pack, split, settings.abilities(), trials, described_apis)
        .only(settings.steps)
}

/// The samples that the settings select, in the run's order.
fn chosen<'a, 'b>(all: &'b [Sample<'a>], settings: &RunSettings) -> Vec<&'b Sample<'a>> {
    let given: Vec<(Ability, &str)> =
        all.iter().map(|sample| (sample.ability(), sample.dialogue.id.as_str())).collect();
    let subset =
        if staircase::adaptive(settings).is_some() { &Subset::All } else { &settings.subset };
    let mut order = order(&given, subset, settings.seed);
    // Horizon tasks come with the shortest first; the sort is stable.
    order.sort_by_key(|&index| all.get(index).and_then(|sample| Some(sample.task()?.level)));
    let chosen: Vec<&Sample<'_>> = order.into_iter().filter_map(|index| all.get(index)).collect();
    let Some(shard) = settings.shard else { return chosen };
    let given: Vec<(Ability, &str)> =
        chosen.iter().map(|sample| (sample.ability(), sample.dialogue.id.as_str())).collect();
    let taken = shard.takes(&given);
    chosen.into_iter().zip(taken).filter_map(|(sample, taken)| taken.then_some(sample)).collect()
}

/// The state shared by all requests of a run.
struct Asking<'a, P> {
    bench: &'a Benchmark,
    settings: &'a RunSettings,
    /// `None` for a built-in model.
    client: Option<&'a Client<'a>>,
    ports: &'a P,
    pace: &'a RefCell<Pace>,
}

/// The response to a sample, not yet judged.
#[derive(Debug, Clone)]
pub struct Response<'a> {
    content: Content<'a>,
    started_ms: u64,
    latency_ms: u64,
}

#[derive(Debug, Clone)]
enum Content<'a> {
    /// One answer.
    Answer(Box<(Sample<'a>, Ask, RetryOutcome<Reply>)>),
    /// A whole dialogue, already judged, because every answer determines the next prompt.
    Dialogue(Box<SampleRecord>),
}

impl Response<'_> {
    /// Whether network or server failed.
    fn is_unanswered(&self) -> bool {
        match &self.content {
            Content::Answer(answer) => answer
                .2
                .result
                .as_ref()
                .is_err_and(|failure| failure.class == FailureClass::Infrastructure),
            Content::Dialogue(record) => {
                let class = FailureClass::Infrastructure;
                matches!(&record.outcome, Outcome::Failed { class: it, .. } if *it == class)
            }
        }
    }

    /// A failed request instead, because the answer can't be judged.
    pub(crate) fn failed(mut self, reason: &str) -> Self {
        if let Content::Answer(answer) = &mut self.content {
            answer.2.result = Err(Failure::infrastructure(reason));
        }
        self
    }

    /// Judges the response; returns the sample's record.
    fn judged(self, bench: &Benchmark, protocol: Protocol) -> SampleRecord {
        let mut record = match self.content {
            Content::Dialogue(record) => *record,
            Content::Answer(answer) => {
                let (sample, asked, outcome) = *answer;
                let first_token_ms = outcome.first_token_ms();
                let mut record = match outcome.result {
                    Ok(reply) => {
                        answered(&bench.of_sample(&sample), protocol, &sample, asked, reply.answer)
                    }
                    Err(failure) => failed(&sample, asked, &failure),
                };
                record.times.first_token_ms = first_token_ms;
                record.attempts = outcome.attempts;
                record.retries = outcome.retries;
                record
            }
        };
        record.times.started_ms = self.started_ms;
        record.times.latency_ms = self.latency_ms;
        record
    }
}

impl<P: Ports> Asking<'_, P> {
    /// Asks one sample; `None` when the run was cancelled before the answer.
    async fn one<'s>(&self, sample: Sample<'s>) -> Option<Response<'s>> {
        if self.client.is_none() {
            // Yield between samples for cancellation and repaints; with an endpoint, requests
            // yield.
            self.ports.wait(0).await;
        }
        self.ports.resumed().await;
        if self.ports.cancelled() {
            return None;
        }
        let (started_ms, left_ms) = (self.ports.now_ms(), self.ports.elapsed_ms());
        let content = match sample.kind {
            SampleKind::Episode => Content::Dialogue(Box::new(self.episode(&sample).await?)),
            _ => self.step(sample).await?,
        };
        let latency_ms = self.ports.elapsed_ms().saturating_sub(left_ms);
        Some(Response { content, started_ms, latency_ms })
    }

    async fn step<'s>(&self, sample: Sample<'s>) -> Option<Content<'s>> {
        let protocol = self.settings.protocol;
        let bench = self.bench.of_sample(&sample);
        let (prompts, world) = (self.settings.prompts(), &bench.world);
        let history = protocol::history(protocol, &sample, world);
        let mut asked = protocol::ask_after(protocol, prompts, &sample, &history, world);
        if self.settings.has_grammar() {
            asked.grammar = protocol::grammar(protocol, &sample, &history, world.search.results);
        }
        let outcome =
            self.answer(&sample, &sample.id(), || Cow::Borrowed(&asked), &history).await?;
        Some(Content::Answer(Box::new((sample, asked, outcome))))
    }

    async fn episode(&self, sample: &Sample<'_>) -> Option<SampleRecord> {
        let settings = self.settings;
        let (prompts, limit) = (settings.prompts(), settings.turn_limit);
        let bench = self.bench.of_sample(sample);
        let begun = Episode::new(settings.protocol, prompts, *sample, &bench.world, limit);
        let id = sample.id();
        episode::play(&bench, sample, begun, self.ports, async |step, episode| {
            let ask = || Cow::Owned(episode::asked(episode));
            self.answer(sample, &format!("{id}/{step}"), ask, episode.history()).await
        })
        .await
    }

    /// The model's answer. `name` seeds the jitter of the pauses between retries.
    async fn answer<'b>(
        &self,
        sample: &Sample<'_>,
        name: &str,
        ask: impl FnOnce() -> Cow<'b, Ask>,
        history: &[Turn],
    ) -> Option<RetryOutcome<Reply>> {
        match (&self.settings.model, self.client) {
            (Model::Builtin { name }, _) => {
                let (bench, protocol) = (self.bench, self.settings.protocol);
                let mut answer = baseline::answer(*name, bench, protocol, sample, history);
                if bench.missed_search() {
                    answer = match bench.searchable().await {
                        Ok(()) => baseline::answer(*name, bench, protocol, sample, history),
                        Err(reason) => Err(reason),
                    };
                }
                let reply = answer.map(|answer| Reply { answer, first_token_ms: None });
                let result = reply.map_err(Failure::infrastructure);
                Some(RetryOutcome { result, attempts: 0, retries: Vec::new() })
            }
            (Model::Endpoint(_), client) => self.ask(client?, &ask(), name).await,
            (Model::Agent(_), _) => {
                let failure = Failure::infrastructure(
                    "An agent plays by itself and can't be asked. Start it again with api-bank mcp.",
                );
                Some(RetryOutcome { result: Err(failure), attempts: 0, retries: Vec::new() })
            }
        }
    }

    /// Queries an endpoint with retries. `None` when cancelled.
    async fn ask(&self, client: &Client<'_>, ask: &Ask, name: &str) -> Option<RetryOutcome<Reply>> {
        let settings = self.settings;
        let retry_policy = RetryPolicy {
            retries: settings.retries,
            first_ms: settings.backoff_ms,
            seed: settings.seed,
        };
        ask_with_retries(client, ask, name, retry_policy, self.pace, self.ports).await
    }
}
