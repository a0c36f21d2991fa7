//! Amounts and times of day that a dialogue alone knows, drawn anew where it stays sound.

use super::following::{Following, compare};
use super::{Unsound, sound};
use apis::World;
use dataset::variant::redraw::{Amounts, Clocks, Shift, Swap};
use dataset::{Dialogue, Pack, Turn, Variant};
use exchange::protocol::replayed;

/// How often amounts are drawn for a dialogue before it keeps the old ones. Another draw may divide
/// without a remainder.
const AMOUNTS: usize = 6;
/// How often times are. Another draw may be free where this one is taken.
const TIMES: usize = 2;
/// How often results are put in place: one call may use the result of another.
const ROUNDS: usize = 4;

/// The dialogues of a variant that drew values of their own, by id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Redrawn {
    /// Those with other amounts.
    pub amounts: Vec<String>,
    /// Those with other times of day.
    pub times: Vec<String>,
}

/// What a dialogue is judged by.
pub(super) struct Judge<'a> {
    /// The variant, of which it is one.
    pub(super) variant: &'a Variant,
    /// The pack itself.
    pub(super) original: &'a Pack,
    /// The variant's world.
    pub(super) world: &'a World,
}

impl Judge<'_> {
    /// Whether the dialogue is sound; it with replayed results.
    pub(super) fn sound(&self, dialogue: &Dialogue) -> Result<Dialogue, Unsound> {
        sound(self.variant, dialogue, self.original, self.world)
    }

    /// The sound dialogue with amounts and times of its own, if it is sound with them, too.
    pub(super) fn redrawn(&self, dialogue: Dialogue, redrawn: &mut Redrawn) -> Dialogue {
        // The dialogues before it in the same conversation keep theirs, too.
        let Some(seed) = self.variant.pack.manifest.variant.filter(|_| dialogue.earlier == 0)
        else {
            return dialogue;
        };
        let mut dialogue = dialogue;
        let amounts = Amounts::of(&dialogue);
        let swaps = (0..AMOUNTS).map_while(|attempt| amounts.draw(seed, &dialogue, attempt));
        let new = swaps.filter_map(|swap| self.swapped(&dialogue, &swap)).next();
        if let Some(new) = new {
            redrawn.amounts.push(new.id.clone());
            dialogue = new;
        }
        let clocks = Clocks::of(&dialogue);
        let shifts = (0..TIMES).map_while(|attempt| clocks.draw(seed, &dialogue, attempt));
        let new = shifts.filter_map(|shift| self.shifted(&dialogue, &shift)).next();
        if let Some(new) = new {
            redrawn.times.push(new.id.clone());
            dialogue = new;
        }
        dialogue
    }

    /// The dialogue with other amounts, and with what is calculated from them. `None` if it is not
    /// sound.
    fn swapped(&self, old: &Dialogue, swap: &Swap) -> Option<Dialogue> {
        // Calculated numbers are arguments of later calls.
        let mut passed = swap.clone();
        for _ in 0..ROUNDS {
            let new = replayed(&passed.rewrite_dialogue(old), self.world);
            let derived = compare(old, &new, self.world, &|text| swap.rewrite(text))?;
            let known = passed.0.len();
            for it in &derived {
                let (was, is) = (it.old.abs(), it.new.abs());
                if swap.0.contains_key(&was) || *passed.0.entry(was).or_insert(is) != is {
                    return None;
                }
            }
            if passed.0.len() == known {
                let said = Following::new(old, swap, derived)?.tell()?;
                return self.sound(&with_calls_of(said, &new)).ok();
            }
        }
        None
    }

    /// The dialogue with its times moved. `None` if it is not sound.
    fn shifted(&self, old: &Dialogue, shift: &Shift) -> Option<Dialogue> {
        let new = replayed(&shift.rewrite_dialogue(old), self.world);
        let derived = compare(old, &new, self.world, &|text| shift.rewrite(text))?;
        derived.is_empty().then(|| self.sound(&new).ok()).flatten()
    }
}

/// What one dialogue says, with the calls of another.
fn with_calls_of(mut said: Dialogue, calls: &Dialogue) -> Dialogue {
    for (turn, other) in said.turns.iter_mut().zip(&calls.turns) {
        if let (Turn::Api(_), Turn::Api(_)) = (&*turn, other) {
            turn.clone_from(other);
        }
    }
    said
}
