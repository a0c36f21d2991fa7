//! Judges an answer against the calls that are due: those up to the next utterance, in any order that
//! the dialogue declares.

use crate::accepted_values::{self, Known, LazyKnown, Wrong};
use crate::{ErrorClass, Verdict, amount, own_tools};
use apis::effect;
use apis::search::{SearchResults, TOOL_SEARCHER, find, found, found_names, needed};
use apis::{Api, Arguments, Rule, World, registry};
use dataset::declared::alternatives;
use dataset::own_tools::Pool;
use dataset::{RecordedCall, Turn};
use exchange::call::ParsedCall;
use exchange::protocol::Sample;
use serde_json::Value;

/// The calls that are due at a step.
pub(crate) struct Stretch<'a> {
    pool: Pool<'a>,
    /// Their turns, beginning with the step's own.
    calls: Vec<(usize, &'a RecordedCall)>,
    /// Turns of a dialogue before its own file's.
    earlier: usize,
    history: &'a [Turn],
    planted: Option<&'a Arguments>,
}

/// The verdict of `execution` on the calls of an answer, of which the first `due` have to be in one.
/// `world` is the state after the gold calls before the stretch.
pub(crate) fn judge(
    stretch: &Stretch<'_>,
    due: usize,
    calls: &[&ParsedCall],
    world: &World,
) -> Verdict {
    let Some((own, gold)) = stretch.calls.first().copied() else {
        return Verdict::wrong(ErrorClass::UnneededApiCall, "No call is due here.");
    };
    let mut world = world.clone();
    let mut made: Vec<usize> = Vec::new();
    let mut first = None;
    let mut close = None;
    for call in calls {
        if !stretch.pool.knows(&call.name) {
            return unknown(stretch.pool, gold, call);
        }
        match stretch.due(call, &made, &world) {
            Ok((turn, due)) => {
                made.push(turn);
                first.get_or_insert_with(|| right(due, call, turn == own, world.search.results));
                if let Some(api) = built_in(stretch.pool, &due.api_name) {
                    api.call(&due.param_dict, &mut world);
                }
            }
            Err(wrong) => {
                let ahead =
                    made.is_empty() && (call.name == gold.api_name || call.name == TOOL_SEARCHER);
                if let Some(why) = stretch.forbids(call) {
                    let class = match call.name == gold.api_name {
                        true => ErrorClass::WrongResult,
                        false => ErrorClass::WrongApi,
                    };
                    return Verdict::wrong(class, why);
                }
                let harmless = !acts(stretch.pool, &call.name) && !ahead;
                if !harmless && !stretch.waits(call, &made) {
                    return wrong.into();
                }
                if stretch.left(&[]).any(|(_, due)| due.api_name == call.name) {
                    close.get_or_insert(wrong);
                }
            }
        }
    }
    let Some(first) = first else {
        let names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
        return match close {
            Some(wrong) => wrong.into(),
            None => other(gold, &names.join(", ")),
        };
    };
    if due > 1 && made.len() < due {
        let left = stretch.left(&made).map(|(_, call)| call.api_name.as_str());
        let left: Vec<&str> = left.collect();
        return Verdict::wrong(
            ErrorClass::WrongResult,
            format!("All calls of the step are due in one answer; it lacks {}.", left.join(", ")),
        );
    }
    Verdict::right(first)
}

