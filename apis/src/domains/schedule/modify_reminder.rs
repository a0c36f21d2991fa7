//! ModifyReminder: change a reminder of the owner of a token.
//!
//! Finds the reminder as QueryReminder does, by its time (with a new content) or by its content
//! (with a new time). Then replaces both.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{TableName, World};
use crate::when::DateTime;
use serde_json::Value;

pub const API: Api = Api {
    name: "ModifyReminder",
    suite: Suite::Dialogue,
    domain: Domain::Schedule,
    description: "Changes an existing reminder of the user: postpones it to another time, or \
                  rewords what to be reminded of.",
    hints: &[
        "remind me later instead",
        "move a reminder to another day",
        "edit the text of a reminder",
        "update what I asked to be reminded of",
        "snooze a notification",
        "change the time of a reminder",
        "rephrase a reminder",
        "change when a reminder goes off",
        "edit a reminder I've set",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "status", label: "str", description: "success" }],
    reads: &[TableName::Account, TableName::Reminder],
    writes: &[TableName::Reminder],
    errors: &[
        "The token is not valid.",
        "The content is empty.",
        "The user has no reminder with this content and none at this time.",
        "The content belongs to one reminder and the time to another.",
    ],
    examples: &[
        Example {
            arguments: r#"{"token": "p0o9i8u7y6t5r4e3w2", "content": "renew the library card", "time": "2024-05-22 17:00:00"}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"token": "p0o9i8u7y6t5r4e3w2", "content": "buy a parrot", "time": "2024-05-22 17:00:00"}"#,
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
    let key = super::reminder_of(world, &username, &content, args.time)?;
    world.reminder.update(&key, |reminder| {
        reminder.content = content;
        reminder.time = args.time;
    });
    Ok(Value::from("success"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use serde_json::json;

    fn change(content: &str, time: &str) -> Value {
        json!({"token": "p0o9i8u7y6t5r4e3w2", "content": content, "time": time})
    }

    #[test]
    fn changes_the_time_or_the_content() {
        let mut world = world();
        let later = change("renew the library card", "2024-05-22 17:00:00");
        assert_eq!(output(&API, later, &mut world), "success");
        let reworded = change("renew passport", "2024-05-22 17:00:00");
        assert_eq!(output(&API, reworded, &mut world), "success");
        let row = world.reminder.get("1").unwrap();
        assert_eq!(
            (row.content.as_str(), row.time.to_string().as_str()),
            ("renew passport", "2024-05-22 17:00:00")
        );
    }

    #[test]
    fn refuses_unknown_blank_and_doubtful_reminders() {
        let mut world = world();
        let unknown = change("buy a parrot", "2024-05-22 17:00:00");
        assert!(exception(&API, unknown, &mut world).contains("\"buy a parrot\""));
        assert!(exception(&API, change("", "2024-05-21 10:00"), &mut world).contains("empty"));
        let doubtful = change("renew the library card", "2024-05-16 20:00:00");
        assert!(exception(&API, doubtful, &mut world).contains("electricity meter"));
    }

    #[test]
    fn another_new_time_is_another_change() {
        let gold = change("renew the library card", "2024-05-22 17:00:00");
        assert!(same(&API, gold.clone(), change("Renew library card", "2024-05-22 5pm")));
        assert!(!same(&API, gold, change("renew the library card", "2024-05-22 18:00:00")));
    }
}
