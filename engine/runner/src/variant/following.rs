//! Propagates new amounts to calculated results and to the utterances that state them.

use apis::text::words::words;
use apis::{World, registry};
use dataset::variant::redraw::{
    Billionths, Figure, Swap, figures, leaves, read, unit, utterance, worded, written,
};
use dataset::{Dialogue, RecordedCall, Turn};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Words of comparison: with a new result, the sentence may no longer be true.
const COMPARING: [&str; 23] = [
    "above", "almost", "below", "cheaper", "double", "enough", "exceeds", "fewer", "half",
    "heavier", "higher", "less", "lighter", "longer", "lower", "more", "nearly", "over", "shorter",
    "than", "triple", "twice", "under",
];

/// A number that an API has calculated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Derived {
    /// Turn of the call.
    pub(super) turn: usize,
    /// The old number.
    pub(super) old: Billionths,
    /// The new number, with the same sign.
    pub(super) new: Billionths,
}

/// The calculated numbers that changed. `None` if a result or a database change differs in any other
/// way than by `rewrite`: then a value comes from a row, not from the dialogue.
pub(super) fn compare(
    old: &Dialogue,
    new: &Dialogue,
    world: &World,
    rewrite: &dyn Fn(&str) -> String,
) -> Option<Vec<Derived>> {
    let mut found = Vec::new();
    for (turn, pair) in old.turns.iter().zip(&new.turns).enumerate() {
        let (Turn::Api(old), Turn::Api(new)) = pair else { continue };
        if old.is_search() {
            continue;
        }
        let mut results = Results { turn, rewrite, found: &mut found };
        results.call(old, new)?;
        let mut others = old.alternatives.iter().zip(&new.alternatives);
        others.try_for_each(|(old, new)| results.call(old, new))?;
    }
    let mut changed = Vec::new();
    let mut results = Results { turn: 0, rewrite, found: &mut changed };
    results.value(&changes(old, world), &changes(new, world))?;
    changed.is_empty().then_some(found)
}

/// The database changes of a dialogue's calls, in order.
fn changes(dialogue: &Dialogue, fresh: &World) -> Value {
    let mut world = fresh.clone();
    let mut change = |call: &RecordedCall| {
        let before = world.clone();
        let api = registry::find(dialogue.ability.suite(), &call.api_name)?;
        api.call(&call.param_dict, &mut world);
        Some(json!(world.changes_since(&before)))
    };
    dialogue.calls().filter(|call| !call.is_search()).filter_map(&mut change).collect()
}

/// Compares the old and new results of a turn.
struct Results<'a> {
    turn: usize,
    rewrite: &'a dyn Fn(&str) -> String,
    found: &'a mut Vec<Derived>,
}

impl Results<'_> {
    fn call(&mut self, old: &RecordedCall, new: &RecordedCall) -> Option<()> {
        match (&old.result.exception, &new.result.exception) {
            (Some(old), Some(new)) if self.follows(old, new) => {}
            (None, None) => {}
            _ => return None,
        }
        match (&old.result.output, &new.result.output) {
            (Some(old), Some(new)) => self.value(old, new),
            (None, None) => Some(()),
            _ => None,
        }
    }

    fn value(&mut self, old: &Value, new: &Value) -> Option<()> {
        match (old, new) {
            (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
                old.iter().zip(new).try_for_each(|(old, new)| self.value(old, new))
            }
            (Value::Object(old), Value::Object(new)) if old.keys().eq(new.keys()) => {
                old.values().zip(new.values()).try_for_each(|(old, new)| self.value(old, new))
            }
            (Value::String(old), Value::String(new)) => self.follows(old, new).then_some(()),
            (Value::Number(old), Value::Number(new)) => {
                let (old, new) = (old.to_string(), new.to_string());
                if self.follows(&old, &new) {
                    return Some(());
                }
                let (old, new) = (signed(&old)?, signed(&new)?);
                let same_kind = old != new && old != 0 && old.signum() == new.signum();
                self.found.push(Derived { turn: self.turn, old, new });
                same_kind.then_some(())
            }
            (old, new) => (old == new).then_some(()),
        }
    }

    /// Whether the new text is the rewritten old one. A value from a database stays the same, so it is
    /// not.
    fn follows(&self, old: &str, new: &str) -> bool {
        (self.rewrite)(old) == new
    }
}

/// Parses a number with its sign.
fn signed(text: &str) -> Option<Billionths> {
    match text.strip_prefix('-') {
        Some(digits) => Some(-read(digits)?.0),
        None => Some(read(text)?.0),
    }
}

fn follows_article(before: &str) -> bool {
    words(before).last().is_some_and(|word| matches!(word.as_str(), "a" | "an"))
}

/// Rewrites the utterances of a dialogue for new amounts.
pub(super) struct Following<'a> {
    old: &'a Dialogue,
    swap: &'a Swap,
    derived: Vec<Derived>,
    /// Turn of the first call with a new argument.
    changed: usize,
    /// Numbers with another source: stated before that call, or in an argument or result.
    known: BTreeSet<Billionths>,
    /// The new number for every number in the dialogue.
    order: BTreeMap<Billionths, Billionths>,
}

