//! Dialogues and their two file shapes.
//!
//! A Call or Retrieve+Call dialogue is a JSONL file with one turn per line; a Plan+Retrieve+Call
//! dialogue is one JSON object. Both are API-Bank's shapes.

use crate::ability::Ability;
use crate::declared::{Declared, check_facts};
use crate::error::PackError;
use crate::hard::{Expect, Hard, Split};
use crate::own_tools::Pool;
use apis::ApiResult;
use apis::search::TOOL_SEARCHER;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// One dialogue with its gold calls.
#[derive(Debug, Clone, PartialEq)]
pub struct Dialogue {
    /// `call/`, `retrieve/`, `plan/` or `hard/`, then the file stem.
    pub id: String,
    /// The ability it measures.
    pub ability: Ability,
    /// Utterances and calls, in order. A Plan dialogue is one user turn, calls, one reply.
    pub turns: Vec<Turn>,
    /// Its entry in the hard split; `None` in the standard split.
    pub hard: Option<Hard>,
    /// Number of turns at the beginning that come from other dialogues and are not graded.
    pub earlier: usize,
}

/// One utterance or call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role")]
#[expect(
    clippy::large_enum_variant,
    reason = "a dialogue is a few dozen turns, many of them calls"
)]
pub enum Turn {
    /// The user speaks.
    User {
        /// The utterance.
        text: String,
    },
    /// The assistant speaks.
    #[serde(rename = "AI")]
    Assistant {
        /// The utterance.
        text: String,
        /// The expectation graded besides its text; hard split only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expect: Option<Expect>,
        /// Facts that it states, each as alternatives `a|b`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tell: Vec<String>,
    },
    /// The assistant calls an API.
    #[serde(rename = "API")]
    Api(RecordedCall),
}

/// A gold call with its recorded result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordedCall {
    /// The API.
    pub api_name: String,
    /// The arguments.
    pub param_dict: Map<String, Value>,
    /// Its result.
    pub result: ApiResult,
    /// Other calls that are as right at this step, with their results. They have no alternatives.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<RecordedCall>,
    /// What else counts as this call, what has to come first, and what is wrong here.
    #[serde(flatten)]
    pub declared: Declared,
}

impl RecordedCall {
    /// Whether the call is a search.
    pub fn is_search(&self) -> bool {
        self.api_name == TOOL_SEARCHER
    }

    /// # Errors
    /// If an alternative repeats the call or has alternatives itself.
    fn check_alternatives(&self) -> Result<(), String> {
        let same =
            |it: &RecordedCall| it.api_name == self.api_name && it.param_dict == self.param_dict;
        let name = &self.api_name;
        match &self.alternatives {
            all if all.iter().any(same) => {
                Err(format!("alternatives of {name}: one is the call itself; remove it"))
            }
            all if all.iter().any(|call| !call.alternatives.is_empty()) => {
                Err(format!("alternatives of {name}: they can't have alternatives themselves"))
            }
            _ => Ok(()),
        }
    }
}

impl Turn {
    /// The call, if the turn is one.
    pub fn as_call(&self) -> Option<&RecordedCall> {
        match self {
            Turn::Api(call) => Some(call),
            _ => None,
        }
    }

    /// Whether the turn is a search.
    pub fn is_search(&self) -> bool {
        self.as_call().is_some_and(RecordedCall::is_search)
    }

    /// Whether the turn is an assistant line graded for making no call.
    pub const fn expects_no_call(&self) -> bool {
        matches!(self, Turn::Assistant { expect: Some(Expect::NoCall), .. })
    }
}

/// The file shape of a Plan dialogue.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanFile {
    requirement: String,
    response: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tell: Vec<String>,
    apis: Vec<PlanCall>,
}

#[derive(Serialize, Deserialize)]
struct PlanCall {
    api_name: String,
    input: Map<String, Value>,
    output: ApiResult,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    alternatives: Vec<PlanCall>,
    #[serde(flatten)]
    declared: Declared,
    #[serde(flatten)]
    unknown: Map<String, Value>,
}

impl From<PlanCall> for RecordedCall {
    fn from(call: PlanCall) -> Self {
        RecordedCall {
            api_name: call.api_name,
            param_dict: call.input,
            result: call.output,
            alternatives: call.alternatives.into_iter().map(Self::from).collect(),
            declared: call.declared,
        }
    }
}

