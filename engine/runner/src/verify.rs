//! Verifies a record: reruns every call and recomputes every number.
//!
//! Answers, request counts and times can't be recomputed and are taken as recorded. Everything else
//! must match, including the record's digest.

use crate::baseline;
use crate::batch::planned;
use crate::benchmark::Benchmark;
use crate::staircase::{self, Played};
use crate::{answered, failed, head, in_run, played};
use dataset::{PackError, Source};
use exchange::protocol::agent::Episode;
use exchange::protocol::{Sample, ask, ask_after, history};
use exchange::shorten;
use provider::Failure;
use record::Model;
use record::disclosure::{self, Counter};
use record::jws;
use record::{
    App, Difference, Digester, Disclosure, EpisodeRecord, Limits, MOST_SIGNATURES, Outcome, Record,
    RecordError, SampleRecord, Shards, Status, Summarizer, Verification, Warning,
};
use record::{LONGEST_EPISODE, MOST_PARTS, MOST_TRIALS, RunSettings, SettingsError, Shard};
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use thiserror::Error;

/// The maximum number of differences kept; further ones are only counted.
const MOST_KEPT: usize = 500;
/// The maximum length of a value shown in a difference, in characters.
const SHOWN: usize = 300;

/// Why a record can't be verified here.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum VerifyError {
    /// The record was made with different data.
    #[error(
        "this record needs the pack {} (digest {}), and the pack that is loaded is {} (digest {}). \
         Load that pack, then verify again",
        needed.title(), shorten(&needed.digest, 12), loaded.title(), shorten(&loaded.digest, 12)
    )]
    Pack {
        /// The pack that the record needs.
        needed: Box<Source>,
        /// The pack that is loaded.
        loaded: Box<Source>,
    },
    /// A setting that no run can have.
    #[error("{field}: expected {expected}, got {got}")]
    Setting {
        /// The field.
        field: &'static str,
        /// The valid values.
        expected: String,
        /// The value in the record.
        got: String,
    },
    /// The retriever that answered the searches can't be rebuilt here.
    #[error("search.retriever: {0}")]
    Retriever(String),
    /// The data that the record names can't be made.
    #[error(transparent)]
    Edition(#[from] PackError),
    /// The record can't be read.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// Verifies a record file, streaming its samples; a record of an edition on that edition. `open` is
/// called twice, because the file is read twice. `progress` gets the number of samples done.
///
/// # Errors
/// When the file is not a record, or was made with a pack other than the bench's.
pub fn verify<R: Read>(
    mut open: impl FnMut() -> Result<R, RecordError>,
    bench: &Benchmark,
    limits: &Limits,
    mut progress: impl FnMut(usize, &SampleRecord),
) -> Result<Verification, VerifyError> {
    let frame = Record::read(open()?, limits, |_| Ok(()))?;
    let bench = &bench.edition(frame.pack.edition())?;
    let mut verifier = Verifier::new(bench, frame)?;
    Record::read(open()?, limits, |sample| {
        verifier.sample(&sample)?;
        progress(verifier.done, &sample);
        Ok(())
    })?;
    Ok(verifier.finish()?)
}

/// A verification in progress.
#[derive(Debug)]
pub struct Verifier<'a> {
    /// With the record's number of search results and retriever.
    bench: Benchmark,
    frame: Record,
    settings: RunSettings,
    /// The planned samples, by id.
    samples: BTreeMap<String, Sample<'a>>,
    seen: BTreeSet<String>,
    last: Option<SampleRecord>,
    played: Played,
    digester: Digester,
    summarizer: Summarizer,
    counter: Counter,
    done: usize,
    found: Found,
}

