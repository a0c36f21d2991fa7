//! Outcomes of the calls by API: the rows of a heat map.

use crate::{Gold, SampleRecord};
use scoring::{ErrorClass, Profile};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The calls of one gold API by outcome.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcomes {
    /// The gold API.
    pub api: String,
    /// Correct calls.
    pub right: usize,
    /// Wrong calls by class, without classes that do not occur.
    pub errors: BTreeMap<ErrorClass, usize>,
    /// Requests without an answer to score.
    pub failed: usize,
}

impl Outcomes {
    /// All calls, scored or not.
    pub fn n(&self) -> usize {
        self.scored() + self.failed
    }

    /// Correct and wrong calls.
    pub fn scored(&self) -> usize {
        self.right + self.errors.values().sum::<usize>()
    }
}

/// One row per gold API, by name.
pub fn outcomes(samples: &[SampleRecord], profile: Profile) -> Vec<Outcomes> {
    let mut rows: BTreeMap<&str, Outcomes> = BTreeMap::new();
    for sample in samples.iter().filter(|sample| !sample.is_excluded(profile)) {
        let Gold::Call(gold) = &sample.gold else { continue };
        let row = rows.entry(&gold.api_name).or_default();
        match sample.verdict(profile) {
            Some(verdict) if verdict.correct => row.right += 1,
            Some(verdict) => {
                if let Some(class) = verdict.error_class {
                    *row.errors.entry(class).or_default() += 1;
                }
            }
            None => row.failed += 1,
        }
    }
    rows.into_iter().map(|(api, row)| Outcomes { api: api.to_owned(), ..row }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::tests::call;
    use dataset::Ability;

    #[test]
    fn every_call_has_one_outcome() {
        let samples = [
            call(Ability::Call, "call/a", 1, "Wiki", Some(true)),
            call(Ability::Call, "call/a", 2, "Wiki", Some(false)),
            call(Ability::Call, "call/b", 1, "Wiki", None),
            call(Ability::Call, "call/b", 2, "AddAlarm", Some(true)),
        ];
        let rows = outcomes(&samples, Profile::Execution);
        let shown: Vec<_> =
            rows.iter().map(|row| (row.api.as_str(), row.right, row.scored(), row.n())).collect();
        assert_eq!(shown, [("AddAlarm", 1, 1, 1), ("Wiki", 1, 2, 3)]);
    }
}
