//! AddAgenda: add an activity to the agenda of the owner of a token.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{AgendaEntry, TableName, World};
use crate::when::DateTime;
use serde_json::Value;

pub const API: Api = Api {
    name: "AddAgenda",
    suite: Suite::Dialogue,
    domain: Domain::Schedule,
    description: "Adds a new entry to the user's agenda: an activity, event or plan on the \
                  schedule, with its time and place.",
    hints: &[
        "put something in my calendar",
        "add an event to my agenda",
        "plan an activity for Saturday",
        "schedule a day out",
        "block out time for a workout",
        "I'm going to a concert, note it in my schedule",
        "add an appointment to my diary",
        "create an agenda item",
        "put an entry on my agenda",
        "enter an event that I've planned",
        "write an activity and its place into my schedule",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "status", label: "str", description: "success" }],
    reads: &[TableName::Account, TableName::Agenda],
    writes: &[TableName::Agenda],
    errors: &["The token is not valid.", "The content is empty."],
    examples: &[
        Example {
            arguments: r#"{"token": "q7m2x9v4b1n8k5j3h6", "content": "Lunch with Bisi", "time": "2024-05-17 12:30:00", "location": "Terra Kulture"}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"token": "q7m2x9v4b1n8k5j3h6", "content": " ", "time": "2024-05-17 12:30:00", "location": "Terra Kulture"}"#,
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
    let key = world.agenda.next_key();
    world.agenda.insert(key, AgendaEntry { content, time: args.time, location, username });
    Ok(Value::from("success"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use serde_json::json;

    fn lunch(content: &str, time: &str, location: &str) -> Value {
        json!({"token": "q7m2x9v4b1n8k5j3h6", "content": content, "time": time,
               "location": location})
    }

    #[test]
    fn adds_an_entry_for_the_owner() {
        let mut world = world();
        let before = world.agenda.len();
        let call = lunch("Lunch with Bisi", "2024-05-17 12:30:00", " Terra Kulture");
        assert_eq!(output(&API, call, &mut world), "success");
        assert_eq!(world.agenda.len(), before + 1);
        let (_, added) = world.agenda.iter().next_back().unwrap();
        assert_eq!(
            json!(added),
            json!({"content": "Lunch with Bisi", "time": "2024-05-17 12:30:00",
                   "location": "Terra Kulture", "username": "mira.okafor"})
        );
    }

    #[test]
    fn refuses_a_blank_content_and_a_wrong_token() {
        let mut world = world();
        let blank = lunch(" ", "2024-05-17 12:30:00", "Terra Kulture");
        assert_eq!(exception(&API, blank, &mut world), "content must not be empty.");
        let mut stranger = lunch("Lunch", "2024-05-17 12:30:00", "Terra Kulture");
        stranger["token"] = json!("none");
        assert!(exception(&API, stranger, &mut world).contains("token"));
    }

    #[test]
    fn other_words_are_right_but_not_another_place() {
        let gold = lunch("Lunch with Bisi", "2024-05-17 12:30:00", "Terra Kulture");
        assert!(same(&API, gold.clone(), lunch("lunch Bisi", "2024-05-17T12:30", "terra kulture")));
        assert!(!same(&API, gold.clone(), lunch("Lunch with Bisi", "2024-05-17 12:30:00", "Home")));
        assert!(!same(&API, gold, lunch("Gym", "2024-05-17 12:30:00", "Terra Kulture")));
    }
}