impl<'a> Following<'a> {
    /// `None` if no call passes on an amount.
    pub(super) fn new(old: &'a Dialogue, swap: &'a Swap, derived: Vec<Derived>) -> Option<Self> {
        let passes = |call: &RecordedCall| {
            let texts = call.param_dict.values().flat_map(leaves);
            texts.flat_map(|text| figures(&text)).any(|it| swap.0.contains_key(&it.value))
        };
        let is_changed = |turn: &Turn| turn.as_call().is_some_and(passes);
        let changed = old.turns.iter().position(is_changed)?;
        let mut known = BTreeSet::new();
        for (turn, said) in old.turns.iter().enumerate() {
            let texts = match said {
                Turn::Api(call) if call.is_search() => Vec::new(),
                Turn::Api(call) => {
                    call.param_dict.values().chain(&call.result.output).flat_map(leaves).collect()
                }
                said if turn < changed => {
                    let text = utterance(said).unwrap_or_default().to_owned();
                    known.extend(worded(&text));
                    vec![text]
                }
                _ => Vec::new(),
            };
            known.extend(texts.iter().flat_map(|text| figures(text)).map(|it| it.value));
        }
        derived.iter().for_each(|it| {
            known.remove(&it.old.abs());
        });
        let order = swap.0.clone();
        Some(Following { old, swap, derived, changed, known, order })
    }

    /// The dialogue with rewritten utterances. `None` if one might be false.
    pub(super) fn tell(mut self) -> Option<Dialogue> {
        for it in self.derived.clone() {
            self.maps(it.old.abs(), it.new.abs())?;
        }
        let mut dialogue = self.old.clone();
        for (turn, said) in dialogue.turns.iter_mut().enumerate() {
            if let Turn::User { text } | Turn::Assistant { text, .. } = said {
                if turn > self.changed && !self.is_plain_talk(text) {
                    return None;
                }
                *text = self.told(turn, text)?;
            }
        }
        self.keeps_order().then_some(dialogue)
    }

    /// Whether a text compares no changed result and has no new number in words.
    fn is_plain_talk(&self, text: &str) -> bool {
        let compares = !self.derived.is_empty()
            && words(text).iter().any(|word| COMPARING.contains(&word.as_str()));
        let is_known = |number: &Billionths| *number == unit(0) || self.known.contains(number);
        !compares && worded(text).iter().all(is_known)
    }

    /// A turn's utterance with the new numbers.
    fn told(&mut self, turn: usize, text: &str) -> Option<String> {
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for figure in figures(text).iter().filter(|it| it.plain) {
            let new = match self.swap.0.get(&figure.value) {
                Some(_) => self.swap.rewrite(&text[figure.start..figure.end]),
                None => match self.calculated(turn, figure)? {
                    // "An 825" might need to become "a 910".
                    Some(_) if follows_article(&text[..figure.start]) => return None,
                    Some(new) => new,
                    None if turn < self.changed || self.known.contains(&figure.value) => continue,
                    // The speaker derived it in an unknown way.
                    None => return None,
                },
            };
            self.maps(figure.value, read(&new.replace(',', ""))?.0)?;
            out.push_str(&text[at..figure.start]);
            out.push_str(&new);
            at = figure.end;
        }
        Some(out + &text[at..])
    }

    /// The new text of a calculated number; `Some(None)` if the number is not calculated. `None` if it
    /// can't be stated like the old one, exactly or rounded.
    fn calculated(&self, turn: usize, figure: &Figure) -> Option<Option<String>> {
        let step = unit(figure.decimals);
        let rounded = |value: Billionths| (value.abs() + step / 2) / step * step;
        let is_it = |it: &&Derived| {
            it.turn < turn && rounded(it.old) == figure.value && figure.value >= step * 10
        };
        let Some(it) = self.derived.iter().find(is_it) else { return Some(None) };
        let others = self.derived.iter().filter(is_it);
        if others.into_iter().any(|other| other.new != it.new) {
            return None;
        }
        // An exact number stays exact in as many decimals, and a rounded one stays rounded.
        if (it.old % step == 0) != (it.new % step == 0) {
            return None;
        }
        let value = rounded(it.new);
        // One needs a singular.
        let told = value > unit(0) || figure.value < unit(0);
        told.then(|| Some(written(value, figure.decimals, figure.grouped)))
    }

    /// Records a number's new value. `None` if it has another one already.
    fn maps(&mut self, old: Billionths, new: Billionths) -> Option<()> {
        (*self.order.entry(old).or_insert(new) == new).then_some(())
    }

    /// Whether the new numbers are in the same order as the old ones.
    fn keeps_order(mut self) -> bool {
        for said in self.old.turns.iter().filter_map(utterance) {
            let told = figures(said).into_iter().filter(|it| it.plain).map(|it| it.value);
            for number in told.chain(worded(said)) {
                self.order.entry(number).or_insert(number);
            }
        }
        for call in self.old.calls().filter(|call| !call.is_search()) {
            let texts: Vec<String> = call.result.output.iter().flat_map(leaves).collect();
            for number in texts.iter().filter_map(|text| signed(text)) {
                self.order.entry(number.abs()).or_insert(number.abs());
            }
        }
        self.order.values().is_sorted_by(|one, next| one < next)
    }
}
