//! Checks of the tasks in a pack of own tools, as of training data: calls fit their schemas, arguments
//! follow from what was said, no task is there twice, and every tool is needed somewhere.

use super::{Tool, Toolset, schema};
use crate::checks::grounding::untyped::{View, ground};
use crate::declared::{Accept, alternatives};
use crate::dialogue::{Dialogue, RecordedCall, Turn};
use apis::text::fold::{content, phrase_at, tokens};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A finding of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The dialogue's id; empty if it is about the pack.
    pub dialogue: String,
    /// The turn, from 0.
    pub turn: Option<usize>,
    /// What is wrong, in a sentence.
    pub what: String,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.dialogue.as_str(), self.turn) {
            ("", _) => write!(f, "{}", self.what),
            (dialogue, None) => write!(f, "{dialogue}: {}", self.what),
            (dialogue, Some(turn)) => write!(f, "{dialogue}, turn {turn}: {}", self.what),
        }
    }
}

/// Checks all tasks; `today` is the date of the conversations, `%Y-%m-%d`.
pub fn check(dialogues: &[Dialogue], tools: &Toolset, today: &str) -> Vec<Finding> {
    let mut found: Vec<Finding> =
        dialogues.iter().flat_map(|dialogue| of_dialogue(dialogue, tools, today)).collect();
    let mut asked: BTreeMap<Vec<String>, &str> = BTreeMap::new();
    for dialogue in dialogues {
        let said: Vec<String> = dialogue.turns.iter().flat_map(user_words).collect();
        if let Some(first) = asked.insert(said, &dialogue.id) {
            let what = format!("The user says the same as in {first}; remove one of them.");
            found.push(Finding { dialogue: dialogue.id.clone(), turn: None, what });
        }
    }
    let called: BTreeSet<&str> =
        dialogues.iter().flat_map(Dialogue::calls).map(|call| call.api_name.as_str()).collect();
    let unused = tools.tools.iter().filter(|tool| !called.contains(tool.name.as_str()));
    found.extend(unused.map(|tool| Finding {
        dialogue: String::new(),
        turn: None,
        what: format!("No task needs {}; add one.", tool.name),
    }));
    found
}

fn user_words(turn: &Turn) -> Vec<String> {
    match turn {
        Turn::User { text } => content(text),
        _ => Vec::new(),
    }
}

/// Checks one task.
pub fn of_dialogue(dialogue: &Dialogue, tools: &Toolset, today: &str) -> Vec<Finding> {
    let mut check = Check { dialogue, found: Vec::new() };
    check.order();
    let mut view = View::at(Some(&format!("{today} 12:00:00")));
    for (turn, said) in dialogue.turns.iter().enumerate() {
        match said {
            Turn::User { text } => view.add(text),
            Turn::Assistant { text, tell, .. } => {
                check.facts(turn, text, tell);
                view.add(text);
            }
            Turn::Api(call) => {
                for call in std::iter::once(call).chain(&call.alternatives) {
                    check.call(turn, call, tools, &view);
                }
                let result = [&call.result.output, &call.result.exception.clone().map(Value::from)];
                result.into_iter().flatten().for_each(|part| view.add(&part.to_string()));
            }
        }
    }
    check.found
}

struct Check<'a> {
    dialogue: &'a Dialogue,
    found: Vec<Finding>,
}

