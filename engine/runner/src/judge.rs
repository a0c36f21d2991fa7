//! Turns an answer into a sample's record. Pure and deterministic across platforms.

use crate::benchmark::Benchmark;
use apis::World;
use apis::arguments::composed_text;
use apis::effect::Effect;
use dataset::{Language, RecordedCall};
use exchange::call::{self, CallProblem, Calls, ParsedCall, Reading};
use exchange::protocol::agent::Played;
use exchange::protocol::{self, Ask, Protocol, Sample, SampleKind, ToolCall, world_at};
use exchange::{Answer, EpisodeStep, SampleTimes, reasoning};
use provider::Failure;
use record::{EpisodeRecord, Gold, OtherForm, Outcome, SampleRecord, Told, Verdicts, share_effect};
use scoring::rouge::{self, rouge_l};
use scoring::{
    ErrorClass, Judgement, Verdict, accepted_values, due_calls, f1, judge_episode, judge_step,
    no_call,
};

/// The record of an answered sample, with verdicts.
pub fn answered(
    bench: &Benchmark,
    protocol: Protocol,
    sample: &Sample<'_>,
    ask: Ask,
    answer: Answer,
) -> SampleRecord {
    let written = answer.text.clone();
    // Answers come from other programs too, with the reasoning still in the text.
    let text = composed_text(&reasoning::split(&written).1).into_owned();
    let heard = Answer {
        text: text.clone(),
        calls: answer.calls.clone(),
        fault: answer.fault.clone(),
        ..Answer::default()
    };
    let reading = read(protocol, sample, &heard);
    let mut record = blank(sample, ask, Outcome::Answered(answer));
    record.moot = sample.is_moot(bench.world.search.results);
    // Keep a call in another form, to separate format errors from wrong decisions.
    let made = reading.made().map(|(first, _)| first.clone());
    record.parsed = made.clone().or_else(|| call::parse(&text).ok());
    let form = reading.other.as_ref().map(|other| other.form);
    let mut forgiven = None;
    if let Some(gold) = sample.gold_call() {
        let world = world_at(sample, &bench.world);
        let (parsed, further) = split(&reading.calls);
        let mut judgement = judge_due(sample, gold, parsed, further, &world);
        if matches!(parsed, Err(CallProblem::NoCall))
            && protocol::is_open(protocol, sample)
            && due_calls::told_result(sample, &text)
        {
            judgement.execution = Verdict::right(TOLD);
        }
        record.correction = match sample.source {
            Some(_) => original::judge::correction(sample, gold, &judgement),
            None => None,
        };
        let original = original(bench, protocol, sample, gold, &heard.calls, &written);
        if let Some((first, further)) = reading.other.and_then(|other| other.calls) {
            let judgement = judge_due(sample, gold, Ok(&first), &further, &world);
            forgiven = Some(verdicts(judgement, original.clone()).0);
        }
        let (verdicts, effects) = verdicts(judgement, original);
        record.verdicts = Some(verdicts);
        (record.gold_effect, record.effect) =
            (effects.0.map(share_effect), effects.1.map(share_effect));
    } else if sample.kind == SampleKind::Restraint {
        let world = world_at(sample, &bench.world);
        // In whatever form: a call is a call.
        let parsed = match (&made, &reading.calls) {
            (Some(made), _) => Ok(made),
            (None, calls) => split(calls).0,
        };
        let (mut verdict, effect) =
            no_call::judge(sample.pool(), sample.hard(), &text, parsed, &world);
        let written_as = form.filter(|_| made.is_some());
        let written_as = written_as.map(|form| format!("It is written as {}.", form.title()));
        verdict.explain(written_as.as_deref());
        record.effect = effect.map(share_effect);
        record.verdicts = Some(Verdicts {
            execution: verdict.clone(),
            exact: verdict.clone(),
            f1: verdict,
            original: None,
            overlap: f1::unneeded(made.as_ref()),
        });
        record.told = told_facts(sample, &text);
    } else if let Some(gold) = sample.gold_reply() {
        record.told = told_facts(sample, &text);
        let (gold, text) = match sample.language {
            Some(Language::Chinese) => (rouge::split_han(gold), rouge::split_han(&text)),
            _ => (gold.to_owned(), text),
        };
        // ROUGE-L is undefined for a reply without a sentence; nothing matches the gold.
        record.rouge_l = Some(rouge_l(&gold, &text).map_or(0.0, |score| score.f1));
        return record;
    }
    record.other_form = form.map(|form| Box::new(OtherForm { form, forgiven }));
    record
}

