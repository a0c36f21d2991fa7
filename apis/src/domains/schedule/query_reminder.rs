//! QueryReminder: look up a reminder of the owner of a token.
//!
//! Finds the reminder with the content and the time; else the one at the time; else the one with
//! the content, in any case. If content and time match different reminders, the call is refused.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{TableName, World};
use crate::when::DateTime;
use serde_json::{Value, json};

pub const API: Api = Api {
    name: "QueryReminder",
    suite: Suite::Dialogue,
    domain: Domain::Schedule,
    description: "Looks up a reminder of the user: shows what the user wanted to be reminded of, \
                  and when.",
    hints: &[
        "what did I want to be reminded of",
        "show my reminders",
        "check whether I set a reminder",
        "look up a reminder",
        "when will you remind me",
        "find the reminder about the dentist",
    ],
    params: Args::PARAMS,
    returns: &[Field {
        name: "reminder",
        label: "dict",
        description: "The reminder with its content, time and username.",
    }],
    reads: &[TableName::Account, TableName::Reminder],
    writes: &[],
    errors: &[
        "The token is not valid.",
        "The content is empty.",
        "The user has no reminder with this content and none at this time.",
        "The content belongs to one reminder and the time to another.",
    ],
    examples: &[
        Example {
            arguments: r#"{"token": "p0o9i8u7y6t5r4e3w2", "content": "renew the library card", "time": "2024-05-21 10:00:00"}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"token": "p0o9i8u7y6t5r4e3w2", "content": "buy a parrot", "time": "2024-05-21 22:00:00"}"#,
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
    let content = filled("content", &args.content)?;
    let key = super::reminder_of(world, &username, content, args.time)?;
    Ok(json!(world.reminder.get(&key)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{does_the_same, exception, output, same, world};

    fn query(content: &str, time: &str) -> Value {
        json!({"token": "p0o9i8u7y6t5r4e3w2", "content": content, "time": time})
    }

    #[test]
    fn finds_by_time_or_by_content() {
        let card = json!({"content": "renew the library card", "time": "2024-05-21 10:00:00",
                          "username": "priya.raman"});
        let mut world = world();
        for call in [
            query("library", "2024-05-21 10:00:00"),
            query("Renew the library card", "2024-05-21 18:00:00"),
        ] {
            assert_eq!(output(&API, call, &mut world), card);
        }
    }

    #[test]
    fn refuses_a_blank_content_and_what_it_does_not_know() {
        let mut world = world();
        let blank = query(" ", "2024-05-21 10:00:00");
        assert_eq!(exception(&API, blank, &mut world), "content must not be empty.");
        let unknown = query("pay the piano tuner", "2024-05-23 18:00:00");
        assert!(exception(&API, unknown, &mut world).contains("no reminder"));
    }

    #[test]
    fn another_reminder_is_another_call() {
        let gold = query("renew the library card", "2024-05-21 10:00:00");
        assert!(does_the_same(&API, gold.clone(), query("library card", "2024-05-21 10:00:00")));
        let meter = query("submit the electricity meter reading", "2024-05-16 20:00:00");
        assert!(!same(&API, gold, meter));
    }
}