impl Check<'_> {
    fn add(&mut self, turn: Option<usize>, what: String) {
        self.found.push(Finding { dialogue: self.dialogue.id.clone(), turn, what });
    }

    fn order(&mut self) {
        let turns = &self.dialogue.turns;
        if !matches!(turns.first(), Some(Turn::User { .. })) {
            self.add(Some(0), "The user has to speak first.".to_owned());
        }
        if !matches!(turns.last(), Some(Turn::Assistant { .. })) {
            self.add(Some(turns.len() - 1), "The assistant has to speak last.".to_owned());
        }
        let graded = |turn: &Turn| turn.as_call().is_some() || turn.expects_no_call();
        if !turns.iter().any(graded) {
            let what = "Nothing is graded: add a call, or \"expect\": \"no_call\" to a line.";
            self.add(None, what.to_owned());
        }
    }

    /// A reply has to state its own facts.
    fn facts(&mut self, turn: usize, text: &str, tell: &[String]) {
        let words = tokens(text);
        for fact in tell {
            let states = |it: &str| {
                let phrase = tokens(it);
                (0..words.len()).any(|from| phrase_at(&words, from, &phrase).is_some())
            };
            if !alternatives(fact).any(states) {
                self.add(Some(turn), format!("The reply does not state its fact {fact:?}."));
            }
        }
    }

    fn call(&mut self, turn: usize, call: &RecordedCall, tools: &Toolset, view: &View) {
        let Some(tool) = tools.find(&call.api_name) else {
            return self.add(Some(turn), format!("There is no tool {}.", call.api_name));
        };
        let read = schema::read(&tool.parameters, &call.param_dict);
        let problems = schema::problems(&tool.parameters, &read);
        for problem in problems {
            self.add(Some(turn), format!("{}: {}", tool.name, problem.what));
        }
        for (name, value) in &read {
            self.argument(turn, tool, name, value, view);
        }
        for (name, accept) in &call.declared.accept {
            let (Accept::Values(values), Some(schema)) = (accept, tool.param(name)) else {
                continue;
            };
            if let Some(value) = values.iter().find(|value| !schema::fits(schema, value)) {
                let what =
                    format!("{}: `accept.{name}` lists {value}, which is refused.", tool.name);
                self.add(Some(turn), what);
            }
        }
        let result = &call.result;
        if result.output.is_some() == result.exception.is_some() {
            let what = format!("{}: the result needs either an output or an exception.", tool.name);
            self.add(Some(turn), what);
        }
    }

    fn argument(&mut self, turn: usize, tool: &Tool, name: &str, value: &Value, view: &View) {
        let schema = tool.param(name).unwrap_or(&Value::Null);
        if schema::is_default(schema, value) {
            return;
        }
        // A choice is worded by the schema and grounded by any of its words.
        let is_choice = schema.get("enum").is_some() || schema.get("const").is_some();
        if !is_choice && let Err(what) = ground(value, "", view) {
            self.add(Some(turn), format!("{}: `{name}`: {what}.", tool.name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::own_tools::{OwnDialogue, ToolsFile, example};
    use serde_json::json;

    fn findings(turns: Value) -> String {
        let mut file = ToolsFile::read(example::PACK).unwrap();
        let turns = turns.as_array().unwrap().clone();
        file.dialogues =
            vec![OwnDialogue { id: "x".to_owned(), draft: false, near: Vec::new(), turns }];
        let tools = file.toolset();
        let dialogues = file.read_dialogues(&tools).unwrap();
        let found = of_dialogue(&dialogues[0], &tools, "2026-03-02");
        found.iter().map(|finding| format!("{finding}\n")).collect()
    }

    #[test]
    fn every_defect_is_found() {
        let call = |arguments: Value| {
            json!({"role": "API", "api_name": "get_order",
            "param_dict": arguments, "result": {"api_name": "get_order", "output": {"status": "sent"}}})
        };
        let user = json!({"role": "User", "text": "Where is order 10482?"});
        let reply = json!({"role": "AI", "text": "It was sent.", "tell": ["sent"]});
        let good = json!({"order_id": "10482"});
        assert_eq!(findings(json!([user, call(good.clone()), reply])), "");
        for (turns, words) in [
            (json!([reply, user]), "The user has to speak first"),
            (json!([user, call(good.clone())]), "speak last"),
            (json!([user, reply]), "Nothing is graded"),
            (json!([user, call(json!({})), reply]), "\"order_id\" is missing"),
            (json!([user, call(json!({"order_id": "99999"})), reply]), "does not follow"),
            (json!([user, call(json!({"order_id": "10482", "x": 1})), reply]), "no parameter"),
            (
                json!([user, call(good.clone()), {"role": "AI", "text": "Gone.", "tell": ["sent"]}]),
                "does not state",
            ),
        ] {
            let found = findings(turns.clone());
            assert!(found.contains(words), "{turns}: {found}");
        }
    }
}