/// Judges the calls of an answer where a call is due.
fn judge_due(
    sample: &Sample<'_>,
    gold: &RecordedCall,
    parsed: Result<&ParsedCall, &CallProblem>,
    further: &[ParsedCall],
    world: &World,
) -> Judgement {
    let mut judgement = match sample.source {
        Some(_) => original::judge::judge_call(sample, gold, parsed, world),
        None => judge_step(sample, gold, parsed, further, world),
    };
    if let (Some(hard), Ok(call)) = (sample.hard(), parsed) {
        let followed = no_call::followed(sample.ability().suite(), hard, call, world);
        judgement.execution.explain(followed.as_deref());
        judgement.exact.explain(followed.as_deref());
    }
    judgement
}

/// The effects of the gold call and of the predicted one.
type Effects = (Option<Effect>, Option<Effect>);

fn verdicts(judgement: Judgement, original: Option<Verdict>) -> (Verdicts, Effects) {
    let Judgement { gold, predicted, execution, exact, f1, overlap } = judgement;
    (Verdicts { execution, exact, f1, original, overlap }, (Some(gold), predicted))
}

/// Which of the declared facts the words tell.
fn told_facts(sample: &Sample<'_>, words: &str) -> Vec<Told> {
    let of_fact =
        |fact: &str| Told { fact: fact.to_owned(), told: accepted_values::states(words, fact) };
    sample.facts().into_iter().map(of_fact).collect()
}

const TOLD: &str = "The answer tells the result without a calculator.";

/// The original evaluator's verdict, if the pack has the data for it. The evaluator reads text, so
/// a native call is formatted first, as written.
fn original(
    bench: &Benchmark,
    protocol: Protocol,
    sample: &Sample<'_>,
    gold: &RecordedCall,
    calls: &[ToolCall],
    text: &str,
) -> Option<Verdict> {
    let evaluator = bench.original.as_ref().filter(|original| original.offers(sample.ability()))?;
    let native = calls.first().filter(|_| protocol.is_native());
    let verdict = match native.and_then(|call| call::native(call).ok()) {
        Some(call) => evaluator.judge(sample, &call::format(&call.name, &call.arguments)),
        None => evaluator.judge(sample, text),
    };
    let suite = sample.ability().suite();
    verdict.ok().map(|verdict| original::evaluator::as_verdict(suite, gold, &verdict))
}

/// The calls in an answer, in the protocol's form or in another one.
fn read(protocol: Protocol, sample: &Sample<'_>, answer: &Answer) -> Reading {
    let pool = sample.pool();
    let due = sample.gold_call().map(|gold| gold.api_name.as_str());
    let known = |name: &str| pool.knows(name) || due == Some(name);
    let mut reading = match sample.gold_call().filter(|_| sample.source.is_some()) {
        _ if protocol.is_native() => call::read_native(answer, &known),
        Some(gold) => {
            let parsed = original::judge::parse(gold, &answer.text);
            call::read_text(parsed.map(|call| (call, Vec::new())), answer, &known)
        }
        None => call::read_text(call::parse_all(&answer.text), answer, &known),
    };
    let is_lost = reading.calls == Err(CallProblem::NoCall) && reading.other.is_none();
    if is_lost && answer.fault.is_some() {
        reading.calls = Err(CallProblem::Malformed {
            name: "?".to_owned(),
            at: 0,
            reason: "the server could not parse it either",
        });
    }
    reading
}

