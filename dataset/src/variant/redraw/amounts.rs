//! Amounts: numbers in digits that the user states, a call passes on, and no database row holds.

use super::figures::{Billionths, Figure, figures, read, unit, written};
use super::{arguments, is_free_text, leaves, random, rewritten, utterances, worded};
use crate::dialogue::{Dialogue, RecordedCall, Turn};
use apis::{Kind, Param, Rule};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// Unit conversion factors in formulas.
const CONVERSIONS: [i128; 8] = [7, 12, 24, 52, 60, 100, 365, 1000];
/// Units in conversions that the user may dictate; their numbers are facts.
const CONVERTED: [&str; 7] =
    ["celsius", "fahrenheit", "feet", "gallons", "inches", "miles", "ounces"];
/// Maximum difference between the new and the old amount, in percent.
const REACH: i128 = 20;
/// Whole numbers that may be years.
const YEARS: std::ops::RangeInclusive<i128> = 1900..=2100;

/// The amounts of a dialogue that can be redrawn, and the numbers that limit them.
#[derive(Debug, Clone, Default)]
pub struct Amounts {
    /// The amounts, each with the fewest decimals it is written with.
    free: BTreeMap<Billionths, usize>,
    /// Percentages.
    percent: BTreeSet<Billionths>,
    /// Every other number in the dialogue.
    fixed: BTreeSet<Billionths>,
    /// The numbers that the user says or a call passes on.
    given: BTreeSet<Billionths>,
    /// The numbers of results.
    found: BTreeSet<Billionths>,
}

/// The new number for each old one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Swap(pub BTreeMap<Billionths, Billionths>);

impl Amounts {
    /// Finds the amounts of a dialogue.
    pub fn of(dialogue: &Dialogue) -> Self {
        let mut amounts = Amounts::default();
        if utterances(dialogue).any(|text| has_word(text, &CONVERTED)) {
            return amounts;
        }
        let said = amounts.read_said(dialogue);
        let mut taken = BTreeSet::new();
        let mut spoilt = spoilt(dialogue);
        for turn in &dialogue.turns {
            let Turn::Api(call) = turn else { continue };
            if !call.is_search() {
                taken.extend(amounts.read_arguments(call, dialogue, &said, &mut spoilt));
                amounts.read_result(call, &taken, &mut spoilt);
            }
        }
        amounts.free.retain(|value, _| !spoilt.contains(value));
        amounts.drop_related();
        let free: Vec<Billionths> = amounts.free.keys().copied().collect();
        free.iter().for_each(|value| {
            amounts.fixed.remove(value);
        });
        amounts
    }

    /// Reads the utterances; returns the user's plain numbers, each with its fewest decimals.
    fn read_said(&mut self, dialogue: &Dialogue) -> BTreeMap<Billionths, usize> {
        let mut said = BTreeMap::new();
        for turn in &dialogue.turns {
            let text = match turn {
                Turn::User { text } | Turn::Assistant { text, .. } => text,
                Turn::Api(_) => continue,
            };
            self.fixed.extend(worded(text));
            if matches!(turn, Turn::User { .. }) {
                self.given.extend(worded(text));
            }
            for figure in figures(text).iter().filter(|it| it.plain) {
                self.fixed.insert(figure.value);
                let after = text[figure.end..].trim_start();
                if after.starts_with('%') || after.starts_with("percent") {
                    self.percent.insert(figure.value);
                }
                if matches!(turn, Turn::User { .. }) {
                    keep_fewest(&mut said, figure);
                }
            }
        }
        self.given.extend(said.keys());
        said
    }

