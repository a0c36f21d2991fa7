//! AddReminder: add a reminder for the owner of a token.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{Reminder, TableName, World};
use crate::when::DateTime;
use serde_json::Value;

pub const API: Api = Api {
    name: "AddReminder",
    suite: Suite::Dialogue,
    domain: Domain::Schedule,
    description: "Adds a new reminder: what to remind the user of, and when.",
    hints: &[
        "remind me to do something",
        "don't let me forget",
        "nudge me about this later",
        "remind me to call my mother",
        "create a to-do with a notification",
        "I need to remember to pay the rent",
        "new reminder",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "status", label: "str", description: "success" }],
    reads: &[TableName::Account, TableName::Reminder],
    writes: &[TableName::Reminder],
    errors: &["The token is not valid.", "The content is empty."],
    examples: &[
        Example {
            arguments: r#"{"token": "q7m2x9v4b1n8k5j3h6", "content": "water the tomatoes", "time": "2024-05-18 19:00:00"}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"token": "q7m2x9v4b1n8k5j3h6", "content": " ", "time": "2024-05-18 19:00:00"}"#,
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
        /// What to be reminded of.
        #[rule(Facts)]
        content: String,
        /// When to be reminded.
        #[rule(DateTime)]
        time: DateTime,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let username = world.token_owner(&args.token)?;
    let content = filled("content", &args.content)?.to_owned();
    let key = world.reminder.next_key();
    world.reminder.insert(key, Reminder { content, time: args.time, username });
    Ok(Value::from("success"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use serde_json::json;

    fn reminder(content: &str, time: &str) -> Value {
        json!({"token": "q7m2x9v4b1n8k5j3h6", "content": content, "time": time})
    }

    #[test]
    fn adds_a_reminder_for_the_owner() {
        let mut world = world();
        let call = reminder("water the tomatoes", "2024-05-18 19:00:00");
        assert_eq!(output(&API, call, &mut world), "success");
        let (_, added) = world.reminder.iter().next_back().unwrap();
        assert_eq!(
            (added.content.as_str(), added.username.as_str()),
            ("water the tomatoes", "mira.okafor")
        );
    }

    #[test]
    fn refuses_a_blank_content() {
        let message = exception(&API, reminder("  ", "2024-05-18 19:00:00"), &mut world());
        assert_eq!(message, "content must not be empty.");
    }

    #[test]
    fn other_words_for_the_same_thing_are_right() {
        let gold = reminder("water the tomatoes", "2024-05-18 19:00:00");
        assert!(same(&API, gold.clone(), reminder("Water tomatoes", "2024-05-18 19:00:00")));
        assert!(!same(&API, gold.clone(), reminder("call the vet", "2024-05-18 19:00:00")));
        assert!(!same(&API, gold, reminder("water the tomatoes", "2024-05-18 07:00:00")));
    }
}