/// The built-in API of a name, which can be run.
pub(crate) fn built_in(pool: Pool<'_>, name: &str) -> Option<&'static Api> {
    match pool {
        Pool::Suite(suite) => find(suite, name),
        Pool::Own(_) => None,
    }
}

/// Whether a call changes data. Own tools do unless they are `read_only`.
fn acts(pool: Pool<'_>, name: &str) -> bool {
    match pool {
        Pool::Suite(suite) => find(suite, name).is_some_and(registry::acts),
        Pool::Own(tools) => tools.find(name).is_some_and(|tool| !tool.read_only),
    }
}

/// What a right call rests on.
fn right(due: &RecordedCall, call: &ParsedCall, own: bool, results: SearchResults) -> String {
    let name = &due.api_name;
    if due.is_search() {
        let needed = needed(&due.result).unwrap_or_default();
        return match results {
            SearchResults::One => format!("The search returns {needed}, as the gold one does."),
            _ => format!("{needed} is among the APIs that the search returns."),
        };
    }
    let place = match own {
        true => "is due here",
        false => "is due here, too, and needs none of the calls before it",
    };
    let declared = due.declared.accept.keys();
    let other = |param: &&String| call.arguments.get(*param) != due.param_dict.get(*param);
    let declared: Vec<String> = declared.filter(other).map(|name| format!("`{name}`")).collect();
    match declared.is_empty() {
        true => format!("{name} {place}, with these arguments."),
        false => format!("{name} {place}; {} as the dialogue declares.", declared.join(" and ")),
    }
}

/// Whether nothing but calculations is due and an answer tells the value of the first: as the next reply
/// declares it, rounded perhaps, or else the value itself.
pub fn told_result(sample: &Sample<'_>, answer: &str) -> bool {
    let rest = sample.dialogue.turns.get(sample.turn..).unwrap_or_default();
    let due = || rest.iter().map_while(Turn::as_call).filter(|call| !call.is_search());
    let calculates = |call: &RecordedCall| {
        built_in(sample.pool(), &call.api_name).is_some_and(amount::is_formula)
    };
    let value = due().next().and_then(|call| call.result.output.as_ref()?.as_f64());
    let (Some(value), true) = (value, due().all(calculates)) else { return false };
    let reply = rest.iter().find_map(|turn| match turn {
        Turn::Assistant { tell, .. } => Some(tell),
        _ => None,
    });
    let is_value = |fact: &&String| {
        let near = |text: &str| text.parse::<f64>().is_ok_and(|it| (it - value.abs()).abs() < 1.0);
        alternatives(fact).any(near)
    };
    match reply.into_iter().flatten().find(is_value) {
        Some(fact) => accepted_values::states(answer, fact),
        None => amount::states(answer, value),
    }
}

impl<'a> Stretch<'a> {
    /// The calls up to the next utterance. `gold` is the step's call or its correction.
    pub(crate) fn new(sample: &Sample<'a>, gold: &'a RecordedCall) -> Self {
        let turns = sample.dialogue.turns.iter().enumerate().skip(sample.turn + 1);
        let later = turns.map_while(|(turn, it)| Some((turn, it.as_call()?)));
        Stretch {
            pool: sample.pool(),
            calls: std::iter::once((sample.turn, gold)).chain(later).collect(),
            earlier: sample.dialogue.earlier,
            history: sample.history(),
            planted: sample.hard().and_then(|it| Some(&it.planted.as_ref()?.param_dict)),
        }
    }

    /// One call without a dialogue around it.
    pub(crate) fn of_one(pool: Pool<'a>, gold: &'a RecordedCall) -> Self {
        Stretch { pool, calls: vec![(0, gold)], earlier: 0, history: &[], planted: None }
    }

    /// The calls that are not made yet.
    fn left(&self, made: &[usize]) -> impl Iterator<Item = (usize, &'a RecordedCall)> {
        self.calls.iter().copied().filter(|(turn, _)| !made.contains(turn))
    }

    /// The call that has to come before one and is not made yet.
    fn before(&self, turn: usize, call: &RecordedCall, made: &[usize]) -> Option<&'a RecordedCall> {
        let needs = |other: usize| match &call.declared.after {
            Some(after) => after.iter().any(|turn| turn + self.earlier == other),
            None => other < turn,
        };
        self.left(made).find(|(other, _)| needs(*other)).map(|(_, other)| other)
    }

    /// The due call that a call makes, or its alternative, with its turn.
    fn due(
        &self,
        call: &ParsedCall,
        made: &[usize],
        world: &World,
    ) -> Result<(usize, &'a RecordedCall), Wrong> {
        let mut wrong = None;
        for (turn, due) in self.left(made) {
            // With several results, nearly any later search would be right.
            if due.is_search() && turn > self.calls[0].0 && !self.calls[0].1.is_search() {
                continue;
            }
            for due in std::iter::once(due).chain(&due.alternatives) {
                if due.api_name != call.name {
                    continue;
                }
                let known = Known::lazy(due, self.history, self.planted);
                match self.compare(due, call, world, &known) {
                    Ok(()) => match self.before(turn, due, made) {
                        None => return Ok((turn, due)),
                        Some(first) => {
                            let name = &first.api_name;
                            let why = format!("{name} has to come first.");
                            wrong.get_or_insert(Wrong::new(ErrorClass::WrongApi, why));
                        }
                    },
                    Err(why) => {
                        wrong.get_or_insert(why);
                    }
                }
            }
        }
        Err(wrong.unwrap_or_else(|| {
            let due = self.left(made).next().map_or("none", |(_, due)| &due.api_name);
            let class = match due == TOOL_SEARCHER {
                true => ErrorClass::FailedApiRetrieval,
                false => ErrorClass::WrongApi,
            };
            match made.is_empty() {
                true => Wrong::new(class, format!("{due} was due here; {} was called.", call.name)),
                false => Wrong::new(
                    ErrorClass::WrongResult,
                    format!("The answer also calls {}, which acts and is not due here.", call.name),
                ),
            }
        }))
    }

    /// The reason if a call reads what is forbidden here.
    fn forbids(&self, call: &ParsedCall) -> Option<String> {
        let forbidden = self.calls.iter().flat_map(|(_, due)| &due.declared.forbid);
        let is = |own: &Value, value: &Value| Rule::Key.same(own, value) || own == value;
        let mut fits = forbidden.filter(|forbidden| {
            forbidden.api_name == call.name
                && forbidden
                    .param_dict
                    .iter()
                    .all(|(name, own)| call.arguments.get(name).is_some_and(|value| is(own, value)))
        });
        let found = fits.next()?;
        let values: Vec<String> = found
            .param_dict
            .values()
            .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
            .collect();
        Some(match values.is_empty() {
            true => format!("The answer calls {}, which is forbidden here.", call.name),
            false => format!(
                "The answer calls {} for {}, which is forbidden here.",
                call.name,
                values.join(", ")
            ),
        })
    }

    /// Whether a call is a due one but for values that come from a result of this stretch: placeholders
    /// may stand for them, values that were there before may not.
    fn waits(&self, call: &ParsedCall, made: &[usize]) -> bool {
        let Some(api) = built_in(self.pool, &call.name) else { return false };
        let Ok(given) = api.read(&call.arguments) else { return false };
        let results: Vec<String> = self
            .calls
            .iter()
            .filter(|call| made.contains(&call.0))
            .filter_map(|(_, it)| Some(it.result.output.as_ref()?.to_string()))
            .collect();
        let waits = |due: &RecordedCall| {
            let known = Known::lazy(due, self.history, self.planted);
            let Ok(gold) = api.read(&due.param_dict) else { return false };
            api.params.iter().all(|param| match (gold.get(param.name), given.get(param.name)) {
                (Some(gold), Some(value)) => {
                    let accept = due.declared.accept.get(param.name);
                    accepted_values::argument(param, accept, gold, value, &known).is_ok()
                        || (results.iter().any(|result| result.contains(&gold.to_string()))
                            && !self.has_said(value))
                }
                (None, None) => true,
                _ => false,
            })
        };
        self.left(made).any(|(turn, due)| {
            due.api_name == api.name && self.before(turn, due, made).is_none() && waits(due)
        })
    }

    /// Compares a call with a due one of the same tool.
    fn compare(
        &self,
        due: &RecordedCall,
        call: &ParsedCall,
        world: &World,
        known: &LazyKnown<'_>,
    ) -> Result<(), Wrong> {
        match self.pool {
            Pool::Suite(suite) => match find(suite, &call.name) {
                Some(api) => compare(api, due, call, world, known),
                None => Ok(()),
            },
            Pool::Own(tools) => match tools.find(&call.name) {
                Some(tool) => own_tools::call(tool, due, &call.arguments, known),
                None => Ok(()),
            },
        }
    }

    /// Whether an utterance or result has a value to the letter.
    fn has_said(&self, value: &Value) -> bool {
        let Some(value) = value.as_str().filter(|text| !text.is_empty()) else { return false };
        self.history.iter().any(|turn| match turn {
            Turn::User { text } | Turn::Assistant { text, .. } => text.contains(value),
            Turn::Api(call) => {
                call.result.output.as_ref().is_some_and(|output| output.to_string().contains(value))
            }
        })
    }
}

