//! QueryAgenda: look up an entry in the agenda of the owner of a token.
//!
//! Finds the entry with the content and the time; else the one at the time; else the one with the
//! content, in any case. If content and time match different entries, the call is refused. The
//! location is ignored.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::ApiError;
use crate::store::{TableName, World};
use crate::when::DateTime;
use serde_json::{Value, json};

pub const API: Api = Api {
    name: "QueryAgenda",
    suite: Suite::Dialogue,
    domain: Domain::Schedule,
    description: "Looks up an entry in the user's agenda: shows which activity, event or plan is \
                  on the schedule, when and where.",
    hints: &[
        "what's on my calendar",
        "do I have any plans for Sunday",
        "am I free that evening",
        "show my schedule for the day",
        "when does the event start",
        "look up an activity I planned",
        "check my agenda",
        "find an agenda item",
        "what have I planned",
        "look up an entry in my agenda",
        "look at my plans for the week",
        "which entries are on my agenda",
    ],
    params: Args::PARAMS,
    returns: &[Field {
        name: "agenda",
        label: "dict",
        description: "The entry with its content, time, location and username.",
    }],
    reads: &[TableName::Account, TableName::Agenda],
    writes: &[],
    errors: &[
        "The token is not valid.",
        "The user has no agenda entry with this content and none at this time.",
        "The content belongs to one entry and the time to another.",
    ],
    examples: &[
        Example {
            arguments: r#"{"token": "q7m2x9v4b1n8k5j3h6", "content": "Dentist check-up", "time": "2024-05-16 14:30:00", "location": "Ikoyi Smile Clinic"}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"token": "q7m2x9v4b1n8k5j3h6", "content": "Ski trip", "time": "2024-05-16 22:00:00", "location": "Alps"}"#,
            succeeds: false,
        },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The user's token.
        #[rule(Exact)]
        token: String,
        /// What is planned.
        #[rule(Facts)]
        content: String,
        /// When it takes place.
        #[rule(DateTime)]
        time: DateTime,
        /// Where it takes place.
        #[rule(Place)]
        #[allow(dead_code, reason = "API-Bank publishes it; an entry is found without it")]
        location: String,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let username = world.token_owner(&args.token)?;
    let key = super::agenda_of(world, &username, &args.content, args.time)?;
    Ok(json!(world.agenda.get(&key)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{does_the_same, exception, output, same, world};

    fn query(content: &str, time: &str) -> Value {
        json!({"token": "q7m2x9v4b1n8k5j3h6", "content": content, "time": time, "location": ""})
    }

    #[test]
    fn finds_by_time_or_by_content() {
        let dentist = json!({"content": "Dentist check-up", "time": "2024-05-16 14:30:00",
                             "location": "Ikoyi Smile Clinic", "username": "mira.okafor"});
        let mut world = world();
        for call in [
            query("Dentist check-up", "2024-05-16 14:30:00"),
            query("", "2024-05-16 14:30:00"),
            query("dentist CHECK-UP", "2024-05-16 09:00:00"),
        ] {
            assert_eq!(output(&API, call, &mut world), dentist);
        }
    }

    #[test]
    fn an_entry_of_somebody_else_is_not_found() {
        let call = query("Choir concert", "2024-05-17 20:30:00");
        assert_eq!(
            exception(&API, call, &mut world()),
            "There is no agenda entry \"Choir concert\" and none at 2024-05-17 20:30:00."
        );
    }

    #[test]
    fn a_content_and_a_time_of_two_entries_are_refused() {
        let message = exception(&API, query("Pottery class", "2024-05-16 14:30"), &mut world());
        assert!(
            message.contains("Dentist check-up") && message.contains("2024-05-18"),
            "{message}"
        );
    }

    #[test]
    fn whatever_finds_the_entry_is_right() {
        let gold = query("Dentist check-up", "2024-05-16 14:30:00");
        assert!(does_the_same(&API, gold.clone(), query("dentist", "2024-05-16 14:30:00")));
        assert!(!same(&API, gold, query("Pottery class", "2024-05-18 10:00:00")));
    }
}
