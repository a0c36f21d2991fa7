//! Snapshots of everything a model sees: each protocol's prompt for the first sample of each kind
//! and ability, and every API's descriptor, so that a review shows changes as text.
//! `INSTA_UPDATE=always cargo test -p exchange --test prompts` rewrites the snapshots.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use apis::{Suite, registry, search};
use dataset::{Ability, Split};
use exchange::protocol::{Ask, DescribedApis, Prompts, Protocol, Role, ask, plan};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// An [`Ask`] as text: the names of all tools, the schema of the first. Descriptors have their own
/// snapshot.
fn shown(ask: &Ask) -> String {
    let mut text = String::new();
    for message in &ask.messages {
        let role = match message.role {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
        };
        writeln!(text, "--- {role}\n{}", message.content).unwrap();
        for call in &message.calls {
            writeln!(text, "calls {} {}({})", call.id, call.name, call.arguments).unwrap();
        }
    }
    let names: Vec<&str> = ask.tools.iter().map(|tool| tool.name.as_str()).collect();
    if !names.is_empty() {
        writeln!(text, "--- tools\n{}", names.join(", ")).unwrap();
    }
    if let Some(tool) = ask.tools.first() {
        let schema = serde_json::to_string_pretty(&tool.parameters).unwrap();
        writeln!(text, "--- {}\n{}\n{schema}", tool.name, tool.description).unwrap();
    }
    text
}

#[test]
fn prompts_are_as_reviewed() {
    let pack = dataset::builtin().unwrap();
    let mut seen = BTreeSet::new();
    for protocol in Protocol::ALL {
        for split in [Split::Standard, Split::Hard] {
            for sample in
                plan(protocol, &pack, split, &Ability::ALL, 1, DescribedApis::default()).samples
            {
                let kind = format!("{:?}", sample.kind).to_lowercase();
                let (split, ability) = (split.as_str(), sample.ability().as_str());
                let name = format!("{}-{split}-{ability}-{kind}", protocol.as_str());
                let prompts = Prompts::builtin(protocol);
                let ask = ask(protocol, prompts, &sample, &pack.world);
                assert!(!ask.messages[0].content.is_empty(), "{name}: no instructions");
                if seen.insert(name.clone()) {
                    insta::assert_snapshot!(name, format!("{}\n{}", sample.id(), shown(&ask)));
                }
            }
        }
    }
    assert!(seen.len() > 20, "{seen:?}");
}

/// Parameter descriptions are doc comments in the code; this catches accidental changes.
#[test]
fn descriptors_are_as_reviewed() {
    let searchers = Suite::ALL.into_iter().map(search::tool_searcher);
    let descriptors: Vec<String> = registry::all()
        .chain(searchers)
        .map(|api| serde_json::to_string_pretty(&api.prompt_json()).unwrap())
        .collect();
    insta::assert_snapshot!("descriptors", descriptors.join("\n"));
}
