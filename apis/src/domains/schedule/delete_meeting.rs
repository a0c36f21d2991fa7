//! DeleteMeeting: cancel a meeting of the owner of a token.
//!
//! Finds the meeting as QueryMeeting does; ignores end, location and attendees.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::ApiError;
use crate::store::{TableName, World};
use crate::when::DateTime;
use serde_json::Value;

pub const API: Api = Api {
    name: "DeleteMeeting",
    suite: Suite::Dialogue,
    domain: Domain::Schedule,
    description: "Cancels a booked meeting of the user, so that it no longer takes place.",
    hints: &[
        "cancel the meeting",
        "the meeting is off",
        "remove a meeting from my schedule",
        "call off the team discussion",
        "we no longer need to meet",
        "delete a booked conference",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "status", label: "str", description: "success" }],
    reads: &[TableName::Account, TableName::Meeting],
    writes: &[TableName::Meeting],
    errors: &[
        "The token is not valid.",
        "The user has no meeting with this topic and none that starts at this time.",
        "The topic belongs to one meeting and the start to another.",
    ],
    examples: &[
        Example {
            arguments: r#"{"token": "z3c6v9b2n5m8l1k4j7", "meeting_topic": "Sprint planning", "start_time": "2024-05-16 09:30:00", "end_time": "2024-05-16 10:15:00", "location": "Room Vinga", "attendees": ["Sofia Lindholm", "Arjun Sethi", "Hana Kováčová"]}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"token": "q7m2x9v4b1n8k5j3h6", "meeting_topic": "Sprint planning", "start_time": "2024-05-16 09:30:00", "end_time": "2024-05-16 10:15:00", "location": "Room Vinga", "attendees": ["Sofia Lindholm"]}"#,
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
        /// What the meeting was about.
        #[rule(Facts)]
        meeting_topic: String,
        /// When it was to start.
        #[rule(DateTime)]
        start_time: DateTime,
        /// When it was to end.
        #[rule(DateTime)]
        #[allow(dead_code, reason = "API-Bank publishes it; a meeting is found without it")]
        end_time: DateTime,
        /// Where it was to take place.
        #[rule(Place)]
        #[allow(dead_code, reason = "API-Bank publishes it; a meeting is found without it")]
        location: String,
        /// Names of the people invited.
        #[rule(Set)]
        #[allow(dead_code, reason = "API-Bank publishes it; a meeting is found without it")]
        attendees: Vec<String>,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let username = world.token_owner(&args.token)?;
    let key = super::meeting_of(world, &username, &args.meeting_topic, args.start_time)?;
    world.meeting.remove(&key);
    Ok(Value::from("success"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{does_the_same, exception, output, same, world};
    use serde_json::json;

    fn cancel(topic: &str, start: &str) -> Value {
        json!({"token": "z3c6v9b2n5m8l1k4j7", "meeting_topic": topic, "start_time": start,
               "end_time": "2024-05-31 14:00:00", "location": "Room Vinga", "attendees": []})
    }

    #[test]
    fn removes_just_this_meeting() {
        let mut world = world();
        let before = world.meeting.len();
        let call = cancel("Sprint planning", "2024-05-16 09:30:00");
        assert_eq!(output(&API, call.clone(), &mut world), "success");
        assert_eq!(world.meeting.len(), before - 1);
        assert!(world.meeting.find(|row| row.meeting_topic == "Sprint planning").is_none());
        assert!(exception(&API, call, &mut world).contains("no meeting"));
    }

    #[test]
    fn a_meeting_of_somebody_else_stays() {
        exception(&API, cancel("Survey methods review", "2024-05-16 10:00:00"), &mut world());
    }

    #[test]
    fn another_meeting_is_another_call() {
        let gold = cancel("Sprint planning", "2024-05-16 09:30:00");
        assert!(does_the_same(&API, gold.clone(), cancel("planning", "2024-05-16 09:30:00")));
        assert!(!same(&API, gold, cancel("Release retrospective", "2024-05-31 13:00:00")));
    }
}
