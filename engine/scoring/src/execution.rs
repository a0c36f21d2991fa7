//! The `execution` profile, under which a call is right if it has the gold call's effect, and
//! `exact`, which requires the same name and values.
//!
//! `execution` also accepts alternatives marked in the data, and later gold calls that may come
//! first ([`crate::order`]). [`crate::further`] judges the other calls of the answer.

use crate::f1::CallOverlap;
use crate::further::{self, Due};
use crate::order;
use crate::{ErrorClass, Verdict};
use crate::{amount, f1};
use apis::effect::{self, Effect};
use apis::match_rule::Said;
use apis::search::{SearchResults, TOOL_SEARCHER, find, found, found_names, needed};
use apis::{Api, ArgumentError, Arguments, Suite, World, arguments};
use dataset::{HardKind, RecordedCall, Turn};
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
pub fn gold_effect(suite: Suite, gold: &RecordedCall, world: &World) -> Effect {
    match find(suite, &gold.api_name) {
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
    let mut judgement = judge_calls(sample, gold, predicted, further, world);
    let Ok(first) = predicted else { return judgement };
    if judgement.execution.correct {
        return judgement;
    }
    // Look-ups are harmless before the due call as well as after it.
    let suite = sample.ability().suite();
    let calls = std::iter::once(first).chain(further);
    let gold_calls = gold_calls(sample);
    let allowed =
        |call: &ParsedCall| !has_rules(sample) || !further::reads_other(&gold_calls, call);
    let ahead = calls.take_while(|call| looks_up_other(suite, gold, call) && allowed(call)).count();
    if let Some(due) = ahead.checked_sub(1).and_then(|at| further.get(at)) {
        let later = judge_calls(sample, gold, Ok(due), &further[ahead..], world).execution;
        if later.correct {
            judgement.execution = later;
        }
    }
    judgement
}

/// Whether rules say whose data may be read.
fn has_rules(sample: &Sample<'_>) -> bool {
    sample.hard().is_some_and(|it| it.kind == HardKind::Authorisation)
}

/// The gold calls of the whole dialogue.
fn gold_calls<'a>(sample: &Sample<'a>) -> Vec<&'a RecordedCall> {
    sample.dialogue.turns.iter().filter_map(Turn::as_call).collect()
}

/// Whether a call only reads, and is no attempt at the gold call: neither of its API nor a search.
fn looks_up_other(suite: Suite, gold: &RecordedCall, call: &ParsedCall) -> bool {
    call.name != gold.api_name
        && call.name != TOOL_SEARCHER
        && find(suite, &call.name).is_some_and(|api| !api.acts())
}

/// Judges an answer whose first call is the due one.
fn judge_calls(
    sample: &Sample<'_>,
    gold: &RecordedCall,
    predicted: Result<&ParsedCall, &CallProblem>,
    further: &[ParsedCall],
    world: &World,
) -> Judgement {
    let suite = sample.ability().suite();
    let said = Said::new(|| said_before(sample.history()));
    // Exclude instructions planted in a result: the user didn't say them.
    let said = match sample.hard().and_then(|hard| hard.planted.as_ref()) {
        Some(planted) => said.without(&values(&planted.param_dict)),
        None => said,
    };
    let mut judgement = judge_said(suite, gold, predicted, world, &said);
    let Ok(call) = predicted else { return judgement };
    let mut stretch = order::stretch(sample.dialogue, sample.turn);
    if let Some(first) = stretch.first_mut() {
        *first = gold;
    }
    // Calls that are due at once have no order.
    let all = sample.due_calls().len() > 1;
    let mut made = gold;
    if !judgement.execution.correct {
        let others = match all {
            true => stretch.iter().skip(1).copied().collect(),
            false => order::interchangeable(sample.ability(), &stretch, sample.history(), world),
        };
        // A later search is no substitute for a due call: with several results, nearly any search
        // would be right.
        let in_place = |other: &&RecordedCall| !other.is_search() || gold.is_search();
        let others = others.into_iter().filter(in_place).map(|other| (other, ORDER));
        let marked = gold.alternatives.iter().map(|other| (other, ALTERNATIVE));
        let right = |other: &RecordedCall| {
            other.api_name == call.name
                && judge_said(suite, other, predicted, world, &said).execution.correct
        };
        if let Some((other, why)) = marked.chain(others).find(|(other, _)| right(other)) {
            judgement.execution = Verdict::right(why);
            made = other;
        } else if told_without_sign(sample, &judgement) {
            judgement.execution = Verdict::right(UNSIGNED);
        }
    }
    if judgement.execution.correct {
        stretch.retain(|other| !std::ptr::eq(*other, made));
        let gold = gold_calls(sample);
        let due = Due { left: &stretch, all, rules: has_rules(sample).then_some(&gold) };
        let repeated = further::repeated(suite, call, further);
        let wrong = || further::wrong(suite, made, due, further, world, &said);
        if let Some(wrong) = repeated.or_else(wrong) {
            if all {
                (judgement.exact, judgement.f1) = (wrong.clone(), wrong.clone());
            }
            judgement.execution = wrong;
        }
    }
    judgement
}

