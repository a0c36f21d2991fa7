//! DeleteReminder: delete a reminder of the owner of a token.
//!
//! Finds the reminder as QueryReminder does.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{TableName, World};
use crate::when::DateTime;
use serde_json::Value;

pub const API: Api = Api {
    name: "DeleteReminder",
    suite: Suite::Dialogue,
    domain: Domain::Schedule,
    description: "Deletes a reminder that the user no longer needs, so that no notice comes.",
    hints: &[
        "cancel a reminder",
        "you don't have to remind me any more",
        "remove a reminder I set",
        "it's done, so no notification please",
        "delete the reminder about the bill",
        "clear a reminder from my list",
        "I don't need this reminder any longer",
        "erase a reminder",
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
            arguments: r#"{"token": "a1s2d3f4g5h6j7k8l9", "content": "pay the piano tuner", "time": "2024-05-23 18:00:00"}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"token": "a1s2d3f4g5h6j7k8l9", "content": "buy a parrot", "time": "2024-05-23 22:00:00"}"#,
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
    world.reminder.remove(&key);
    Ok(Value::from("success"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{does_the_same, exception, output, same, world};
    use serde_json::json;

    fn delete(content: &str, time: &str) -> Value {
        json!({"token": "a1s2d3f4g5h6j7k8l9", "content": content, "time": time})
    }

    #[test]
    fn removes_just_this_reminder() {
        let mut world = world();
        let before = world.reminder.len();
        let call = delete("Pay the piano tuner", "2024-05-23 09:00:00");
        assert_eq!(output(&API, call.clone(), &mut world), "success");
        assert_eq!(world.reminder.len(), before - 1);
        assert!(!world.reminder.contains("2"));
        assert!(exception(&API, call, &mut world).contains("no reminder"));
    }

    #[test]
    fn refuses_a_blank_content_and_reminders_of_others() {
        let mut world = world();
        assert!(exception(&API, delete("", "2024-05-23 18:00:00"), &mut world).contains("empty"));
        exception(&API, delete("renew the library card", "2024-05-21 10:00:00"), &mut world);
    }

    #[test]
    fn another_reminder_is_another_call() {
        let gold = delete("pay the piano tuner", "2024-05-23 18:00:00");
        assert!(does_the_same(&API, gold.clone(), delete("piano tuner", "2024-05-23 18:00:00")));
        assert!(!same(&API, gold, delete("cancel the gym membership", "2024-05-31 12:00:00")));
    }
}
