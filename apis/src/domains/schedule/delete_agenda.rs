//! DeleteAgenda: delete an entry from the agenda of the owner of a token.
//!
//! Finds the entry as QueryAgenda does; ignores the location.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::ApiError;
use crate::store::{TableName, World};
use crate::when::DateTime;
use serde_json::Value;

pub const API: Api = Api {
    name: "DeleteAgenda",
    suite: Suite::Dialogue,
    domain: Domain::Schedule,
    description: "Deletes an entry from the user's agenda: drops a planned activity or event from \
                  the schedule.",
    hints: &[
        "remove an event from my calendar",
        "take it off my agenda",
        "the activity is cancelled",
        "clear an entry from my schedule",
        "I'm not going after all",
        "delete a calendar event",
        "drop my plans for the day",
        "delete an agenda item",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "status", label: "str", description: "success" }],
    reads: &[TableName::Account, TableName::Agenda],
    writes: &[TableName::Agenda],
    errors: &[
        "The token is not valid.",
        "The user has no agenda entry with this content and none at this time.",
        "The content belongs to one entry and the time to another.",
    ],
    examples: &[
        Example {
            arguments: r#"{"token": "q7m2x9v4b1n8k5j3h6", "content": "Pottery class", "time": "2024-05-18 10:00:00", "location": "Clay Corner, Yaba"}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"token": "q7m2x9v4b1n8k5j3h6", "content": "Ski trip", "time": "2024-05-18 22:00:00", "location": "Alps"}"#,
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
        /// What was planned.
        #[rule(Facts)]
        content: String,
        /// When it was to take place.
        #[rule(DateTime)]
        time: DateTime,
        /// Where it was to take place.
        #[rule(Place)]
        #[allow(dead_code, reason = "API-Bank publishes it; an entry is found without it")]
        location: String,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let username = world.token_owner(&args.token)?;
    let key = super::agenda_of(world, &username, &args.content, args.time)?;
    world.agenda.remove(&key);
    Ok(Value::from("success"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use serde_json::json;

    fn delete(content: &str, time: &str) -> Value {
        json!({"token": "q7m2x9v4b1n8k5j3h6", "content": content, "time": time,
               "location": "Clay Corner, Yaba"})
    }

    #[test]
    fn removes_just_this_entry() {
        let mut world = world();
        let before = world.agenda.len();
        let call = delete("Pottery class", "2024-05-18 10:00:00");
        assert_eq!(output(&API, call.clone(), &mut world), "success");
        assert_eq!(world.agenda.len(), before - 1);
        assert!(!world.agenda.contains("2"));
        assert!(exception(&API, call, &mut world).contains("no agenda entry"));
    }

    #[test]
    fn entries_of_others_and_doubtful_ones_stay() {
        let mut world = world();
        exception(&API, delete("Choir concert", "2024-05-17 20:30:00"), &mut world);
        exception(&API, delete("Pottery class", "2024-05-16 14:30:00"), &mut world);
    }

    #[test]
    fn another_entry_is_another_call() {
        let gold = delete("Pottery class", "2024-05-18 10:00:00");
        assert!(same(&API, gold.clone(), delete("the pottery class", "2024-05-18 10:00:00")));
        assert!(!same(&API, gold, delete("Dentist check-up", "2024-05-16 14:30:00")));
    }
}
