//! Checks the order of turns, and the numbers of searches and calls that an ability allows.

use crate::{Code, Item, Reason, Turn};
use dataset::Ability;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// Maximum length of a dialogue, in turns.
const MAX_TURNS: usize = 40;

/// Allowed numbers of searches, calls and distinct APIs.
fn limits(ability: Ability) -> [RangeInclusive<usize>; 3] {
    match ability {
        Ability::Call => [0..=0, 1..=8, 1..=8],
        Ability::Retrieve => [1..=2, 1..=4, 1..=2],
        Ability::Plan => [2..=6, 2..=8, 2..=6],
    }
}

pub(super) fn check(item: &Item) -> Vec<Reason> {
    let mut reasons = order(item);
    reasons.extend(counts(item));
    reasons
}

fn order(item: &Item) -> Vec<Reason> {
    let turns = &item.turns;
    let mut reasons = Vec::new();
    let mut wrong = |detail: String| reasons.push(Reason::new(Code::Turns, detail));
    if !matches!(turns.first(), Some(Turn::User { .. })) {
        wrong("turn 0: expected the user to speak first".to_owned());
    }
    if !matches!(turns.last(), Some(Turn::Assistant { .. })) {
        wrong("the last turn: expected a reply of the assistant".to_owned());
    }
    if turns.len() > MAX_TURNS {
        wrong(format!("expected at most {MAX_TURNS} turns, got {}", turns.len()));
    }
    for (at, turn) in turns.iter().enumerate() {
        match turn {
            Turn::User { text } | Turn::Assistant { text } if text.trim().is_empty() => {
                wrong(format!("turn {at}: the text is empty"));
            }
            Turn::User { .. } if at > 0 && !matches!(turns[at - 1], Turn::Assistant { .. }) => {
                wrong(format!("turn {at}: expected a reply before the user speaks again"));
            }
            Turn::Assistant { .. } if at > 0 && matches!(turns[at - 1], Turn::Assistant { .. }) => {
                wrong(format!("turn {at}: the assistant replies twice"));
            }
            _ => {}
        }
    }
    let said = turns.iter().filter(|turn| !matches!(turn, Turn::Api(_))).count();
    if item.ability == Ability::Plan && said != 2 {
        wrong(format!(
            "expected one requirement, calls and one reply in a plan, got {said} utterances"
        ));
    }
    reasons
}

fn counts(item: &Item) -> Vec<Reason> {
    let searches = item.calls().filter(|call| call.is_search()).count();
    let calls: Vec<&str> =
        item.calls().filter(|call| !call.is_search()).map(|call| call.api_name.as_str()).collect();
    let distinct = calls.iter().collect::<BTreeSet<_>>().len();
    let found = [("searches", searches), ("calls", calls.len()), ("different APIs", distinct)];
    found
        .into_iter()
        .zip(limits(item.ability))
        .filter(|((_, count), limits)| !limits.contains(count))
        .map(|((what, count), limits)| {
            let (low, high) = (limits.start(), limits.end());
            let range = if low == high { low.to_string() } else { format!("{low} to {high}") };
            let title = item.ability.title();
            Reason::new(Code::Ability, format!("{title}: expected {range} {what}, got {count}"))
        })
        .collect()
}
