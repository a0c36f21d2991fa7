//! Judges an episode: it is right if the databases end as after the gold calls, and the model has
//! read every result that the dialogue reports to the user. A formula need not be calculated with a
//! tool if the model states its value.
//!
//! The model's calls also run on a second world, with values that count as those of a gold call
//! ([`crate::accepted_values`]) replaced by them. So a reminder in other words is the same reminder. The end
//! state is right if either world reaches it.

use crate::accepted_values::{self, Known, LazyKnown};
use crate::f1::CallOverlap;
use crate::{ErrorClass, Verdict};
use crate::{amount, f1};
use apis::search::TOOL_SEARCHER;
use apis::search::{find, found_names};
use apis::store::{Change, unordered};
use apis::{Api, ApiResult, Arguments, Suite, World, arguments};
use dataset::checks::replies::Said;
use dataset::{Ability, Dialogue, RecordedCall, TaskId, Turn};
use exchange::protocol::{Sample, SampleKind, world_at};
use exchange::{EpisodeCall, Required};
use serde_json::Value;

/// The verdicts on an episode.
#[derive(Debug, Clone, PartialEq)]
pub struct EpisodeJudgement {
    /// The changes that the gold calls make.
    pub gold_changes: Vec<Change>,
    /// Whether the model's calls lead to the same state.
    pub same_state: bool,
    /// The results that the model must have read.
    pub required: Vec<Required>,
    /// The verdict by end state and required results.
    pub execution: Verdict,
    /// The verdict by names and values of the calls, in order.
    pub exact: Verdict,
    /// The verdict by overlap of names and arguments, in any order.
    pub f1: Verdict,
    /// The counts of `f1`.
    pub overlap: CallOverlap,
}

/// A gold call, rerun.
struct Gold<'a> {
    turn: usize,
    api: &'static Api,
    call: &'a RecordedCall,
    /// What the conversation says.
    known: LazyKnown<'a>,
    /// The typed arguments; `None` for a call that is meant to be rejected.
    read: Option<Arguments>,
    result: ApiResult,
    wrote: bool,
    /// Whether a later assistant turn mentions the result.
    told: bool,
    /// Whether a call of the model matches in every parameter.
    matched: bool,
}

/// An executed call of the model, with its results in both worlds.
struct Made<'a> {
    name: &'a str,
    results: [ApiResult; 2],
}

/// Judges the calls of an episode. `words` are the model's texts, `fresh` is the world before the
/// episode, `end` the world after it.
pub fn judge_episode(
    dialogue: &Dialogue,
    calls: &[&EpisodeCall],
    words: &[&str],
    fresh: &World,
    end: &World,
) -> EpisodeJudgement {
    let suite = dialogue.ability.suite();
    let (mut gold, gold_end) = gold_run(dialogue, fresh);
    let (made, aligned_end) = aligned_run(dialogue, calls, &mut gold, fresh);
    let gold_changes = gold_end.changes_since(fresh);
    let wanted = unordered(&gold_changes);
    let same_state = [end, &aligned_end]
        .into_iter()
        .any(|world| unordered(&world.changes_since(fresh)) == wanted);
    let required = required(&gold, &made, words);
    let execution = verdict(dialogue, calls, &gold, same_state, &required);
    let exact = exact(suite, dialogue, calls, &execution);
    let wanted: Vec<_> = dialogue.own_calls().filter(|call| !call.is_search()).collect();
    let given = calls.iter().filter(|call| call.effect.result.api_name != TOOL_SEARCHER);
    let given: Vec<_> = given.map(|call| call.call.as_ref()).collect();
    let (f1, overlap) = f1::judge_calls(suite.into(), &wanted, &given, &execution);
    EpisodeJudgement { gold_changes, same_state, required, execution, exact, f1, overlap }
}

/// Runs the gold calls, except searches, in order.
fn gold_run<'a>(dialogue: &'a Dialogue, fresh: &World) -> (Vec<Gold<'a>>, World) {
    let suite = dialogue.ability.suite();
    let mut world = fresh.clone();
    let planted = dialogue.hard.as_ref().and_then(|it| Some(&it.planted.as_ref()?.param_dict));
    // The words of each reply, once: a task of 256 calls has one.
    let replies: Vec<(usize, Said)> = dialogue.turns.iter().enumerate().filter_map(reply).collect();
    let mut gold = Vec::new();
    for (turn, said) in dialogue.turns.iter().enumerate() {
        let Turn::Api(call) = said else { continue };
        if call.is_search() {
            continue;
        }
        let Some(api) = find(suite, &call.api_name) else { continue };
        let before = world.clone();
        let result = api.call(&call.param_dict, &mut world);
        if turn < dialogue.earlier {
            continue;
        }
        gold.push(Gold {
            turn,
            api,
            call,
            known: Known::lazy(call, &dialogue.turns, planted),
            read: api.read(&call.param_dict).ok(),
            result,
            wrote: !world.changes_since(&before).is_empty(),
            told: replies.iter().any(|(at, said)| *at > turn && said.tells(call)),
            matched: false,
        });
    }
    (gold, world)
}

