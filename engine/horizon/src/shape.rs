//! Shapes: which chores a task has, and their sizes.

use crate::Error;
use crate::chores::{self, Chore};
use dataset::horizon::TASKS;
use dataset::random::{SplitMix, draw};
use dataset::{TaskId, Tier};

/// A chore with its sizes.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub(crate) chore: &'static Chore,
    pub(crate) n: usize,
    pub(crate) k: usize,
}

/// The identity of a part.
pub(crate) type Key = (&'static str, usize, usize);

impl Part {
    pub(crate) const fn key(&self) -> Key {
        (self.chore.name, self.n, self.k)
    }
}

/// A generator seeded by several words.
pub(crate) fn seeded(seed: u32, purpose: &str) -> SplitMix {
    let digest = draw(seed, purpose);
    let bytes = digest.first_chunk().copied().unwrap_or_default();
    SplitMix(u64::from_le_bytes(bytes))
}

/// The shapes of the tasks of a level, all different.
///
/// # Errors
/// If there are not enough.
pub(crate) fn of_level(seed: u32, tier: Tier, level: u16) -> Result<Vec<Vec<Part>>, Error> {
    let mut random = seeded(seed, &format!("horizon shapes {} {level}", tier.as_str()));
    let mut shapes: Vec<Vec<Part>> = Vec::new();
    let keys = |shape: &[Part]| shape.iter().map(Part::key).collect::<Vec<_>>();
    for number in 1..=u8::try_from(TASKS).unwrap_or(u8::MAX) {
        let drawn = (0..500).find_map(|_| {
            let shape = compose(&mut random, tier, usize::from(level))?;
            let known = shapes.iter().any(|other| keys(other) == keys(&shape));
            (!known).then_some(shape)
        });
        shapes.push(drawn.ok_or(Error::Shape(TaskId { tier, level, number }))?);
    }
    Ok(shapes)
}

/// How many chores a level has at most: some more for longer tasks, far fewer than calls.
const fn chores_of(level: usize) -> usize {
    match level {
        0..=2 => 1,
        3..=6 => 2,
        7..=12 => 3,
        13..=16 => 4,
        17..=32 => 5,
        33..=48 => 6,
        49..=96 => 7,
        97..=128 => 8,
        _ => level / 22,
    }
}

/// Chores with `level` calls altogether; `None` if no chore fits a part, or none of three or more
/// finds anything for the others.
fn compose(random: &mut SplitMix, tier: Tier, level: usize) -> Option<Vec<Part>> {
    let most = chores_of(level);
    let count = if level <= 2 { 1 } else { most - random.below(2) };
    let mut parts: Vec<Part> = Vec::new();
    let mut left = level;
    for at in 0..count {
        let others = count - at - 1;
        let calls = if others == 0 {
            left
        } else {
            // Around an equal share, between a third and five thirds of it.
            let share = left / (others + 1);
            let low = (share / 3).max(1);
            let high = (share * 5 / 3).clamp(low, left - others);
            low + random.below(high - low + 1)
        };
        parts.push(part(random, tier, calls, &parts)?);
        left -= calls;
    }
    if parts.len() > 2 && !parts.iter().any(|part| part.chore.finds) {
        return None;
    }
    // The part with the rest is not always the last.
    for at in (1..parts.len()).rev() {
        parts.swap(at, random.below(at + 1));
    }
    // Mostly, what finds days, places and people comes before what needs them.
    if random.below(10) > 0 {
        parts.sort_by_key(|part| !part.chore.finds);
    }
    Some(parts)
}

/// A chore with so many calls. Prefers chores that the task does not have yet.
fn part(random: &mut SplitMix, tier: Tier, calls: usize, others: &[Part]) -> Option<Part> {
    let options: Vec<(&'static Chore, Vec<(usize, usize)>)> = chores::ALL
        .iter()
        .filter(|chore| chore.is_in(tier))
        .map(|chore| (chore, chore.sizes(calls)))
        .filter(|(_, sizes)| !sizes.is_empty())
        .collect();
    let uses = |chore: &Chore| others.iter().filter(|it| it.chore.name == chore.name).count();
    let least = options.iter().map(|(chore, _)| uses(chore)).min()?;
    let fresh: Vec<_> = options.iter().filter(|(chore, _)| uses(chore) == least).collect();
    let (chore, sizes) = fresh[random.below(fresh.len())];
    let (n, k) = sizes[random.below(sizes.len())];
    Some(Part { chore, n, k })
}
