//! Names of people, places and things: `data/names.json`, enumerated in an order that depends on the
//! seed. Every task has its own range of the order, so that names are unique within a seed.

use crate::Error;
use dataset::TaskId;
use dataset::horizon::{LEVELS, TASKS};
use dataset::random::SplitMix;
use serde::Deserialize;

/// The parts that names consist of.
#[derive(Debug, Deserialize)]
pub(crate) struct Parts {
    person: Vec<Vec<String>>,
    city: Vec<Vec<String>>,
    organization: Vec<Vec<String>>,
    genre: Vec<Vec<String>>,
    occupation: Vec<Vec<String>>,
    topic: Vec<Vec<String>>,
    film: Vec<Vec<String>>,
    venue: Vec<Vec<String>>,
    restaurant: Vec<Vec<String>>,
    street: Vec<Vec<String>>,
    /// Words of passwords and mailboxes.
    pub(crate) password: Vec<String>,
    /// Weather and whether it is `dry` or `wet`.
    pub(crate) sky: Vec<[String; 2]>,
}

impl Parts {
    /// # Errors
    /// If the built-in data is damaged, which a test rules out.
    pub(crate) fn read() -> Result<Self, Error> {
        serde_json::from_str(include_str!("../data/names.json")).map_err(Error::Data)
    }
}

/// What is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Person,
    City,
    Organization,
    Genre,
    Occupation,
    Restaurant,
    /// Meeting titles; unique within a task, as are the following.
    Topic,
    Film,
    Venue,
    Street,
}

const KINDS: usize = 10;

impl Kind {
    /// Names that a task of a level has at its disposal; `None` if tasks share the names.
    const fn capacity(self, level: usize) -> Option<usize> {
        match self {
            Kind::Person => Some(3 * level + 24),
            Kind::City => Some(level + 8),
            Kind::Organization => Some(level / 2 + 8),
            Kind::Genre => Some(level + 6),
            Kind::Occupation => Some(level + 4),
            Kind::Restaurant => Some(level + 9),
            _ => None,
        }
    }

    /// A name from its parts.
    pub(crate) fn join(self, parts: &[&str]) -> String {
        match self {
            Kind::City => parts.concat(),
            Kind::Restaurant | Kind::Film => format!("The {}", parts.join(" ")),
            _ => parts.join(" "),
        }
    }

    fn parts(self, parts: &Parts) -> &[Vec<String>] {
        match self {
            Kind::Person => &parts.person,
            Kind::City => &parts.city,
            Kind::Organization => &parts.organization,
            Kind::Genre => &parts.genre,
            Kind::Occupation => &parts.occupation,
            Kind::Restaurant => &parts.restaurant,
            Kind::Topic => &parts.topic,
            Kind::Film => &parts.film,
            Kind::Venue => &parts.venue,
            Kind::Street => &parts.street,
        }
    }
}

/// The position of a task among all tasks of a seed.
pub(crate) fn position(id: TaskId) -> usize {
    let level = LEVELS.iter().position(|level| *level == id.level).unwrap_or_default();
    (id.tier as usize * LEVELS.len() + level) * TASKS + usize::from(id.number) - 1
}

/// The names of one task.
pub(crate) struct Names<'a> {
    pub(crate) parts: &'a Parts,
    seed: u64,
    id: TaskId,
    used: [usize; KINDS],
}

impl<'a> Names<'a> {
    pub(crate) fn new(parts: &'a Parts, seed: u32, id: TaskId) -> Self {
        Names { parts, seed: u64::from(seed), id, used: [0; KINDS] }
    }

    /// The next name of a kind, as its parts.
    ///
    /// # Errors
    /// If the task has used all of its names.
    pub(crate) fn next(&mut self, kind: Kind) -> Result<Vec<&'a str>, Error> {
        let lists = kind.parts(self.parts);
        let used = self.used[kind as usize];
        self.used[kind as usize] += 1;
        let size: usize = lists.iter().map(Vec::len).product();
        let (first, capacity, salt) = match kind.capacity(usize::from(self.id.level)) {
            Some(capacity) => (self.first(kind), capacity, 0),
            None => (0, size, position(self.id) as u64 + 1),
        };
        if used >= capacity || first + capacity > size {
            return Err(Error::Names);
        }
        let key = SplitMix(self.seed ^ ((kind as u64) << 32) ^ (salt << 40)).next();
        let mut rest = permuted(first + used, size, key);
        Ok(lists
            .iter()
            .map(|list| {
                let word = list[rest % list.len()].as_str();
                rest /= list.len();
                word
            })
            .collect())
    }

    /// The first name of the task's range.
    pub(crate) fn first(&self, kind: Kind) -> usize {
        let of_level = |level: &u16| kind.capacity(usize::from(*level)).unwrap_or_default();
        let of_tier: usize = LEVELS.iter().map(of_level).sum::<usize>() * TASKS;
        let shorter = LEVELS.iter().filter(|level| **level < self.id.level);
        let before: usize = shorter.map(of_level).sum::<usize>() * TASKS;
        let own = of_level(&self.id.level) * (usize::from(self.id.number) - 1);
        of_tier * (self.id.tier as usize) + before + own
    }

    /// Every name of a kind, for tests.
    #[cfg(test)]
    pub(crate) fn all(parts: &Parts, kind: Kind) -> Vec<String> {
        let longer = |names: Vec<Vec<String>>, list: &Vec<String>| {
            let each = names.iter().flat_map(|name| {
                list.iter().map(move |word| [name.as_slice(), std::slice::from_ref(word)].concat())
            });
            each.collect()
        };
        let names = kind.parts(parts).iter().fold(vec![Vec::new()], longer);
        let joined = names.iter().map(|name| {
            let words: Vec<&str> = name.iter().map(String::as_str).collect();
            kind.join(&words)
        });
        joined.collect()
    }

    /// Whether the tasks of a seed fit into the names of every kind, for tests.
    #[cfg(test)]
    pub(crate) fn fit(parts: &Parts) -> bool {
        [
            Kind::Person,
            Kind::City,
            Kind::Organization,
            Kind::Genre,
            Kind::Occupation,
            Kind::Restaurant,
        ]
        .into_iter()
        .all(|kind| {
            let per: usize = LEVELS.iter().filter_map(|it| kind.capacity(usize::from(*it))).sum();
            let size: usize = kind.parts(parts).iter().map(Vec::len).product();
            per * TASKS * dataset::Tier::ALL.len() <= size
        })
    }
}

/// Maps `0..size` one to one onto itself: a Feistel network on the next even number of bits, repeated
/// until the result is below `size` (Black and Rogaway, "Ciphers with Arbitrary Finite Domains", 2002).
fn permuted(index: usize, size: usize, key: u64) -> usize {
    let half = (usize::BITS - size.leading_zeros()).div_ceil(2);
    let mask = (1_u64 << half) - 1;
    let mut value = index as u64;
    loop {
        let (mut left, mut right) = (value >> half, value & mask);
        for round in 0..4_u64 {
            let mixed = SplitMix(key ^ (round << 56) ^ right).next();
            (left, right) = (right, left ^ (mixed & mask));
        }
        value = (left << half) | right;
        if let Some(place) = usize::try_from(value).ok().filter(|place| *place < size) {
            return place;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::permuted;

    #[test]
    fn permutations_hit_every_place_once() {
        for size in [1, 2, 7, 64, 1000] {
            let mut places: Vec<usize> = (0..size).map(|index| permuted(index, size, 3)).collect();
            assert!(size < 7 || !places.is_sorted());
            places.sort_unstable();
            assert_eq!(places, (0..size).collect::<Vec<_>>());
        }
    }
}
