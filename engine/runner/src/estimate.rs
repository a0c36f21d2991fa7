//! Estimates a run's requests and characters in advance, from the actual prompts.

use crate::benchmark::Benchmark;
use crate::{in_run, staircase};
use dataset::Turn;
use exchange::call::format;
use exchange::protocol;
use exchange::protocol::{Ask, Sample, SampleKind, agent};
use record::RunSettings;
use record::RunSize;
use scoring::statistics::smallest_difference;
use std::collections::{BTreeMap, BTreeSet};

/// The longest horizon tasks that an estimate counts.
const USUAL_LEVEL: u16 = 16;

fn add(estimate: &mut RunSize, ask: &Ask, gold: Option<&Turn>) {
    estimate.requests += 1;
    estimate.prompt_chars += chars_of(ask);
    estimate.answer_chars += gold.map_or(0, |turn| match turn {
        Turn::User { .. } => 0,
        Turn::Assistant { text, .. } => chars(text),
        Turn::Api(call) => chars(&format(&call.api_name, &call.param_dict)),
    });
}

/// Estimates a run with these settings.
pub fn estimate(bench: &Benchmark, settings: &RunSettings) -> RunSize {
    let (protocol, prompts) = (settings.protocol, settings.prompts());
    let world = &bench.prepared(settings).world;
    let mut estimate = RunSize::default();
    // Decisions by dialogue, without repeated trials.
    let mut decisions: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for sample in counted(bench, settings) {
        estimate.samples += 1;
        let known = decisions.entry(&sample.dialogue.id).or_default();
        if sample.kind == SampleKind::Episode || sample.kind.is_decision() {
            known.insert(Sample { trial: 1, ..sample }.id());
        }
        if !protocol.is_agent() {
            let ask = protocol::ask(protocol, prompts, &sample, world);
            add(&mut estimate, &ask, sample.dialogue.turns.get(sample.turn));
            continue;
        }
        let turns = &sample.dialogue.turns;
        for (turn, gold) in turns.iter().enumerate() {
            let mut ask = |at, kind, gold| {
                let step = Sample::new(sample.dialogue, at, kind);
                add(&mut estimate, &agent::ask_at(protocol, prompts, &step, world), gold);
            };
            // The model replies once before the user continues, even if the dialogue has no reply
            // there; text before a call is part of that answer.
            let next = turns.get(turn + 1);
            let last = next.is_none_or(|next| matches!(next, Turn::User { .. }));
            match gold {
                Turn::Api(_) => ask(turn, SampleKind::Call, Some(gold)),
                Turn::Assistant { .. } if last => ask(turn, SampleKind::Reply, Some(gold)),
                Turn::Assistant { .. } | Turn::User { .. } => {}
            }
            if last && !matches!(gold, Turn::Assistant { .. }) {
                ask(turn + 1, SampleKind::Reply, None);
            }
        }
    }
    estimate.dialogues = decisions.len();
    let sizes: Vec<usize> = decisions.values().map(BTreeSet::len).filter(|n| *n > 0).collect();
    // No difference of rates exceeds 1.
    estimate.smallest_difference = smallest_difference(&sizes).filter(|it| *it < 1.0);
    estimate
}

/// The samples to count. An adaptive run counts as its maximum number of tasks, of typical lengths.
fn counted<'a>(bench: &'a Benchmark, settings: &RunSettings) -> Vec<Sample<'a>> {
    let mut samples = in_run(bench, settings);
    if staircase::adaptive(settings).is_some() {
        let most = staircase::planned(&samples, settings);
        samples.retain(|sample| sample.task().is_some_and(|task| task.level <= USUAL_LEVEL));
        let every = samples.len().div_ceil(most.max(1));
        samples = samples.into_iter().step_by(every.max(1)).collect();
    }
    samples
}

fn chars(text: &str) -> u64 {
    text.chars().count() as u64
}

fn chars_of(ask: &Ask) -> u64 {
    let messages = ask.messages.iter().map(|message| {
        let calls = message.calls.iter().map(|call| chars(&call.name) + chars(&call.arguments));
        chars(&message.content) + calls.sum::<u64>()
    });
    let tools = ask.tools.iter().map(|tool| {
        chars(&tool.name) + chars(&tool.description) + chars(&tool.parameters.to_string())
    });
    messages.sum::<u64>() + tools.sum::<u64>()
}
