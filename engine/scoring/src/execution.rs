//! The verdicts on the calls of an answer: `execution` ([`crate::due_calls`]), `exact`, which requires the
//! same name and values, and `f1`.

use crate::due_calls::{self, Stretch, built_in};
use crate::f1::CallOverlap;
use crate::{ErrorClass, Verdict, f1};
use apis::effect::{self, Effect};
use apis::search::{SearchResults, TOOL_SEARCHER};
use apis::{Arguments, Suite, World};
use dataset::RecordedCall;
use dataset::own_tools::{Pool, schema};
use exchange::call::{CallProblem, ParsedCall};
use exchange::protocol::Sample;
use serde_json::Value;

/// The effects and the verdicts on a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The gold call's effect, from a rerun.
    pub gold: Effect,
    /// The predicted call's effect; `None` without a call that can be run.
    pub predicted: Option<Effect>,
    /// The verdict of `execution`.
    pub execution: Verdict,
    /// The verdict of `exact`.
    pub exact: Verdict,
    /// The verdict of `f1`.
    pub f1: Verdict,
    /// The counts of `f1`.
    pub overlap: CallOverlap,
}

/// The effect of a gold call; the recorded result if the API is not in the pool.
pub fn gold_effect(pool: Pool<'_>, gold: &RecordedCall, world: &World) -> Effect {
    match built_in(pool, &gold.api_name) {
        Some(api) => effect::effect(api, &gold.param_dict, world),
        None => Effect { result: gold.result.clone(), changes: Vec::new() },
    }
}

/// Judges the calls of an answer. `gold` is the sample's call or its correction; `further` holds
/// the calls after the first; `world` is the state after replaying the earlier gold calls.
pub fn judge_step(
    sample: &Sample<'_>,
    gold: &RecordedCall,
    predicted: Result<&ParsedCall, &CallProblem>,
    further: &[ParsedCall],
    world: &World,
) -> Judgement {
    let due = sample.due_calls().len();
    let execution = predicted.map(|first| {
        let calls: Vec<&ParsedCall> = std::iter::once(first).chain(further).collect();
        due_calls::judge(&Stretch::new(sample, gold), due, &calls, world)
    });
    let mut judgement = judgement(sample.pool(), gold, predicted, world, execution);
    if due > 1 && !judgement.execution.correct {
        judgement.exact = judgement.execution.clone();
        judgement.f1 = judgement.execution.clone();
    }
    judgement
}

/// Judges a predicted call against one gold call, without a dialogue around it. `world` is the state
/// before the call.
pub fn judge(
    suite: Suite,
    gold: &RecordedCall,
    predicted: Result<&ParsedCall, &CallProblem>,
    world: &World,
) -> Judgement {
    let pool = Pool::Suite(suite);
    let execution =
        predicted.map(|call| due_calls::judge(&Stretch::of_one(pool, gold), 1, &[call], world));
    judgement(pool, gold, predicted, world, execution)
}

fn judgement(
    pool: Pool<'_>,
    gold: &RecordedCall,
    predicted: Result<&ParsedCall, &CallProblem>,
    world: &World,
    execution: Result<Verdict, &CallProblem>,
) -> Judgement {
    let call = predicted.ok();
    let execution = execution.unwrap_or_else(without_call);
    let exact = match call {
        Some(call) => exact(pool, gold, call, &execution),
        None => execution.clone(),
    };
    let (mut exact, (mut f1, mut overlap)) = (exact, f1::judge(pool, gold, call, &execution));
    if returns_several(gold, world) {
        overlap = overlap_of_search(pool, gold, call);
        if let Some(call) = call {
            // Another call of the step may be right, but it isn't this search.
            let search = due_calls::judge(&Stretch::of_one(pool, gold), 1, &[call], world);
            (exact, f1) = (search.clone(), search);
        }
    }
    let api = call.and_then(|call| built_in(pool, &call.name).map(|api| (api, call)));
    let predicted = api.map(|(api, call)| effect::effect(api, &call.arguments, world));
    Judgement { gold: gold_effect(pool, gold, world), predicted, execution, exact, f1, overlap }
}

/// The verdict on an answer without a call that can be read.
fn without_call(problem: &CallProblem) -> Verdict {
    let class = match problem {
        CallProblem::NoCall => ErrorClass::NoApiCall,
        CallProblem::OtherForm { .. } | CallProblem::Malformed { .. } => {
            ErrorClass::FalseApiCallFormat
        }
    };
    Verdict::wrong(class, sentence(&problem.to_string()))
}

/// Whether a gold call is a search with several results. Its exact keywords can't be guessed, so
/// `exact` and `f1` ignore them: the search alone has to return the needed API. With one result, as in
/// the paper, keywords are compared.
fn returns_several(gold: &RecordedCall, world: &World) -> bool {
    gold.is_search() && world.search.results != SearchResults::One
}

/// The counts of `f1` for a search with several results: the name, and arguments other than the
/// keywords, which are all extra.
fn overlap_of_search(
    pool: Pool<'_>,
    gold: &RecordedCall,
    call: Option<&ParsedCall>,
) -> CallOverlap {
    let gold = RecordedCall { param_dict: Arguments::new(), ..gold.clone() };
    let mut call = call.cloned();
    if let Some(call) = call.as_mut().filter(|call| call.name == TOOL_SEARCHER) {
        call.arguments.shift_remove("keywords");
    }
    f1::overlap(pool, &gold, call.as_ref())
}

/// `exact`: names and arguments are equal after conversion to the declared types.
fn exact(pool: Pool<'_>, gold: &RecordedCall, call: &ParsedCall, execution: &Verdict) -> Verdict {
    let equal = call.name == gold.api_name
        && same_values(
            &typed(pool, &gold.api_name, &gold.param_dict),
            &typed(pool, &call.name, &call.arguments),
        );
    if equal {
        return Verdict::right("Name and arguments equal the gold ones.");
    }
    if !execution.correct {
        return execution.clone();
    }
    Verdict::wrong(
        ErrorClass::WrongResult,
        "The arguments differ from the gold ones, although the effect is the same.",
    )
}

/// The arguments converted to their declared types, or unchanged where they don't fit.
fn typed(pool: Pool<'_>, name: &str, raw: &Arguments) -> Arguments {
    let read = match pool {
        Pool::Suite(_) => built_in(pool, name).and_then(|api| api.read(raw).ok()),
        Pool::Own(tools) => tools.find(name).map(|tool| schema::read(&tool.parameters, raw)),
    };
    read.unwrap_or_else(|| raw.clone())
}

fn same_values(a: &Arguments, b: &Arguments) -> bool {
    Value::Object(a.clone()) == Value::Object(b.clone())
}

/// The text with a capital first letter and a period.
pub(super) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => format!("{}{}.", first.to_uppercase(), letters.as_str()),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests;
