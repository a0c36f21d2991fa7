//! Prepares variants of the built-in pack: replays results, and drops dialogues that are no longer sound.

use apis::search::SearchResults;
use apis::{ApiResult, World};
use dataset::checks::{grounding, replies::replies};
use dataset::variant::Lexicon;
use dataset::{Dialogue, Pack, RecordedCall, Turn, Variant};
use exchange::protocol::replayed;
use serde_json::Value;

/// The shortest value that counts as derived: tokens, codes and ids are not shorter.
const SHORTEST_DERIVED: usize = 6;
/// How often derived values are put in place: one call may derive its value from another's.
const ROUNDS: usize = 8;

/// Why a variant leaves a dialogue out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unsound {
    /// A replay returns something else than the original, at this turn.
    Result(usize),
    /// Nothing grounds an argument: `<api>.<parameter> = <value>`.
    Ungrounded(String),
    /// A reply tells the result of its call in the original only, or in the variant only.
    Reply(String),
    /// A value of the original is left.
    Remainder(String),
}

/// A variant that is ready to run.
#[derive(Debug)]
pub struct Settled {
    /// Its pack with replayed results and without unsound dialogues.
    pub pack: Pack,
    /// The dialogues that it leaves out, by id.
    pub left_out: Vec<(String, Unsound)>,
}

/// Settles a variant. `world` is the variant's, with API Search.
pub fn settled(variant: Variant, original: &Pack, world: &World) -> Settled {
    // The files record the best result of each search.
    let mut world = world.clone();
    world.search.results = SearchResults::One;
    let mut left_out = Vec::new();
    let mut settle = |dialogues: &[Dialogue]| -> Vec<Dialogue> {
        let keep = |dialogue: &Dialogue| match sound(&variant, dialogue, original, &world) {
            Ok(dialogue) => Some(dialogue),
            Err(reason) => {
                left_out.push((dialogue.id.clone(), reason));
                None
            }
        };
        dialogues.iter().filter_map(keep).collect()
    };
    let dialogues = settle(&variant.pack.dialogues);
    let hard = settle(&variant.pack.hard);
    Settled { pack: Pack { dialogues, hard, ..variant.pack }, left_out }
}

/// The dialogue with replayed results.
fn sound(
    variant: &Variant,
    dialogue: &Dialogue,
    original: &Pack,
    world: &World,
) -> Result<Dialogue, Unsound> {
    let dialogue = with_derived(dialogue, world)?;
    if let Some(left) = variant.remainder(&dialogue) {
        return Err(Unsound::Remainder(left));
    }
    let year = |pack: &Pack| pack.manifest.today.0.year();
    let arguments = grounding::arguments(&dialogue, year(&variant.pack));
    if let Some(it) = arguments.iter().find(|argument| argument.ground.is_none()) {
        return Err(Unsound::Ungrounded(format!("{}.{} = {}", it.api, it.param, it.value)));
    }
    let before = original.dialogue(&dialogue.id).map(replies).unwrap_or_default();
    let differs = |(old, new): &(_, _)| mentions(old) != mentions(new);
    let after = replies(&dialogue);
    match before.iter().zip(&after).find(differs) {
        Some((_, reply)) => Err(Unsound::Reply(reply.step.clone())),
        None => Ok(dialogue),
    }
}

fn mentions(reply: &&dataset::checks::replies::Reply) -> Option<bool> {
    reply.mentions
}

/// The dialogue replayed, with the ids, codes and tokens that APIs derive from their arguments put in
/// place wherever the dialogue tells or uses them.
fn with_derived(dialogue: &Dialogue, world: &World) -> Result<Dialogue, Unsound> {
    let mut dialogue = dialogue.clone();
    for _ in 0..ROUNDS {
        let new = replayed(&dialogue, world);
        let mut derived = Lexicon::default();
        let mut pairs = dialogue.turns.iter().zip(&new.turns).enumerate();
        let other = pairs.find_map(|(turn, pair)| match pair {
            (Turn::Api(old), Turn::Api(new)) => {
                compare(old, new, &mut derived).err().map(|()| turn)
            }
            _ => None,
        });
        // A call that uses a derived value fails until that value is in place.
        match other {
            _ if !derived.is_empty() => dialogue = derived.rewrite_dialogue(&dialogue),
            Some(turn) => return Err(Unsound::Result(turn)),
            None => return Ok(new),
        }
    }
    Err(Unsound::Result(0))
}

/// Compares a call's recorded results with the replayed ones; adds derived values that differ.
/// An error if anything else differs.
fn compare(old: &RecordedCall, new: &RecordedCall, derived: &mut Lexicon) -> Result<(), ()> {
    if old.is_search() {
        // What it finds is documentation, whose examples are those of the original.
        let found = |call: &RecordedCall| call.result.output.as_ref()?.get("name").cloned();
        return if found(old) == found(new) { Ok(()) } else { Err(()) };
    }
    results(&old.result, &new.result, derived)?;
    let mut pairs = old.alternatives.iter().zip(&new.alternatives);
    pairs.try_for_each(|(old, new)| results(&old.result, &new.result, derived))
}

fn results(old: &ApiResult, new: &ApiResult, derived: &mut Lexicon) -> Result<(), ()> {
    if old.exception != new.exception {
        return Err(());
    }
    match (&old.output, &new.output) {
        (Some(old), Some(new)) => values(old, new, derived),
        (old, new) => {
            if old == new {
                Ok(())
            } else {
                Err(())
            }
        }
    }
}

fn values(old: &Value, new: &Value, derived: &mut Lexicon) -> Result<(), ()> {
    match (old, new) {
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            old.iter().zip(new).try_for_each(|(old, new)| values(old, new, derived))
        }
        (Value::Object(old), Value::Object(new)) if old.len() == new.len() => {
            old.iter().zip(new).try_for_each(|((old_key, old), (new_key, new))| {
                texts(old_key, new_key, derived)?;
                values(old, new, derived)
            })
        }
        (Value::String(old), Value::String(new)) => texts(old, new, derived),
        (Value::Number(old), Value::Number(new)) => {
            texts(&old.to_string(), &new.to_string(), derived)
        }
        (old, new) => {
            if old == new {
                Ok(())
            } else {
                Err(())
            }
        }
    }
}

fn texts(old: &str, new: &str, derived: &mut Lexicon) -> Result<(), ()> {
    if old == new {
        return Ok(());
    }
    let is_derived = |text: &str| {
        text.len() >= SHORTEST_DERIVED
            && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
            && text.bytes().any(|byte| byte.is_ascii_digit())
    };
    if !(is_derived(old) && is_derived(new)) {
        return Err(());
    }
    derived.add(old, new);
    Ok(())
}
