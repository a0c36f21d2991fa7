//! Selects a run's samples and their order, both determined by a seed.
//!
//! Dialogues are selected and shuffled as a whole: their totals need every step, and a server with
//! a prompt cache answers the next step of the same dialogue faster.

use dataset::Ability;
use dataset::random::draw;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// The subset of the data that a run takes, from each ability alike.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Subset {
    /// All dialogues.
    #[default]
    All,
    /// A percentage of each ability's dialogues, 1 to 100; at least one dialogue.
    Percent(u8),
    /// This number of dialogues per ability, or all if there are fewer.
    PerAbility(u32),
    /// The dialogues with these ids.
    Dialogues(Vec<String>),
}

impl Subset {
    /// The number of dialogues that the subset selects from `n` eligible ones.
    fn of(&self, n: usize) -> usize {
        match self {
            Subset::All | Subset::Dialogues(_) => n,
            Subset::Percent(percent) => (n * usize::from(*percent.min(&100))).div_ceil(100),
            Subset::PerAbility(count) => n.min(*count as usize),
        }
    }

    /// Whether a dialogue is eligible.
    fn admits(&self, dialogue: &str) -> bool {
        match self {
            Subset::Dialogues(ids) => ids.iter().any(|id| id == dialogue),
            _ => true,
        }
    }
}

impl std::fmt::Display for Subset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Subset::All => f.write_str("all dialogues"),
            Subset::Percent(percent) => write!(f, "{percent} % of the dialogues"),
            Subset::PerAbility(count) => write!(f, "{count} dialogues of each ability"),
            Subset::Dialogues(ids) => write!(f, "{} chosen dialogues", ids.len()),
        }
    }
}

/// The indices of the selected samples in the run's order. A sample is given by its ability and its
/// dialogue.
///
/// With the same seed, a smaller subset is contained in a larger one. Abilities are interleaved, so
/// that all progress at the same rate during a run.
pub fn order(samples: &[(Ability, &str)], subset: &Subset, seed: u32) -> Vec<usize> {
    let mut dialogues: BTreeMap<(Ability, &str), Vec<usize>> = BTreeMap::new();
    for (index, sample) in samples.iter().enumerate() {
        dialogues.entry(*sample).or_default().push(index);
    }
    let mut chosen: Vec<(Place, Vec<usize>)> = Vec::new();
    for ability in Ability::ALL {
        let mut drawn: Vec<([u8; 32], Vec<usize>)> = dialogues
            .iter()
            .filter(|((own, dialogue), _)| *own == ability && subset.admits(dialogue))
            .map(|((_, dialogue), steps)| (draw(seed, dialogue), steps.clone()))
            .collect();
        drawn.sort();
        drawn.truncate(subset.of(drawn.len()));
        let of = drawn.len();
        let places = drawn.into_iter().enumerate();
        chosen.extend(places.map(|(rank, (_, steps))| (Place { rank, of, ability }, steps)));
    }
    chosen.sort_by(|(a, _), (b, _)| a.cmp(b));
    chosen.into_iter().flat_map(|(_, steps)| steps).collect()
}

/// A dialogue's position among those of its ability.
#[derive(Debug, PartialEq, Eq)]
struct Place {
    rank: usize,
    of: usize,
    ability: Ability,
}

impl Place {
    /// Compares the midpoints of the dialogues' intervals in the run, in integers.
    fn cmp(&self, other: &Place) -> Ordering {
        let middle = |place: &Place, of: usize| (2 * place.rank + 1) * of;
        middle(self, other.of).cmp(&middle(other, self.of)).then(self.ability.cmp(&other.ability))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 40 dialogues of Call, 20 of Retrieve and 3 of Plan, three steps each.
    fn samples() -> Vec<(Ability, String)> {
        let dialogues = [(Ability::Call, 40), (Ability::Retrieve, 20), (Ability::Plan, 3)];
        dialogues
            .into_iter()
            .flat_map(|(ability, count)| {
                (0..count * 3).map(move |n| (ability, format!("{}/{}", ability.as_str(), n / 3)))
            })
            .collect()
    }

    fn ordered(subset: &Subset, seed: u32) -> Vec<(Ability, String)> {
        let all = samples();
        let given: Vec<(Ability, &str)> = all.iter().map(|(a, d)| (*a, d.as_str())).collect();
        order(&given, subset, seed).into_iter().map(|index| all[index].clone()).collect()
    }

    fn count(samples: &[(Ability, String)], ability: Ability) -> usize {
        samples.iter().filter(|(own, _)| *own == ability).count()
    }

    #[test]
    fn chosen_dialogues_are_run_and_no_others() {
        let ids = ["call/7", "plan/0", "no/such"].map(str::to_owned).to_vec();
        let mut run = ordered(&Subset::Dialogues(ids), 3);
        run.dedup();
        run.sort();
        let expected = [(Ability::Call, "call/7"), (Ability::Plan, "plan/0")];
        assert_eq!(run, expected.map(|(ability, id)| (ability, id.to_owned())));
    }

    #[test]
    fn every_sample_comes_once_and_dialogues_stay_whole() {
        let run = ordered(&Subset::All, 7);
        let mut sorted = run.clone();
        sorted.sort();
        let mut all = samples();
        all.sort();
        assert_eq!(sorted, all);
        for dialogue in run.chunks(3) {
            assert!(dialogue.iter().all(|step| step == &dialogue[0]), "{dialogue:?}");
        }
        assert_ne!(run, samples());
    }

    #[test]
    fn a_seed_always_gives_the_same_and_another_seed_something_else() {
        assert_eq!(ordered(&Subset::Percent(25), 3), ordered(&Subset::Percent(25), 3));
        assert_ne!(ordered(&Subset::Percent(25), 3), ordered(&Subset::Percent(25), 4));
        // Pinned: records store the seed, so its selection must not change.
        let first: Vec<String> =
            ordered(&Subset::PerAbility(2), 1).into_iter().step_by(3).map(|(_, d)| d).collect();
        assert_eq!(first, PINNED);
    }

    const PINNED: [&str; 6] =
        ["call/17", "retrieve/12", "plan/2", "call/29", "retrieve/10", "plan/0"];

    #[test]
    fn a_subset_takes_its_part_of_each_ability() {
        let tenth = ordered(&Subset::Percent(10), 1);
        assert_eq!(Ability::ALL.map(|ability| count(&tenth, ability)), [12, 6, 3]);
        let five = ordered(&Subset::PerAbility(5), 1);
        assert_eq!(Ability::ALL.map(|ability| count(&five, ability)), [15, 15, 9]);
        assert_eq!(ordered(&Subset::Percent(200), 1).len(), samples().len());
        assert!(ordered(&Subset::PerAbility(0), 1).is_empty());
    }

    #[test]
    fn a_smaller_subset_is_part_of_a_larger_one() {
        let large = ordered(&Subset::Percent(25), 9);
        for sample in ordered(&Subset::Percent(10), 9) {
            assert!(large.contains(&sample), "{sample:?}");
        }
    }

    #[test]
    fn abilities_stay_in_step() {
        let run = ordered(&Subset::All, 5);
        let whole = run.len() as f64;
        for end in 1..run.len() {
            for ability in Ability::ALL {
                let expected = count(&run, ability) as f64 * end as f64 / whole;
                let there = count(&run[..end], ability) as f64;
                // Two dialogues of three steps.
                assert!((there - expected).abs() <= 6.0, "{ability:?}: {there} at {end}");
            }
        }
    }
}
