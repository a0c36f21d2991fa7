//! How much the check of grounding notices: arguments are swapped between dialogues at random.

use super::{Seen, ground};
use crate::dialogue::{Dialogue, Turn};
use crate::random::SplitMix;
use apis::search::TOOL_SEARCHER;
use apis::{Api, Param, registry};
use std::collections::BTreeMap;

/// What came out of swapping arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caught {
    /// Arguments that were replaced by another dialogue's.
    pub planted: usize,
    /// Those that no rule grounds any more.
    pub caught: usize,
}

impl Caught {
    /// The caught part, 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "counts of a data set stay far below 2^52")]
    pub fn share(self) -> f64 {
        if self.planted == 0 { 0.0 } else { self.caught as f64 / self.planted as f64 }
    }
}

/// One argument and where it stands.
struct Slot<'a> {
    dialogue: &'a Dialogue,
    turn: usize,
    api: &'static Api,
    param: &'static Param,
    value: String,
}

/// Gives each argument the value that another dialogue has for the same parameter, chosen by
/// `seed`, and counts those that are no longer grounded. Searches are left out: their keywords
/// are judged with the result that they gave. An argument keeps its place when no other value exists.
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
            .filter(|it| it.dialogue.id != slot.dialogue.id && it.value != slot.value)
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
        if call.api_name == TOOL_SEARCHER {
            continue;
        }
        let Some(api) = registry::find(suite, &call.api_name) else { continue };
        for (param, value) in super::values(api, call) {
            slots.push(Slot { dialogue, turn, api, param, value });
        }
    }
    slots
}

/// One of a list. The rest of a division, not [`SplitMix::below`]: the published figures hang on it.
fn pick<'a, T>(list: &'a [T], random: &mut SplitMix) -> Option<&'a T> {
    let drawn = random.next();
    let length = u64::try_from(list.len()).ok().filter(|length| *length > 0)?;
    usize::try_from(drawn % length).ok().and_then(|at| list.get(at))
}
