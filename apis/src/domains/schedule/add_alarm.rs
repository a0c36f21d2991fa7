//! AddAlarm: set an alarm for the owner of a token.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::ApiError;
use crate::store::{Alarm, TableName, World};
use crate::when::DateTime;
use serde_json::Value;

pub const API: Api = Api {
    name: "AddAlarm",
    suite: Suite::Dialogue,
    domain: Domain::Schedule,
    description: "Sets a new alarm clock that rings for the user at the given time.",
    hints: &[
        "wake me up at seven",
        "make sure I get up on time",
        "ring at a certain time",
        "I need a wake-up call",
        "alarm clock",
        "get me out of bed in time for work",
        "have the clock go off at half past six",
        "create a new alarm",
        "set an alarm clock for tomorrow",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "status", label: "str", description: "success" }],
    reads: &[TableName::Account, TableName::Alarm],
    writes: &[TableName::Alarm],
    errors: &["The token is not valid.", "The user has an alarm at this time already."],
    examples: &[
        Example {
            arguments: r#"{"token": "q7m2x9v4b1n8k5j3h6", "time": "2024-05-17 05:45:00"}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"token": "unknown", "time": "2024-05-17 05:45:00"}"#,
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
        /// When the alarm rings.
        #[rule(DateTime)]
        time: DateTime,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let username = world.token_owner(&args.token)?;
    if super::alarm_of(world, &username, args.time).is_some() {
        return Err(ApiError::exists("an alarm at", args.time));
    }
    let key = world.alarm.next_key();
    world.alarm.insert(key, Alarm { time: args.time, username });
    Ok(Value::from("success"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use serde_json::json;

    const TOKEN: &str = "q7m2x9v4b1n8k5j3h6";

    #[test]
    fn adds_one_alarm_for_the_owner() {
        let mut world = world();
        let before = world.alarm.len();
        let time = json!({"token": TOKEN, "time": "2024-05-17T05:45"});
        assert_eq!(output(&API, time, &mut world), "success");
        assert_eq!(world.alarm.len(), before + 1);
        let (_, added) = world.alarm.iter().next_back().unwrap();
        assert_eq!(
            (added.username.as_str(), added.time.to_string().as_str()),
            ("mira.okafor", "2024-05-17 05:45:00")
        );
    }

    #[test]
    fn refuses_a_wrong_token_and_the_same_time_twice() {
        let mut world = world();
        let call = json!({"token": "no", "time": "2024-05-17 05:45:00"});
        assert!(exception(&API, call, &mut world).contains("token"));
        let call = json!({"token": TOKEN, "time": "2024-05-17 05:45:00"});
        output(&API, call.clone(), &mut world);
        assert!(exception(&API, call, &mut world).contains("2024-05-17 05:45:00"));
    }

    #[test]
    fn the_time_may_be_written_otherwise_but_not_be_another() {
        let gold = json!({"token": TOKEN, "time": "2024-05-17 05:45:00"});
        assert!(same(&API, gold.clone(), json!({"token": TOKEN, "time": "2024/5/17 5:45"})));
        assert!(!same(&API, gold, json!({"token": TOKEN, "time": "2024-05-17 17:45:00"})));
    }
}