const ALTERNATIVE: &str = "The call is marked as right as the gold call at this step.";
const ORDER: &str =
    "The call is the gold call of a later step that does not depend on the calls before it.";
const UNSIGNED: &str = "The call gives the amount that the gold call gives, the other way round; the dialogue goes on \
     to tell it without a sign.";

/// The values of arguments as one text.
fn values(arguments: &Arguments) -> String {
    let texts = arguments
        .values()
        .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    texts.collect::<Vec<_>>().join(". ")
}

/// Utterances and results before a step.
fn said_before(history: &[Turn]) -> Vec<String> {
    let mut texts = Vec::new();
    for turn in history {
        match turn {
            Turn::User { text } | Turn::Assistant { text, .. } => texts.push(text.clone()),
            Turn::Api(call) if call.is_search() => {}
            Turn::Api(call) => {
                texts.extend(call.result.output.as_ref().map(ToString::to_string));
            }
        }
    }
    texts
}

/// Whether a formula has the gold value with the opposite sign, and the next reply states the
/// absolute value: from 91 to 89 is a change of 2.
fn told_without_sign(sample: &Sample<'_>, judgement: &Judgement) -> bool {
    let value = |effect: &Effect| effect.result.output.as_ref()?.as_f64();
    let (Some(gold), Some(predicted)) =
        (value(&judgement.gold), judgement.predicted.as_ref().and_then(value))
    else {
        return false;
    };
    let formula = find(sample.ability().suite(), &judgement.gold.result.api_name)
        .is_some_and(amount::is_formula);
    let after = sample.dialogue.turns.get(sample.turn..).unwrap_or_default();
    let told = after.iter().find_map(|turn| match turn {
        Turn::Assistant { text, .. } => Some(text),
        _ => None,
    });
    formula
        && predicted > 0.0
        && gold == -predicted
        && told.is_some_and(|text| amount::states(text, predicted))
}

/// Judges a predicted call against one gold call, without the context of the dialogue. `world` is
/// the state before the call.
pub fn judge(
    suite: Suite,
    gold: &RecordedCall,
    predicted: Result<&ParsedCall, &CallProblem>,
    world: &World,
) -> Judgement {
    judge_said(suite, gold, predicted, world, &Said::nothing())
}

fn judge_said(
    suite: Suite,
    gold: &RecordedCall,
    predicted: Result<&ParsedCall, &CallProblem>,
    world: &World,
    said: &Said<'_>,
) -> Judgement {
    let gold_effect = gold_effect(suite, gold, world);
    let call = match predicted {
        Ok(call) => call,
        Err(problem) => {
            let class = match problem {
                CallProblem::NoCall => ErrorClass::NoApiCall,
                CallProblem::OtherForm { .. } | CallProblem::Malformed { .. } => {
                    ErrorClass::FalseApiCallFormat
                }
            };
            let verdict = Verdict::wrong(class, sentence(&problem.to_string()));
            let (f1, mut overlap) = f1::judge(suite, gold, None, &verdict);
            if returns_several(gold, world) {
                overlap = overlap_of_search(suite, gold, None);
            }
            return Judgement {
                gold: gold_effect,
                predicted: None,
                execution: verdict.clone(),
                exact: verdict,
                f1,
                overlap,
            };
        }
    };
    let (predicted, execution) = judge_call(suite, gold, &gold_effect, call, world, said);
    if returns_several(gold, world) {
        let (exact, f1) = (execution.clone(), execution.clone());
        let overlap = overlap_of_search(suite, gold, Some(call));
        return Judgement { gold: gold_effect, predicted, execution, exact, f1, overlap };
    }
    let exact = exact(suite, gold, call, &execution);
    let (f1, overlap) = f1::judge(suite, gold, Some(call), &execution);
    Judgement { gold: gold_effect, predicted, execution, exact, f1, overlap }
}

/// Whether a gold call is a search with several results. Its exact keywords can't be guessed, so
/// `exact` and `f1` ignore them and adopt the verdict of `execution`. With one result, as in the
/// paper, keywords are compared.
fn returns_several(gold: &RecordedCall, world: &World) -> bool {
    gold.is_search() && world.search.results != SearchResults::One
}

/// The counts of `f1` for a search with several results: the name, and arguments other than the
/// keywords, which are all extra.
fn overlap_of_search(suite: Suite, gold: &RecordedCall, call: Option<&ParsedCall>) -> CallOverlap {
    let gold = RecordedCall { param_dict: Arguments::new(), ..gold.clone() };
    let mut call = call.cloned();
    if let Some(call) = call.as_mut().filter(|call| call.name == TOOL_SEARCHER) {
        call.arguments.shift_remove("keywords");
    }
    f1::overlap(suite, &gold, call.as_ref())
}