impl<'a> Verifier<'a> {
    /// Starts a verification. `frame` is the record without its samples.
    ///
    /// # Errors
    /// When the record was made with a pack other than the bench's, or has settings that no run can
    /// have.
    pub fn new(bench: &'a Benchmark, frame: Record) -> Result<Self, VerifyError> {
        let loaded = bench.pack.source();
        if frame.pack != loaded {
            let needed = Box::new(frame.pack);
            return Err(VerifyError::Pack { needed, loaded: Box::new(loaded) });
        }
        check(&frame)?;
        let settings = frame.settings();
        let retriever = bench.check_retriever(settings.retriever.as_ref());
        retriever.map_err(VerifyError::Retriever)?;
        let samples = parts(&frame)
            .iter()
            .flat_map(|part| in_run(bench, part))
            .map(|sample| (sample.id(), sample))
            .collect();
        let (profile, method) = (frame.summary.profile, frame.summary.interval_method);
        Ok(Verifier {
            bench: bench.prepared(&settings),
            frame,
            settings,
            samples,
            seen: BTreeSet::new(),
            last: None,
            played: Played::default(),
            digester: Digester::default(),
            summarizer: Summarizer::with(profile, method),
            counter: Counter::new(profile),
            done: 0,
            found: Found::default(),
        })
    }

    /// Verifies the next sample.
    ///
    /// # Errors
    /// When the sample can't be serialized.
    pub fn sample(&mut self, recorded: &SampleRecord) -> Result<(), RecordError> {
        self.done += 1;
        self.digester.add(recorded)?;
        self.summarizer.add(recorded);
        let path = format!("samples[{}]", shorten(&recorded.id, 80));
        if self.last.as_ref().is_some_and(|last| last.place() >= recorded.place()) {
            let place = "after the sample before it, by ability, dialogue, turn and trial";
            self.found.add(&path, "out of order", place);
        }
        let first = self.seen.insert(recorded.id.clone());
        if !first {
            self.found.add(&path, "a second time", "once");
        }
        match self.samples.get(&recorded.id) {
            None => self.found.add(&path, "a sample", "no such sample in this run"),
            Some(sample) => {
                let recomputed = self.recomputed(sample, recorded);
                if first {
                    self.played.note(&recomputed);
                    self.counter.add(&recomputed);
                }
                self.found.compare(&path, &value(recorded)?, &value(&recomputed)?);
            }
        }
        self.last = Some(recorded.clone());
        Ok(())
    }

    /// The first difference so far.
    pub fn first_difference(&self) -> Option<&Difference> {
        self.found.kept.first()
    }

    /// Recomputes a sample from its answers.
    fn recomputed(&self, sample: &Sample<'_>, recorded: &SampleRecord) -> SampleRecord {
        let (protocol, prompts) = (self.settings.protocol, self.settings.prompts());
        let bench = &*self.bench.of_sample(sample);
        let world = &bench.world;
        let new = match (&recorded.outcome, &recorded.episode) {
            (Outcome::Answered(_), Some(episode)) => self.replayed(bench, sample, episode),
            (Outcome::Answered(answer), None) => {
                let before = history(protocol, sample, world);
                let asked = ask_after(protocol, prompts, sample, &before, world);
                let said = match &self.settings.model {
                    // Built-in models are deterministic: rerun them.
                    Model::Builtin { name } => {
                        baseline::answer(*name, bench, protocol, sample, &before).ok()
                    }
                    Model::Endpoint(_) | Model::Agent(_) => None,
                };
                answered(bench, protocol, sample, asked, said.unwrap_or(answer.clone()))
            }
            (Outcome::Failed { class, message }, _) => {
                let failure = Failure::recorded(*class, message.clone());
                let asked = ask(protocol, prompts, sample, world);
                let new = failed(sample, asked, &failure);
                // An episode can fail at any step, and keeps only that step's prompt.
                if sample.kind == exchange::protocol::SampleKind::Episode {
                    let (messages, tools) = (recorded.messages.clone(), recorded.tools.clone());
                    SampleRecord { messages, tools, ..new }
                } else {
                    new
                }
            }
        };
        SampleRecord {
            attempts: recorded.attempts,
            retries: recorded.retries.clone(),
            times: recorded.times,
            ..new
        }
    }

