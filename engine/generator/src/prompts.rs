//! The five agents' prompts: versioned data with the JSON Schema of the answer.

use super::{Agent, Item, Tool};
use dataset::Ability;
use exchange::protocol::{Ask, Message, Role};
use exchange::slots::fill;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::LazyLock;

/// One agent's prompt.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prompt {
    /// Agent and version number; recorded in each journal entry.
    pub version: String,
    /// Instructions, without slots: [`agent_of`] identifies the agent by them.
    pub system: String,
    /// The task, with `{slots}`.
    pub user: String,
    /// JSON Schema of the answer.
    pub schema: Value,
}

const TEXTS: [&str; 5] = [
    include_str!("prompts/domains_v1.json"),
    include_str!("prompts/apis_v1.json"),
    include_str!("prompts/query_v1.json"),
    include_str!("prompts/calls_v1.json"),
    include_str!("prompts/tester_v1.json"),
];

static PROMPTS: LazyLock<Vec<Prompt>> =
    LazyLock::new(|| TEXTS.iter().map(|text| read(text)).collect());

/// Reads a file of [`prompts`](self).
#[expect(clippy::expect_used, reason = "the embedded files are checked by a test")]
pub(crate) fn read(text: &str) -> Prompt {
    serde_json::from_str(text).expect("the embedded prompts are valid")
}

/// The prompt of an agent.
pub fn of(agent: Agent) -> &'static Prompt {
    &PROMPTS[agent as usize]
}

/// The agent whose system prompt this is.
pub fn agent_of(system: &str) -> Option<Agent> {
    Agent::ALL.into_iter().find(|agent| of(*agent).system == system)
}

fn ask(agent: Agent, slots: &[(&str, &str)]) -> Ask {
    ask_with(of(agent), slots)
}

/// Fills in an agent's prompt.
pub(crate) fn ask_with(prompt: &Prompt, slots: &[(&str, &str)]) -> Ask {
    let user = fill(&prompt.user, slots);
    let messages =
        vec![Message::text(Role::System, prompt.system.clone()), Message::text(Role::User, user)];
    Ask { messages, schema: Some(prompt.schema.clone()), ..Ask::default() }
}

/// The rules of an ability, as the prompts state them.
pub const fn rules(ability: Ability) -> &'static str {
    match ability {
        Ability::Call => {
            "The assistant knows the APIs and makes 1 to 8 calls, never a search. It may ask back, \
             and the user may add wishes."
        }
        Ability::Retrieve => {
            "The assistant knows no API at first. It makes 1 to 2 searches and calls only what a \
             search has found, 1 to 4 calls."
        }
        Ability::Plan => {
            "One requirement, which takes several APIs, one after the other; an argument of a \
             later call comes from an earlier result. The assistant makes 2 to 6 searches, calls \
             each API after the search that found it, asks nothing back, and replies once, at the \
             end."
        }
    }
}

fn described(tools: &[Tool]) -> String {
    tools.iter().map(|tool| json!(tool).to_string()).collect::<Vec<_>>().join("\n")
}

/// Asks for `count` domains other than the existing ones.
pub fn domains(count: usize, existing: &[&str]) -> Ask {
    let existing = if existing.is_empty() { "(none)".to_owned() } else { existing.join("\n") };
    ask(Agent::Domains, &[("count", &count.to_string()), ("existing", &existing)])
}

/// Asks for the APIs of a domain; `examples` are APIs of the evaluation pool.
pub fn apis(domain: &str, count: usize, examples: &[Tool]) -> Ask {
    let slots =
        [("domain", domain), ("count", &count.to_string()), ("examples", &described(examples))];
    ask(Agent::Apis, &slots)
}

/// Asks for a user's first utterance.
pub fn query(domain: &str, ability: Ability, tools: &[Tool]) -> Ask {
    let slots = [
        ("domain", domain),
        ("ability", ability.title()),
        ("rules", rules(ability)),
        ("apis", &described(tools)),
    ];
    ask(Agent::Query, &slots)
}

/// Asks for the turns after the first utterance: calls with results, and replies.
pub fn calls(domain: &str, ability: Ability, tools: &[Tool], query: &str, time: &str) -> Ask {
    let slots = [
        ("domain", domain),
        ("ability", ability.title()),
        ("rules", rules(ability)),
        ("time", time),
        ("apis", &described(tools)),
        ("query", query),
    ];
    ask(Agent::Calls, &slots)
}

/// Asks the tester for a verdict.
pub fn tester(domain: &str, item: &Item, tools: &[Tool]) -> Ask {
    let turns: Vec<String> = item.turns.iter().map(|turn| json!(turn).to_string()).collect();
    let slots = [
        ("domain", domain),
        ("ability", item.ability.title()),
        ("time", item.time.as_deref().unwrap_or("not said")),
        ("apis", &described(tools)),
        ("dialogue", &turns.join("\n")),
    ];
    ask(Agent::Tester, &slots)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_has_a_prompt_and_every_slot_is_filled() {
        for agent in Agent::ALL {
            let prompt = of(agent);
            assert!(prompt.version.contains(agent.as_str()), "{}", prompt.version);
            assert_eq!(agent_of(&prompt.system), Some(agent));
            assert_eq!(prompt.schema["type"], "object");
        }
        let tool = Tool::of_pool(apis::registry::all().next().unwrap());
        let asks = [
            domains(3, &["Ferry travel"]),
            apis("Ferry {count} travel", 2, &[tool]),
            query("Ferry travel", Ability::Plan, &[]),
            calls("Ferry travel", Ability::Call, &[], "A {time} to go", "2026-01-01 09:00:00"),
        ];
        for ask in &asks {
            let text = &ask.messages[1].content;
            assert!(!text.contains("{domain}") && !text.contains("{apis}"), "{text}");
        }
        // Braces in filled-in values are not slots.
        assert!(asks[1].messages[1].content.contains("Ferry {count} travel"));
        assert!(asks[3].messages[1].content.contains("A {time} to go"));
        assert!(asks[0].messages[1].content.starts_with("Name 3 new domains."));
    }
}