/// Compares a call with a due one of the same API. A search with several results is right if it finds the
/// needed API.
fn compare(
    api: &Api,
    due: &RecordedCall,
    call: &ParsedCall,
    world: &World,
    known: &LazyKnown<'_>,
) -> Result<(), Wrong> {
    if !due.is_search() {
        return accepted_values::call(api, due, &call.arguments, world, known);
    }
    api.read(&call.arguments).map_err(|problems| accepted_values::unusable(&problems))?;
    let result = effect::effect(api, &call.arguments, world).result;
    let needed = needed(&due.result).unwrap_or_default();
    let right = match world.search.results {
        SearchResults::One => {
            effect::effect(api, &due.param_dict, world).result.same_outcome(&result)
        }
        _ => found_names(&result).contains(&needed),
    };
    let why = || format!("{needed} is needed; the search returns {}.", found(&result));
    if right { Ok(()) } else { Err(Wrong::new(ErrorClass::FailedApiRetrieval, why())) }
}

/// The verdict on a call that can't be run: the recorded one alone is right.
fn unknown(pool: Pool<'_>, gold: &RecordedCall, call: &ParsedCall) -> Verdict {
    if call.name == gold.api_name {
        return match gold.param_dict == call.arguments {
            true => Verdict::right("The call equals the recorded one."),
            false => Verdict::wrong(
                ErrorClass::WrongResult,
                "This API cannot be run here, and the call is not the recorded one.",
            ),
        };
    }
    if gold.is_search() {
        return other(gold, &call.name);
    }
    let why = match pool {
        Pool::Suite(suite) => format!("The {} suite has no API {}", suite.as_str(), call.name),
        Pool::Own(_) => format!("There is no tool {}", call.name),
    };
    let why = format!("{why}; {} was due here.", gold.api_name);
    Verdict::wrong(ErrorClass::ApiHallucination, why)
}

