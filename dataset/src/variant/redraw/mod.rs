//! Redraws amounts, times of day and days that occur in one dialogue and in no database.
//!
//! These are proposals. `runner` replays the dialogue with them, and keeps the old values if it is no
//! longer sound.

mod amounts;
mod clocks;
mod days;
mod figures;

pub use amounts::{Amounts, Swap};
pub use clocks::{Clocks, Shift};
pub use days::{Days, Move};
pub use figures::{Billionths, Figure, figures, read, unit, written};

use crate::checks::grounding::said_numbers;
use crate::dialogue::{Dialogue, RecordedCall, Turn};
use crate::random::{SplitMix, draw};
use apis::{Kind, Param, Rule, registry};
use serde_json::Value;

/// The random numbers for one attempt at one dialogue.
fn random(seed: u32, what: &str, dialogue: &Dialogue, attempt: usize) -> SplitMix {
    let drawn = draw(seed, &format!("{what} {} {attempt}", dialogue.id));
    let first = drawn.first_chunk().copied().unwrap_or_default();
    SplitMix(u64::from_le_bytes(first))
}

/// The utterances of user and assistant.
pub fn utterances(dialogue: &Dialogue) -> impl Iterator<Item = &str> {
    dialogue.turns.iter().filter_map(utterance)
}

/// A turn's utterance; `None` for a call.
pub fn utterance(turn: &Turn) -> Option<&str> {
    match turn {
        Turn::User { text } | Turn::Assistant { text, .. } => Some(text),
        Turn::Api(_) => None,
    }
}

/// The numbers written as words.
pub fn worded(text: &str) -> Vec<Billionths> {
    let text = text.replace(|c: char| c.is_ascii_digit(), " ");
    #[expect(clippy::cast_possible_truncation, reason = "numbers in words are small")]
    let billionths = |number: f64| (number.abs() * 1e9).round() as Billionths;
    said_numbers(&text).into_iter().map(billionths).collect()
}

/// The strings and numbers in a value, as text.
pub fn leaves(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Number(number) => vec![number.to_string()],
        Value::Array(items) => items.iter().flat_map(leaves).collect(),
        Value::Object(fields) => fields.values().flat_map(leaves).collect(),
        _ => Vec::new(),
    }
}

/// Rewrites the strings and numbers of a value; object keys stay.
fn rewrite(value: &mut Value, new: &dyn Fn(&str) -> String) {
    match value {
        Value::String(text) => *text = new(text),
        Value::Number(number) => {
            if let Ok(other) = new(&number.to_string()).parse() {
                *number = other;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rewrite(item, new)),
        Value::Object(fields) => fields.values_mut().for_each(|field| rewrite(field, new)),
        _ => {}
    }
}

/// The dialogue with its utterances rewritten, and the arguments whose parameter `takes` accepts.
fn rewritten(
    dialogue: &Dialogue,
    takes: fn(&Param) -> bool,
    new: &dyn Fn(&str) -> String,
) -> Dialogue {
    let mut dialogue = dialogue.clone();
    let suite = dialogue.ability.suite();
    let arguments = |call: &mut RecordedCall| {
        let Some(api) = registry::find(suite, &call.api_name) else { return };
        for (name, value) in &mut call.param_dict {
            if api.param(name).is_some_and(takes) {
                rewrite(value, new);
            }
        }
    };
    for turn in &mut dialogue.turns {
        match turn {
            Turn::User { text } | Turn::Assistant { text, .. } => *text = new(text),
            Turn::Api(call) if call.is_search() => {}
            Turn::Api(call) => {
                arguments(call);
                call.alternatives.iter_mut().for_each(arguments);
            }
        }
    }
    dialogue
}

/// The strings and numbers in a call's arguments, with their parameters; alternatives included.
fn arguments(call: &RecordedCall, dialogue: &Dialogue) -> Vec<(&'static Param, String)> {
    let suite = dialogue.ability.suite();
    let mut found = Vec::new();
    for call in std::iter::once(call).chain(&call.alternatives) {
        let Some(api) = registry::find(suite, &call.api_name) else { continue };
        for (name, value) in &call.param_dict {
            let Some(param) = api.param(name) else { continue };
            found.extend(leaves(value).into_iter().map(|text| (param, text)));
        }
    }
    found
}

/// Whether a parameter takes free words.
fn is_free_text(param: &Param) -> bool {
    matches!(param.kind, Kind::Text) && matches!(param.rule, Rule::Facts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin;

    #[test]
    fn new_values_are_like_the_old_ones() {
        let pack = builtin().unwrap();
        let (mut amounts, mut times) = (0, 0);
        for dialogue in pack.dialogues.iter().chain(&pack.hard) {
            let (free, clocks) = (Amounts::of(dialogue), Clocks::of(dialogue));
            for seed in 0..100 {
                if let Some(swap) = free.draw(seed, dialogue, 0) {
                    assert_eq!(free.draw(seed, dialogue, 0).as_ref(), Some(&swap));
                    let (old, new): (Vec<_>, Vec<_>) = swap.0.iter().unzip();
                    assert!(new.is_sorted_by(|one, next| one < next), "{}", dialogue.id);
                    let digits = |value: Billionths| (value / unit(0)).to_string().len();
                    let same = |(old, new): (&&Billionths, &&Billionths)| {
                        digits(**old) == digits(**new) && **new > 0 && **new != unit(0)
                    };
                    assert!(old.iter().zip(&new).all(same), "{}: {swap:?}", dialogue.id);
                    amounts += 1;
                }
                if let Some(shift) = clocks.draw(seed, dialogue, 0) {
                    assert_eq!(clocks.draw(seed, dialogue, 0).as_ref(), Some(&shift));
                    assert_ne!(shift.rewrite_dialogue(dialogue).turns, dialogue.turns);
                    times += 1;
                }
            }
        }
        println!("100 seeds propose amounts {amounts} times, times of day {times} times");
        assert!(amounts >= 2000 && times >= 1000, "{amounts} {times}");
    }
}
