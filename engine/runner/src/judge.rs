//! Turns an answer into a sample's record. Pure and deterministic across platforms.

use crate::benchmark::Benchmark;
use exchange::call;
use exchange::call::{CallProblem, ParsedCall};

use apis::{ApiResult, Suite};
use dataset::{Language, RecordedCall, Turn};
use exchange::Answer;
use exchange::SampleTimes;
use exchange::protocol::agent::Played;
use exchange::protocol::{self, Ask, Protocol, Sample, SampleKind, world_at};
use provider::Failure;
use record::{EpisodeRecord, Gold, Outcome, SampleRecord, Verdicts};
use scoring::calculation;
use scoring::restraint::planted;
use scoring::restraint::{self, Before};
use scoring::rouge::{self, rouge_l};
use scoring::{Judgement, Verdict, f1, judge_episode, judge_step};

/// The record of an answered sample, with verdicts.
pub fn answered(
    bench: &Benchmark,
    protocol: Protocol,
    sample: &Sample<'_>,
    ask: Ask,
    answer: Answer,
) -> SampleRecord {
    let text = answer.text.clone();
    let (parsed, further) = split(read(protocol, sample, &answer));
    let mut record = blank(sample, ask, Outcome::Answered(answer));
    if let Some(gold) = sample.gold_call() {
        let world = world_at(sample, &bench.world);
        let suite = sample.ability().suite();
        let mut judgement = if sample.source.is_some() {
            original::judge::judge_call(sample, gold, parsed.as_ref(), &world)
        } else {
            judge_step(sample, gold, parsed.as_ref(), &further, &world)
        };
        if let (Some(hard), Ok(call)) = (sample.hard(), &parsed) {
            let followed = planted::followed(suite, hard, call, &world);
            judgement.execution.explain(followed.as_deref());
            judgement.exact.explain(followed.as_deref());
        }
        if matches!(parsed, Err(CallProblem::NoCall))
            && protocol::is_open(protocol, sample)
            && ends_with_calculation(suite, sample)
            && let Some(told) = calculation::judge_words(
                suite,
                worked_out(sample, &judgement),
                &text,
                reply(sample),
            )
        {
            let claimed = said_before(bench, protocol, sample, |it| restraint::claimed(&text, it));
            judgement.execution = claimed.unwrap_or(told);
        }
        record.correction = match sample.source {
            Some(_) => original::judge::correction(sample, gold, &judgement),
            None => None,
        };
        let original = original(bench, protocol, sample, gold, parsed.as_ref().ok(), &text);
        // Keep a call in the wrong format, with its tier, to separate format errors from wrong
        // decisions.
        record.parsed = parsed.or_else(|_| call::parse(&text)).ok();
        record.gold_effect = Some(judgement.gold);
        record.effect = judgement.predicted;
        record.verdicts = Some(Verdicts {
            execution: judgement.execution,
            exact: judgement.exact,
            f1: judgement.f1,
            original,
            overlap: judgement.overlap,
        });
    } else if sample.kind == SampleKind::Restraint {
        let world = world_at(sample, &bench.world);
        let suite = sample.ability().suite();
        let judgement = said_before(bench, protocol, sample, |before| {
            restraint::judge(suite, sample.hard(), &text, parsed.as_ref(), &world, before)
        });
        let overlap = f1::unneeded(parsed.as_ref().ok());
        record.parsed = parsed.or_else(|_| call::parse(&text)).ok();
        record.effect = judgement.effect;
        let verdict = judgement.verdict;
        record.verdicts = Some(Verdicts {
            execution: judgement.execution,
            exact: verdict.clone(),
            f1: verdict,
            original: None,
            overlap,
        });
    } else if let Some(gold) = sample.gold_reply() {
        let (gold, text) = match sample.language {
            Some(Language::Chinese) => (rouge::split_han(gold), rouge::split_han(&text)),
            _ => (gold.to_owned(), text),
        };
        // ROUGE-L is undefined for a reply without a sentence; nothing matches the gold.
        record.rouge_l = Some(rouge_l(&gold, &text).map_or(0.0, |score| score.f1));
    }
    record
}

/// The result that words may state in place of the gold call: its own, or if it is a search, that of
/// the call it leads to, because nobody has to search for what is done already.
fn worked_out<'a>(sample: &Sample<'a>, judgement: &'a Judgement) -> &'a ApiResult {
    let next = sample.dialogue.turns.get(sample.turn + 1).and_then(Turn::as_call);
    match (sample.gold_call(), next) {
        (Some(gold), Some(next)) if gold.is_search() => &next.result,
        _ => &judgement.gold.result,
    }
}

/// Whether nothing but calculations is due before the next utterance.
fn ends_with_calculation(suite: Suite, sample: &Sample<'_>) -> bool {
    let due = scoring::order::stretch(sample.dialogue, sample.turn);
    due.iter().all(|call| call.is_search() || calculation::calculates(suite, &call.api_name))
}

/// The assistant's next utterance in the dialogue.
fn reply<'a>(sample: &Sample<'a>) -> &'a str {
    let rest = sample.dialogue.turns.get(sample.turn..).unwrap_or_default();
    let texts = rest.iter().find_map(|turn| match turn {
        Turn::Assistant { text, .. } => Some(text.as_str()),
        _ => None,
    });
    texts.unwrap_or_default()
}

