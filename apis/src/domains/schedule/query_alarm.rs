//! QueryAlarm: look up an alarm of the owner of a token, by its time.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::ApiError;
use crate::store::{TableName, World};
use crate::when::DateTime;
use serde_json::{Value, json};

pub const API: Api = Api {
    name: "QueryAlarm",
    suite: Suite::Dialogue,
    domain: Domain::Schedule,
    description: "Checks whether the user has an alarm clock set at the given time and returns it.",
    hints: &[
        "when does my alarm go off",
        "check my alarms",
        "did I set an alarm for six",
        "look up an alarm clock",
        "show the wake-up time",
        "show me my alarms",
        "is there an alarm set for tomorrow",
        "view an alarm clock",
    ],
    params: Args::PARAMS,
    returns: &[Field {
        name: "alarm",
        label: "dict",
        description: "The alarm with its time and username.",
    }],
    reads: &[TableName::Account, TableName::Alarm],
    writes: &[],
    errors: &["The token is not valid.", "The user has no alarm at this time."],
    examples: &[
        Example {
            arguments: r#"{"token": "q7m2x9v4b1n8k5j3h6", "time": "2024-05-16 06:30:00"}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"token": "q7m2x9v4b1n8k5j3h6", "time": "2024-05-16 06:31:00"}"#,
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
        /// The time to look at.
        #[rule(DateTime)]
        time: DateTime,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let username = world.token_owner(&args.token)?;
    let alarm = super::alarm_of(world, &username, args.time)
        .and_then(|key| world.alarm.get(&key))
        .ok_or_else(|| ApiError::not_found("alarm at", args.time))?;
    Ok(json!(alarm))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};

    const TOKEN: &str = "q7m2x9v4b1n8k5j3h6";

    #[test]
    fn returns_the_alarm() {
        let call = json!({"token": TOKEN, "time": "2024-05-16 06:30:00"});
        let alarm = json!({"time": "2024-05-16 06:30:00", "username": "mira.okafor"});
        assert_eq!(output(&API, call, &mut world()), alarm);
    }

    #[test]
    fn an_alarm_of_somebody_else_is_not_found() {
        let call = json!({"token": TOKEN, "time": "2024-05-20 07:00:00"});
        assert_eq!(
            exception(&API, call, &mut world()),
            "There is no alarm at \"2024-05-20 07:00:00\"."
        );
    }

    #[test]
    fn two_failing_queries_are_the_same_only_for_the_same_time() {
        let gold = json!({"token": TOKEN, "time": "2024-05-20 07:00:00"});
        assert!(same(&API, gold.clone(), json!({"token": TOKEN, "time": "2024-05-20 7:00"})));
        assert!(!same(&API, gold, json!({"token": TOKEN, "time": "2024-05-21 07:00:00"})));
    }
}
