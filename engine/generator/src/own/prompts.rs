//! The three agents' prompts for a user's own tools.

use super::TaskKind;
use crate::Agent;
use crate::prompts::{Prompt, ask_with, read};
use dataset::own_tools::Tool;
use exchange::protocol::Ask;
use serde_json::Value;
use std::sync::LazyLock;

static PROMPTS: LazyLock<[Prompt; 3]> = LazyLock::new(|| {
    [
        read(include_str!("../prompts/own_query_v2.json")),
        read(include_str!("../prompts/own_calls_v2.json")),
        read(include_str!("../prompts/own_tester_v2.json")),
    ]
});

/// The prompt of an agent; `None` for those that name domains and APIs.
pub fn of(agent: Agent) -> Option<&'static Prompt> {
    let [query, calls, tester] = &*PROMPTS;
    match agent {
        Agent::Domains | Agent::Apis => None,
        Agent::Query => Some(query),
        Agent::Calls => Some(calls),
        Agent::Tester => Some(tester),
    }
}

fn described(tools: &[&Tool]) -> String {
    tools.iter().map(|tool| tool.prompt_json().to_string()).collect::<Vec<_>>().join("\n")
}

fn lines(texts: &[String]) -> String {
    if texts.is_empty() { "(none)".to_owned() } else { texts.join("\n") }
}

/// The facts in every prompt: the date, the kind of task, and the tools, beginning with the task's own.
pub(super) struct About<'a> {
    pub(super) today: &'a str,
    pub(super) kind: TaskKind,
    pub(super) rules: &'a str,
    pub(super) tools: &'a [&'a Tool],
}

impl About<'_> {
    fn ask(&self, prompt: &Prompt, slots: &[(&str, &str)]) -> Ask {
        let tools = described(self.tools);
        let known = [("today", self.today), ("rules", self.rules), ("tools", &tools)];
        ask_with(prompt, &[&known[..], slots].concat())
    }

    /// Asks for the user's first message, different from the `existing` ones (rejected ones with the reason).
    pub(super) fn query(&self, existing: &[String]) -> Ask {
        let (tool, others) = self.tools.split_at(self.tools.len().min(1));
        let short = |tool: &&Tool| format!("{}: {}", tool.name, tool.description);
        let others = match self.kind {
            // The message must contain values for their parameters.
            TaskKind::Plan => described(others),
            _ => lines(&others.iter().map(short).collect::<Vec<_>>()),
        };
        let [prompt, _, _] = &*PROMPTS;
        let slots =
            [("tool", &*described(tool)), ("others", &*others), ("existing", &lines(existing))];
        self.ask(prompt, &slots)
    }

    /// Asks for the turns after it; `rejected` has the reasons against earlier answers.
    pub(super) fn calls(&self, query: &str, rejected: &[String]) -> Ask {
        let [_, prompt, _] = &*PROMPTS;
        self.ask(prompt, &[("query", query), ("rejected", &lines(rejected))])
    }

    /// Asks the tester for a verdict.
    pub(super) fn tester(&self, turns: &[Value]) -> Ask {
        let turns: Vec<String> = turns.iter().map(Value::to_string).collect();
        let [_, _, prompt] = &*PROMPTS;
        self.ask(prompt, &[("turns", &turns.join("\n"))])
    }
}
