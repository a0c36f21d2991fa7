//! A bench with the site's search files, and records made on it without a network.

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

/// The bench of the built-in pack; `None` without the search files.
pub fn bench(what: &str) -> Option<Benchmark> {
    let folder = fixtures::search_files(what)?;
    let read = |file: &str| std::fs::read(folder.join(file)).unwrap();
    let vocabulary = String::from_utf8(read("vocab.txt")).unwrap();
    let encoder = Encoder::load(&read("model.onnx"), &vocabulary).unwrap();
    let search = Search::new(encoder, Index::from_bytes(&read("vectors.bin")).unwrap()).unwrap();
    Some(Benchmark::new(dataset::builtin().unwrap(), search))
}

/// The record of a run whose endpoint answers like the keyword baseline, with usage and reasoning.
/// Some requests fail.
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
            let mut episode = Episode::new(protocol, prompts, *sample, &bench.world, limit);
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

/// Whether a sample's request fails: about one in nine, by id alone.
fn fails(id: &str) -> bool {
    id.bytes().map(usize::from).sum::<usize>() % 9 == 8
}
