//! Protocols: which samples a run includes, and how it prompts for them.

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

use apis::effect::effect;
use apis::search::{SearchResults, tool_searcher};
use apis::{Api, Suite, World};
use dataset::{Ability, Pack, Split, Turn};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use strum::{EnumCount, IntoStaticStr, VariantArray};

/// How a run prompts the model and which calls count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[derive(EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
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
    pub const ALL: [Protocol; Protocol::COUNT] = *Protocol::VARIANTS.first_chunk().unwrap();

    /// The identifier in files and on the command line.
    pub fn as_str(self) -> &'static str {
        self.into()
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
    /// The samples in the pack's order; trials of a sample are adjacent.
    pub samples: Vec<Sample<'a>>,
    /// Number of samples excluded, not counting trials: searches under `all-tools`, and steps
    /// excluded by [`Steps`].
    pub left_out: usize,
}

/// Selects the samples of a split's abilities under a protocol, each repeated `trials` times.
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

/// The turns before a sample under a protocol. Packs record one result per search, so searches are
/// rerun if they return several APIs in `world`.
pub fn history<'a>(protocol: Protocol, sample: &Sample<'a>, world: &World) -> Cow<'a, [Turn]> {
    match protocol {
        Protocol::AllTools => Cow::Owned(all_tools::history(sample)),
        _ => searched(sample.ability().suite(), sample.history(), world),
    }
}

/// Reruns the searches in `turns` if searches return several APIs. A search that fails keeps its
/// recorded result.
fn searched<'a>(suite: Suite, turns: &'a [Turn], world: &World) -> Cow<'a, [Turn]> {
    if world.search.results == SearchResults::One || !turns.iter().any(Turn::is_search) {
        return Cow::Borrowed(turns);
    }
    let mut turns = turns.to_vec();
    for turn in &mut turns {
        if let Turn::Api(call) = turn
            && call.is_search()
        {
            let result = effect(tool_searcher(suite), &call.param_dict, world).result;
            if result.exception.is_none() {
                call.result = result;
            }
        }
    }
    Cow::Owned(turns)
}

/// The APIs that a prompt describes, given the turns before it.
pub fn described(
    protocol: Protocol,
    sample: &Sample<'_>,
    history: &[Turn],
    results: SearchResults,
) -> Vec<&'static Api> {
    match protocol {
        Protocol::Bracket => sample.described(results),
        Protocol::Tools | Protocol::Agent => tools::described(sample, history, results),
        Protocol::AllTools => all_tools::described(sample),
    }
}

/// The prompt part for a sample.
fn part(protocol: Protocol, sample: &Sample<'_>) -> Part {
    match (sample.kind, sample.ability()) {
        (SampleKind::Reply, _) => Part::Reply,
        // Also for calls of the hard split: asking for a call would give the decision away.
        (SampleKind::Restraint, _) => Part::Step,
        (SampleKind::Call, _) if sample.hard().is_some() => Part::Step,
        (_, Ability::Call) => Part::Call,
        _ if protocol == Protocol::AllTools => Part::Call,
        _ => Part::Search,
    }
}

/// The request for a sample; under `agent`, the first request of its dialogue. `world` determines
/// the year in the prompt and how many APIs a search returns.
pub fn ask(protocol: Protocol, prompts: &Prompts, sample: &Sample<'_>, world: &World) -> Ask {
    match protocol {
        Protocol::Agent => agent::first_ask(prompts, sample, world),
        _ => ask_after(protocol, prompts, sample, &history(protocol, sample, world), world),
    }
}

/// Like [`ask`], for a sample whose [`history`] is known.
pub fn ask_after(
    protocol: Protocol,
    prompts: &Prompts,
    sample: &Sample<'_>,
    history: &[Turn],
    world: &World,
) -> Ask {
    match protocol {
        Protocol::Bracket => bracket::ask(prompts, sample, history, world),
        _ => tools::of_history(protocol, prompts, sample, history, world),
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