/// The turn and the words of a reply; `None` for other turns.
fn reply((turn, said): (usize, &Turn)) -> Option<(usize, Said)> {
    let Turn::Assistant { text, .. } = said else { return None };
    Some((turn, Said::of(text)))
}

/// Runs the model's calls on the second world.
fn aligned_run<'a>(
    dialogue: &Dialogue,
    calls: &[&'a EpisodeCall],
    gold: &mut [Gold<'_>],
    fresh: &World,
) -> (Vec<Made<'a>>, World) {
    let suite = dialogue.ability.suite();
    let opening = Sample::new(dialogue, dialogue.earlier, SampleKind::Episode);
    let mut world = world_at(&opening, fresh);
    let mut made = Vec::new();
    for made_call in calls.iter().filter(|call| call.offered) {
        let Some(call) = made_call.call.as_ref().filter(|call| call.name != TOOL_SEARCHER) else {
            continue;
        };
        let Some(api) = find(suite, &call.name) else { continue };
        let (arguments, nearest) = match api.read(&call.arguments) {
            Ok(read) => align(api, read, gold),
            Err(_) => (call.arguments.clone(), None),
        };
        let result = api.call(&arguments, &mut world);
        if let Some(nearest) = nearest.and_then(|index| gold.get_mut(index)) {
            nearest.matched |= result.exception.is_none() || nearest.result.exception.is_some();
        }
        made.push(Made { name: &call.name, results: [made_call.effect.result.clone(), result] });
    }
    (made, world)
}

/// The arguments with matching values replaced by those of the nearest gold call, and that call's
/// index if all values match. The nearest call shares the most values; unmatched calls win ties.
fn align(api: &Api, mut read: Arguments, gold: &[Gold<'_>]) -> (Arguments, Option<usize>) {
    let agreeing = |one: &Gold<'_>, wanted: &Arguments| -> Vec<&'static str> {
        let agrees = |name: &str| match (wanted.get(name), read.get(name), api.param(name)) {
            (Some(gold), Some(value), Some(param)) => {
                let accept = one.call.declared.accept.get(name);
                accepted_values::argument(param, accept, gold, value, &one.known).is_ok()
            }
            (None, None, _) => true,
            _ => false,
        };
        api.params.iter().map(|param| param.name).filter(|name| agrees(name)).collect()
    };
    // Comparing by rule with every gold call takes long in a task of hundreds of calls.
    let is_equal = |one: &Gold<'_>| {
        !one.matched && one.api.name == api.name && one.read.as_ref() == Some(&read)
    };
    if let Some(index) = gold.iter().position(is_equal) {
        return (read, Some(index));
    }
    let mut nearest: Option<(usize, &Arguments, Vec<&'static str>)> = None;
    let mut best = (0, false);
    for (index, one) in gold.iter().enumerate().filter(|(_, one)| one.api.name == api.name) {
        let Some(wanted) = &one.read else { continue };
        let names = agreeing(one, wanted);
        let rank = (names.len(), !one.matched);
        if nearest.is_none() || rank > best {
            best = rank;
            nearest = Some((index, wanted, names));
        }
    }
    let Some((index, wanted, names)) = nearest else { return (read, None) };
    for name in &names {
        match wanted.get(*name) {
            Some(value) => read.insert((*name).to_owned(), value.clone()),
            None => read.shift_remove(*name),
        };
    }
    (read, (names.len() == api.params.len()).then_some(index))
}

/// Gold reads whose result the dialogue reports, and whether the model has the same result.
/// Rejected gold calls demonstrate a wrong request and need not be repeated.
fn required(gold: &[Gold<'_>], made: &[Made<'_>], words: &[&str]) -> Vec<Required> {
    let reads = gold.iter().filter(|one| !one.wrote && one.told && one.result.exception.is_none());
    reads
        .map(|one| {
            let same = |call: &&Made<'_>| {
                call.name == one.api.name
                    && call.results.iter().any(|result| result.same_outcome(&one.result))
            };
            let met = made.iter().any(|call| same(&call)) || in_the_head(one, words);
            Required { turn: one.turn, api: one.api.name.to_owned(), met }
        })
        .collect()
}

/// Whether the model states the value of a formula without calling for it.
fn in_the_head(gold: &Gold<'_>, words: &[&str]) -> bool {
    let value = gold.result.output.as_ref().and_then(Value::as_f64);
    value
        .filter(|_| amount::is_formula(gold.api))
        .is_some_and(|value| words.iter().any(|text| amount::states(text, value)))
}

fn verdict(
    dialogue: &Dialogue,
    calls: &[&EpisodeCall],
    gold: &[Gold<'_>],
    same_state: bool,
    required: &[Required],
) -> Verdict {
    let unmet = required.iter().find(|one| !one.met);
    if same_state && unmet.is_none() {
        return Verdict::right(
            "The databases end as after the gold calls, and all that the user is told was read.",
        );
    }
    let open = match unmet {
        Some(one) => gold.iter().find(|call| call.turn == one.turn),
        None => gold.iter().find(|one| one.wrote && !one.matched),
    };
    let Some(open) = open else {
        return Verdict::wrong(
            ErrorClass::WrongResult,
            "The databases end in another state: there are changes beyond those of the gold calls.",
        );
    };
    let what = match unmet {
        Some(_) => "its result was not seen",
        None => "the databases end in another state",
    };
    let (class, why) = missed(dialogue, calls, open.api);
    Verdict::wrong(class, format!("{} was due and {what}. {why}", open.api.name))
}

/// Why no call of the model matches a gold call.
fn missed(dialogue: &Dialogue, calls: &[&EpisodeCall], api: &Api) -> (ErrorClass, String) {
    let named = |call: &&&EpisodeCall| {
        call.offered
            && match &call.call {
                Some(parsed) => parsed.name == api.name,
                None => call.effect.result.api_name == api.name,
            }
    };
    if let Some(last) = calls.iter().rev().find(named) {
        return unlike(last, api);
    }
    if calls.is_empty() {
        return (ErrorClass::NoApiCall, "No tool was called.".to_owned());
    }
    let finds =
        |call: &&EpisodeCall| found_names(&call.effect.result).iter().any(|name| name == api.name);
    // All APIs are described to a horizon task.
    let searches = dialogue.ability != Ability::Call && TaskId::parse(&dialogue.id).is_none();
    if searches && !calls.iter().any(finds) {
        let message = "No search has found it.".to_owned();
        return (ErrorClass::FailedApiRetrieval, message);
    }
    let strange = calls.iter().filter_map(|call| call.call.as_ref()).find(|call| {
        let suite = dialogue.ability.suite();
        find(suite, &call.name).is_none()
    });
    match strange {
        Some(call) => {
            (ErrorClass::ApiHallucination, format!("{} was called, which is no API.", call.name))
        }
        None => (ErrorClass::WrongApi, "Only other tools were called.".to_owned()),
    }
}

/// Why the last call to the API that was due is wrong.
fn unlike(last: &EpisodeCall, api: &Api) -> (ErrorClass, String) {
    let Some(parsed) = &last.call else {
        let problem = last.problem.clone().unwrap_or_default();
        return (ErrorClass::FalseApiCallFormat, format!("Its call cannot be read: {problem}."));
    };
    if let Err(problems) = api.read(&parsed.arguments) {
        let text = problems.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        let missing = problems.iter().any(arguments::ArgumentError::is_missing);
        let class = match missing {
            true => ErrorClass::MissingInputParameters,
            false => ErrorClass::InvalidInputParameters,
        };
        return (class, text);
    }
    match &last.effect.result.exception {
        Some(message) => {
            (ErrorClass::HasException, format!("Its last call was refused: {message}"))
        }
        None => (ErrorClass::WrongResult, "Its calls differ from the gold ones.".to_owned()),
    }
}

/// `exact`: the calls, except searches, equal the gold calls in order.
fn exact(
    suite: Suite,
    dialogue: &Dialogue,
    calls: &[&EpisodeCall],
    execution: &Verdict,
) -> Verdict {
    let read = |name: &str, raw: &Arguments| {
        let read = find(suite, name).and_then(|api| api.read(raw).ok());
        (name.to_owned(), Value::Object(read.unwrap_or_else(|| raw.clone())))
    };
    let gold: Vec<(String, Value)> = dialogue
        .calls()
        .filter(|call| !call.is_search())
        .map(|call| read(&call.api_name, &call.param_dict))
        .collect();
    let made: Vec<(String, Value)> = calls
        .iter()
        .filter_map(|call| call.call.as_ref())
        .filter(|call| call.name != TOOL_SEARCHER)
        .map(|call| read(&call.name, &call.arguments))
        .collect();
    if made == gold && execution.correct {
        return Verdict::right("The calls equal the gold ones, in their order.");
    }
    if !execution.correct {
        return execution.clone();
    }
    Verdict::wrong(
        ErrorClass::WrongResult,
        "The calls differ from the gold ones, although they leave the same state.",
    )
}
