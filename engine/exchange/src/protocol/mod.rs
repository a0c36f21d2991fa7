//! Protocols: which samples a run includes, and how it prompts for them.

pub mod agent;
mod agent_text;
pub mod all_tools;
pub mod bracket;
mod described;
mod grammar;
mod notes;
pub mod prompts;
mod sample;
pub mod scripted_user;
mod steps;
pub mod tools;

pub use crate::message::{Ask, Message, Role, Tool, ToolCall};
pub use described::{DescribedApis, MENU};
pub use grammar::grammar;
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
    /// Calls are text, `[ApiName(key='value')]`, on a gold history. The question is neutral: a call or
    /// words, whichever is due.
    #[default]
    Bracket,
    /// The paper's protocol: as `bracket`, but the question says that a call is due, and Call
    /// describes the dialogue's own APIs alone. Steps where no call is right are left out.
    Paper,
    /// Native tool calls on a gold history.
    Tools,
    /// As `tools`, but with the whole pool described and no API Search.
    AllTools,
    /// The model's own calls are executed; the end state decides.
    Agent,
    /// As `agent`, but calls are text, for models and servers without native tool calls. A readable call
    /// in any form is executed.
    AgentText,
}

impl Protocol {
    /// All protocols, the default first.
    pub const ALL: [Protocol; Protocol::COUNT] = *Protocol::VARIANTS.first_chunk().unwrap();

    /// The identifier in files and on the command line.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The protocol with an identifier.
    pub fn named(name: &str) -> Option<Protocol> {
        Protocol::ALL.into_iter().find(|protocol| protocol.as_str() == name)
    }

    /// Whether calls are text.
    pub const fn is_text(self) -> bool {
        matches!(self, Protocol::Bracket | Protocol::Paper | Protocol::AgentText)
    }

    /// Whether the model plays whole dialogues with its own calls.
    pub const fn is_agent(self) -> bool {
        matches!(self, Protocol::Agent | Protocol::AgentText)
    }

    /// Whether the conversation is one user message, whose text prompts can change.
    pub const fn has_user_text(self) -> bool {
        matches!(self, Protocol::Bracket | Protocol::Paper)
    }

    /// Whether only native tool calls count, never calls in text.
    pub const fn is_native(self) -> bool {
        !self.is_text()
    }
}

/// The samples of a run under a protocol.
#[derive(Debug, Clone)]
pub struct Plan<'a> {
    /// The samples in the pack's order; trials of a sample are adjacent.
    pub samples: Vec<Sample<'a>>,
    /// Number of samples excluded, not counting trials: searches under `all-tools`, steps where no
    /// call is right under `paper`, and steps excluded by [`Steps`].
    pub left_out: usize,
}

/// Selects the samples of a split's abilities under a protocol, each repeated `trials` times.
/// `apis` selects which APIs Call describes, except under `paper` and for imported packs.
pub fn plan<'a>(
    protocol: Protocol,
    pack: &'a Pack,
    split: Split,
    abilities: &[Ability],
    trials: u32,
    apis: DescribedApis,
) -> Plan<'a> {
    let steps = match protocol.is_agent() {
        true => pack.split(split).iter().flat_map(agent::sample).collect(),
        false => samples_of(pack, split),
    };
    let mut plan = Plan { samples: Vec::new(), left_out: 0 };
    for step in steps.into_iter().filter(|step| abilities.contains(&step.ability())) {
        if leaves_out(protocol, &step) {
            plan.left_out += 1;
            continue;
        }
        let paper = protocol == Protocol::Paper || step.source.is_some();
        let apis = if paper { DescribedApis::Own } else { apis };
        let language = pack.manifest.language;
        let trials = 1..=trials.max(1);
        plan.samples.extend(trials.map(|trial| Sample { trial, apis, language, ..step }));
    }
    plan
}

/// Whether a protocol excludes a sample.
fn leaves_out(protocol: Protocol, sample: &Sample<'_>) -> bool {
    match protocol {
        Protocol::AllTools => all_tools::leaves_out(sample),
        // The paper has no such steps; in the hard split they are what is measured.
        Protocol::Paper => sample.kind == SampleKind::Restraint && sample.hard().is_none(),
        _ => false,
    }
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
        Protocol::Bracket | Protocol::Paper => sample.described(results),
        Protocol::Tools | Protocol::Agent | Protocol::AgentText => {
            tools::described(sample, history, results)
        }
        Protocol::AllTools => all_tools::described(sample, history),
    }
}

/// Whether the prompt leaves open if a call is due.
pub fn is_open(protocol: Protocol, sample: &Sample<'_>) -> bool {
    matches!(part(protocol, sample), Part::Step | Part::SearchStep)
}

/// The prompt part for a sample.
fn part(protocol: Protocol, sample: &Sample<'_>) -> Part {
    if sample.task().is_some() {
        return Part::Task;
    }
    let searches = sample.ability() != Ability::Call && protocol != Protocol::AllTools;
    // Asking for a call gives the decision away. The paper does, and so do imported packs, which
    // have no steps where no call is right.
    let decided = protocol == Protocol::Paper || sample.source.is_some();
    let is_open = match sample.kind {
        _ if protocol.is_agent() => false,
        SampleKind::Reply => return Part::Reply,
        SampleKind::Episode => false,
        SampleKind::Call => !decided || sample.hard().is_some(),
        SampleKind::Restraint => true,
    };
    match (is_open, searches) {
        (true, true) => Part::SearchStep,
        (true, false) => Part::Step,
        (false, true) => Part::Search,
        (false, false) => Part::Call,
    }
}

/// The request for a sample; under `agent` and `agent-text`, the first request of its dialogue. `world` determines
/// the year in the prompt and how many APIs a search returns.
pub fn ask(protocol: Protocol, prompts: &Prompts, sample: &Sample<'_>, world: &World) -> Ask {
    match protocol.is_agent() {
        true => agent::first_ask(protocol, prompts, sample, world),
        false => ask_after(protocol, prompts, sample, &history(protocol, sample, world), world),
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
        Protocol::Bracket | Protocol::Paper => {
            bracket::ask(protocol, prompts, sample, history, world)
        }
        Protocol::AgentText => agent_text::of_history(prompts, sample, history, world),
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
