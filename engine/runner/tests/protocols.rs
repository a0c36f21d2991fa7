//! Every protocol on the whole built-in pack: the gold is always right, the keyword baseline
//! completes, and no prompt reveals what follows its sample.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use dataset::{Ability, Split, Turn};
use exchange::EpisodeEnd;
use exchange::protocol::{DescribedApis, Message, Prompts, Protocol, SampleKind, ask, plan};
use record::Baseline;
use record::{Model, Outcome, Record};
use record::{RunSettings, Subset};
use runner::estimate;
use scoring::Profile;
use support::{bench, run};

fn settings(name: Baseline, protocol: Protocol, split: Split) -> RunSettings {
    RunSettings { protocol, split, ..RunSettings::new(Model::Builtin { name }) }
}

/// Wrong and failed samples, one per line.
fn defects(record: &Record) -> Vec<String> {
    let samples = record.samples.iter();
    samples
        .filter_map(|sample| match (&sample.outcome, sample.verdict(Profile::Execution)) {
            (Outcome::Failed { message, .. }, _) => Some(format!("{}: {message}", sample.id)),
            (_, Some(verdict)) if !verdict.correct => {
                Some(format!("{}: {}", sample.id, verdict.explanation))
            }
            _ => None,
        })
        .collect()
}

#[test]
fn the_gold_is_right_under_every_protocol() {
    let bench = bench();
    for split in [Split::Standard, Split::Hard] {
        for protocol in Protocol::ALL {
            let record = run(&bench, &settings(Baseline::GoldReplay, protocol, split));
            let name = protocol.as_str();
            let there = bench.pack.split(split).is_empty();
            assert_eq!(record.samples.is_empty(), there, "{name} asks for something");
            assert_eq!(record.samples.len(), record.planned, "{name}");
            assert_eq!(defects(&record), Vec::<String>::new(), "{name}, {split:?}");
            println!("{name}, {split:?}: {} samples, {} left out", record.planned, record.left_out);
        }
    }
}

#[test]
fn exact_holds_for_the_gold_too() {
    let bench = bench();
    for protocol in Protocol::ALL {
        let record = run(&bench, &settings(Baseline::GoldReplay, protocol, Split::Standard));
        let wrong: Vec<&str> = record
            .samples
            .iter()
            .filter(|sample| sample.verdict(Profile::Exact).is_some_and(|verdict| !verdict.correct))
            .map(|sample| sample.id.as_str())
            .collect();
        assert_eq!(wrong, Vec::<&str>::new(), "{}", protocol.as_str());
    }
}

#[test]
fn the_keyword_baseline_completes() {
    let bench = bench();
    for protocol in Protocol::ALL {
        let record = run(&bench, &settings(Baseline::KeywordBaseline, protocol, Split::Standard));
        let right = record
            .samples
            .iter()
            .filter(|it| it.verdict(Profile::Execution).is_some_and(|verdict| verdict.correct))
            .count();
        let failed =
            record.samples.iter().filter(|sample| matches!(sample.outcome, Outcome::Failed { .. }));
        assert_eq!(failed.count(), 0, "{}", protocol.as_str());
        assert!(right > 0, "{}: the floor is above 0", protocol.as_str());
        assert!(
            !defects(&record).is_empty(),
            "{}: it cannot be right throughout",
            protocol.as_str()
        );
        println!("{}: {right} right of {}", protocol.as_str(), record.planned);
    }
}

#[test]
fn a_turn_limit_ends_an_episode() {
    let bench = bench();
    let mut settings = settings(Baseline::GoldReplay, Protocol::Agent, Split::Standard);
    settings.abilities = vec![Ability::Plan];
    settings.turn_limit = 2;
    let record = run(&bench, &settings);
    for sample in &record.samples {
        let episode = sample.episode.as_ref().unwrap();
        assert_eq!(
            (episode.steps.len(), episode.ended),
            (2, EpisodeEnd::TurnLimit),
            "{}",
            sample.id
        );
        assert!(!sample.verdict(Profile::Execution).unwrap().correct, "{}", sample.id);
    }
}