fn judge_call(
    suite: Suite,
    gold: &RecordedCall,
    gold_effect: &Effect,
    call: &ParsedCall,
    world: &World,
    said: &Said<'_>,
) -> (Option<Effect>, Verdict) {
    let api = find(suite, &call.name);
    if call.name != gold.api_name {
        let own = api.map(|api| effect::effect(api, &call.arguments, world));
        return (own, wrong_name(suite, gold, call, api.is_some()));
    }
    let Some(api) = api else {
        return (None, recorded_only(gold, call));
    };
    if returns_several(gold, world) {
        return search(api, gold, call, world);
    }
    match effect::compare(api, &gold.param_dict, gold_effect, &call.arguments, world, said) {
        Ok(comparison) => {
            let verdict = if comparison.same {
                Verdict::right("The call returns and changes the same as the gold call.")
            } else {
                different(gold, &comparison, gold_effect)
            };
            (Some(comparison.predicted), verdict)
        }
        Err(problems) => (Some(effect::effect(api, &call.arguments, world)), unusable(&problems)),
    }
}

/// Judges a search with several results: right if the needed API is among them.
fn search(
    api: &Api,
    gold: &RecordedCall,
    call: &ParsedCall,
    world: &World,
) -> (Option<Effect>, Verdict) {
    let predicted = effect::effect(api, &call.arguments, world);
    if let Err(problems) = arguments::read(api, &call.arguments) {
        return (Some(predicted), unusable(&problems));
    }
    let needed = needed(&gold.result).unwrap_or_default();
    let verdict = if found_names(&predicted.result).contains(&needed) {
        Verdict::right(format!("{needed} is among the APIs that the search returns."))
    } else {
        Verdict::wrong(
            ErrorClass::FailedApiRetrieval,
            format!("{needed} is needed; the search returns {}.", found(&predicted.result)),
        )
    };
    (Some(predicted), verdict)
}

/// The verdict on a call to an API other than the gold one.
fn wrong_name(suite: Suite, gold: &RecordedCall, call: &ParsedCall, known: bool) -> Verdict {
    if gold.is_search() {
        return Verdict::wrong(
            ErrorClass::FailedApiRetrieval,
            format!("A search with {TOOL_SEARCHER} was due here; {} was called.", call.name),
        );
    }
    if known {
        let message = format!("{} was due here; {} was called.", gold.api_name, call.name);
        return Verdict::wrong(ErrorClass::WrongApi, message);
    }
    let suite = suite.as_str();
    Verdict::wrong(
        ErrorClass::ApiHallucination,
        format!("The {suite} suite has no API {}; {} was due here.", call.name, gold.api_name),
    )
}

/// The verdict if the pool lacks the API: only the recorded call is right.
fn recorded_only(gold: &RecordedCall, call: &ParsedCall) -> Verdict {
    if same_values(&gold.param_dict, &call.arguments) {
        Verdict::right("The call equals the recorded one.")
    } else {
        Verdict::wrong(
            ErrorClass::WrongResult,
            "This API cannot be run here, and the call is not the recorded one.",
        )
    }
}

fn unusable(problems: &[ArgumentError]) -> Verdict {
    let class = if problems.iter().any(ArgumentError::is_missing) {
        ErrorClass::MissingInputParameters
    } else {
        ErrorClass::InvalidInputParameters
    };
    let text: Vec<String> = problems.iter().map(ToString::to_string).collect();
    Verdict::wrong(class, text.join(" "))
}

fn different(
    gold: &RecordedCall,
    comparison: &effect::Comparison,
    gold_effect: &Effect,
) -> Verdict {
    let given = &comparison.predicted.result;
    let differing = match comparison.differing.as_slice() {
        [] => String::new(),
        names => format!(" Differing: {}.", names.join(", ")),
    };
    if gold.is_search() {
        return Verdict::wrong(
            ErrorClass::FailedApiRetrieval,
            format!(
                "The keywords find {}, the gold keywords find {}.",
                found(given),
                found(&gold_effect.result)
            ),
        );
    }
    match (&given.exception, &gold_effect.result.exception) {
        (Some(message), None) => Verdict::wrong(
            ErrorClass::HasException,
            format!("The call is refused: {message}{differing}"),
        ),
        _ if gold_effect.result.same_outcome(given)
            && gold_effect.changes == comparison.predicted.changes =>
        {
            Verdict::wrong(
                ErrorClass::WrongResult,
                format!(
                    "The call has the same effect by chance: it says something else.{differing}"
                ),
            )
        }
        _ if gold_effect.changes != comparison.predicted.changes => Verdict::wrong(
            ErrorClass::WrongResult,
            format!("The call changes the databases in another way.{differing}"),
        ),
        _ => Verdict::wrong(
            ErrorClass::WrongResult,
            format!("The call returns something else.{differing}"),
        ),
    }
}

/// `exact`: names and arguments are equal after conversion to the declared types.
fn exact(suite: Suite, gold: &RecordedCall, call: &ParsedCall, execution: &Verdict) -> Verdict {
    let equal = call.name == gold.api_name
        && match find(suite, &gold.api_name) {
            Some(api) => {
                let read =
                    |raw: &Arguments| arguments::read(api, raw).unwrap_or_else(|_| raw.clone());
                same_values(&read(&gold.param_dict), &read(&call.arguments))
            }
            None => same_values(&gold.param_dict, &call.arguments),
        };
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
