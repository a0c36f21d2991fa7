//! A bench with the files that the site ships, and records made on it without any network.

use exchange::SampleTimes;
use exchange::protocol::agent::Episode;
use exchange::protocol::{SampleKind, ask, history};
use exchange::{Answer, Usage};
use provider::Failure;
use record::Baseline;
use record::RunSettings;
use record::{Record, RunTimes, SampleRecord};
use retrieval::{Encoder, Index, Search};
use runner::benchmark::Benchmark;
use runner::{answered, failed, head, in_run, played};

/// The bench of the built-in pack, where the search files are.
pub fn bench(what: &str) -> Option<Benchmark> {
    let folder = fixtures::search_files(what)?;
    let read = |file: &str| std::fs::read(folder.join(file)).unwrap();
    let vocabulary = String::from_utf8(read("vocab.txt")).unwrap();
    let encoder = Encoder::load(&read("model.onnx"), &vocabulary).unwrap();
    let search = Search::new(encoder, Index::from_bytes(&read("vectors.bin")).unwrap()).unwrap();
    Some(Benchmark::new(dataset::builtin().unwrap(), search))
}

/// The record of a run in which an endpoint gives the answers of the keyword baseline, some with
/// usage and reasoning, and some requests fail.
pub fn record(bench: &Benchmark, settings: &RunSettings) -> Record {
    let bench = &bench.returning(settings.search_results);
    let mut samples = Vec::new();
    for sample in &in_run(bench, settings) {
        let (protocol, prompts) = (settings.protocol, settings.prompts());
        let times = SampleTimes { started_ms: 5, latency_ms: 7, first_token_ms: Some(2) };
        let asked = ask(protocol, prompts, sample, &bench.world);
        let mut record: SampleRecord = if fails(&sample.id()) {
            let failure = Failure::infrastructure("HTTP 500");
            SampleRecord { retries: vec!["HTTP 502".to_owned()], ..failed(sample, asked, &failure) }
        } else if sample.kind == SampleKind::Episode {
            let limit = settings.turn_limit;
            let mut episode = Episode::new(prompts, *sample, &bench.world, limit);
            while episode.ask().is_some() {
                let model = Baseline::KeywordBaseline;
                let answer =
                    runner::baseline::answer(model, bench, protocol, sample, episode.history())
                        .unwrap();
                episode.take(answer, 1, times);
            }
            played(bench, sample, episode.finish())
        } else {
            let before = history(protocol, sample, &bench.world);
            let model = Baseline::KeywordBaseline;
            let answer = runner::baseline::answer(model, bench, protocol, sample, &before).unwrap();
            let answer = Answer {
                reasoning: Some("Let me see.".to_owned()),
                finish_reason: Some("stop".to_owned()),
                usage: Some(Usage { prompt_tokens: 9, completion_tokens: 4 }),
                ..answer
            };
            answered(bench, protocol, sample, asked, answer)
        };
        record.attempts = 1;
        record.times = times;
        samples.push(record);
    }
    head(bench, settings).filled(samples, RunTimes { started_ms: 1, finished_ms: 9 })
}

/// A ninth of the samples, the same whatever else is in the run.
fn fails(id: &str) -> bool {
    id.bytes().map(usize::from).sum::<usize>() % 9 == 8
}
