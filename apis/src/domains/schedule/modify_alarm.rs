//! ModifyAlarm: move an alarm of the owner of a token to another time.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::ApiError;
use crate::store::{TableName, World};
use crate::when::DateTime;
use serde_json::Value;

pub const API: Api = Api {
    name: "ModifyAlarm",
    suite: Suite::Dialogue,
    domain: Domain::Schedule,
    description: "Changes the time of an alarm clock that the user has set, so that it rings \
                  earlier or later.",
    hints: &[
        "change my alarm",
        "set my alarm half an hour later",
        "wake me earlier than planned",
        "move the alarm to eight o'clock",
        "let me sleep a bit longer",
        "reschedule a wake-up call",
        "make the alarm ring later",
        "shift my wake-up time",
        "move an alarm that is already set",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "status", label: "str", description: "success" }],
    reads: &[TableName::Account, TableName::Alarm],
    writes: &[TableName::Alarm],
    errors: &[
        "The token is not valid.",
        "The user has no alarm at the present time.",
        "The user has another alarm at the new time already.",
    ],
    examples: &[
        Example {
            arguments: r#"{"token": "q7m2x9v4b1n8k5j3h6", "from_time": "2024-05-16 06:30:00", "to_time": "2024-05-16 07:00:00"}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"token": "q7m2x9v4b1n8k5j3h6", "from_time": "2024-05-16 03:00:00", "to_time": "2024-05-16 07:00:00"}"#,
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
        /// The alarm's present time.
        #[rule(DateTime)]
        from_time: DateTime,
        /// The alarm's new time.
        #[rule(DateTime)]
        to_time: DateTime,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let username = world.token_owner(&args.token)?;
    let key = super::alarm_of(world, &username, args.from_time)
        .ok_or_else(|| ApiError::not_found("alarm at", args.from_time))?;
    if super::alarm_of(world, &username, args.to_time).is_some_and(|other| other != key) {
        return Err(ApiError::exists("an alarm at", args.to_time));
    }
    world.alarm.update(&key, |alarm| alarm.time = args.to_time);
    Ok(Value::from("success"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use serde_json::json;

    fn shift(from: &str, to: &str) -> Value {
        json!({"token": "q7m2x9v4b1n8k5j3h6", "from_time": from, "to_time": to})
    }

    #[test]
    fn moves_the_alarm_in_its_place() {
        let mut world = world();
        let before = world.alarm.len();
        let call = shift("2024-05-16 06:30:00", "2024-05-16 07:00:00");
        assert_eq!(output(&API, call.clone(), &mut world), "success");
        assert_eq!(world.alarm.len(), before);
        assert_eq!(world.alarm.get("1").unwrap().time.to_string(), "2024-05-16 07:00:00");
        assert!(exception(&API, call, &mut world).contains("no alarm at \"2024-05-16 06:30:00\""));
    }

    #[test]
    fn refuses_the_time_of_another_alarm_and_alarms_of_others() {
        let mut world = world();
        let onto = shift("2024-05-16 06:30:00", "2024-05-18 09:15:00");
        assert!(exception(&API, onto, &mut world).contains("already an alarm"));
        exception(&API, shift("2024-05-20 07:00:00", "2024-05-20 08:00:00"), &mut world);
    }

    #[test]
    fn both_times_count() {
        let gold = shift("2024-05-16 06:30:00", "2024-05-16 07:00:00");
        assert!(same(&API, gold.clone(), shift("2024-05-16T06:30", "2024-05-16 7am")));
        assert!(!same(&API, gold.clone(), shift("2024-05-16 06:30:00", "2024-05-16 19:00:00")));
        assert!(!same(&API, gold, shift("2024-05-18 09:15:00", "2024-05-16 07:00:00")));
    }
}
