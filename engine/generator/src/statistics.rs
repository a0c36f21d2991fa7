//! Statistics of a training set by ability, as in Table 2 of the paper.

use super::{Item, Turn};
use dataset::Ability;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Domains, APIs and dialogues of the paper's training set (arXiv 2304.08244, abstract and
/// section 4).
pub const PAPER: (usize, usize, usize) = (1000, 2138, 1888);

/// The statistics of one ability, or of all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AbilityStatistics {
    /// Dialogues.
    pub dialogues: usize,
    /// Utterances of user and assistant, without calls.
    pub turns: usize,
    /// Calls without searches.
    pub calls: usize,
    /// Searches.
    pub searches: usize,
    /// Dialogues with exactly one call.
    pub single_call: usize,
    /// Dialogues with more than one call.
    pub multi_call: usize,
    /// Distinct APIs called.
    pub apis: usize,
    /// Distinct domains.
    pub domains: usize,
}

impl AbilityStatistics {
    /// Mean calls per dialogue; 0 without dialogues.
    pub fn calls_each(&self) -> f64 {
        self.calls as f64 / self.dialogues.max(1) as f64
    }
}

/// Incremental statistics; keeps only names of the dialogues it counts.
#[derive(Debug, Clone, Default)]
pub struct Statistics {
    rows: BTreeMap<Ability, AbilityStatistics>,
    apis: BTreeMap<Ability, BTreeSet<String>>,
    domains: BTreeMap<Ability, BTreeSet<String>>,
}

impl Statistics {
    /// Counts a dialogue.
    pub fn add(&mut self, domain: &str, item: &Item) {
        let row = self.rows.entry(item.ability).or_default();
        let searches = item.calls().filter(|call| call.is_search()).count();
        let calls = item.calls().count() - searches;
        row.dialogues += 1;
        row.turns += item.turns.iter().filter(|turn| !matches!(turn, Turn::Api(_))).count();
        row.calls += calls;
        row.searches += searches;
        row.single_call += usize::from(calls == 1);
        row.multi_call += usize::from(calls > 1);
        self.domains.entry(item.ability).or_default().insert(domain.to_owned());
        let apis = self.apis.entry(item.ability).or_default();
        for call in item.calls().filter(|call| !call.is_search()) {
            apis.insert(call.api_name.clone());
        }
    }

    /// The statistics of an ability.
    pub fn row(&self, ability: Ability) -> AbilityStatistics {
        let mut row = self.rows.get(&ability).cloned().unwrap_or_default();
        row.apis = self.apis.get(&ability).map_or(0, BTreeSet::len);
        row.domains = self.domains.get(&ability).map_or(0, BTreeSet::len);
        row
    }

    /// The statistics of all abilities together.
    pub fn total(&self) -> AbilityStatistics {
        let mut total = AbilityStatistics::default();
        for row in self.rows.values() {
            total.dialogues += row.dialogues;
            total.turns += row.turns;
            total.calls += row.calls;
            total.searches += row.searches;
            total.single_call += row.single_call;
            total.multi_call += row.multi_call;
        }
        total.apis = self.apis.values().flatten().collect::<BTreeSet<_>>().len();
        total.domains = self.domains.values().flatten().collect::<BTreeSet<_>>().len();
        total
    }
}
