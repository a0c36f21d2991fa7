//! Plan chains: the number of calls, and how calls depend on each other.

use super::grounding;
use crate::ability::Ability;
use crate::dialogue::{Dialogue, RecordedCall};
use apis::{Suite, registry};
use serde_json::Value;

/// Allowed number of calls in a chain, without searches.
pub const CALLS: std::ops::RangeInclusive<usize> = 2..=6;

/// The strongest dependency between the calls of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Link {
    /// An argument needs an earlier result.
    Argument,
    /// A call failed or returned nothing, and the same API is called with an alternative.
    Fallback,
    /// A later call reads what an earlier one wrote, or writes what an earlier one read.
    State,
    /// None: only the reply combines the results.
    Reply,
}

/// Calls of a dialogue, without searches.
pub fn calls(dialogue: &Dialogue) -> Vec<&RecordedCall> {
    dialogue.calls().filter(|call| !call.is_search()).collect()
}

/// The strongest dependency in a dialogue; `year` is the prompt's.
pub fn link(dialogue: &Dialogue, year: i16) -> Link {
    let calls = calls(dialogue);
    if grounding::arguments(dialogue, year).iter().any(|argument| argument.from_result) {
        Link::Argument
    } else if calls.windows(2).any(|pair| pair[0].api_name == pair[1].api_name && is_empty(pair[0]))
    {
        Link::Fallback
    } else if shares_state(&calls) {
        Link::State
    } else {
        Link::Reply
    }
}

/// The Plan dialogues of a list.
pub fn plans(dialogues: &[Dialogue]) -> impl Iterator<Item = &Dialogue> {
    dialogues.iter().filter(|dialogue| dialogue.ability == Ability::Plan)
}

fn is_empty(call: &RecordedCall) -> bool {
    call.result.output.as_ref().is_none_or(holds_nothing)
}

fn holds_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.values().all(holds_nothing),
        _ => false,
    }
}

fn shares_state(calls: &[&RecordedCall]) -> bool {
    let apis: Vec<_> =
        calls.iter().filter_map(|call| registry::find(Suite::Planning, &call.api_name)).collect();
    apis.iter().enumerate().any(|(at, earlier)| {
        apis[at + 1..].iter().any(|later| {
            let touches = |tables: &[_], others: &[_]| tables.iter().any(|it| others.contains(it));
            touches(earlier.writes, later.reads) || touches(earlier.reads, later.writes)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A chain of calls after one requirement.
    fn chain(requirement: &str, calls: &[(&str, Value, Value)]) -> Dialogue {
        let apis: Vec<Value> = calls
            .iter()
            .map(|(name, input, output)| {
                json!({"api_name": name, "input": input, "output":
                    {"api_name": name, "input": input, "output": output, "exception": null}})
            })
            .collect();
        let file = json!({"requirement": requirement, "response": "ok", "apis": apis});
        Dialogue::read_plan("x.json", &file.to_string()).unwrap()
    }

    #[test]
    fn a_chain_is_classified_by_its_strongest_link() {
        let salary =
            ("GetOccupationSalary", json!({"occupation": "Nurse"}), json!({"salary": 58400}));
        let tax = ("TaxCalculator", json!({"salary": 58400}), json!({}));
        let asked = "What does a nurse keep after tax?";
        assert_eq!(link(&chain(asked, &[salary.clone(), tax.clone()]), 2024), Link::Argument);
        // The user gives the salary, so the second call does not need the first.
        let text = "A nurse earns 58400, isn't it? And after tax?";
        assert_eq!(link(&chain(text, &[salary, tax]), 2024), Link::Reply);
        let flight = |day: &str, found: Value| {
            ("FlightSearch", json!({"travel_dates": day}), json!({"flights": found}))
        };
        let days = "On 29 May, else on 30 May 2024?";
        let (none, one) = (flight("2024-05-29", json!([])), flight("2024-05-30", json!(["x"])));
        assert_eq!(link(&chain(days, &[none, one.clone()]), 2024), Link::Fallback);
        assert_eq!(link(&chain(days, &[one.clone(), one]), 2024), Link::Reply);
        let save = ("PersonalInfoUpdate", json!({}), json!({"status": "success"}));
        let read = ("AccountInfo", json!({}), json!({"phone": "1"}));
        assert_eq!(link(&chain("Save, then read.", &[save, read]), 2024), Link::State);
    }
}
