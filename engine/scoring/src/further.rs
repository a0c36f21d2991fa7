//! The calls of an answer after its first: reads are harmless; calls of APIs that change something must
//! be gold, even if they fail.

use crate::{ErrorClass, Verdict};
use apis::effect;
use apis::match_rule::Said;
use apis::search::find;
use apis::{Api, Suite, World};
use dataset::RecordedCall;
use exchange::call::ParsedCall;
use serde_json::Value;

/// What is due beside the first call.
#[derive(Debug, Clone, Copy)]
pub struct Due<'a> {
    /// The gold calls that remain.
    pub left: &'a [&'a RecordedCall],
    /// Whether all of them are due at once.
    pub all: bool,
    /// If rules say whose data may be read: the gold calls of the dialogue.
    pub rules: Option<&'a [&'a RecordedCall]>,
}

/// The verdict if calls after a right first call make the answer wrong; `None` if they don't.
///
/// Each further call must match one of the remaining gold calls `left`, each used once, or only read
/// (unless `rules` say whose data may be read), or be one of `left` that fails because a result it needs,
/// such as a token, is not known yet. If `all` of `left` are due at once, none may be missing. `made` is
/// the gold call that the first call matched, `world` the state before it.
pub fn wrong(
    suite: Suite,
    made: &RecordedCall,
    Due { left, all, rules }: Due<'_>,
    further: &[ParsedCall],
    world: &World,
    said: &Said<'_>,
) -> Option<Verdict> {
    if further.is_empty() && !all {
        return None;
    }
    let due = left.len() + 1;
    let mut world = world.clone();
    let mut results = vec![run(suite, made, &mut world)];
    let mut left = left.to_vec();
    results.extend(left.iter().map(|call| call.result.output.clone()));
    for call in further {
        let Some(api) = find(suite, &call.name) else { continue };
        let same = |gold: &&RecordedCall| {
            gold.api_name == call.name && {
                let wanted = effect::effect(api, &gold.param_dict, &world);
                effect::compare(api, &gold.param_dict, &wanted, &call.arguments, &world, said)
                    .is_ok_and(|comparison| comparison.same)
            }
        };
        if let Some(at) = left.iter().position(same) {
            run(suite, left.remove(at), &mut world);
        } else if rules.is_some_and(|gold| reads_other(gold, call))
            && !waits(api, &left, call, &results, &world, said)
        {
            return Some(Verdict::wrong(
                ErrorClass::WrongResult,
                format!(
                    "The first call is right, but the answer also calls {}, and rules say here whose \
                     data may be read.",
                    call.name
                ),
            ));
        } else if !effect::effect(api, &call.arguments, &world).changes.is_empty() {
            return Some(Verdict::wrong(
                ErrorClass::WrongResult,
                format!(
                    "The first call is right, but the answer also calls {}, which changes what no gold \
                     call changes here.",
                    call.name
                ),
            ));
        } else if api.acts() && !waits(api, &left, call, &results, &world, said) {
            return Some(Verdict::wrong(
                ErrorClass::WrongResult,
                format!(
                    "The first call is right, but the answer also calls {}, which nothing asks for here. \
                     It changes nothing only because it fails.",
                    call.name
                ),
            ));
        }
    }
    let missing: Vec<&str> = left.iter().map(|call| call.api_name.as_str()).collect();
    (all && !missing.is_empty()).then(|| {
        let (made, missing) = (due - missing.len(), missing.join(", "));
        Verdict::wrong(
            ErrorClass::WrongResult,
            format!("The answer makes {made} of the {due} calls that are due at once; missing: {missing}."),
        )
    })
}

/// Whether a call has an argument value that no gold call of the dialogue has.
pub fn reads_other(gold: &[&RecordedCall], call: &ParsedCall) -> bool {
    let known =
        |value: &Value| gold.iter().any(|it| it.param_dict.values().any(|own| own == value));
    !call.arguments.values().all(known)
}

