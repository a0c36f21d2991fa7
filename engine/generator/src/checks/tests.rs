//! Plants faults in a valid plan; the first reason must have the fault's code.

use super::*;
use crate::{Code, Item, Tool};
use serde_json::{Value, json};

fn tools() -> Vec<Tool> {
    let tools = json!([
        {
            "name": "FerryTimetable",
            "description": "Lists the ferries that leave a harbour on a day.",
            "input_parameters": {
                "harbour": {"type": "str", "description": "The harbour."},
                "date": {"type": "str", "description": "The day. Format: %Y-%m-%d."},
                "cars": {"type": "int", "description": "How many cars.", "required": false}
            },
            "output_parameters": {
                "departures": {"type": "list(str)", "description": "Times of departure."}
            }
        },
        {
            "name": "FerryBooking",
            "description": "Books a place on a ferry.",
            "input_parameters": {
                "harbour": {"type": "str", "description": "The harbour."},
                "departure": {"type": "str", "description": "Time of departure, %H:%M."}
            },
            "output_parameters": {
                "ticket": {"type": "str", "description": "Number of the ticket."}
            }
        }
    ]);
    serde_json::from_value(tools).unwrap()
}

/// A valid plan: every argument is grounded.
fn plan() -> Value {
    json!({
        "id": "first-ferry", "ability": "plan", "time": "2026-06-01 08:00:00",
        "turns": [
            {"role": "User", "text": "Get me on the first boat out of Rosvik tomorrow, with two cars."},
            {"role": "API", "api_name": "ToolSearcher", "param_dict": {"keywords": "ferry departures"}, "finds": "FerryTimetable"},
            {"role": "API", "api_name": "FerryTimetable", "param_dict": {"harbour": "Rosvik", "date": "2026-06-02", "cars": 2}, "output": {"departures": ["06:45", "09:15"]}},
            {"role": "API", "api_name": "ToolSearcher", "param_dict": {"keywords": "book a place"}, "finds": "FerryBooking"},
            {"role": "API", "api_name": "FerryBooking", "param_dict": {"harbour": "Rosvik", "departure": "06:45"}, "output": {"ticket": "RV-118"}},
            {"role": "AI", "text": "You leave at 06:45; the ticket is RV-118."}
        ]
    })
}

/// The codes for a plan with one value replaced.
fn codes(pointer: &str, value: Value) -> Vec<&'static str> {
    let mut plan = plan();
    *plan.pointer_mut(pointer).unwrap() = value;
    let plan: Item = serde_json::from_value(plan).unwrap();
    let mut codes: Vec<&str> =
        item(&plan, &tools()).iter().map(|reason| reason.code.as_str()).collect();
    codes.dedup();
    codes
}

#[test]
fn a_good_plan_passes() {
    let plan: Item = serde_json::from_value(plan()).unwrap();
    assert_eq!(item(&plan, &tools()), []);
    let dialogue = plan.dialogue(&tools());
    assert_eq!(dialogue.id, "plan/first-ferry");
    let found = dialogue.calls().next().unwrap().result.output.clone().unwrap();
    assert_eq!(found["name"], "FerryTimetable");
}

#[test]
fn each_planted_fault_has_its_code() {
    for (pointer, value, code) in [
        ("/turns/2/api_name", json!("TrainTimetable"), "unknown-api"),
        ("/turns/1/finds", json!("FerryBooking"), "not-found"),
        ("/turns/1/finds", json!("TrainTimetable"), "bad-result"),
        ("/turns/1/param_dict", json!({"words": "ferry"}), "missing-argument"),
        ("/turns/2/param_dict", json!({"harbour": "Rosvik"}), "missing-argument"),
        ("/turns/2/param_dict/cars", json!("2"), "wrong-type"),
        ("/turns/2/param_dict/date", json!("tomorrow"), "wrong-type"),
        ("/turns/2/param_dict/date", json!("2026-06-03"), "ungrounded"),
        ("/turns/2/param_dict/harbour", json!("Bergen"), "ungrounded"),
        ("/turns/2/param_dict/cars", json!(7), "ungrounded"),
        ("/turns/4/param_dict/departure", json!("07:45"), "ungrounded"),
        ("/turns/2/output", json!({"departures": "06:45"}), "bad-result"),
        ("/turns/2/output", json!({"boats": []}), "bad-result"),
        ("/turns/2/output", json!(["06:45"]), "bad-result"),
        ("/ability", json!("call"), "ability"),
        ("/turns/0", json!({"role": "AI", "text": "Hello."}), "turns"),
        ("/turns/5", json!({"role": "User", "text": "Thanks."}), "turns"),
        ("/turns/5/text", json!("  "), "turns"),
    ] {
        let found = codes(pointer, value.clone());
        assert_eq!(found.first(), Some(&code), "{pointer} = {value}: {found:?}");
    }
    let none = codes("/ability", json!("retrieve"));
    assert!(
        none.is_empty(),
        "two searches and two calls are valid under Retrieve+Call too: {none:?}"
    );
    let mut extra = plan();
    extra["turns"][2]["param_dict"]["deck"] = json!(2);
    let extra: Item = serde_json::from_value(extra).unwrap();
    assert_eq!(item(&extra, &tools())[0].code, Code::UnknownArgument);
}

#[test]
fn near_duplicates_are_found_by_phrases_and_by_vectors() {
    let mut seen = Neighbours::default();
    let text = "Book me a berth for a nine metre boat in Rosvik harbour from Friday to Sunday.";
    seen.add("first", text, coded(&[1.0, 0.0]));
    let copy = "Please book me a berth for a nine metre boat in Rosvik harbour from Monday on.";
    let found = seen.duplicates(copy, &[0.0, 1.0]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].code, Code::NearDuplicate);
    let other = "What does a license for lobster fishing cost?";
    assert_eq!(seen.duplicates(other, &[0.8, 0.6]), []);
    assert_eq!(seen.duplicates(other, &[1.0, 0.01])[0].code, Code::SimilarMeaning);
}
