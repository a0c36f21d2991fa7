//! Views for browsing a pack: the list of dialogues, and a dialogue with the changes its calls make.

use crate::ability::Ability;
use crate::dialogue::{Dialogue, RecordedCall, Turn};
use crate::hard::{Hard, Split};
use crate::pack::Pack;
use crate::statistics;
use apis::{Change, Domain, World, registry};
use serde::{Deserialize, Serialize};

/// A dialogue in the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListedDialogue {
    /// The dialogue's id.
    pub id: String,
    /// Its split.
    pub split: Split,
    /// The ability it measures.
    pub ability: Ability,
    /// Domains of its calls.
    pub domains: Vec<Domain>,
    /// Names of the APIs it calls, without duplicates, in order.
    pub apis: Vec<String>,
    /// Number of calls, including searches.
    pub calls: usize,
    /// Whether a call fails.
    pub fails: bool,
    /// The utterances, one per line.
    pub said: String,
}

impl ListedDialogue {
    /// The first utterance.
    pub fn opening(&self) -> &str {
        self.said.lines().next().unwrap_or_default()
    }
}

/// A dialogue to read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// The dialogue's id.
    pub id: String,
    /// The ability it measures.
    pub ability: Ability,
    /// Its entry in the hard split; `None` in the standard split.
    pub hard: Option<Hard>,
    /// Its events, one per turn.
    pub events: Vec<Event>,
}

/// A turn of a dialogue, with the changes of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
#[allow(
    clippy::large_enum_variant,
    reason = "a dialogue is a few dozen events; the lint depends on the width of addresses"
)]
pub enum Event {
    /// The user speaks.
    User {
        /// The utterance.
        text: String,
    },
    /// The assistant speaks.
    Assistant {
        /// The utterance.
        text: String,
    },
    /// The assistant calls an API.
    Call {
        /// The call with its recorded result.
        call: RecordedCall,
        /// Rows that the call adds, changes or removes.
        changes: Vec<Change>,
    },
}

/// The dialogues of both splits, the standard split first.
pub fn entries(pack: &Pack) -> Vec<ListedDialogue> {
    Split::ALL
        .into_iter()
        .flat_map(|split| pack.split(split).iter().map(move |dialogue| entry(dialogue, split)))
        .collect()
}

fn entry(dialogue: &Dialogue, split: Split) -> ListedDialogue {
    let mut apis: Vec<String> = Vec::new();
    for call in dialogue.calls() {
        if !apis.contains(&call.api_name) {
            apis.push(call.api_name.clone());
        }
    }
    let said = dialogue.own_turns().iter().filter_map(|turn| match turn {
        Turn::User { text } | Turn::Assistant { text, .. } => Some(text.replace('\n', " ")),
        Turn::Api(_) => None,
    });
    ListedDialogue {
        id: dialogue.id.clone(),
        split,
        ability: dialogue.ability,
        domains: statistics::domains_of(dialogue).into_iter().collect(),
        apis,
        calls: dialogue.calls().count(),
        fails: dialogue.calls().any(|call| call.result.exception.is_some()),
        said: said.collect::<Vec<_>>().join("\n"),
    }
}

/// A dialogue of either split, with the changes that its calls make to `fresh`, the databases as
/// loaded; `None` for an unknown id.
pub fn read(pack: &Pack, fresh: &World, id: &str) -> Option<Reading> {
    let dialogue =
        Split::ALL.into_iter().flat_map(|split| pack.split(split)).find(|it| it.id == id)?;
    let mut world = fresh.clone();
    let event = |turn: &Turn| match turn.clone() {
        Turn::User { text } => Event::User { text },
        Turn::Assistant { text, .. } => Event::Assistant { text },
        Turn::Api(call) => {
            // Own tools have no databases, whatever their names.
            let changes = match pack.tools {
                Some(_) => Vec::new(),
                None => changes(dialogue, &call, &mut world),
            };
            Event::Call { call, changes }
        }
    };
    Some(Reading {
        id: dialogue.id.clone(),
        ability: dialogue.ability,
        hard: dialogue.hard.clone(),
        events: dialogue.turns.iter().map(event).collect(),
    })
}

/// Executes a call and returns its changes.
fn changes(dialogue: &Dialogue, call: &RecordedCall, world: &mut World) -> Vec<Change> {
    let api = registry::find(dialogue.ability.suite(), &call.api_name);
    let Some(api) = api.filter(|_| !call.is_search()) else { return Vec::new() };
    let before = world.clone();
    api.call(&call.param_dict, world);
    world.changes_since(&before)
}

#[cfg(test)]
mod tests {
    use super::*;
    use apis::store::ChangeKind;

    #[test]
    fn every_dialogue_is_listed_once_and_readable() {
        let pack = crate::builtin().unwrap();
        let entries = entries(&pack);
        assert_eq!(entries.len(), pack.dialogues.len() + pack.hard.len());
        for entry in entries {
            let reading = read(&pack, &pack.world, &entry.id).unwrap();
            let calls = reading.events.iter().filter(|it| matches!(it, Event::Call { .. })).count();
            assert_eq!(calls, entry.calls, "{}", entry.id);
            assert!(!entry.opening().is_empty(), "{}", entry.id);
        }
        assert!(read(&pack, &pack.world, "call/nowhere").is_none());
    }

    #[test]
    fn a_failed_call_changes_nothing_and_the_next_adds_a_row() {
        let pack = crate::builtin().unwrap();
        let reading = read(&pack, &pack.world, "call/already-covered").unwrap();
        let of = |event: &Event| match event {
            Event::Call { call, changes } if call.api_name == "AddAlarm" => Some(changes.clone()),
            _ => None,
        };
        let alarms: Vec<Vec<Change>> = reading.events.iter().filter_map(of).collect();
        assert!(alarms[0].is_empty(), "{:?}", alarms[0]);
        assert!(matches!(alarms[1][..], [Change { kind: ChangeKind::Inserted { .. }, .. }]));
    }
}
