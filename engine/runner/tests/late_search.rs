//! Runs that start before their search model has arrived.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use dataset::{Ability, Turn};
use futures::FutureExt;
use provider::{Endpoint, HttpHead, HttpRequest, Ports, Sink, Timeouts, TransportError};
use record::{Baseline, Model, Outcome, Record, RunSettings, Subset};
use retrieval::{Encoder, Index, Search};
use runner::benchmark::Benchmark;
use serde_json::json;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::pin::pin;

/// An endpoint that always searches for the same keywords, which are nowhere in the data.
#[derive(Default)]
struct Searching {
    asked: Cell<usize>,
}

impl Ports for Searching {
    fn now_ms(&self) -> u64 {
        0
    }

    async fn send(
        &self,
        _: HttpRequest,
        _: Timeouts,
        sink: &mut dyn Sink,
    ) -> Result<(), TransportError> {
        self.asked.set(self.asked.get() + 1);
        sink.head(HttpHead { status: 200, retry_after: None });
        let content = "[ToolSearcher(keywords='zither strings')]";
        let body = json!({"choices": [{"message": {"role": "assistant", "content": content}}]});
        let _ = sink.bytes(body.to_string().as_bytes());
        Ok(())
    }

    async fn wait(&self, _: u32) {}

    fn cancelled(&self) -> bool {
        false
    }
}

struct Files {
    onnx: Vec<u8>,
    vocabulary: String,
    index: Index,
}

impl Files {
    fn read(what: &str) -> Option<Self> {
        let folder = fixtures::search_files(what)?;
        let read = |file: &str| std::fs::read(folder.join(file)).unwrap();
        let index = Index::from_bytes(&read("vectors.bin")).unwrap();
        let vocabulary = String::from_utf8(read("vocab.txt")).unwrap();
        Some(Files { onnx: read("model.onnx"), vocabulary, index })
    }

    fn encoder(&self) -> Encoder {
        Encoder::load(&self.onnx, &self.vocabulary).unwrap()
    }

    fn search(&self) -> Search {
        Search::new(self.encoder(), self.index.clone()).unwrap()
    }

    fn ready(&self) -> Benchmark {
        Benchmark::new(dataset::builtin().unwrap(), self.search())
    }
}

fn settings(model: Model) -> RunSettings {
    RunSettings {
        abilities: vec![Ability::Retrieve],
        subset: Subset::PerAbility(2),
        ..RunSettings::new(model)
    }
}

fn of_endpoint() -> RunSettings {
    settings(Model::Endpoint(Endpoint {
        base_url: "http://localhost:9/v1".to_owned(),
        model: "m".to_owned(),
        streaming: false,
        ..Endpoint::default()
    }))
}

#[test]
fn samples_that_search_wait_for_the_model_and_are_then_judged_as_ever() {
    let Some(files) = Files::read("runs that start before their search model") else { return };
    let settings = of_endpoint();
    let (bench, arrival) = Benchmark::pending(dataset::builtin().unwrap(), files.index.clone());
    let ports = Searching::default();
    let early = Cell::new(0);
    let report = |progress| {
        early.set(early.get() + usize::from(matches!(progress, runner::Progress::Sample(_))));
    };
    let mut run = pin!(runner::run(&bench, &settings, None, &ports, report));
    assert!(run.as_mut().now_or_never().is_none(), "nothing waited for the model");
    let planned = runner::in_run(&bench, &settings).len();
    assert_eq!(ports.asked.get(), planned, "requests waited for the model");
    assert!(early.get() < planned, "all samples were judged without the model");
    arrival.complete(Ok(files.encoder())).unwrap();
    let late = run.now_or_never().expect("the model is there");
    let ready = files.ready();
    let ports = Searching::default();
    let usual = runner::run(&ready, &settings, None, &ports, |_| {});
    let usual: Record = usual.now_or_never().unwrap();
    assert_eq!(late, usual);
}

#[test]
fn a_model_that_never_arrives_is_no_wrong_answer() {
    let Some(files) = Files::read("runs without their search model") else { return };
    let settings = of_endpoint();
    let (bench, arrival) = Benchmark::pending(dataset::builtin().unwrap(), files.index.clone());
    let ports = Searching::default();
    let mut run = pin!(runner::run(&bench, &settings, None, &ports, |_| {}));
    assert!(run.as_mut().now_or_never().is_none());
    assert!(arrival.complete(Err("the connection broke".to_owned())).is_err());
    let record = run.now_or_never().expect("it is settled");
    let failed: Vec<&str> = record
        .samples
        .iter()
        .filter_map(|sample| match &sample.outcome {
            Outcome::Failed { message, .. } => Some(message.as_str()),
            Outcome::Answered(_) => None,
        })
        .collect();
    assert!(!failed.is_empty());
    assert!(failed.iter().all(|message| message.contains("the connection broke")), "{failed:?}");
}

#[test]
fn the_keyword_baseline_needs_no_model() {
    let Some(files) = Files::read("the keyword baseline without a search model") else { return };
    let settings = settings(Model::Builtin { name: Baseline::KeywordBaseline });
    let (bench, _arrival) = Benchmark::pending(dataset::builtin().unwrap(), files.index.clone());
    let ports = Searching::default();
    let early = runner::run(&bench, &settings, None, &ports, |_| {}).now_or_never();
    let ready = files.ready();
    let usual = runner::run(&ready, &settings, None, &ports, |_| {}).now_or_never();
    assert_eq!(early.expect("it waited for the model"), usual.unwrap());
}

/// A sample of the utterances, because embedding all of them takes minutes without optimization.
#[test]
fn known_rankings_are_what_the_model_finds() {
    let Some(files) = Files::read("known rankings") else { return };
    let pack = dataset::builtin().unwrap();
    let mut search = files.search();
    let said: BTreeSet<(&str, &str)> = pack
        .dialogues
        .iter()
        .chain(&pack.hard)
        .flat_map(|dialogue| {
            let suite = dialogue.ability.suite().as_str();
            dialogue.turns.iter().filter_map(move |turn| match turn {
                Turn::User { text } => Some((suite, text.as_str())),
                _ => None,
            })
        })
        .collect();
    assert_eq!(files.index.known.len(), said.len());
    for (suite, text) in said.into_iter().step_by(40) {
        let found = search.search(suite, text, usize::MAX).unwrap();
        let names: Vec<&str> = found.iter().map(|hit| hit.name.as_str()).collect();
        assert_eq!(files.index.known(suite, text, usize::MAX), Some(names), "{text}");
    }
}
