//! First drafts of declarations, which `cargo xtask dataset bless` writes into a dialogue for its author
//! to mend: the order of calls, the facts of free texts, and what replies tell.

use super::order;
use apis::text::fold::{content, is_number, tokens};
use apis::{Kind, Rule, World, registry};
use dataset::{Accept, Dialogue, Facts, RecordedCall, Turn};
use exchange::protocol::{Sample, SampleKind, world_at};
use serde_json::Value;
use std::collections::BTreeSet;

/// The dialogue with a draft of each declaration that it lacks: `after` and `accept` call by call,
/// `tell` only if no reply has any. `fresh` is the world as loaded.
pub fn drafted(dialogue: &Dialogue, fresh: &World) -> Dialogue {
    let mut out = dialogue.clone();
    let declared = dialogue
        .own_turns()
        .iter()
        .any(|own_turn| matches!(own_turn, Turn::Assistant { tell, .. } if !tell.is_empty()));
    let mut turn = dialogue.earlier;
    while turn < dialogue.turns.len() {
        let calls = order::stretch(dialogue, turn);
        if calls.is_empty() {
            if let (false, Turn::Assistant { tell, text, .. }) = (declared, &mut out.turns[turn]) {
                *tell = tellable(text, &results_before(dialogue, turn));
            }
            turn += 1;
            continue;
        }
        let world = world_at(&Sample::new(dialogue, turn, SampleKind::Call), fresh);
        let needed =
            if calls.len() > 1 { order::dependencies(dialogue, turn, &world) } else { Vec::new() };
        for (at, due) in calls.iter().enumerate() {
            let Turn::Api(call) = &mut out.turns[turn + at] else { continue };
            if at > 0 && call.declared.after.is_none() {
                let own = needed[at].iter().map(|turn| turn - dialogue.earlier);
                call.declared.after = Some(own.collect());
            }
            for (param, text) in free_texts(dialogue, due) {
                let facts = || Accept::Facts(Facts { must: facts_of(&text), ..Facts::default() });
                call.declared.accept.entry(param.to_owned()).or_insert_with(facts);
            }
        }
        turn += calls.len();
    }
    out
}

/// The free texts of a call that are not empty.
pub fn free_texts(dialogue: &Dialogue, call: &RecordedCall) -> Vec<(&'static str, String)> {
    let api = registry::find(dialogue.ability.suite(), &call.api_name);
    let params = api.into_iter().flat_map(|api| api.params).filter(|param| {
        param.kind == Kind::Text && matches!(param.rule, Rule::Facts | Rule::Question | Rule::Place)
    });
    let text = |name: &str| call.param_dict.get(name).and_then(Value::as_str).map(str::to_owned);
    params
        .filter_map(|param| Some((param.name, text(param.name)?)))
        .filter(|(_, text)| !facts_of(text).is_empty())
        .collect()
}

/// A fact for each content word.
fn facts_of(text: &str) -> Vec<String> {
    let mut facts: Vec<String> = Vec::new();
    for token in content(text) {
        if !facts.contains(&token) {
            facts.push(token);
        }
    }
    facts
}

/// The outputs and messages of the calls that directly precede a turn, as text.
fn results_before(dialogue: &Dialogue, turn: usize) -> String {
    let before = dialogue.turns[..turn].iter().rev().map_while(Turn::as_call);
    let texts = before.filter(|call| !call.is_search()).map(|call| {
        let output = call.result.output.as_ref().map(ToString::to_string);
        output.or_else(|| call.result.exception.clone()).unwrap_or_default()
    });
    texts.collect::<Vec<_>>().join(" ")
}

/// The numbers and names of the results that a reply repeats.
fn tellable(reply: &str, results: &str) -> Vec<String> {
    let brought: BTreeSet<String> = tokens(results).into_iter().collect();
    let mut facts: Vec<String> = Vec::new();
    for word in reply.split_whitespace() {
        let name = word.starts_with(char::is_uppercase);
        for token in content(word) {
            if brought.contains(&token) && (is_number(&token) || name) && !facts.contains(&token) {
                facts.push(token);
            }
        }
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;
    use dataset::Ability;

    const FILE: &str = r#"{"role": "User", "text": "Wake me at six and remind me to feed Ann's two cats at 5. I'm mira.okafor, tamarind-42."}
{"role": "API", "api_name": "GetUserToken", "param_dict": {"username": "mira.okafor", "password": "tamarind-42"}, "result": {"api_name": "GetUserToken", "output": {"token": "q7m2x9v4b1n8k5j3h6"}}}
{"role": "API", "api_name": "AddAlarm", "param_dict": {"token": "q7m2x9v4b1n8k5j3h6", "time": "2024-05-16 06:00:00"}, "result": {"api_name": "AddAlarm", "output": "success"}}
{"role": "API", "api_name": "AddReminder", "param_dict": {"token": "q7m2x9v4b1n8k5j3h6", "content": "feed Ann's two cats", "time": "2024-05-16 05:00:00"}, "result": {"api_name": "AddReminder", "output": "success"}}
{"role": "AI", "text": "Both are set."}"#;

    #[test]
    fn order_and_facts_are_drafted() {
        let pack = dataset::builtin().unwrap();
        let dialogue = Dialogue::read_lines("x.jsonl", Ability::Call, FILE).unwrap();
        let drafted = drafted(&dialogue, &pack.world);
        let calls: Vec<_> = drafted.calls().map(|call| &call.declared).collect();
        let after: Vec<_> = calls.iter().map(|call| call.after.clone()).collect();
        assert_eq!(after, [None, Some(vec![1]), Some(vec![1])]);
        let Some(Accept::Facts(facts)) = calls[2].accept.get("content") else { panic!() };
        assert_eq!(facts.must, ["feed", "ann", "2", "cats"]);
        // What is declared stays.
        assert_eq!(super::drafted(&drafted, &pack.world), drafted);
    }

    #[test]
    fn a_reply_tells_numbers_and_names_of_the_result() {
        let facts = tellable(
            "It closed at 1,250.50, says Ann.",
            r#"{"price": 1250.5, "by": "Ann", "it": 3}"#,
        );
        assert_eq!(facts, ["1250.5", "ann"]);
    }
}
