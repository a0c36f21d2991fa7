//! Protocols: which samples a run asks, and with which prompts.

pub mod agent;
pub mod all_tools;
pub mod bracket;
pub mod prompts;
mod sample;
mod steps;
pub mod tools;

pub use crate::message::{Ask, Message, Role, Tool, ToolCall};
pub use prompts::{Part, PromptError, Prompts};
pub use sample::{Sample, SampleKind, SampleSource, replayed, samples, samples_of, world_at};
pub use steps::Steps;

use apis::Api;
use dataset::{Ability, Pack, Split, Turn};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// How a run prompts the model and which calls count.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// The paper's protocol: calls are text, `[ApiName(key='value')]`, on a gold history.
    #[default]
    Bracket,
    /// Native tool calls on a gold history.
    Tools,
    /// As `tools`, but with the whole pool described and no API Search.
    AllTools,
    /// The model's own calls are executed; the end state decides.
    Agent,
}

impl Protocol {
    /// All protocols, the paper's first.
    pub const ALL: [Protocol; 4] =
        [Protocol::Bracket, Protocol::Tools, Protocol::AllTools, Protocol::Agent];

    /// The identifier in files and on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Protocol::Bracket => "bracket",
            Protocol::Tools => "tools",
            Protocol::AllTools => "all-tools",
            Protocol::Agent => "agent",
        }
    }

    /// The protocol with an identifier.
    pub fn named(name: &str) -> Option<Protocol> {
        Protocol::ALL.into_iter().find(|protocol| protocol.as_str() == name)
    }

    /// Whether only native tool calls count, never calls in text.
    pub const fn is_native(self) -> bool {
        !matches!(self, Protocol::Bracket)
    }
}

/// The samples of a run under a protocol.
#[derive(Debug, Clone)]
pub struct Plan<'a> {
    /// The samples, in the pack's order, trial by trial within each.
    pub samples: Vec<Sample<'a>>,
    /// Samples of the pack that the protocol has no place for, trials not counted: the searches
    /// under `all-tools`, and the steps that are not asked.
    pub left_out: usize,
}

/// The samples of some abilities of a split under a protocol, each asked `trials` times.
pub fn plan<'a>(
    protocol: Protocol,
    pack: &'a Pack,
    split: Split,
    abilities: &[Ability],
    trials: u32,
) -> Plan<'a> {
    let steps = match protocol {
        Protocol::Agent => pack.split(split).iter().flat_map(agent::sample).collect(),
        _ => samples_of(pack, split),
    };
    let mut plan = Plan { samples: Vec::new(), left_out: 0 };
    for step in steps.into_iter().filter(|step| abilities.contains(&step.ability())) {
        if protocol == Protocol::AllTools && all_tools::leaves_out(&step) {
            plan.left_out += 1;
            continue;
        }
        plan.samples.extend((1..=trials.max(1)).map(|trial| Sample { trial, ..step }));
    }
    plan
}

/// The turns before a sample, as its prompt shows them under a protocol.
pub fn history<'a>(protocol: Protocol, sample: &Sample<'a>) -> Cow<'a, [Turn]> {
    match protocol {
        Protocol::AllTools => Cow::Owned(all_tools::history(sample)),
        _ => Cow::Borrowed(sample.history()),
    }
}

/// The APIs that a sample's prompt describes, given its history.
pub fn described(protocol: Protocol, sample: &Sample<'_>, history: &[Turn]) -> Vec<&'static Api> {
    match protocol {
        Protocol::Bracket => sample.described(),
        Protocol::Tools | Protocol::Agent => tools::described(sample, history),
        Protocol::AllTools => all_tools::described(sample),
    }
}

/// The part of the prompts that a sample uses.
fn part(protocol: Protocol, sample: &Sample<'_>) -> Part {
    match (sample.kind, sample.ability()) {
        (SampleKind::Reply, _) => Part::Reply,
        // Also for calls of the hard split: a prompt that asks for a call would give the decision away.
        (SampleKind::Restraint, _) => Part::Step,
        (SampleKind::Call, _) if sample.hard().is_some() => Part::Step,
        (_, Ability::Call) => Part::Call,
        _ if protocol == Protocol::AllTools => Part::Call,
        _ => Part::Search,
    }
}

/// The request for a sample; under `agent`, the first request of its dialogue. `year` fills the
/// prompts' slot.
pub fn ask(protocol: Protocol, prompts: &Prompts, sample: &Sample<'_>, year: i16) -> Ask {
    match protocol {
        Protocol::Bracket => bracket::ask(prompts, sample, year),
        Protocol::Tools => tools::ask(prompts, sample, year),
        Protocol::AllTools => all_tools::ask(prompts, sample, year),
        Protocol::Agent => agent::first_ask(prompts, sample, year),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_the_names_in_json() {
        for it in Protocol::ALL {
            assert_eq!(serde_json::json!(it), it.as_str());
        }
        for it in Part::ALL {
            assert_eq!(serde_json::json!(it), it.as_str());
        }
    }
}
