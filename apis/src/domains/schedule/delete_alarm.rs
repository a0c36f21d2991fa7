//! DeleteAlarm: delete an alarm of the owner of a token, by its time.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::ApiError;
use crate::store::{TableName, World};
use crate::when::DateTime;
use serde_json::Value;

pub const API: Api = Api {
    name: "DeleteAlarm",
    suite: Suite::Dialogue,
    domain: Domain::Schedule,
    description: "Removes the alarm clock that the user has at the given time, so that it no \
                  longer rings.",
    hints: &[
        "cancel my alarm",
        "turn off the alarm for tomorrow",
        "I don't have to get up early any more",
        "remove an alarm clock",
        "stop it from ringing in the morning",
        "delete a wake-up call",
        "let me sleep in",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "status", label: "str", description: "success" }],
    reads: &[TableName::Account, TableName::Alarm],
    writes: &[TableName::Alarm],
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
        /// The time of the alarm.
        #[rule(DateTime)]
        time: DateTime,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let username = world.token_owner(&args.token)?;
    let key = super::alarm_of(world, &username, args.time)
        .ok_or_else(|| ApiError::not_found("alarm at", args.time))?;
    world.alarm.remove(&key);
    Ok(Value::from("success"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use serde_json::json;

    const TOKEN: &str = "q7m2x9v4b1n8k5j3h6";

    #[test]
    fn removes_just_this_alarm() {
        let mut world = world();
        let before = world.alarm.len();
        let call = json!({"token": TOKEN, "time": "2024-05-16 06:30:00"});
        assert_eq!(output(&API, call.clone(), &mut world), "success");
        assert_eq!(world.alarm.len(), before - 1);
        assert!(exception(&API, call, &mut world).contains("no alarm at"));
    }

    #[test]
    fn an_alarm_of_somebody_else_stays() {
        let call = json!({"token": TOKEN, "time": "2024-05-20 07:00:00"});
        exception(&API, call, &mut world());
    }

    #[test]
    fn another_time_is_another_alarm() {
        let gold = json!({"token": TOKEN, "time": "2024-05-16 06:30:00"});
        assert!(same(&API, gold.clone(), json!({"token": TOKEN, "time": "2024-05-16T06:30"})));
        assert!(!same(&API, gold, json!({"token": TOKEN, "time": "2024-05-18 09:15:00"})));
    }
}