    /// Replays an episode from its answers.
    fn replayed(
        &self,
        bench: &Benchmark,
        sample: &Sample<'_>,
        recorded: &EpisodeRecord,
    ) -> SampleRecord {
        let (prompts, limit) = (self.settings.prompts(), self.settings.turn_limit);
        let mut episode =
            Episode::new(self.settings.protocol, prompts, *sample, &bench.world, limit);
        for step in &recorded.steps {
            if episode.ask().is_none() {
                break;
            }
            let said = match &self.settings.model {
                Model::Builtin { name } => baseline::answer(
                    *name,
                    bench,
                    self.settings.protocol,
                    sample,
                    episode.history(),
                )
                .ok(),
                Model::Endpoint(_) | Model::Agent(_) => None,
            };
            episode.take(said.unwrap_or(step.answer.clone()), step.attempts, step.times);
        }
        played(bench, sample, episode.finish())
    }

    /// Verifies everything except the samples.
    ///
    /// # Errors
    /// When a number is not finite.
    pub fn finish(mut self) -> Result<Verification, RecordError> {
        let frame = &self.frame;
        let head = head(&self.bench, &self.settings);
        let planned = self.planned();
        let whole = self.done == planned;
        let digest = self.digester.clone().finish(frame)?;
        let signatures = frame.signatures.iter();
        let signatures: Vec<_> = signatures.map(|it| jws::check(it, &digest)).collect();
        let expected = Record {
            schema_version: frame.schema_version,
            app: frame.app.clone(),
            shard: frame.shard.clone(),
            planned,
            dropped_parameters: frame.dropped_parameters.clone(),
            times: frame.times,
            status: if whole { Status::Finished } else { Status::Cancelled },
            summary: self.summarizer.clone().finish(),
            // Schema version 1 had no digest.
            digest: if frame.digest.is_empty() { String::new() } else { digest },
            signatures: frame.signatures.clone(),
            ..head
        };
        self.found.compare("", &value(frame)?, &value(&expected)?);
        let mut disclosure = self.disclosure();
        disclosure.warn_of_signatures(&signatures);
        let Found { kept, count } = self.found;
        let samples = self.done;
        Ok(Verification { samples, differences: kept, found: count, disclosure, signatures })
    }

    /// How many samples the finished run has.
    fn planned(&self) -> usize {
        let complete = |most| self.played.is_complete(most);
        if staircase::adaptive(&self.settings).is_some_and(complete) {
            return self.done;
        }
        parts(&self.frame).iter().map(|part| planned(&self.bench, part)).sum()
    }

    /// The disclosure of the record.
    fn disclosure(&self) -> Disclosure {
        let (frame, profile) = (&self.frame, self.frame.summary.profile);
        let missing = self
            .samples
            .iter()
            .filter(|(id, sample)| !self.seen.contains(*id) && disclosure::counts(sample, profile))
            // Which tasks such a run would have chosen further is open.
            .filter(|_| staircase::adaptive(&self.settings).is_none());
        let missing = missing.map(|(_, sample)| (sample.dialogue.id.as_str(), sample.turn));
        let mut found = self.counter.clone().finish(frame, self.planned(), missing);
        if frame.app != App::this() && self.found.count > 0 {
            let (made, this) = (frame.app.clone(), App::this());
            found.warnings.push(Warning::OtherBuild { made, this });
        }
        found
    }
}

/// The settings of each shard in the record.
fn parts(frame: &Record) -> Vec<RunSettings> {
    let settings = frame.settings();
    match &frame.shard {
        None => vec![settings],
        Some(Shards { of, parts }) => parts
            .iter()
            .map(|part| RunSettings {
                shard: Some(Shard { part: *part, of: *of }),
                ..settings.clone()
            })
            .collect(),
    }
}

