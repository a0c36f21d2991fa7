//! QueryHealthData: a user's measurements in a closed interval of time.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::ApiError;
use crate::store::{HealthRecord, TableName, World};
use crate::when::DateTime;
use serde_json::{Value, json};

pub const API: Api = Api {
    name: "QueryHealthData",
    suite: Suite::Dialogue,
    domain: Domain::Health,
    description: "Shows a user's past health measurements, such as blood pressure, heart rate or \
                  weight, that were recorded within a time span.",
    hints: &[
        "show my health records",
        "what was my blood pressure last week",
        "how has my weight changed",
        "look back at my heart rate",
        "past measurements of a patient",
        "view readings over a period",
        "health history",
        "vital signs over the past month",
        "show the measurements taken between two dates",
    ],
    params: Args::PARAMS,
    returns: &[Field {
        name: "health_data",
        label: "list",
        description: "The records, each with its time and measures by name.",
    }],
    reads: &[TableName::HealthData],
    writes: &[],
    errors: &[
        "The id is empty or unknown.",
        "The span ends before it begins.",
        "There is no record within the span.",
    ],
    examples: &[
        Example {
            arguments: r#"{"user_id": "H-4821", "start_time": "2024-05-01 00:00:00", "end_time": "2024-05-15 23:59:59"}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"user_id": "H-4821", "start_time": "2022-05-01 00:00:00", "end_time": "2022-05-15 23:59:59"}"#,
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
        /// When the span begins.
        #[rule(DateTime)]
        start_time: DateTime,
        /// When the span ends.
        #[rule(SpanEnd)]
        end_time: DateTime,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let user = super::health_key(&args.user_id)?;
    let (start, end) = (args.start_time.moment(), args.end_time.moment());
    if end < start {
        return Err(ApiError::invalid("end_time", "it is before start_time"));
    }
    let records = world
        .health_data
        .get(&user)
        .ok_or_else(|| ApiError::not_found("user with the health id", &user))?;
    let found: Vec<&HealthRecord> =
        records.iter().filter(|record| (start..=end).contains(&record.time.moment())).collect();
    if found.is_empty() {
        return Err(ApiError::Refused(format!(
            "{user} has no health data from {} to {}.",
            args.start_time, args.end_time
        )));
    }
    Ok(json!(found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};

    fn query(user: &str, start: &str, end: &str) -> Value {
        json!({"user_id": user, "start_time": start, "end_time": end})
    }

    #[test]
    fn gives_the_records_of_the_span_with_both_ends() {
        let mut world = world();
        let first = world.health_data.get("H-4821").unwrap()[0].clone();
        let time = first.time.to_string();
        let found = output(&API, query(" h-4821", &time, &time), &mut world);
        assert_eq!(found, json!([first]));
    }

    #[test]
    fn says_why_there_is_nothing() {
        let mut world = world();
        let (early, late) = ("2022-05-01 00:00:00", "2022-05-15 00:00:00");
        let mut message = |user, start, end| exception(&API, query(user, start, end), &mut world);
        assert!(message("H-4821", late, early).contains("before start_time"));
        assert!(message("H-0000", early, late).contains("H-0000"));
        assert!(message("H-4821", early, late).contains("no health data"));
        assert_eq!(message(" ", early, late), "user_id must not be empty.");
    }

    #[test]
    fn a_wider_span_is_the_same_only_with_the_same_records() {
        let gold = query("H-4821", "2024-05-01 00:00:00", "2024-05-15 23:59:59");
        let narrow = query("h-4821", "2024-05-01 00:00", "2024-05-15 23:59:00");
        assert!(same(&API, gold.clone(), narrow));
        let wide = query("H-4821", "2023-05-16 00:00:00", "2024-05-15 23:59:59");
        assert!(!same(&API, gold, wide));
    }
}
