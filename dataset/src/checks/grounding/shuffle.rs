//! Measures the sensitivity of the grounding check by swapping arguments between dialogues.

use super::{Seen, ground};
use crate::dialogue::{Dialogue, Turn};
use crate::random::SplitMix;
use apis::{Api, Param, registry};
use std::collections::BTreeMap;

/// The result of swapping arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caught {
    /// Arguments replaced by another dialogue's.
    pub planted: usize,
    /// The subset that no rule grounds.
    pub caught: usize,
}

impl Caught {
    /// The share caught, 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "counts of a data set stay far below 2^52")]
    pub fn share(self) -> f64 {
        if self.planted == 0 { 0.0 } else { self.caught as f64 / self.planted as f64 }
    }
}

/// An argument and its position.
struct Slot<'a> {
    dialogue: &'a Dialogue,
    turn: usize,
    api: &'static Api,
    param: &'static Param,
    value: String,
}

/// Replaces each argument with another dialogue's value for the same parameter, chosen by `seed`,
/// and counts those that are no longer grounded. Skips searches, whose keywords are judged with their
/// result, and arguments for which no other value exists.
pub fn shuffled(dialogues: &[Dialogue], year: i16, seed: u64) -> Caught {
    let slots: Vec<Slot<'_>> = dialogues.iter().flat_map(slots).collect();
    let mut pools: BTreeMap<(&str, &str), Vec<&Slot<'_>>> = BTreeMap::new();
    for slot in &slots {
        pools.entry((slot.api.name, slot.param.name)).or_default().push(slot);
    }
    let mut random = SplitMix(seed);
    let mut result = Caught { planted: 0, caught: 0 };
    for slot in &slots {
        let pool = &pools[&(slot.api.name, slot.param.name)];
        let others: Vec<&&Slot<'_>> = pool
            .iter()
            .filter(|entry| entry.dialogue.id != slot.dialogue.id && entry.value != slot.value)
            .collect();
        let Some(other) = pick(&others, &mut random) else { continue };
        let seen = Seen::before(slot.dialogue, slot.turn, year);
        result.planted += 1;
        let grounded = ground(slot.api, slot.param, &other.value, &seen).is_some();
        result.caught += usize::from(!grounded);
    }
    result
}

fn slots(dialogue: &Dialogue) -> Vec<Slot<'_>> {
    let suite = dialogue.ability.suite();
    let mut slots = Vec::new();
    for (turn, said) in dialogue.turns.iter().enumerate() {
        let Turn::Api(call) = said else { continue };
        if call.is_search() {
            continue;
        }
        let Some(api) = registry::find(suite, &call.api_name) else { continue };
        for (param, value) in super::values(api, call) {
            slots.push(Slot { dialogue, turn, api, param, value });
        }
    }
    slots
}

/// A random item. By remainder, not [`SplitMix::below`]: the published figures depend on it.
fn pick<'a, T>(list: &'a [T], random: &mut SplitMix) -> Option<&'a T> {
    let drawn = random.next();
    let length = u64::try_from(list.len()).ok().filter(|length| *length > 0)?;
    usize::try_from(drawn % length).ok().and_then(|at| list.get(at))
}
