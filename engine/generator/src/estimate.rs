//! What a training set costs: the requests and tokens with which the five agents would write it.

use super::journal::BYTES_PER_TOKEN;
use super::prompts;
use super::set::{Domain, Rejected, TrainingSet};
use super::state::{BATCH, SHOWN, bytes_of};
use super::{Agent, Call, Item, Spent, Tool, Turn};
use apis::registry;
use dataset::Ability;
use exchange::protocol::Ask;
use serde_json::{Value, json};

impl TrainingSet {
    /// Estimates the requests and tokens for writing this set: the agents' prompts, with its APIs and
    /// dialogues as their answers. Four bytes count as one token.
    ///
    /// Includes the rejected dialogues, but no unusable answers such as invalid JSON or a refusal.
    pub fn estimate(&self) -> Spent {
        let mut spent = Spent { estimated: true, ..Spent::default() };
        let names: Vec<&str> = self.domains.values().map(|domain| domain.domain.as_str()).collect();
        for (at, asked) in names.chunks(BATCH).enumerate() {
            let before = &names[..at * BATCH];
            let shown = &before[before.len().saturating_sub(SHOWN)..];
            let answer = json!({ "domains": asked });
            spent.add(of(&prompts::domains(asked.len(), shown), &answer));
        }
        let pool: Vec<_> = registry::all().collect();
        for (at, domain) in self.domains.values().enumerate() {
            let examples: Vec<Tool> =
                [at, at + 7].map(|at| Tool::of_pool(pool[at % pool.len()])).to_vec();
            let ask = prompts::apis(&domain.domain, domain.apis.len(), &examples);
            spent.add(of(&ask, &json!({ "apis": domain.apis })));
            for item in &domain.dialogues {
                let verdict = json!({ "accept": true, "reasons": [] });
                spent.add(dialogue(domain, item, Some(&verdict)));
            }
        }
        for file in self.rejected.values() {
            let Some(domain) = self.domains.values().find(|it| it.domain == file.domain) else {
                continue;
            };
            for Rejected { agent, reasons, dialogue: item } in &file.rejected {
                let verdict = json!({ "accept": false, "reasons": reasons });
                let tested = (*agent == Agent::Tester).then_some(&verdict);
                spent.add(dialogue(domain, item, tested));
            }
        }
        spent
    }
}

/// The three requests of a dialogue: the user's words, the turns after them, and the test unless a
/// check rejected the dialogue before it.
fn dialogue(domain: &Domain, item: &Item, verdict: Option<&Value>) -> Spent {
    let Domain { domain: name, apis, .. } = domain;
    let called = |tool: &&Tool| item.calls().any(|call: &Call| call.api_name == tool.name);
    let called: Vec<Tool> = apis.iter().filter(called).cloned().collect();
    let shown = if item.ability == Ability::Call { &called } else { apis };
    let (query, rest) = match item.turns.split_first() {
        Some((Turn::User { text }, rest)) => (text.as_str(), rest),
        _ => ("", &*item.turns),
    };
    let time = item.time.as_deref().unwrap_or("2026-01-01 00:00:00");
    let mut spent =
        of(&prompts::query(name, item.ability, &called), &json!({ "query": query, "time": time }));
    let ask = prompts::calls(name, item.ability, shown, query, time);
    spent.add(of(&ask, &json!({ "turns": rest })));
    if let Some(verdict) = verdict {
        spent.add(of(&prompts::tester(name, item, apis), verdict));
    }
    spent
}

/// One request and its answer.
fn of(ask: &Ask, answer: &Value) -> Spent {
    estimated(ask, answer.to_string().len() as u64)
}

/// One request whose answer has `answer` bytes.
pub(crate) fn estimated(ask: &Ask, answer: u64) -> Spent {
    Spent {
        requests: 1,
        prompt_tokens: bytes_of(ask).div_ceil(BYTES_PER_TOKEN),
        completion_tokens: answer.div_ceil(BYTES_PER_TOKEN),
        estimated: true,
    }
}
