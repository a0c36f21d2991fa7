//! QueryHistoryToday: what happened on a day of the year in the past.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::ApiError;
use crate::store::{HistoricEvent, TableName, World};
use crate::when::MonthDay;
use serde_json::Value;

pub const API: Api = Api {
    name: "QueryHistoryToday",
    suite: Suite::Dialogue,
    domain: Domain::Information,
    description: "Lists historical events that happened on this day of the year in the past.",
    hints: &[
        "what happened on this day in history",
        "on this day",
        "anniversaries of famous events",
        "what is this date known for",
        "events of the past with the same month and day",
    ],
    params: Args::PARAMS,
    returns: &[Field {
        name: "history",
        label: "list",
        description: "Texts, each with the title, date and description of an event.",
    }],
    reads: &[TableName::History],
    writes: &[],
    errors: &["The date is no day of the year.", "No event is recorded for the day."],
    examples: &[
        Example { arguments: r#"{"date": "07-20"}"#, succeeds: true },
        Example { arguments: r#"{"date": "13-40"}"#, succeeds: false },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The month and day; a year in front is left aside.
        #[rule(Date)]
        date: MonthDay,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let events = world
        .history
        .get(&args.date.to_string())
        .ok_or_else(|| ApiError::not_found("recorded event on", args.date))?;
    Ok(events.iter().map(line).collect())
}

fn line(event: &HistoricEvent) -> String {
    let HistoricEvent { title, date, description } = event;
    format!("Title: {title}, Date: {date}, Description: {description}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use serde_json::json;

    #[test]
    fn lists_the_events_of_the_day() {
        let events = output(&API, json!({"date": "2024-07-20"}), &mut world());
        let events = events.as_array().unwrap();
        assert!(events.len() >= 2);
        assert!(events.iter().any(|event| {
            let event = event.as_str().unwrap();
            event.starts_with("Title: ") && event.contains(", Date: 1969-07-20, Description: ")
        }));
    }

    #[test]
    fn every_recorded_event_is_of_its_day() {
        let world = world();
        for (day, events) in world.history.iter() {
            assert!(day.parse::<MonthDay>().is_ok(), "{day}");
            assert!(events.iter().all(|event| event.date.ends_with(day)), "{day}");
        }
    }

    #[test]
    fn refuses_no_day_and_a_day_without_events() {
        assert!(exception(&API, json!({"date": "13-40"}), &mut world()).contains("a day like"));
        let mut empty = World::empty(1);
        let message = exception(&API, json!({"date": "07-20"}), &mut empty);
        assert_eq!(message, "There is no recorded event on \"07-20\".");
    }

    #[test]
    fn the_year_does_not_matter_but_the_day_does() {
        let gold = json!({"date": "07-20"});
        assert!(same(&API, gold.clone(), json!({"date": "2024-07-20"})));
        assert!(!same(&API, gold, json!({"date": "10-29"})));
    }
}
