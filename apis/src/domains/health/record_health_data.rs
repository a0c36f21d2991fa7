//! RecordHealthData: store measurements of a user.
//!
//! Values are stored as given. Measures are merged into an existing record of the
//! same time, where they replace those of the same name. Records are sorted by time.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::ApiError;
use crate::param::Record;
use crate::store::{HealthRecord, TableName, World};
use crate::when::DateTime;
use serde::Deserialize;
use serde_json::{Map, Value};

pub const API: Api = Api {
    name: "RecordHealthData",
    suite: Suite::Dialogue,
    domain: Domain::Health,
    description: "Saves new health measurements of a user, such as blood pressure, heart rate or \
                  weight, in the user's health log.",
    hints: &[
        "record my blood pressure",
        "save today's weight",
        "log a heart rate reading",
        "add a measurement to my health log",
        "write down my blood sugar",
        "enter new health data",
        "keep track of my temperature",
        "add my vital signs",
        "jot down what the scales said",
        "take a note of my weight",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "status", label: "str", description: "success" }],
    reads: &[TableName::HealthData],
    writes: &[TableName::HealthData],
    errors: &[
        "The id is empty.",
        "There is no measure.",
        "A measure has no name or no value, is called time, or is given twice.",
    ],
    examples: &[
        Example {
            arguments: r#"{"user_id": "H-4821", "time": "2024-05-15 07:40:00", "health_data": [{"name": "blood_pressure", "value": "118/76"}, {"name": "heart_rate", "value": "64"}]}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"user_id": "H-4821", "time": "2024-05-15 07:40:00", "health_data": []}"#,
            succeeds: false,
        },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The user's health id, for example H-4821.
        #[rule(CaseFolded)]
        user_id: String,
        /// When it was measured.
        #[rule(DateTime)]
        time: DateTime,
        /// The measures, for example [{'name': 'heart_rate', 'value': '72'}]; at least one.
        #[rule(Records)]
        health_data: Option<Vec<Measure>>,
    }
}

#[derive(Deserialize)]
struct Measure {
    name: String,
    value: String,
}

impl Record for Measure {
    const FIELDS: &[&str] = &["name", "value"];
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let user = super::health_key(&args.user_id)?;
    let measures = by_name(args.health_data.as_deref().unwrap_or_default())?;
    if !world.health_data.contains(&user) {
        world.health_data.insert(user.clone(), Vec::new());
    }
    world.health_data.update(&user, |records| note(records, args.time, measures));
    Ok(Value::from("success"))
}

fn by_name(measures: &[Measure]) -> Result<Map<String, Value>, ApiError> {
    let wrong = |reason: String| ApiError::invalid("health_data", reason);
    let mut named = Map::new();
    for Measure { name, value } in measures {
        let (name, value) = (name.trim(), value.trim());
        if name.is_empty() {
            return Err(wrong("a measure has no name".to_owned()));
        }
        if value.is_empty() {
            return Err(wrong(format!("{name:?} has no value")));
        }
        // In a record, `time` is a key beside the measures.
        if name.eq_ignore_ascii_case("time") {
            return Err(wrong("a measure cannot be called \"time\"".to_owned()));
        }
        if named.insert(name.to_owned(), Value::from(value)).is_some() {
            return Err(wrong(format!("{name:?} is given twice")));
        }
    }
    if named.is_empty() { Err(ApiError::Empty { parameter: "health_data" }) } else { Ok(named) }
}

fn note(records: &mut Vec<HealthRecord>, time: DateTime, measures: Map<String, Value>) {
    let same_time = records.iter_mut().find(|record| record.time.moment() == time.moment());
    if let Some(record) = same_time {
        record.measures.extend(measures);
        return;
    }
    let later = records.iter().position(|record| record.time.moment() > time.moment());
    records.insert(later.unwrap_or(records.len()), HealthRecord { time, measures });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use serde_json::json;

    fn record(time: &str, health_data: Value) -> Value {
        json!({"user_id": "h-4821", "time": time, "health_data": health_data})
    }

    #[test]
    fn adds_a_record_in_the_order_of_time() {
        let mut world = world();
        let pulse = "[{'name': 'heart_rate', 'value': 64}]";
        output(&API, record("2020-01-01 08:00:00", json!(pulse)), &mut world);
        let records = world.health_data.get("H-4821").unwrap();
        assert_eq!(json!(records[0]), json!({"time": "2020-01-01 08:00:00", "heart_rate": "64"}));
        assert!(records.is_sorted_by_key(|record| record.time.moment()));
    }

    #[test]
    fn joins_the_record_of_the_same_time_and_starts_the_first() {
        let mut world = world();
        let call = |name: &str, value: &str| {
            json!({"user_id": "H-0001", "time": "2024-05-15 08:00:00",
                   "health_data": [{"name": name, "value": value}]})
        };
        for (name, value) in [("weight", "70"), ("heart_rate", "61"), ("weight", "70.5")] {
            output(&API, call(name, value), &mut world);
        }
        assert_eq!(
            json!(world.health_data.get("H-0001").unwrap()),
            json!([{"time": "2024-05-15 08:00:00", "weight": "70.5", "heart_rate": "61"}])
        );
    }

    #[test]
    fn refuses_measures_that_cannot_be_kept() {
        let mut world = world();
        let mut message =
            |data: Value| exception(&API, record("2024-05-15 08:00:00", data), &mut world);
        assert_eq!(message(json!([])), "health_data must not be empty.");
        assert_eq!(message(Value::Null), "health_data must not be empty.");
        assert!(message(json!([{"name": "time", "value": "1"}])).contains("time"));
        assert!(message(json!([{"name": " ", "value": "1"}])).contains("no name"));
        assert!(message(json!([{"name": "weight", "value": ""}])).contains("no value"));
        let twice = json!([{"name": "weight", "value": "1"}, {"name": "weight", "value": "2"}]);
        assert!(message(twice).contains("twice"));
        assert!(message(json!("weight 70")).contains("records"));
    }

    #[test]
    fn measures_match_in_any_order() {
        let pressure = json!({"name": "blood_pressure", "value": "118/76"});
        let pulse = json!({"name": "heart_rate", "value": "64"});
        let gold = record("2024-05-15 07:40:00", json!([pressure, pulse]));
        let turned = record("2024-05-15 07:40:00", json!([pulse, pressure]));
        assert!(same(&API, gold.clone(), turned));
        assert!(!same(&API, gold, record("2024-05-15 07:40:00", json!([pulse]))));
    }
}
