//! Statistics of a pack, as in the paper's Table 2 (by ability) and Table 8 (by domain).

pub mod published;

use crate::ability::Ability;
use crate::dialogue::{Dialogue, Turn};
use apis::search::TOOL_SEARCHER;
use apis::{Domain, registry};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Counts over a set of dialogues.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Dialogues.
    pub dialogues: usize,
    /// Utterances of user and assistant, without calls.
    pub turns: usize,
    /// Calls, including searches.
    pub calls: usize,
    /// Calls of API Search.
    pub searches: usize,
    /// Distinct APIs, without API Search.
    pub apis: usize,
    /// Distinct domains of the called APIs, without API Search.
    pub domains: usize,
}

impl Counts {
    /// Mean calls per dialogue.
    pub fn calls_a_dialogue(&self) -> f64 {
        ratio(self.calls, self.dialogues)
    }

    /// Mean utterances per dialogue.
    pub fn turns_a_dialogue(&self) -> f64 {
        ratio(self.turns, self.dialogues)
    }
}

/// One ability's row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AbilityRow {
    /// The ability.
    pub ability: Ability,
    /// Its counts.
    pub counts: Counts,
}

/// One domain's row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DomainRow {
    /// The domain.
    pub domain: Domain,
    /// Dialogues that call one of its APIs.
    pub dialogues: usize,
    /// Calls of its APIs.
    pub calls: usize,
    /// Number of its APIs that occur.
    pub apis: usize,
    /// Number of its APIs in the pool.
    pub pool: usize,
    /// Its share of all calls without searches, 0 to 1.
    pub share: f64,
}

/// All statistics of a set of dialogues.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// By ability, in the paper's order.
    pub abilities: Vec<AbilityRow>,
    /// The total.
    pub total: Counts,
    /// By domain.
    pub domains: Vec<DomainRow>,
    /// Number of dialogues by their number of distinct APIs, without API Search.
    pub apis_a_dialogue: BTreeMap<usize, usize>,
}

/// Computes the statistics of a set of dialogues. APIs outside the pool count as APIs without a
/// domain.
pub fn measure<'a>(dialogues: impl IntoIterator<Item = &'a Dialogue>) -> Statistics {
    let dialogues: Vec<&Dialogue> = dialogues.into_iter().collect();
    let abilities = Ability::ALL.into_iter().map(|ability| {
        let of_ability = dialogues.iter().copied().filter(|dialogue| dialogue.ability == ability);
        AbilityRow { ability, counts: count(of_ability) }
    });
    let mut apis_a_dialogue = BTreeMap::new();
    for dialogue in &dialogues {
        let names: BTreeSet<&str> = named(dialogue).map(|(name, _)| name).collect();
        *apis_a_dialogue.entry(names.len()).or_default() += 1;
    }
    Statistics {
        abilities: abilities.collect(),
        total: count(dialogues.iter().copied()),
        domains: domains(&dialogues),
        apis_a_dialogue,
    }
}

/// Names and domains of a dialogue's calls, without searches.
fn named(dialogue: &Dialogue) -> impl Iterator<Item = (&str, Option<Domain>)> {
    let suite = dialogue.ability.suite();
    dialogue.calls().filter(|call| !call.is_search()).map(move |call| {
        let domain = registry::find(suite, &call.api_name).map(|api| api.domain);
        (call.api_name.as_str(), domain)
    })
}

/// Domains of a dialogue's calls.
pub fn domains_of(dialogue: &Dialogue) -> BTreeSet<Domain> {
    named(dialogue).filter_map(|(_, domain)| domain).collect()
}

fn count<'a>(dialogues: impl Iterator<Item = &'a Dialogue>) -> Counts {
    let mut counts = Counts::default();
    let mut apis = BTreeSet::new();
    let mut domains = BTreeSet::new();
    for dialogue in dialogues {
        counts.dialogues += 1;
        counts.turns += dialogue.turns.iter().filter(|turn| !matches!(turn, Turn::Api(_))).count();
        for call in dialogue.calls() {
            counts.calls += 1;
            let search = call.is_search();
            counts.searches += usize::from(search);
            if !search {
                // The suites have different APIs of the same name.
                apis.insert((dialogue.ability.suite(), call.api_name.as_str()));
            }
        }
        domains.extend(domains_of(dialogue));
    }
    Counts { apis: apis.len(), domains: domains.len(), ..counts }
}

fn domains(dialogues: &[&Dialogue]) -> Vec<DomainRow> {
    let all: Vec<(usize, Ability, &str, Option<Domain>)> = dialogues
        .iter()
        .enumerate()
        .flat_map(|(at, it)| named(it).map(move |(name, domain)| (at, it.ability, name, domain)))
        .collect();
    Domain::ALL
        .into_iter()
        .map(|domain| {
            let here: Vec<_> = all.iter().filter(|entry| entry.3 == Some(domain)).collect();
            let in_dialogues: BTreeSet<usize> = here.iter().map(|entry| entry.0).collect();
            let apis: BTreeSet<_> = here.iter().map(|entry| (entry.1.suite(), entry.2)).collect();
            DomainRow {
                domain,
                dialogues: in_dialogues.len(),
                calls: here.len(),
                apis: apis.len(),
                pool: registry::all()
                    .filter(|api| api.domain == domain && api.name != TOOL_SEARCHER)
                    .count(),
                share: ratio(here.len(), all.len()),
            }
        })
        .collect()
}

#[expect(clippy::cast_precision_loss, reason = "counts of a data set stay far below 2^52")]
fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pack_has_the_papers_size() {
        let pack = crate::builtin().unwrap();
        let statistics = measure(&pack.dialogues);
        for row in &statistics.abilities {
            let paper = published::size(row.ability);
            assert_eq!((row.counts.dialogues, row.counts.calls), (paper.dialogues, paper.calls));
        }
        let total = statistics.total;
        assert_eq!(
            (total.dialogues, total.calls, total.apis, total.domains),
            (314, 753, published::APIS, 9)
        );
        let calls: usize = statistics.domains.iter().map(|row| row.calls).sum();
        assert_eq!(calls + total.searches, total.calls);
        let shares: f64 = statistics.domains.iter().map(|row| row.share).sum();
        assert!((shares - 1.0).abs() < 1e-9);
        assert_eq!(statistics.apis_a_dialogue.values().sum::<usize>(), 314);
    }

    #[test]
    fn a_small_dialogue_is_counted_correctly() {
        let file = r#"{"role": "User", "text": "hi"}
{"role": "API", "api_name": "GetToday", "param_dict": {}, "result": {"api_name": "GetToday", "input": null, "output": "2024-05-15", "exception": null}}
{"role": "API", "api_name": "Wiki", "param_dict": {}, "result": {"api_name": "Wiki", "input": null, "output": null, "exception": null}}
{"role": "API", "api_name": "Wiki", "param_dict": {}, "result": {"api_name": "Wiki", "input": null, "output": null, "exception": null}}
{"role": "AI", "text": "hm"}"#;
        let dialogue = Dialogue::read_lines("x.jsonl", Ability::Call, file).unwrap();
        let statistics = measure([&dialogue]);
        let wanted = Counts { dialogues: 1, turns: 2, calls: 3, searches: 0, apis: 2, domains: 2 };
        assert_eq!(statistics.total, wanted);
        assert_eq!(statistics.apis_a_dialogue, BTreeMap::from([(2, 1)]));
        assert_eq!(measure([]).total, Counts::default());
    }
}
