//! One shard of a run that is split across machines.
//!
//! Dialogues are dealt to the shards round-robin, ability by ability in the run's order. So shards
//! differ by at most one dialogue, per ability and in total, and a dialogue is never split. The
//! assignment depends only on the settings.

use dataset::Ability;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// The maximum number of shards in a run.
pub const MOST_PARTS: u32 = 10_000;

/// One part of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Shard {
    /// Which part, from 1.
    pub part: u32,
    /// How many there are.
    pub of: u32,
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.part, self.of)
    }
}

/// Shards of a run that was split across machines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Shards {
    /// Number of shards of the run.
    pub of: u32,
    /// Indices of the shards in this record, from 1, ascending.
    pub parts: Vec<u32>,
}

impl From<Shard> for Shards {
    fn from(shard: Shard) -> Self {
        Shards { of: shard.of, parts: vec![shard.part] }
    }
}

/// A text that is not a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("expected PART/PARTS such as 3/8, parts from 1 to {MOST_PARTS}")]
pub struct ShardError;

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let (part, of) = text.split_once('/').ok_or(ShardError)?;
        let number = |text: &str| text.trim().parse::<u32>().map_err(|_| ShardError);
        let shard = Shard { part: number(part)?, of: number(of)? };
        if (1..=MOST_PARTS).contains(&shard.of) && (1..=shard.of).contains(&shard.part) {
            Ok(shard)
        } else {
            Err(ShardError)
        }
    }
}

impl Shard {
    /// Whether each sample is in this shard. A sample is given by its ability and its dialogue.
    pub fn takes(self, samples: &[(Ability, &str)]) -> Vec<bool> {
        let mut numbers: BTreeMap<(Ability, &str), u32> = BTreeMap::new();
        for ability in Ability::ALL {
            for sample in samples.iter().filter(|(own, _)| *own == ability) {
                let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                numbers.entry(*sample).or_insert(next);
            }
        }
        let of = self.of.max(1);
        samples
            .iter()
            .map(|sample| numbers.get(sample).is_some_and(|number| number % of + 1 == self.part))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_from_one() {
        assert_eq!("3/8".parse(), Ok(Shard { part: 3, of: 8 }));
        assert_eq!(Shard { part: 3, of: 8 }.to_string(), "3/8");
        for wrong in ["0/8", "9/8", "1", "1/0", "a/b", "1/10001", "-1/2"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_sample_is_in_one_part_and_parts_are_balanced() {
        let names: Vec<String> = (0..53).map(|index| format!("d{index}")).collect();
        let mut samples = Vec::new();
        for (index, name) in names.iter().enumerate() {
            let ability = Ability::ALL[index % 3];
            samples.extend(std::iter::repeat_n((ability, name.as_str()), 1 + index % 4));
        }
        for of in [1, 2, 7, 60] {
            let parts: Vec<Vec<bool>> =
                (1..=of).map(|part| Shard { part, of }.takes(&samples)).collect();
            for (index, _) in samples.iter().enumerate() {
                assert_eq!(parts.iter().filter(|part| part[index]).count(), 1);
            }
            let dialogues = |part: &Vec<bool>, wanted: Option<Ability>| {
                let mut own: Vec<&str> = samples
                    .iter()
                    .zip(part)
                    .filter(|((ability, _), taken)| {
                        **taken && wanted.is_none_or(|wanted| wanted == *ability)
                    })
                    .map(|((_, name), _)| *name)
                    .collect();
                own.dedup();
                own.len()
            };
            for wanted in Ability::ALL.map(Some).into_iter().chain([None]) {
                let counts: Vec<usize> = parts.iter().map(|part| dialogues(part, wanted)).collect();
                let spread = counts.iter().max().unwrap() - counts.iter().min().unwrap();
                assert!(spread <= 1, "{of} parts, {wanted:?}: {counts:?}");
            }
        }
    }
}