    /// Reads a call's arguments; returns their numbers.
    fn read_arguments(
        &mut self,
        call: &RecordedCall,
        dialogue: &Dialogue,
        said: &BTreeMap<Billionths, usize>,
        spoilt: &mut BTreeSet<Billionths>,
    ) -> BTreeSet<Billionths> {
        let mut all = BTreeSet::new();
        for (param, text) in arguments(call, dialogue) {
            for figure in figures(&text) {
                all.insert(figure.value);
                let converts = matches!(param.rule, Rule::Formula)
                    && CONVERSIONS.iter().any(|it| it * unit(0) == figure.value);
                let named = is_free_text(param) && follows_name(&text[..figure.start]);
                if !takes_amounts(param) {
                    // A date may contain the same number without meaning the amount.
                    if figure.plain {
                        spoilt.insert(figure.value);
                    }
                    continue;
                }
                self.given.insert(figure.value);
                if !figure.plain || converts || named {
                    spoilt.insert(figure.value);
                } else if let Some(decimals) = said.get(&figure.value) {
                    keep_fewest(&mut self.free, &Figure { decimals: *decimals, ..figure.clone() });
                    keep_fewest(&mut self.free, &figure);
                    self.fixed.insert(figure.value);
                } else {
                    self.fixed.insert(figure.value);
                }
            }
        }
        all
    }

    /// Reads a call's result: a number that no call has passed on comes from the databases.
    fn read_result(
        &mut self,
        call: &RecordedCall,
        passed: &BTreeSet<Billionths>,
        spoilt: &mut BTreeSet<Billionths>,
    ) {
        for text in call.result.output.iter().flat_map(leaves) {
            for figure in figures(&text).iter().filter(|it| it.plain) {
                self.fixed.insert(figure.value);
                self.found.insert(figure.value);
                if !passed.contains(&figure.value) {
                    spoilt.insert(figure.value);
                }
            }
        }
    }

    /// Drops given numbers that are the sum, difference or product of two others, and these two.
    fn drop_related(&mut self) {
        let all: Vec<Billionths> = self.given.difference(&self.found).copied().collect();
        let mut related = BTreeSet::new();
        for (at, a) in all.iter().enumerate() {
            for b in all.iter().skip(at + 1) {
                let product = a.checked_mul(*b).filter(|it| it % unit(0) == 0);
                let results = [Some(a + b), Some(b - a), product.map(|it| it / unit(0))];
                for result in results.into_iter().flatten() {
                    if all.contains(&result) && result != *a && result != *b {
                        related.extend([*a, *b, result]);
                    }
                }
            }
        }
        self.free.retain(|value, _| !related.contains(value));
    }

    /// Draws new amounts in the same order as the old ones; `None` if no amount can change.
    pub fn draw(&self, seed: u32, dialogue: &Dialogue, attempt: usize) -> Option<Swap> {
        let mut random = random(seed, "amounts", dialogue, attempt);
        let mut swap = Swap::default();
        for (old, decimals) in &self.free {
            let below = self.fixed.range(..old).next_back().copied();
            let lower = swap.0.values().next_back().copied().max(below).unwrap_or_default();
            let above = self.fixed.range(old..).next().copied();
            let next = self.free.range(old + 1..).next().map(|(next, _)| *next);
            let upper = [above, next].into_iter().flatten().min();
            let mut choice = candidates(*old, *decimals);
            choice.retain(|new| *new > lower && upper.is_none_or(|upper| *new < upper));
            if self.percent.contains(old) && *old <= 100 * unit(0) {
                choice.retain(|new| *new <= 100 * unit(0));
            }
            let drawn = choice.get(random.below(choice.len())).copied();
            swap.0.insert(*old, drawn.unwrap_or(*old));
        }
        swap.0.retain(|old, new| old != new);
        (!swap.0.is_empty()).then_some(swap)
    }
}

impl Swap {
    /// The text with every old number replaced.
    pub fn rewrite(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for figure in figures(text).iter().filter(|it| it.plain) {
            let Some(new) = self.0.get(&figure.value) else { continue };
            out.push_str(&text[at..figure.start]);
            // A calculated number may have more decimals than the one it replaces.
            let decimals = (figure.decimals..=9).find(|it| new % unit(*it) == 0);
            out.push_str(&written(*new, decimals.unwrap_or(9), figure.grouped));
            at = figure.end;
        }
        out + &text[at..]
    }

