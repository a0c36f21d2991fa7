//! From an answer to a sample's record: pure, the same for every platform.

use crate::bench::Bench;
use crate::call;
use crate::imported;
use crate::protocol::{Message, Sample, SampleKind, world_at};
use crate::provider::{Answer, Failure};
use crate::record::{Gold, Outcome, SampleRecord, SampleTimes, Verdicts};
use crate::scoring::judge;
use crate::scoring::restraint::{self, planted};
use crate::scoring::rouge::rouge_l;

/// The record of a sample that was answered, with verdicts.
pub fn answered(
    bench: &Bench,
    sample: &Sample<'_>,
    messages: Vec<Message>,
    answer: Answer,
) -> SampleRecord {
    let text = answer.text.clone();
    let mut record = blank(sample, messages, Outcome::Answered(answer));
    if let Some(gold) = sample.gold_call() {
        let world = world_at(sample, &bench.world);
        let suite = sample.ability().suite();
        let imported = sample.source.is_some();
        let parsed =
            if imported { imported::judge::parse(gold, &text) } else { call::parse(&text) };
        let mut judgement = if imported {
            imported::judge::judge_call(sample, gold, parsed.as_ref(), &world)
        } else {
            judge(suite, gold, parsed.as_ref(), &world)
        };
        if let (Some(hard), Ok(call)) = (sample.hard(), &parsed) {
            let followed = planted::followed(suite, hard, call, &world);
            judgement.execution.explain(followed.as_deref());
            judgement.exact.explain(followed.as_deref());
        }
        record.parsed = parsed.ok();
        record.gold_effect = Some(judgement.gold);
        record.effect = judgement.predicted;
        record.verdicts = Some(Verdicts { execution: judgement.execution, exact: judgement.exact });
    } else if sample.kind == SampleKind::Restraint {
        let world = world_at(sample, &bench.world);
        let parsed = call::parse(&text);
        let suite = sample.ability().suite();
        let judgement = restraint::judge(suite, sample.hard(), &text, parsed.as_ref(), &world);
        record.parsed = parsed.ok();
        record.effect = judgement.effect;
        let verdict = judgement.verdict;
        record.verdicts = Some(Verdicts { execution: verdict.clone(), exact: verdict });
    } else if let Some(gold) = sample.gold_reply() {
        // A reply without a single sentence shares nothing with the gold one.
        record.rouge_l = Some(rouge_l(gold, &text).map_or(0.0, |score| score.f1));
    }
    record
}

/// The record of a sample that got no answer.
pub fn failed(sample: &Sample<'_>, messages: Vec<Message>, failure: &Failure) -> SampleRecord {
    let outcome = Outcome::Failed { class: failure.class, message: failure.message.clone() };
    blank(sample, messages, outcome)
}

fn blank(sample: &Sample<'_>, messages: Vec<Message>, outcome: Outcome) -> SampleRecord {
    let gold = match sample.gold_call() {
        Some(call) => Gold::Call(call.clone()),
        None => {
            let words = sample.gold_reply().unwrap_or_default().to_owned();
            if sample.kind == SampleKind::Restraint {
                Gold::NoCall(words)
            } else {
                Gold::Reply(words)
            }
        }
    };
    SampleRecord {
        id: sample.id(),
        dialogue: sample.dialogue.id.clone(),
        turn: sample.turn,
        ability: sample.ability(),
        kind: sample.kind,
        messages,
        outcome,
        gold,
        hard: sample.hard().cloned(),
        parsed: None,
        gold_effect: None,
        effect: None,
        verdicts: None,
        rouge_l: None,
        attempts: 0,
        retries: Vec::new(),
        times: SampleTimes::default(),
    }
}
