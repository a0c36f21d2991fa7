//! ModifyAgenda: change an entry in the agenda of the owner of a token.
//!
//! Finds the entry as QueryAgenda does, by its time (with a new content) or by its content
//! (with a new time). Then replaces content, time and location.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{TableName, World};
use crate::when::DateTime;
use serde_json::Value;

pub const API: Api = Api {
    name: "ModifyAgenda",
    suite: Suite::Dialogue,
    domain: Domain::Schedule,
    description: "Changes an existing entry in the user's agenda: moves the activity or event to \
                  another time, or edits its content or place.",
    hints: &[
        "move an event in my calendar",
        "reschedule an activity",
        "change the time of a calendar entry",
        "the outing takes place somewhere else",
        "update an event on my agenda",
        "push my plans back by an hour",
        "edit an agenda item",
        "the event has been postponed",
        "move an entry on my agenda",
        "shift an activity to another day",
        "change an entry in my schedule",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "status", label: "str", description: "success" }],
    reads: &[TableName::Account, TableName::Agenda],
    writes: &[TableName::Agenda],
    errors: &[
        "The token is not valid.",
        "The content is empty.",
        "The user has no agenda entry with this content and none at this time.",
        "The content belongs to one entry and the time to another.",
    ],
    examples: &[
        Example {
            arguments: r#"{"token": "q7m2x9v4b1n8k5j3h6", "content": "Dentist check-up", "time": "2024-05-17 09:00:00", "location": "Ikoyi Smile Clinic"}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"token": "q7m2x9v4b1n8k5j3h6", "content": "Ski trip", "time": "2024-05-17 09:00:00", "location": "Alps"}"#,
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
        location: String,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let username = world.token_owner(&args.token)?;
    let content = filled("content", &args.content)?.to_owned();
    let location = args.location.trim().to_owned();
    let key = super::agenda_of(world, &username, &content, args.time)?;
    world.agenda.update(&key, |entry| {
        entry.content = content;
        entry.time = args.time;
        entry.location = location;
    });
    Ok(Value::from("success"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use serde_json::json;

    fn change(content: &str, time: &str, location: &str) -> Value {
        json!({"token": "q7m2x9v4b1n8k5j3h6", "content": content, "time": time,
               "location": location})
    }

    #[test]
    fn writes_content_time_and_place() {
        let mut world = world();
        let moved = change("dentist check-up", "2024-05-17 09:00:00", "Yaba Dental House");
        assert_eq!(output(&API, moved, &mut world), "success");
        let renamed = change("Root canal", "2024-05-17 09:00:00", "Yaba Dental House");
        assert_eq!(output(&API, renamed, &mut world), "success");
        let row = world.agenda.get("1").unwrap();
        assert_eq!(
            json!(row),
            json!({"content": "Root canal", "time": "2024-05-17 09:00:00",
                   "location": "Yaba Dental House", "username": "mira.okafor"})
        );
    }

    #[test]
    fn refuses_what_means_no_entry_or_two() {
        let mut world = world();
        let unknown = change("Ski trip", "2024-05-17 09:00:00", "Alps");
        assert!(exception(&API, unknown, &mut world).contains("no agenda entry \"Ski trip\""));
        let taken = change("Dentist check-up", "2024-05-18 10:00:00", "Ikoyi Smile Clinic");
        assert!(exception(&API, taken, &mut world).contains("Pottery class"));
        let blank = change("", "2024-05-16 14:30:00", "Ikoyi Smile Clinic");
        assert_eq!(exception(&API, blank, &mut world), "content must not be empty.");
    }

    #[test]
    fn another_new_time_is_another_change() {
        let gold = change("Dentist check-up", "2024-05-17 09:00:00", "Ikoyi Smile Clinic");
        let written = change("Dentist check-up", "2024/05/17 9am", "ikoyi smile clinic");
        assert!(same(&API, gold.clone(), written));
        let later = change("Dentist check-up", "2024-05-17 10:00:00", "Ikoyi Smile Clinic");
        assert!(!same(&API, gold, later));
    }
}