/// Rejects settings that would allow unbounded memory use.
fn check(frame: &Record) -> Result<(), VerifyError> {
    let outside =
        |field, expected: String, got: String| Err(VerifyError::Setting { field, expected, got });
    if !(1..=MOST_TRIALS).contains(&frame.trials) {
        return outside("trials", format!("1 to {MOST_TRIALS}"), frame.trials.to_string());
    }
    if let Some(limit) = frame.turn_limit.filter(|it| !(1..=LONGEST_EPISODE).contains(it)) {
        return outside("turn_limit", format!("1 to {LONGEST_EPISODE}"), limit.to_string());
    }
    if frame.signatures.len() > MOST_SIGNATURES {
        let expected = format!("at most {MOST_SIGNATURES}");
        return outside("signatures", expected, frame.signatures.len().to_string());
    }
    if let Some(shard) = &frame.shard {
        let in_order = shard.parts.windows(2).all(|pair| pair[0] < pair[1]);
        let known = shard.parts.iter().all(|part| (1..=shard.of).contains(part));
        if shard.of > MOST_PARTS || shard.parts.is_empty() || !in_order || !known {
            let expected = format!("parts from 1 to of, ascending, of at most {MOST_PARTS}");
            let got = format!("{} parts of {}", shard.parts.len(), shard.of);
            return outside("shard", expected, got);
        }
    }
    match frame.settings().check() {
        Err(SettingsError::Retriever { field, expected, got }) => {
            return outside(field, expected, got);
        }
        Err(SettingsError::AgentProtocol(protocol)) => {
            let expected = "agent, under which agents play".to_owned();
            return outside("protocol", expected, protocol.as_str().to_owned());
        }
        _ => {}
    }
    if let Some(prompts) = &frame.custom_prompts {
        prompts.check(frame.protocol).or_else(|error| {
            outside("custom_prompts", "prompts that can be used".to_owned(), error.to_string())
        })?;
    }
    Ok(())
}

fn value(of: &impl Serialize) -> Result<Value, RecordError> {
    serde_json::to_value(of).map_err(|error| RecordError::Shape(error.to_string()))
}

/// The differences so far.
#[derive(Debug, Default)]
struct Found {
    kept: Vec<Difference>,
    count: usize,
}

impl Found {
    fn add(&mut self, path: &str, recorded: &str, recomputed: &str) {
        self.count += 1;
        if self.kept.len() < MOST_KEPT {
            self.kept.push(Difference {
                path: path.to_owned(),
                recorded: shorten(recorded, SHOWN),
                recomputed: shorten(recomputed, SHOWN),
            });
        }
    }

    /// Adds every differing leaf.
    fn compare(&mut self, path: &str, recorded: &Value, recomputed: &Value) {
        match (recorded, recomputed) {
            (Value::Object(a), Value::Object(b)) => {
                let added = b.keys().filter(|key| !a.contains_key(key.as_str()));
                for key in a.keys().chain(added) {
                    let dot = if path.is_empty() { "" } else { "." };
                    self.pair(&format!("{path}{dot}{key}"), a.get(key), b.get(key));
                }
            }
            (Value::Array(a), Value::Array(b)) => {
                for index in 0..a.len().max(b.len()) {
                    self.pair(&format!("{path}[{index}]"), a.get(index), b.get(index));
                }
            }
            (a, b) if a == b => {}
            (a, b) => self.add(path, &a.to_string(), &b.to_string()),
        }
    }

    fn pair(&mut self, path: &str, recorded: Option<&Value>, recomputed: Option<&Value>) {
        match (recorded, recomputed) {
            (Some(a), Some(b)) => self.compare(path, a, b),
            (Some(a), None) => self.add(path, &a.to_string(), "nothing"),
            (None, Some(b)) => self.add(path, "nothing", &b.to_string()),
            (None, None) => {}
        }
    }
}
