//! Parses and checks an answer for a task.

use super::{NEAR, Outcome, Stage, TaskKind, Writer, said};
use crate::answers::{self, OwnTurn};
use crate::checks::{Embed, EmbedError, coded};
use crate::{Code, Reason};
use dataset::own_tools::{OwnDialogue, ToolsFile, checks};
use serde_json::{Value, json};

/// An outcome, and the stage that follows.
type Judged = (Outcome, Option<Stage>);

fn rejected(reasons: Vec<Reason>) -> Judged {
    (Outcome::Rejected { reasons }, None)
}

impl Writer {
    pub(super) fn judge(
        &mut self,
        index: usize,
        text: &str,
        embed: &impl Embed,
    ) -> Result<Judged, EmbedError> {
        match &self.slots[index].stage {
            Stage::Calls { query } => match answers::own_turns(text) {
                Ok(turns) => self.judge_turns(index, made(query, turns), embed),
                Err(reason) => Ok(rejected(vec![reason])),
            },
            Stage::Test { task, said, vector } => match answers::verdict(text) {
                Ok(reasons) => {
                    let (task, said, vector) = (task.clone(), said.clone(), vector.clone());
                    Ok(self.judge_test(reasons, task, &said, &vector))
                }
                Err(reason) => Ok(rejected(vec![reason])),
            },
            _ => match answers::message(text) {
                Ok(query) => self.judge_query(query, embed),
                Err(reason) => Ok(rejected(vec![reason])),
            },
        }
    }

    fn judge_query(&self, query: String, embed: &impl Embed) -> Result<Judged, EmbedError> {
        // Names that are ordinary words may occur in a message.
        let is_word = |name: &str| name.chars().all(|c| c.is_ascii_lowercase());
        let mut tools = self.file.tools.iter().filter(|tool| !is_word(&tool.name));
        let mut reasons = Vec::new();
        if let Some(tool) = tools.find(|tool| query.contains(&tool.name)) {
            reasons.push(Reason::new(Code::NamesApi, format!("it contains {}", tool.name)));
        }
        reasons.extend(self.accepted.duplicates(&query, &embed.embed(&query)?));
        Ok(match reasons.is_empty() {
            true => (Outcome::Passed, Some(Stage::Calls { query })),
            false => rejected(reasons),
        })
    }

    fn judge_turns(
        &self,
        index: usize,
        turns: Vec<Value>,
        embed: &impl Embed,
    ) -> Result<Judged, EmbedError> {
        let slot = &self.slots[index];
        let near = self.near(slot.tool, &turns);
        let task = OwnDialogue { id: "task-1".to_owned(), draft: true, near, turns };
        let mut reasons = self.check(&task);
        reasons.extend(fits(slot.kind, &self.file.tools[slot.tool].name, &task.turns));
        let said = said(&task.turns);
        let vector = embed.embed(&said)?;
        if reasons.is_empty() {
            reasons = self.accepted.duplicates(&said, &vector);
        }
        Ok(match reasons.is_empty() {
            true => (Outcome::Passed, Some(Stage::Test { task, said, vector })),
            false => rejected(reasons),
        })
    }

    fn judge_test(
        &mut self,
        reasons: Vec<Reason>,
        task: OwnDialogue,
        said: &str,
        vector: &[f32],
    ) -> Judged {
        // A near-duplicate may have been accepted since the draft was checked.
        let twin = self.accepted.duplicates(said, vector);
        let reasons = if reasons.is_empty() { twin } else { reasons };
        if !reasons.is_empty() {
            return rejected(reasons);
        }
        self.file.add(vec![task]);
        // Its id is the first free one.
        let Some(task) = self.file.dialogues.last().cloned() else { return rejected(Vec::new()) };
        self.accepted.add(&task.id, said, coded(vector));
        (Outcome::Accepted { task }, Some(Stage::Accepted))
    }

    /// The nearest tools that the task does not call.
    fn near(&self, tool: usize, turns: &[Value]) -> Vec<String> {
        let names = self.nearest[tool].iter().map(|index| self.file.tools[*index].name.clone());
        let others =
            names.filter(|name| !turns.iter().any(|turn| turn["api_name"] == name.as_str()));
        others.take(NEAR).collect()
    }

    /// The checks of packs.
    fn check(&self, task: &OwnDialogue) -> Vec<Reason> {
        let wrong = |detail: String| vec![Reason::new(Code::FailsCheck, detail)];
        let alone = ToolsFile { dialogues: vec![task.clone()], ..self.file.clone() };
        // Reading the text checks the limits of packs.
        let read = ToolsFile::read(&alone.text()).and_then(|file| {
            let tools = file.toolset();
            file.read_dialogues(&tools).map(|dialogues| (tools, dialogues))
        });
        let (tools, dialogues) = match read {
            Ok(read) => read,
            Err(error) => return wrong(error.to_string()),
        };
        let today = self.file.today.to_string();
        let found = dialogues.iter().flat_map(|it| checks::of_dialogue(it, &tools, &today));
        let detail = |it: checks::Finding| match it.turn {
            Some(turn) => format!("turn {turn}: {}", it.what),
            None => it.what,
        };
        found.map(|finding| Reason::new(Code::FailsCheck, detail(finding))).collect()
    }
}

/// Converts a message and an agent's turns to the format of packs. A reply directly after the user's words
/// is a no-call step.
fn made(query: &str, turns: Vec<OwnTurn>) -> Vec<Value> {
    let mut made = vec![json!({"role": "User", "text": query})];
    for turn in turns {
        let after_user = made.last().is_some_and(|it| it["role"] == "User");
        made.push(match turn {
            OwnTurn::User { text } => json!({"role": "User", "text": text}),
            OwnTurn::Assistant { text, tell } => {
                let mut reply = json!({"role": "AI", "text": text});
                if after_user {
                    reply["expect"] = json!("no_call");
                } else if !tell.is_empty() {
                    reply["tell"] = json!(tell);
                }
                reply
            }
            OwnTurn::Api { api_name, param_dict, output, exception } => {
                let mut result = json!({"api_name": api_name});
                let parts = [("output", output), ("exception", exception.map(Value::from))];
                for (part, value) in parts {
                    if let Some(value) = value {
                        result[part] = value;
                    }
                }
                json!({
                    "role": "API", "api_name": api_name, "param_dict": param_dict, "result": result
                })
            }
        });
    }
    made
}

/// Why turns don't fit the task's kind.
fn fits(kind: TaskKind, tool: &str, turns: &[Value]) -> Option<Reason> {
    let calls = turns.iter().filter(|turn| turn["role"] == "API").count();
    let calls_tool = turns.iter().any(|turn| turn["api_name"] == tool);
    let wrong = match kind {
        TaskKind::NoCall if turns.get(1).is_some_and(|it| it["role"] == "API") => {
            "expected an answer in words first, got a call".to_owned()
        }
        TaskKind::NoCall => return None,
        _ if !calls_tool => format!("expected a call of {tool}, got none"),
        TaskKind::Plan if calls < 2 => format!("expected two or three calls, got {calls}"),
        _ => return None,
    };
    Some(Reason::new(Code::Ability, wrong))
}