fn split(calls: &Result<Calls, CallProblem>) -> (Result<&ParsedCall, &CallProblem>, &[ParsedCall]) {
    match calls {
        Ok((first, further)) => (Ok(first), further),
        Err(problem) => (Err(problem), &[]),
    }
}

/// The record of a finished episode, with verdicts.
pub fn played(bench: &Benchmark, sample: &Sample<'_>, played: Played) -> SampleRecord {
    let answer = played.last_answer();
    let calls: Vec<_> = played.steps.iter().flat_map(|step| &step.calls).collect();
    let said: Vec<&str> = played.steps.iter().map(EpisodeStep::words).collect();
    let judgement = judge_episode(sample.dialogue, &calls, &said, &bench.world, &played.world);
    let facts = match sample.task() {
        Some(_) => told_facts(sample, said.last().copied().unwrap_or_default()),
        None => told_facts(sample, &said.join("\n")),
    };
    let words = match sample.task() {
        Some(_) => untold(&facts),
        None => no_call::judge_words(sample.dialogue, &played.steps),
    };
    let execution = match words.filter(|_| judgement.execution.correct) {
        Some(wrong) => wrong,
        None if sample.task().is_some() && judgement.execution.correct => Verdict::right(COMPLETED),
        None => judgement.execution,
    };
    let mut record = blank(sample, Ask::default(), Outcome::Answered(answer));
    record.told = facts;
    record.messages = played.messages;
    if sample.task().is_some() {
        // The steps have the rest; a task of 256 calls has a thousand messages.
        record.messages.truncate(OPENING);
    }
    record.tools = played.tools;
    let mut verdicts = Verdicts {
        execution,
        exact: judgement.exact,
        f1: judgement.f1,
        original: None,
        overlap: judgement.overlap,
    };
    let readings = played.steps.iter().map(|step| read(played.protocol, sample, &step.answer));
    if let Some((other, problem)) = readings.filter_map(|it| it.other.zip(it.calls.err())).next() {
        // Calls in any text form are run.
        if played.protocol.is_native() {
            for verdict in [&mut verdicts.execution, &mut verdicts.exact, &mut verdicts.f1] {
                blame_form(verdict, &problem);
            }
        }
        // The conversation would have gone on otherwise: nothing can be forgiven afterwards.
        record.other_form = Some(Box::new(OtherForm { form: other.form, forgiven: None }));
    }
    record.verdicts = Some(verdicts);
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

const COMPLETED: &str =
    "The databases end as they should, and the last words tell all that was asked.";

/// The messages of a horizon task before its first answer: the instructions and the requirement.
const OPENING: usize = 2;

/// The verdict on last words that leave out a fact; `None` if they tell all.
fn untold(facts: &[Told]) -> Option<Verdict> {
    let Told { fact, .. } = facts.iter().find(|fact| !fact.told)?;
    let why = format!("The databases end as they should, but the last words do not tell {fact:?}.");
    Some(Verdict::wrong(ErrorClass::WrongResult, why))
}

/// Names the form of a call as the reason where no call, or a tool that does not exist, was one.
fn blame_form(verdict: &mut Verdict, problem: &CallProblem) {
    let class = verdict.error_class;
    if matches!(class, Some(ErrorClass::NoApiCall | ErrorClass::ApiHallucination)) {
        verdict.error_class = Some(ErrorClass::FalseApiCallFormat);
        verdict.explain(Some(&format!("{problem}.")));
    }
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
        other_form: None,
        gold_effect: None,
        effect: None,
        verdicts: None,
        episode: None,
        moot: false,
        told: Vec::new(),
        rouge_l: None,
        attempts: 0,
        retries: Vec::new(),
        times: SampleTimes::default(),
    }
}