    /// The dialogue with every old number replaced, in utterances and in the arguments that take
    /// amounts.
    pub fn rewrite_dialogue(&self, dialogue: &Dialogue) -> Dialogue {
        rewritten(dialogue, takes_amounts, &|text| self.rewrite(text))
    }
}

/// Whether a parameter takes amounts: numbers that are no ids, codes or coordinates.
fn takes_amounts(param: &Param) -> bool {
    let names = ["_id", "_code"].iter().any(|end| param.name.ends_with(end));
    match param.kind {
        Kind::Integer | Kind::Number => !names && !matches!(param.rule, Rule::Degrees),
        Kind::RecordList(_) => true,
        Kind::Text => matches!(param.rule, Rule::Formula | Rule::Facts),
        _ => false,
    }
}

/// The numbers that must stay: numbers in words, ordinals, hours and days, and those in the dialogue's
/// entry of the hard split.
fn spoilt(dialogue: &Dialogue) -> BTreeSet<Billionths> {
    let mut spoilt: BTreeSet<Billionths> = [0, unit(0)].into();
    for text in utterances(dialogue) {
        spoilt.extend(worded(text));
        spoilt.extend(figures(text).iter().filter(|it| !it.plain).map(|it| it.value));
    }
    for text in leaves(&json!(dialogue.hard)) {
        spoilt.extend(worded(&text));
        spoilt.extend(figures(&text).iter().map(|it| it.value));
    }
    spoilt.extend(YEARS.map(|year| year * unit(0)));
    spoilt
}

fn keep_fewest(fewest: &mut BTreeMap<Billionths, usize>, figure: &Figure) {
    let decimals = fewest.entry(figure.value).or_insert(figure.decimals);
    *decimals = figure.decimals.min(*decimals);
}

/// Whether a number follows a capitalised word, as in "Platform 9".
fn follows_name(before: &str) -> bool {
    before.split_whitespace().next_back().is_some_and(|it| it.starts_with(char::is_uppercase))
}

fn has_word(text: &str, wanted: &[&str]) -> bool {
    crate::text::words::words(text).iter().any(|word| wanted.contains(&word.as_str()))
}

/// Numbers near an amount with the same number of digits, the same roundness and the same article.
fn candidates(old: Billionths, decimals: usize) -> Vec<Billionths> {
    let digits = |value: Billionths| written(value, decimals, false);
    let (shape, article) = (digits(old), takes_an(&digits(old)));
    let step = step(&shape) * unit(decimals);
    let reach = (old * REACH / 100).max(step);
    let fits = |new: &Billionths| {
        let text = digits(*new);
        let zeros = |text: &str| text.len() - text.trim_end_matches('0').len();
        let rounder = decimals > 0 && zeros(&text) > zeros(&shape);
        *new > 0
            // One needs a singular, and is usually written as a word.
            && *new != unit(0)
            && *new != old
            && text.len() == shape.len()
            && !rounder
            && takes_an(&text) == article
            && read(&text).is_some()
    };
    let steps = reach / step;
    (-steps..=steps).map(|by| old + by * step).filter(fits).collect()
}

/// The step between candidates, in units of the last digit; keeps the number as round as before.
fn step(shape: &str) -> i128 {
    let digits = shape.replace('.', "");
    let digits = digits.trim_start_matches('0');
    let kept = digits.trim_end_matches('0');
    let zeros = u32::try_from(digits.len() - kept.len()).unwrap_or_default();
    let round = 10_i128.pow(zeros);
    match (kept.len(), zeros) {
        (1, 0) => 1,
        (1, _) => round / 2,
        (_, 0) if kept.ends_with('5') => 5,
        _ => round,
    }
}