/// The verdict if nothing that is due is called.
fn other(gold: &RecordedCall, called: &str) -> Verdict {
    let class = match gold.is_search() {
        true => ErrorClass::FailedApiRetrieval,
        false => ErrorClass::WrongApi,
    };
    Verdict::wrong(class, format!("{} was due here; {called} was called.", gold.api_name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dataset::{Ability, Dialogue};
    use exchange::call::parse_all;
    use exchange::protocol::{SampleKind, world_at};

    const FILE: &str = r#"{"role": "User", "text": "Wake me at 3:01 on the 20th, and is there one at 3 already? mira.okafor, tamarind-42. What was FJELL worth on the 13th?"}
{"role": "API", "api_name": "GetUserToken", "param_dict": {"username": "mira.okafor", "password": "tamarind-42"}, "result": {"api_name": "GetUserToken", "output": {"token": "q7m2x9v4b1n8k5j3h6"}}, "forbid": [{"api_name": "QueryStock", "param_dict": {"stock_code": "NWIND"}}]}
{"role": "API", "api_name": "AddAlarm", "param_dict": {"token": "q7m2x9v4b1n8k5j3h6", "time": "2024-05-20 03:01:00"}, "result": {"api_name": "AddAlarm", "output": "success"}, "after": [1]}
{"role": "API", "api_name": "QueryStock", "param_dict": {"stock_code": "FJELL", "date": "2024-05-13"}, "result": {"api_name": "QueryStock", "output": 1.0}, "after": []}
{"role": "AI", "text": "Done."}"#;

    fn verdict(answer: &str) -> Verdict {
        let pack = dataset::builtin().unwrap();
        let dialogue = Dialogue::read_lines("x.jsonl", Ability::Call, FILE).unwrap();
        let sample = Sample::new(&dialogue, 1, SampleKind::Call);
        let (first, further) = parse_all(answer).unwrap();
        let calls: Vec<_> = std::iter::once(&first).chain(&further).collect();
        let gold = sample.gold_call().unwrap();
        judge(&Stretch::new(&sample, gold), 1, &calls, &world_at(&sample, &pack.world))
    }

    const LOGIN: &str = "[GetUserToken(username='mira.okafor', password='tamarind-42')]";
    const ALARM: &str = "[AddAlarm(token='q7m2x9v4b1n8k5j3h6', time='2024-05-20 03:01')]";

    #[test]
    fn due_calls_come_in_any_order_that_is_declared() {
        for right in [
            LOGIN,
            "[QueryStock(stock_code='fjell', date='2024/05/13')]",
            &format!("{LOGIN} {ALARM}"),
            &format!("{LOGIN} [AddAlarm(token='<token>', time='2024-05-20 03:01:00')]"),
            &format!(
                "[GetToday()] {LOGIN} [QueryAlarm(token='<token>', time='2024-05-20 03:01:00')]"
            ),
        ] {
            let verdict = verdict(right);
            assert!(verdict.correct, "{right}: {}", verdict.explanation);
        }
    }

    #[test]
    fn a_wrong_answer_has_one_reason() {
        let twice = format!("{LOGIN} {ALARM} {}", ALARM.replace("03:01", "03:01:00"));
        for (wrong, why) in [
            (ALARM, "GetUserToken has to come first."),
            ("[GetToday()]", "GetUserToken was due here; GetToday was called."),
            ("[QueryStock(stock_code='FJELL', date='2024-05-14')]", "`date` is \"2024-05-14\""),
            (&twice, "also calls AddAlarm"),
            (&format!("{LOGIN} [PlayMusic(music_name='Fado')]"), "also calls PlayMusic"),
            (
                &format!("{LOGIN} [QueryStock(stock_code='NWIND', date='2024-05-13')]"),
                "QueryStock for NWIND, which is forbidden here",
            ),
            (&format!("{LOGIN} [AddAlarm(token='<token>', time='2024-05-21 03:01:00')]"), "`t"),
        ] {
            let verdict = verdict(wrong);
            assert!(!verdict.correct && verdict.explanation.contains(why), "{wrong}: {verdict:?}");
        }
    }
}
