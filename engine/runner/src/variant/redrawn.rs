//! Redraws amounts, times of day and days in dialogues that stay sound with them.

use super::following::{Following, compare};
use super::{Unsound, results, sound};
use apis::World;
use dataset::variant::Lexicon;
use dataset::variant::redraw::{Amounts, Clocks, Days, Move, Shift, Swap};
use dataset::{Dialogue, Pack, Turn, Variant};
use exchange::protocol::replayed;

/// Maximum attempts to draw amounts for a dialogue. Another draw may divide without a remainder.
const AMOUNTS: usize = 6;
/// Maximum attempts to draw times. Another draw may hit a free slot.
const TIMES: usize = 2;
/// Maximum attempts to draw days. Another draw may find a free hotel.
const DAYS: usize = 4;
/// Maximum rounds of inserting results: one call may use the result of another.
const ROUNDS: usize = 4;

/// The ids of the redrawn dialogues of a variant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Redrawn {
    /// Dialogues with new amounts.
    pub amounts: Vec<String>,
    /// Dialogues with new times of day.
    pub times: Vec<String>,
    /// Dialogues with new days.
    pub days: Vec<String>,
}

/// Judges whether a dialogue is sound.
pub(super) struct Judge<'a> {
    /// The variant.
    pub(super) variant: &'a Variant,
    /// The original pack.
    pub(super) original: &'a Pack,
    /// The variant's world.
    pub(super) world: &'a World,
}

impl Judge<'_> {
    /// The dialogue with replayed results, or why it is not sound.
    pub(super) fn sound(&self, dialogue: &Dialogue) -> Result<Dialogue, Unsound> {
        sound(self.variant, dialogue, self.original, self.world)
    }

    /// Redraws amounts, times and days of a sound dialogue; keeps the old ones if it would not stay sound.
    pub(super) fn redrawn(&self, dialogue: Dialogue, redrawn: &mut Redrawn) -> Dialogue {
        // Earlier dialogues in the same conversation keep theirs, so this one does too.
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
        let days = Days::of(&dialogue, self.variant.pack.manifest.today.0);
        let moves = (0..DAYS).map_while(|attempt| days.draw(seed, &dialogue, attempt));
        let new = moves.filter_map(|by| self.moved(&dialogue, &by)).next();
        if let Some(new) = new {
            redrawn.days.push(new.id.clone());
            dialogue = new;
        }
        dialogue
    }

    /// The dialogue with new amounts and the results calculated from them. `None` if it is not sound.
    fn swapped(&self, old: &Dialogue, swap: &Swap) -> Option<Dialogue> {
        // Later calls may use calculated numbers as arguments.
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

    /// The dialogue with its times shifted. `None` if it is not sound.
    fn shifted(&self, old: &Dialogue, shift: &Shift) -> Option<Dialogue> {
        let new = replayed(&shift.rewrite_dialogue(old), self.world);
        let derived = compare(old, &new, self.world, &|text| shift.rewrite(text))?;
        derived.is_empty().then(|| self.sound(&new).ok()).flatten()
    }

    /// The dialogue with its days moved, and ids that are derived from them. `None` if it is not sound.
    fn moved(&self, old: &Dialogue, by: &Move) -> Option<Dialogue> {
        let proposed = by.rewrite_dialogue(old);
        let new = self.sound(&proposed).ok()?;
        let mut derived = Lexicon::default();
        for (old, new) in proposed.calls().zip(new.calls()).filter(|(old, _)| !old.is_search()) {
            results(&old.result, &new.result, &mut derived).ok()?;
        }
        let rewrite = |text: &str| derived.rewrite(&by.rewrite(text));
        compare(old, &new, self.world, &rewrite)?.is_empty().then_some(new)
    }
}

/// The utterances of one dialogue with the calls of another.
fn with_calls_of(mut said: Dialogue, calls: &Dialogue) -> Dialogue {
    for (turn, other) in said.turns.iter_mut().zip(&calls.turns) {
        if let (Turn::Api(_), Turn::Api(_)) = (&*turn, other) {
            turn.clone_from(other);
        }
    }
    said
}
