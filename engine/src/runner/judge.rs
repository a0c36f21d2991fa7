//! From an answer to a sample's record: pure, the same for every platform.

use crate::bench::Bench;
use crate::call;
use crate::protocol::{Message, Sample, world_at};
use crate::provider::{Answer, Failure};
use crate::record::{Gold, Outcome, SampleRecord, SampleTimes, Verdicts};
use crate::scoring::judge;
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
        let parsed = call::parse(&text);
        let judgement = judge(sample.ability().suite(), gold, parsed.as_ref(), &world);
        record.parsed = parsed.ok();
        record.gold_effect = Some(judgement.gold);
        record.effect = judgement.predicted;
        record.verdicts = Some(Verdicts { execution: judgement.execution, exact: judgement.exact });
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
        None => Gold::Reply(sample.gold_reply().unwrap_or_default().to_owned()),
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