#[test]
fn trials_repeat_each_sample_under_ids_of_their_own() {
    let bench = bench();
    let mut settings = settings(Baseline::GoldReplay, Protocol::Agent, Split::Standard);
    settings.abilities = vec![Ability::Plan];
    let once = run(&bench, &settings);
    settings.trials = 3;
    let record = run(&bench, &settings);
    assert_eq!(record.samples.len(), 3 * once.samples.len());
    let mut ids: Vec<&str> = record.samples.iter().map(|sample| sample.id.as_str()).collect();
    assert!(ids[2].ends_with("@3"), "{}", ids[2]);
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), record.samples.len());
    assert_eq!(once.samples[0], record.samples[0]);
}

/// The texts that would reveal a turn: utterances and string arguments.
fn traces(turn: &Turn) -> Vec<String> {
    match turn {
        Turn::User { text } | Turn::Assistant { text, .. } => vec![text.clone()],
        Turn::Api(call) => {
            let values = call.param_dict.values().filter_map(|value| value.as_str());
            values.map(str::to_owned).collect()
        }
    }
}

fn text(messages: &[Message]) -> String {
    let mut text = String::new();
    for message in messages {
        text.push_str(&message.content);
        text.push('\n');
        for call in &message.calls {
            text.push_str(&call.arguments);
            text.push('\n');
        }
    }
    text
}

#[test]
fn no_prompt_reveals_what_follows_its_sample() {
    let bench = bench();
    for split in [Split::Standard, Split::Hard] {
        for protocol in Protocol::ALL {
            let prompts = Prompts::builtin(protocol);
            let plan =
                plan(protocol, &bench.pack, split, &Ability::ALL, 1, DescribedApis::default());
            let mut checked = 0;
            for sample in &plan.samples {
                let mut shown = text(&ask(protocol, prompts, sample, &bench.world).messages);
                // Documentation may contain the same text by chance.
                for api in sample.described(bench.world.search.results) {
                    shown = shown.replace(&api.prompt_json().to_string(), "");
                }
                // Rules may name people who appear later.
                if let Some(rules) = sample.hard().and_then(|hard| hard.rules.as_ref()) {
                    shown = shown.replace(rules.as_str(), "");
                }
                let turns = &sample.dialogue.turns;
                let first = sample.dialogue.earlier + 1;
                let known = if sample.kind == SampleKind::Episode { first } else { sample.turn };
                let before: Vec<String> = turns[..known].iter().flat_map(traces).collect();
                let results: String = turns[..known]
                    .iter()
                    .filter_map(Turn::as_call)
                    .map(|call| format!("{:?} {:?}", call.result.output, call.result.exception))
                    .collect();
                for trace in turns[known..].iter().flat_map(traces) {
                    // Short texts occur in instructions by chance; others occurred before.
                    let said = before.iter().any(|text| text.contains(&trace));
                    if trace.len() < 12 || said || results.contains(&trace) {
                        continue;
                    }
                    checked += 1;
                    assert!(
                        !shown.contains(&trace),
                        "{} {}: {trace}",
                        protocol.as_str(),
                        sample.id()
                    );
                }
            }
            let few = if bench.pack.split(split).is_empty() { 0 } else { 20 };
            assert!(checked >= few, "{}, {split:?}: {checked} traces", protocol.as_str());
        }
    }
}

#[test]
fn an_estimate_counts_what_a_run_of_the_gold_asks() {
    let bench = bench();
    for protocol in Protocol::ALL {
        let settings = RunSettings {
            subset: Subset::Percent(25),
            ..settings(Baseline::GoldReplay, protocol, Split::Standard)
        };
        let (count, record) = (estimate(&bench, &settings), run(&bench, &settings));
        let name = protocol.as_str();
        assert_eq!(count.samples, record.planned, "{name}");
        let steps = |it: &record::SampleRecord| it.episode.as_ref().map_or(1, |it| it.steps.len());
        assert_eq!(count.requests, record.samples.iter().map(steps).sum::<usize>(), "{name}");
        let said: usize = record
            .samples
            .iter()
            .flat_map(|sample| &sample.messages)
            .map(|message| message.content.chars().count())
            .sum();
        assert!(count.prompt_chars >= said as u64, "{name}: {count:?} is less than {said}");
        assert!(count.answer_chars > 0 && count.answer_chars < count.prompt_chars, "{name}");
        let twice = RunSettings { trials: 2, ..settings };
        let doubled = estimate(&bench, &twice);
        assert_eq!(doubled.prompt_chars, 2 * count.prompt_chars, "{name}");
    }
}
