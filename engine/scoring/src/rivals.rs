//! Looks for second right answers: calls to another API with the effect of the gold call.
//!
//! At every gold call, each other API of the suite is called with the values that the dialogue's gold
//! calls give for parameters of the same name. A call that changes the databases alike, or returns the
//! same without a change, is as right as the gold call, so it must be accepted: as an alternative of
//! the data, or as a later gold call that may come first. [`crate::order`] computes which those are.

use super::judge_step;
use apis::effect::{self, Effect};
use apis::{Api, Arguments, World, registry};
use dataset::Dialogue;
use dataset::checks::{Bound, Figure, report::Section};
use exchange::call::{self, ParsedCall};
use exchange::protocol::{Sample, SampleKind, world_at};
use serde_json::Value;
use std::collections::BTreeMap;

/// The maximum number of argument combinations that are tried per API and step.
const MOST: usize = 64;

/// The calls that were tried, and those that are right but refused.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rivals {
    /// Calls tried.
    pub tried: usize,
    /// Calls with the effect of the gold call.
    pub equal: usize,
    /// Those that the scorer refuses, one line each.
    pub refused: Vec<String>,
}

/// Tries other APIs at every gold call. Searches are left out: their rivals are other keywords.
pub fn search<'a>(dialogues: impl IntoIterator<Item = &'a Dialogue>, fresh: &World) -> Rivals {
    let mut rivals = Rivals::default();
    for dialogue in dialogues {
        let values = values(dialogue);
        for (turn, said) in dialogue.turns.iter().enumerate().skip(dialogue.earlier) {
            if said.as_call().is_some_and(|call| !call.is_search()) {
                rivals.step(&Sample::new(dialogue, turn, SampleKind::Call), &values, fresh);
            }
        }
    }
    rivals
}

/// The values of a dialogue's gold calls, by parameter name.
type Values<'a> = BTreeMap<&'a str, Vec<&'a Value>>;

fn values(dialogue: &Dialogue) -> Values<'_> {
    let mut values: Values<'_> = BTreeMap::new();
    for (name, value) in dialogue.calls().flat_map(|call| &call.param_dict) {
        let known = values.entry(name).or_default();
        if !known.contains(&value) {
            known.push(value);
        }
    }
    values
}

impl Rivals {
    fn step(&mut self, sample: &Sample<'_>, values: &Values<'_>, fresh: &World) {
        let Some(gold) = sample.gold_call() else { return };
        let suite = sample.ability().suite();
        let world = world_at(sample, fresh);
        let Some(api) = registry::find(suite, &gold.api_name) else { return };
        let effect = effect::effect(api, &gold.param_dict, &world);
        let due = sample.due_calls().into_iter().skip(1);
        let further: Vec<ParsedCall> = due
            .filter_map(|due| call::parse(&call::format(&due.api_name, &due.param_dict)).ok())
            .collect();
        for other in registry::pool(suite).filter(|it| it.name != api.name) {
            for arguments in combinations(other, values) {
                self.tried += 1;
                if !same(&effect, &effect::effect(other, &arguments, &world)) {
                    continue;
                }
                self.equal += 1;
                let text = call::format(other.name, &arguments);
                let first = call::parse(&text);
                let judgement = judge_step(sample, gold, first.as_ref(), &further, &world);
                if !judgement.execution.correct {
                    self.refused.push(format!(
                        "{}: {text} does what {} does",
                        sample.id(),
                        api.name
                    ));
                }
            }
        }
    }

    /// The figures: every second right answer is accepted.
    pub fn section(&self, title: &'static str) -> Section {
        Section {
            title,
            figures: vec![
                Figure::count("other calls tried", self.tried, Bound::Free),
                Figure::count("with the effect of the gold call", self.equal, Bound::Free),
                Figure::count("of these refused", self.refused.len(), Bound::Equal(0.0)),
            ],
            findings: self.refused.clone(),
        }
    }
}

/// Whether two calls succeed with the same changes, or without a change return the same.
fn same(gold: &Effect, other: &Effect) -> bool {
    let succeed = gold.result.exception.is_none() && other.result.exception.is_none();
    let returns = gold.result.output == other.result.output;
    let told = gold.result.output.as_ref().is_some_and(|it| !it.is_null());
    succeed && gold.changes == other.changes && (!gold.changes.is_empty() || (told && returns))
}

/// Arguments for an API's required parameters from values of the same name; none if one is unknown.
fn combinations(api: &Api, values: &Values<'_>) -> Vec<Arguments> {
    let mut all = vec![Arguments::new()];
    for param in api.params.iter().filter(|param| param.required) {
        let known = values.get(param.name).map_or(&[][..], Vec::as_slice);
        let extended = all.iter().flat_map(|arguments| {
            known.iter().map(|value| {
                let mut arguments = arguments.clone();
                arguments.insert(param.name.to_owned(), (*value).clone());
                arguments
            })
        });
        all = extended.take(MOST).collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use dataset::{Ability, RecordedCall, Turn};

    const FILE: &str = r#"{"role": "User", "text": "The tulip song, please."}
{"role": "API", "api_name": "EmergencyKnowledge", "param_dict": {"symptom": "fever"}, "result": {"api_name": "EmergencyKnowledge"}}"#;

    #[test]
    fn the_built_in_dialogues_have_no_refused_rival() {
        let pack = dataset::builtin().unwrap();
        let found = search(pack.dialogues.iter().chain(&pack.hard), &pack.world);
        assert!(found.tried > 1000, "{}", found.tried);
        assert_eq!(found.refused, [""; 0]);
    }

    #[test]
    fn the_same_effect_by_another_api_is_found() {
        let pack = dataset::builtin().unwrap();
        let dialogue = Dialogue::read_lines("x.jsonl", Ability::Call, FILE).unwrap();
        // No two APIs do the same today, so the effects are compared alone.
        let api = registry::find(dialogue.ability.suite(), "EmergencyKnowledge").unwrap();
        let call = dialogue.turns.iter().find_map(Turn::as_call).unwrap();
        let due = effect::effect(api, &call.param_dict, &pack.world);
        assert!(same(&due, &due.clone()));
        let other = registry::find(dialogue.ability.suite(), "SymptomSearch").unwrap();
        let RecordedCall { param_dict, .. } = call;
        assert!(!same(&due, &effect::effect(other, param_dict, &pack.world)));
        assert_eq!(combinations(other, &values(&dialogue)).len(), 1);
    }
}
