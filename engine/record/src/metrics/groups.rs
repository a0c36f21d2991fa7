//! Calls grouped by domain, API, calls per dialogue and position in the dialogue.

use super::ByDialogue;
use crate::{Gold, Rate, SampleRecord};
use apis::search::TOOL_SEARCHER;
use apis::{Domain, registry};
use dataset::own_tools::FOLDER;
use scoring::Profile;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use strum::{EnumCount, IntoStaticStr, VariantArray};

/// A way to group calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[derive(EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum Grouping {
    /// By the gold API's domain.
    #[default]
    Domain,
    /// By gold API.
    Api,
    /// By the number of calls in the dialogue.
    Calls,
    /// By the call's position in its dialogue.
    Position,
}

impl Grouping {
    /// Every grouping.
    pub const ALL: [Grouping; Grouping::COUNT] = *Grouping::VARIANTS.first_chunk().unwrap();

    /// The identifier in the page.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The name in the UI.
    pub const fn title(self) -> &'static str {
        match self {
            Grouping::Domain => "Domain",
            Grouping::Api => "API",
            Grouping::Calls => "Calls in the dialogue",
            Grouping::Position => "Position in the dialogue",
        }
    }
}

/// A group of calls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// The group's name.
    pub name: String,
    /// Correct among scored calls.
    pub calls: Rate,
}

/// The group's sort key: its position in the list, and its name.
type Key = (usize, String);

/// The non-empty groups: domains in the pool's order, API Search last; APIs by name; numbers
/// ascending. Only samples that ask for a call are grouped.
pub fn groups(samples: &[SampleRecord], profile: Profile, by: Grouping) -> Vec<Group> {
    let mut counts: BTreeMap<Key, ByDialogue> = BTreeMap::new();
    for sample in samples.iter().filter(|sample| !sample.is_excluded(profile)) {
        let (Gold::Call(gold), Some(verdict)) = (&sample.gold, sample.verdict(profile)) else {
            continue;
        };
        let key = match by {
            Grouping::Domain => domain(sample, &gold.api_name),
            Grouping::Api => (0, gold.api_name.clone()),
            Grouping::Calls => (sample.calls_in_dialogue, sample.calls_in_dialogue.to_string()),
            Grouping::Position => (sample.position, sample.position.to_string()),
        };
        let group = counts.entry(key).or_default();
        group.add(&sample.dialogue, sample.turn, verdict.correct);
    }
    let group = |((_, name), calls): (Key, ByDialogue)| Group { name, calls: calls.rate() };
    counts.into_iter().map(group).collect()
}

fn domain(sample: &SampleRecord, api: &str) -> Key {
    let last = Domain::ALL.len();
    if api == TOOL_SEARCHER {
        return (last, "API Search".to_owned());
    }
    if sample.dialogue.starts_with(FOLDER) {
        return (last + 2, "Own tools".to_owned());
    }
    match registry::find(sample.ability.suite(), api) {
        Some(api) => {
            let place = Domain::ALL.iter().position(|domain| *domain == api.domain);
            (place.unwrap_or(last), api.domain.title().to_owned())
        }
        None => (last + 1, "Not in the pool".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::tests::call;
    use dataset::Ability;

    #[test]
    fn identifiers_are_the_names_in_json() {
        for it in Grouping::ALL {
            assert_eq!(serde_json::json!(it), it.as_str());
        }
    }

    #[test]
    fn every_scored_call_is_in_one_group() {
        let mut samples = [
            call(Ability::Call, "call/a", 1, "AddAlarm", Some(true)),
            call(Ability::Call, "call/a", 3, "Wiki", Some(false)),
            call(Ability::Call, "call/b", 1, "AddAlarm", Some(false)),
            call(Ability::Call, "call/b", 2, "AddAlarm", None),
            call(Ability::Plan, "plan/a", 1, TOOL_SEARCHER, Some(true)),
            call(Ability::Plan, "plan/a", 2, "Unheard", Some(true)),
        ];
        samples[1].position = 2;
        let shown = |by| {
            groups(&samples, Profile::Execution, by)
                .into_iter()
                .map(|group| format!("{} {}/{}", group.name, group.calls.right, group.calls.n))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            shown(Grouping::Domain),
            ["Schedule 1/2", "Information 0/1", "API Search 1/1", "Not in the pool 1/1"]
        );
        assert_eq!(
            shown(Grouping::Api),
            ["AddAlarm 1/2", "ToolSearcher 1/1", "Unheard 1/1", "Wiki 0/1"]
        );
        assert_eq!(shown(Grouping::Position), ["1 3/4", "2 0/1"]);
        assert_eq!(shown(Grouping::Calls), ["2 3/5"]);
    }
}
