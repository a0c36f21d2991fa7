//! Dialogues, plans and prompts of the original, with its numbering of samples.

use crate::ability::Ability;
use crate::dialogue::{Dialogue, RecordedCall, Turn};
use apis::ApiResult;
use serde_json::{Map, Value};

/// A dialogue of level 1 or 2.
#[derive(Debug, Clone, PartialEq)]
pub struct OriginalDialogue {
    /// 1 (Call) or 2 (Retrieve+Call).
    pub level: u8,
    /// Name of its file, which is its id in the original.
    pub file: String,
    /// The dialogue; one turn per line.
    pub dialogue: Dialogue,
    /// The raw lines of the file.
    pub lines: Vec<Value>,
}

impl OriginalDialogue {
    /// Turns of the samples, in the original's numbering: every API line, and the line after it.
    /// The second of two adjacent API lines is therefore two samples.
    pub fn samples(&self) -> Vec<usize> {
        let turns = &self.dialogue.turns;
        let calls = (0..turns.len()).filter(|at| turns[*at].as_call().is_some());
        calls.flat_map(|at| [at, at + 1]).filter(|at| *at < turns.len()).collect()
    }
}

/// A dialogue of level 3. Its index in the file is its id.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The dialogue: requirement, calls, response.
    pub dialogue: Dialogue,
    /// The raw calls of the file.
    pub steps: Vec<Value>,
}

/// The answer that a hub prompt asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PromptKind {
    /// An API call.
    Call,
    /// A reply.
    Reply,
}

/// A row of the hub's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptRow {
    /// 1, 2 or 3.
    pub level: u8,
    /// The answer it asks for.
    pub kind: PromptKind,
    /// The dialogue's file; empty for level 3.
    pub file: String,
    /// The sample in the dialogue, or for level 3 the dialogue.
    pub id: usize,
    /// For level 3 the step (for a reply, the one before it); else 0.
    pub step: usize,
    /// Whether the prompt contains examples.
    pub examples: bool,
    /// The instruction, verbatim.
    pub instruction: String,
    /// The input, verbatim.
    pub input: String,
    /// The expected output.
    pub expected: String,
}

/// Parses a line into a turn.
pub(super) fn turn(line: &Value) -> Result<Turn, String> {
    let text = || {
        line.get("text")
            .and_then(Value::as_str)
            .map(str::to_owned)
            .ok_or_else(|| "expected a text under text".to_owned())
    };
    match line.get("role").and_then(Value::as_str) {
        Some("User") => Ok(Turn::User { text: text()? }),
        Some("AI") => Ok(Turn::Assistant { text: text()?, expect: None, tell: Vec::new() }),
        Some("API") => Ok(Turn::Api(recorded(line, "param_dict", "result")?)),
        _ => Err("expected an utterance with role User, AI or API".to_owned()),
    }
}

/// Parses a call with its result, in which four of the original's APIs omit their name.
fn recorded(line: &Value, input: &str, output: &str) -> Result<RecordedCall, String> {
    let name = line.get("api_name").and_then(Value::as_str);
    let api_name = name.ok_or("expected the API's name under api_name")?.to_owned();
    let param_dict = match line.get(input) {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(arguments)) => arguments.clone(),
        Some(_) => return Err(format!("expected an object under {input}")),
    };
    let result = line.get(output).and_then(Value::as_object);
    let result = result.ok_or_else(|| format!("expected an object under {output}"))?;
    let part = |key: &str| result.get(key).filter(|value| !value.is_null()).cloned();
    let exception = part("exception").map(|exception| match exception {
        Value::String(message) => message,
        other => other.to_string(),
    });
    let result = ApiResult {
        api_name: api_name.clone(),
        input: result.get("input").cloned().unwrap_or_default(),
        output: part("output"),
        exception,
    };
    Ok(RecordedCall {
        api_name,
        param_dict,
        result,
        alternatives: Vec::new(),
        declared: crate::Declared::default(),
    })
}

/// Parses an entry of `level-3.json`.
pub(super) fn plan(index: usize, entry: &Value) -> Result<Plan, String> {
    let text = |key: &str| {
        let text = entry.get(key).and_then(Value::as_str);
        text.map(str::to_owned).ok_or_else(|| format!("entry {index}: expected a text under {key}"))
    };
    let steps = entry.get("apis").and_then(Value::as_array).cloned();
    let steps = steps.ok_or_else(|| format!("entry {index}: expected a list under apis"))?;
    let mut turns = vec![Turn::User { text: text("requirement")?.trim().to_owned() }];
    for (at, step) in steps.iter().enumerate() {
        let call = recorded(step, "input", "output");
        turns.push(Turn::Api(call.map_err(|error| format!("entry {index}, step {at}: {error}"))?));
    }
    turns.push(Turn::Assistant { text: text("response")?, expect: None, tell: Vec::new() });
    let dialogue = Dialogue {
        id: format!("plan/{index}"),
        ability: Ability::Plan,
        turns,
        hard: None,
        earlier: 0,
    };
    Ok(Plan { dialogue, steps })
}