impl From<&RecordedCall> for PlanCall {
    fn from(call: &RecordedCall) -> Self {
        PlanCall {
            api_name: call.api_name.clone(),
            input: call.param_dict.clone(),
            output: call.result.clone(),
            alternatives: call.alternatives.iter().map(Self::from).collect(),
            declared: call.declared.clone(),
            unknown: Map::new(),
        }
    }
}

impl Dialogue {
    /// The calls, in order.
    pub fn calls(&self) -> impl Iterator<Item = &RecordedCall> {
        self.turns.iter().filter_map(Turn::as_call)
    }

    /// The calls, without those of earlier dialogues.
    pub fn own_calls(&self) -> impl Iterator<Item = &RecordedCall> {
        self.own_turns().iter().filter_map(Turn::as_call)
    }

    /// Its own calls in blocks without an utterance between them.
    pub fn blocks(&self) -> impl Iterator<Item = Vec<&RecordedCall>> {
        let blocks = self.own_turns().split(|turn| turn.as_call().is_none());
        blocks
            .filter(|block| !block.is_empty())
            .map(|block| block.iter().filter_map(Turn::as_call).collect())
    }

    /// The dialogue after the turns of others.
    #[must_use]
    pub fn after<'a>(mut self, others: impl IntoIterator<Item = &'a Dialogue>) -> Self {
        let earlier = others.into_iter().flat_map(|other| other.turns.iter().cloned());
        let mut turns: Vec<Turn> = earlier.collect();
        self.earlier = turns.len();
        turns.append(&mut self.turns);
        Dialogue { turns, ..self }
    }

    /// The turns, without those of earlier dialogues.
    pub fn own_turns(&self) -> &[Turn] {
        self.turns.get(self.earlier..).unwrap_or_default()
    }

    /// For each alternative call, its turn and a copy of the dialogue with it as gold call.
    pub fn with_alternatives(&self) -> impl Iterator<Item = (usize, Dialogue)> + '_ {
        self.turns.iter().enumerate().flat_map(move |(turn, said)| {
            let alternatives = said.as_call().map_or(&[][..], |call| &call.alternatives);
            alternatives.iter().map(move |call| {
                let mut dialogue = self.clone();
                dialogue.turns[turn] = Turn::Api(call.clone());
                (turn, dialogue)
            })
        })
    }

    /// The split that contains it.
    pub const fn split(&self) -> Split {
        if self.hard.is_some() { Split::Hard } else { Split::Standard }
    }

    /// Reads a Call or Retrieve+Call dialogue.
    ///
    /// # Errors
    /// The first line that is not JSON or not a turn.
    pub fn read_lines(file: &str, ability: Ability, text: &str) -> Result<Self, PackError> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let turns = lines.map(|(index, line)| read_turn(file, index + 1, line));
        let turns = turns.collect::<Result<_, _>>()?;
        let id = id(file, ability.as_str());
        let dialogue = Dialogue { id, ability, turns, hard: None, earlier: 0 };
        dialogue.check_declared(ability.suite(), file, |turn| turn + 1)?;
        Ok(dialogue)
    }

    /// Reads a dialogue of a pack's own tools; `file` is its place in the pack, for errors.
    ///
    /// # Errors
    /// The first turn that is none, or that declares what the tools don't have; turns count from 1.
    pub(crate) fn read_own(
        file: &str,
        id: String,
        turns: &[Value],
        pool: Pool<'_>,
    ) -> Result<Self, PackError> {
        let turns = turns.iter().enumerate().map(|(index, it)| turn_of(file, index + 1, it));
        let turns = turns.collect::<Result<_, _>>()?;
        let dialogue = Dialogue { id, ability: Ability::Call, turns, hard: None, earlier: 0 };
        dialogue.check_declared(pool, file, |turn| turn + 1)?;
        Ok(dialogue)
    }

    /// Reads a dialogue of the hard split, without its index entry.
    ///
    /// # Errors
    /// The first line that is not JSON or not a turn.
    pub fn read_hard(file: &str, text: &str) -> Result<Self, PackError> {
        let dialogue = Dialogue::read_lines(file, Ability::Call, text)?;
        Ok(Dialogue { id: id(file, Split::Hard.as_str()), ..dialogue })
    }

    /// Reads a Plan+Retrieve+Call dialogue.
    ///
    /// # Errors
    /// If the text is not JSON or has another shape.
    pub fn read_plan(file: &str, text: &str) -> Result<Self, PackError> {
        let wrong = |line, reason| PackError::Dialogue { file: file.to_owned(), line, reason };
        let plan: PlanFile =
            serde_json::from_str(text).map_err(|error| wrong(error.line(), error.to_string()))?;
        let mut calls =
            plan.apis.iter().flat_map(|call| std::iter::once(call).chain(&call.alternatives));
        if let Some((call, key)) = calls.find_map(|call| Some((call, call.unknown.keys().next()?)))
        {
            return Err(wrong(1, format!("{}: unknown field {key:?}; remove it", call.api_name)));
        }
        let mut turns = vec![Turn::User { text: plan.requirement.trim().to_owned() }];
        turns.extend(plan.apis.into_iter().map(|call| Turn::Api(call.into())));
        turns.push(Turn::Assistant { text: plan.response, expect: None, tell: plan.tell });
        let id = id(file, Ability::Plan.as_str());
        let dialogue = Dialogue { id, ability: Ability::Plan, turns, hard: None, earlier: 0 };
        dialogue.check_declared(dialogue.ability.suite(), file, |_| 1)?;
        Ok(dialogue)
    }

    /// Checks what the turns declare; `line` gives a turn's line in the file.
    fn check_declared<'a>(
        &self,
        pool: impl Into<Pool<'a>>,
        file: &str,
        line: impl Fn(usize) -> usize,
    ) -> Result<(), PackError> {
        let pool = pool.into();
        let mut stretch = 0;
        for (turn, said) in self.turns.iter().enumerate() {
            let checked = match said {
                Turn::Api(call) => {
                    let calls = std::iter::once(call).chain(&call.alternatives);
                    let mut declared =
                        calls.map(|it| it.declared.check(pool, &it.api_name, &it.param_dict));
                    let after = call.declared.after.iter().flatten();
                    let apart = after.copied().find(|at| !(stretch..turn).contains(at));
                    call.check_alternatives().and_then(|()| declared.find(Result::is_err).unwrap_or(Ok(()))).and(
                        apart.map_or(Ok(()), |at| {
                            Err(format!(
                                "`after`: turn {at} is no call between the last utterance and this one; \
                                 calls there are turns {stretch} to {}",
                                turn.saturating_sub(1)
                            ))
                        }),
                    )
                }
                Turn::Assistant { tell, .. } => check_facts("tell", tell),
                Turn::User { .. } => Ok(()),
            };
            checked.map_err(|reason| PackError::Dialogue {
                file: file.to_owned(),
                line: line(turn),
                reason,
            })?;
            if said.as_call().is_none() {
                stretch = turn + 1;
            }
        }
        Ok(())
    }

    /// Serializes the dialogue to its file shape: JSON lines, or one indented JSON object.
    pub fn to_file(&self) -> String {
        if self.ability != Ability::Plan {
            let own = self.own_turns().iter();
            return own.map(|turn| json!(turn).to_string() + "\n").collect();
        }
        let text = |turn: Option<&Turn>| match turn {
            Some(Turn::User { text } | Turn::Assistant { text, .. }) => text.clone(),
            _ => String::new(),
        };
        let tell = match self.turns.last() {
            Some(Turn::Assistant { tell, .. }) => tell.clone(),
            _ => Vec::new(),
        };
        let plan = PlanFile {
            requirement: text(self.turns.first()),
            response: text(self.turns.last()),
            tell,
            apis: self.calls().map(PlanCall::from).collect(),
        };
        format!("{:#}\n", json!(plan))
    }
}