/// The verdict if an answer makes the same call of an API that acts twice: two mails, two bookings.
pub fn repeated(suite: Suite, first: &ParsedCall, further: &[ParsedCall]) -> Option<Verdict> {
    let calls: Vec<&ParsedCall> = std::iter::once(first).chain(further).collect();
    let same = |a: &ParsedCall, b: &ParsedCall| a.name == b.name && a.arguments == b.arguments;
    let acts = |call: &ParsedCall| find(suite, &call.name).is_some_and(Api::acts);
    let twice = calls
        .iter()
        .enumerate()
        .find(|(at, call)| acts(call) && calls[..*at].iter().any(|earlier| same(earlier, call)));
    twice.map(|(_, call)| {
        let explanation = format!("The answer makes the same call of {} twice.", call.name);
        Verdict::wrong(ErrorClass::WrongResult, explanation)
    })
}

/// Whether a failing call equals a remaining gold call except for arguments that come from a result of
/// this stretch. Placeholders are allowed there, known values are not.
fn waits(
    api: &Api,
    left: &[&RecordedCall],
    call: &ParsedCall,
    results: &[Option<Value>],
    world: &World,
    said: &Said<'_>,
) -> bool {
    left.iter().filter(|gold| gold.api_name == call.name).any(|gold| {
        let wanted = effect::effect(api, &gold.param_dict, world);
        let compared =
            effect::compare(api, &gold.param_dict, &wanted, &call.arguments, world, said);
        let brought = |name: &&str| {
            let value = gold.param_dict.get(*name).map(ToString::to_string);
            let known =
                call.arguments.get(*name).and_then(Value::as_str).is_some_and(|it| said.has(it));
            !known
                && value.is_some_and(|value| {
                    results.iter().flatten().any(|it| it.to_string().contains(&value))
                })
        };
        compared.is_ok_and(|it| it.differing.iter().all(brought))
    })
}

fn run(suite: Suite, call: &RecordedCall, world: &mut World) -> Option<Value> {
    find(suite, &call.api_name).and_then(|api| api.call(&call.param_dict, world).output)
}

#[cfg(test)]
mod tests {
    use super::*;
    use apis::ApiResult;
    use exchange::call::parse;
    use serde_json::json;

    fn gold(name: &str, arguments: Value) -> RecordedCall {
        RecordedCall {
            api_name: name.to_owned(),
            param_dict: arguments.as_object().unwrap().clone(),
            result: ApiResult::failure(name, json!({}), "not run"),
            alternatives: Vec::new(),
            declared: dataset::Declared::default(),
        }
    }

    #[test]
    fn a_further_call_reads_or_is_gold() {
        let world = dataset::builtin().unwrap().world.clone();
        let login = json!({"username": "mira.okafor", "password": "tamarind-42"});
        let token = json!("q7m2x9v4b1n8k5j3h6");
        let alarm = gold("AddAlarm", json!({"token": token, "time": "2024-05-20 03:01:00"}));
        let verdict = |further: &str| {
            let further = [parse(further).unwrap()];
            let left = [&alarm];
            let made = gold("GetUserToken", login.clone());
            let said = Said::new(|| vec!["The token 1a2b3c4d5e6f7g8h9i was refused.".to_owned()]);
            let due = Due { left: &left, all: false, rules: None };
            let wrong = |due| wrong(Suite::Dialogue, &made, due, &further, &world, &said);
            let strict = wrong(Due { rules: Some(&left), ..due });
            let other = matches!(further[0].name.as_str(), "CheckToken" | "QueryAlarm");
            assert_eq!(strict.is_some(), other || wrong(due).is_some(), "{further:?}");
            wrong(due)
        };
        for right in [
            "[AddAlarm(token='q7m2x9v4b1n8k5j3h6', time='2024-05-20 03:01:00')]",
            // Its token comes with the result of the login.
            "[AddAlarm(token='<token>', time='2024-05-20 03:01:00')]",
            "[GetToday()]",
            "[CheckToken(token='1a2b3c4d5e6f7g8h9i')]",
            "[QueryAlarm(token='<token>', time='2024-05-20 03:01:00')]",
        ] {
            assert_eq!(verdict(right), None, "{right}");
        }
        for other in [
            "[AddAlarm(token='q7m2x9v4b1n8k5j3h6', time='2024-05-21 03:01:00')]",
            "[AddAlarm(token='<token>', time='2024-05-21 03:01:00')]",
            "[AddAlarm(token='1a2b3c4d5e6f7g8h9i', time='2024-05-20 03:01:00')]",
            "[CancelRegistration(appointment_id='99999999')]",
            "[PlayMusic(music_name='Fado')]",
        ] {
            assert!(verdict(other).is_some_and(|it| !it.correct), "{other}");
        }
    }
}
