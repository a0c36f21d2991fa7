//! From abilities to samples to prompts: how a model is asked.

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

/// How the model is asked. A run names one.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// The paper's: calls are text, `[ApiName(key='value')]`, and the history is gold.
    #[default]
    Bracket,
    /// Native tool calls, the history is gold.
    Tools,
    /// As `tools`, with the whole pool described and no search.
    AllTools,
    /// The model's own calls run on the world, and the end state decides.
    Agent,
}

impl Protocol {
    /// All four, the paper's first.
    pub const ALL: [Protocol; 4] =
        [Protocol::Bracket, Protocol::Tools, Protocol::AllTools, Protocol::Agent];

    /// The protocol's identifier.
    pub const fn as_str(self) -> &'static str {
        match self {
            Protocol::Bracket => "bracket",
            Protocol::Tools => "tools",
            Protocol::AllTools => "all-tools",
            Protocol::Agent => "agent",
        }
    }

    /// The protocol of an identifier.
    pub fn named(name: &str) -> Option<Protocol> {
        Protocol::ALL.into_iter().find(|protocol| protocol.as_str() == name)
    }

    /// Whether calls are read from the endpoint's tool calls alone, never from text.
    pub const fn is_native(self) -> bool {
        !matches!(self, Protocol::Bracket)
    }
}

/// What a run asks under a protocol.
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

/// What stands before a sample under a protocol.
pub fn history<'a>(protocol: Protocol, sample: &Sample<'a>) -> Cow<'a, [Turn]> {
    match protocol {
        Protocol::AllTools => Cow::Owned(all_tools::history(sample)),
        _ => Cow::Borrowed(sample.history()),
    }
}

/// The APIs that a prompt describes, given what stands before it.
pub fn described(protocol: Protocol, sample: &Sample<'_>, history: &[Turn]) -> Vec<&'static Api> {
    match protocol {
        Protocol::Bracket => sample.described(),
        Protocol::Tools | Protocol::Agent => tools::described(sample, history),
        Protocol::AllTools => all_tools::described(sample),
    }
}

/// The text that a sample is asked with.
fn part(protocol: Protocol, sample: &Sample<'_>) -> Part {
    match (sample.kind, sample.ability()) {
        (SampleKind::Reply, _) => Part::Reply,
        // Calls of the hard split too: a model that knows that a call is due is held back by nothing.
        (SampleKind::Restraint, _) => Part::Step,
        (SampleKind::Call, _) if sample.hard().is_some() => Part::Step,
        (_, Ability::Call) => Part::Call,
        _ if protocol == Protocol::AllTools => Part::Call,
        _ => Part::Search,
    }
}

/// What a model is asked at a sample; under `agent`, at the beginning of its dialogue. `year` is
/// the one that prompts name.
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