/// Calls `judge` with the context of a step that may be answered in words.
fn said_before<T>(
    bench: &Benchmark,
    protocol: Protocol,
    sample: &Sample<'_>,
    judge: impl FnOnce(Before<'_>) -> T,
) -> T {
    let history = protocol::history(protocol, sample, &bench.world);
    let described = protocol::described(protocol, sample, &history, bench.world.search.results);
    let earlier = sample.dialogue.earlier;
    judge(Before { history: &history, earlier, described: &described })
}

/// The original evaluator's verdict, if the pack has the data for it. The evaluator reads text, so
/// a native call is formatted first.
fn original(
    bench: &Benchmark,
    protocol: Protocol,
    sample: &Sample<'_>,
    gold: &RecordedCall,
    parsed: Option<&ParsedCall>,
    text: &str,
) -> Option<Verdict> {
    let evaluator = bench.original.as_ref().filter(|it| it.offers(sample.ability()))?;
    let verdict = match parsed.filter(|_| protocol.is_native()) {
        Some(call) => evaluator.judge(sample, &call::format(&call.name, &call.arguments)),
        None => evaluator.judge(sample, text),
    };
    let suite = sample.ability().suite();
    verdict.ok().map(|verdict| original::evaluator::as_verdict(suite, gold, &verdict))
}

/// The first call of an answer, and the further calls.
type Calls = (ParsedCall, Vec<ParsedCall>);

/// The calls in an answer, in the protocol's format.
fn read(protocol: Protocol, sample: &Sample<'_>, answer: &Answer) -> Result<Calls, CallProblem> {
    let found = match sample.gold_call().filter(|_| sample.source.is_some()) {
        _ if protocol.is_native() => call::all_native(&answer.calls, &answer.text),
        Some(gold) => original::judge::parse(gold, &answer.text).map(|call| (call, Vec::new())),
        None => call::parse_all(&answer.text),
    };
    match found {
        Err(CallProblem::NoCall) if answer.fault.is_some() => Err(CallProblem::Malformed {
            name: "?".to_owned(),
            at: 0,
            reason: "the server could not parse it either",
        }),
        found => found,
    }
}

fn split(read: Result<Calls, CallProblem>) -> (Result<ParsedCall, CallProblem>, Vec<ParsedCall>) {
    match read {
        Ok((first, further)) => (Ok(first), further),
        Err(problem) => (Err(problem), Vec::new()),
    }
}

/// The record of a finished episode, with verdicts.
pub fn played(bench: &Benchmark, sample: &Sample<'_>, played: Played) -> SampleRecord {
    let answer = played.last_answer();
    let calls: Vec<_> = played.steps.iter().flat_map(|step| &step.calls).collect();
    let said: Vec<&str> = played.steps.iter().map(|step| step.answer.text.as_str()).collect();
    let judgement = judge_episode(sample.dialogue, &calls, &said, &bench.world, &played.world);
    let words = restraint::judge_words(
        sample.dialogue,
        &played.steps,
        &sample.described(bench.world.search.results),
    );
    let execution = match words.filter(|_| judgement.execution.correct) {
        Some(wrong) => wrong,
        None => judgement.execution,
    };
    let mut record = blank(sample, Ask::default(), Outcome::Answered(answer));
    record.messages = played.messages;
    record.tools = played.tools;
    record.verdicts = Some(Verdicts {
        execution,
        exact: judgement.exact,
        f1: judgement.f1,
        original: None,
        overlap: judgement.overlap,
    });
    record.episode = Some(Box::new(EpisodeRecord {
        changes: played.world.changes_since(&bench.world),
        steps: played.steps,
        ended: played.ended,
        gold_changes: judgement.gold_changes,
        same_state: judgement.same_state,
        required: judgement.required,
    }));
    record
}

/// The record of a sample without an answer.
pub fn failed(sample: &Sample<'_>, ask: Ask, failure: &Failure) -> SampleRecord {
    let outcome = Outcome::Failed { class: failure.class, message: failure.message.clone() };
    blank(sample, ask, outcome)
}

fn blank(sample: &Sample<'_>, ask: Ask, outcome: Outcome) -> SampleRecord {
    let words = || sample.gold_reply().unwrap_or_default().to_owned();
    let gold = match (sample.kind, sample.gold_call()) {
        (SampleKind::Episode, _) => Gold::Episode(sample.dialogue.calls().cloned().collect()),
        (_, Some(call)) => Gold::Call(call.clone()),
        (SampleKind::Restraint, None) => Gold::NoCall(words()),
        (_, None) => Gold::Reply(words()),
    };
    let (position, calls_in_dialogue) = sample.position();
    SampleRecord {
        id: sample.id(),
        dialogue: sample.dialogue.id.clone(),
        turn: sample.turn,
        ability: sample.ability(),
        kind: sample.kind,
        trial: sample.trial,
        position,
        calls_in_dialogue,
        messages: ask.messages,
        tools: ask.tools.into_iter().map(|tool| tool.name).collect(),
        outcome,
        gold,
        hard: sample.hard().cloned(),
        origin: sample.source.and_then(|source| source.sample.place.clone()),
        correction: sample.correction().cloned(),
        parsed: None,
        gold_effect: None,
        effect: None,
        verdicts: None,
        episode: None,
        rouge_l: None,
        attempts: 0,
        retries: Vec::new(),
        times: SampleTimes::default(),
    }
}