/// Whether a number takes the article "an".
fn takes_an(digits: &str) -> bool {
    let whole = digits.split('.').next().unwrap_or_default();
    let thousands = whole.len() % 3 == 2 && (whole.starts_with("11") || whole.starts_with("18"));
    whole.starts_with('8') || thousands
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ability::Ability;

    fn dialogue(said: &str, formula: &str) -> Dialogue {
        let lines = format!(
            r#"{{"role": "User", "text": "{said}"}}
{{"role": "API", "api_name": "Calculator", "param_dict": {{"formula": "{formula}"}}, "result": {{"api_name": "Calculator", "input": null, "output": 297.6, "exception": null}}}}
{{"role": "AI", "text": "It is 297.60."}}"#
        );
        Dialogue::read_lines("call/x.jsonl", Ability::Call, &lines).unwrap()
    }

    fn free(said: &str, formula: &str) -> Vec<String> {
        let amounts = Amounts::of(&dialogue(said, formula));
        amounts.free.iter().map(|(value, decimals)| written(*value, *decimals, false)).collect()
    }

    #[test]
    fn amounts_are_what_the_user_says_and_a_call_passes_on() {
        assert_eq!(free("46 jars at 7.50, minus 28", "46 * 7.50 - 28 - 3"), ["7.50", "28", "46"]);
        // Said in words, an ordinal, a conversion, a year, a sum of two others.
        assert_eq!(free("6 of us, all six, pay 90", "90 / 6"), ["90"]);
        assert_eq!(free("13 on the 13th, 40 more", "13 + 40"), ["40"]);
        assert_eq!(free("12 times 45", "12 * 45"), ["45"]);
        assert_eq!(free("2031 and 46", "2031 - 46"), ["46"]);
        assert!(free("30 and 20 are 50", "30 + 20").is_empty());
        assert!(free("36.4 Celsius times 1.8", "36.4 * 1.8").is_empty());
    }

    #[test]
    fn new_amounts_have_the_shape_and_order_of_the_old() {
        let dialogue = dialogue("46 jars at 7.50, minus 28 for 3 of us", "46 * 7.50 - 28 / 3");
        let amounts = Amounts::of(&dialogue);
        for seed in 0..200 {
            let Swap(new) = amounts.draw(seed, &dialogue, 0).unwrap();
            let drawn = |old: &str| {
                let old = read(old).unwrap().0;
                new.get(&old).copied().unwrap_or(old)
            };
            let sorted = ["3", "7.50", "28", "46"].map(drawn);
            assert!(sorted.is_sorted_by(|a, b| a < b), "{sorted:?}");
            assert_eq!(sorted[1] % unit(1), 0);
            assert_eq!(amounts.draw(seed, &dialogue, 0).unwrap().0, new);
        }
    }

    #[test]
    fn numbers_stay_as_round_as_they_are() {
        let texts = |old: &str| -> Vec<String> {
            let (value, decimals) = read(old).unwrap();
            candidates(value, decimals).iter().map(|it| written(*it, decimals, false)).collect()
        };
        assert_eq!(texts("40"), ["35", "45"]);
        assert_eq!(texts("1000"), ["1500"]);
        assert_eq!(texts("25"), ["20", "30"]);
        assert_eq!(texts("5.5"), ["4.5", "6.5"]);
        assert_eq!(texts("0.9"), ["0.8"]);
        assert_eq!(texts("85"), ["80"]);
        assert_eq!(texts("3"), ["2", "4"]);
        assert_eq!(texts("2"), ["3"]);
    }

    #[test]
    fn old_numbers_are_replaced_where_they_stand_alone() {
        let swap = Swap([(46 * unit(0), 43 * unit(0)), (unit(1) * 75, unit(1) * 77)].into());
        assert_eq!(
            swap.rewrite("46 jars, not 46th or H-46, at 7.50, (7.5 * 46), on 46-46."),
            "43 jars, not 46th or H-46, at 7.70, (7.7 * 43), on 46-46."
        );
    }
}