fn id(file: &str, folder: &str) -> String {
    let name = file.rsplit('/').next().unwrap_or(file);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    format!("{folder}/{stem}")
}

fn read_turn(file: &str, line: usize, text: &str) -> Result<Turn, PackError> {
    let value: Value = serde_json::from_str(text).map_err(|error| PackError::Json {
        file: file.to_owned(),
        line,
        reason: error.to_string(),
    })?;
    turn_of(file, line, &value)
}

fn turn_of(file: &str, line: usize, value: &Value) -> Result<Turn, PackError> {
    let wrong = |reason| PackError::Dialogue { file: file.to_owned(), line, reason };
    let known: &[&str] = match value["role"].as_str() {
        Some("API") => {
            &["api_name", "param_dict", "result", "alternatives", "accept", "after", "forbid"]
        }
        Some("AI") => &["text", "expect", "tell"],
        _ => &["text"],
    };
    let mut keys = value.as_object().into_iter().flat_map(Map::keys).filter(|key| *key != "role");
    if let Some(key) = keys.find(|key| !known.contains(&key.as_str())) {
        return Err(wrong(format!("unknown field {key:?}; expected {}", known.join(", "))));
    }
    Turn::deserialize(value)
        .map_err(|error| wrong(format!("{error}; expected an utterance with role User, AI or API")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = r#"{"role": "User", "text": "Hi"}
{"role": "API", "api_name": "GetToday", "param_dict": {}, "result": {"api_name": "GetToday", "input": null, "output": "2024-05-15", "exception": null}}

{"role": "AI", "text": "It is the 15th."}"#;

    #[test]
    fn lines_are_read_and_written_back() {
        let dialogue =
            Dialogue::read_lines("dialogues/call/a-b.jsonl", Ability::Call, LINES).unwrap();
        assert_eq!(dialogue.id, "call/a-b");
        assert_eq!(dialogue.turns.len(), 3);
        let again =
            Dialogue::read_lines("dialogues/call/a-b.jsonl", Ability::Call, &dialogue.to_file());
        assert_eq!(again.unwrap(), dialogue);
    }

    #[test]
    fn alternatives_are_read_written_and_put_in_place() {
        let call = |day: &str| json!({"api_name": "GetToday", "param_dict": {"day": day}, "result": {"api_name": "GetToday"}});
        let mut turn = call("a");
        turn["role"] = json!("API");
        turn["alternatives"] = json!([call("b"), call("c")]);
        let read = |turn: &Value| Dialogue::read_lines("a.jsonl", Ability::Call, &turn.to_string());
        let dialogue = read(&turn).unwrap();
        let again = Dialogue::read_lines("a.jsonl", Ability::Call, &dialogue.to_file());
        assert_eq!(again.unwrap(), dialogue);
        let variants: Vec<_> = dialogue.with_alternatives().collect();
        assert_eq!(variants.len(), 2);
        assert_eq!(variants[1].1.turns[0].as_call().unwrap().param_dict["day"], "c");

        let plan = Dialogue { ability: Ability::Plan, id: "plan/a".to_owned(), ..dialogue };
        let turns = [Turn::User { text: "x".to_owned() }, plan.turns[0].clone()];
        let end =
            Turn::Assistant { text: "y".to_owned(), expect: None, tell: vec!["y".to_owned()] };
        let plan = Dialogue { turns: turns.into_iter().chain([end]).collect(), ..plan };
        assert_eq!(Dialogue::read_plan("plan/a.json", &plan.to_file()).unwrap(), plan);

        turn["alternatives"] = json!([call("a")]);
        assert!(read(&turn).unwrap_err().to_string().contains("the call itself"));
        let mut nested = call("b");
        nested["alternatives"] = json!([call("c")]);
        turn["alternatives"] = json!([nested]);
        assert!(read(&turn).unwrap_err().to_string().contains("themselves"));
    }

    #[test]
    fn a_wrong_line_is_named() {
        let error = Dialogue::read_lines(
            "x.jsonl",
            Ability::Call,
            "{\"role\": \"User\", \"text\": \"a\"}\n{",
        )
        .unwrap_err();
        assert!(matches!(error, PackError::Json { line: 2, .. }), "{error}");
        let error =
            Dialogue::read_lines("x.jsonl", Ability::Call, "{\"role\": \"Cat\"}").unwrap_err();
        assert!(error.to_string().contains("expected an utterance"), "{error}");
        assert!(
            Dialogue::read_plan("x.json", "{}").unwrap_err().to_string().contains("requirement")
        );
    }
}
