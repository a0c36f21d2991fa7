//! QueryMeeting: look up a meeting of the owner of a token.
//!
//! Finds the meeting with the topic and the start; else the one with the start; else the one with
//! the topic, in any case. If topic and start match different meetings, the call is refused. The
//! other parameters are ignored.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::ApiError;
use crate::store::{TableName, World};
use crate::when::DateTime;
use serde_json::{Value, json};

pub const API: Api = Api {
    name: "QueryMeeting",
    suite: Suite::Dialogue,
    domain: Domain::Schedule,
    description: "Looks up a meeting of the user: shows its topic, when it starts and ends, where \
                  it is held and who attends.",
    hints: &[
        "when is the meeting",
        "show the details of a meeting",
        "where are we meeting",
        "who else is coming to the meeting",
        "look up a meeting in my schedule",
        "do I have a meeting tomorrow",
        "check when the team call ends",
    ],
    params: Args::PARAMS,
    returns: &[Field {
        name: "meeting",
        label: "dict",
        description: "The meeting with its meeting_topic, start_time, end_time, location, \
                      attendees and username.",
    }],
    reads: &[TableName::Account, TableName::Meeting],
    writes: &[],
    errors: &[
        "The token is not valid.",
        "The user has no meeting with this topic and none that starts at this time.",
        "The topic belongs to one meeting and the start to another.",
    ],
    examples: &[
        Example {
            arguments: r#"{"token": "q7m2x9v4b1n8k5j3h6", "meeting_topic": "Survey methods review", "start_time": "2024-05-16 10:00:00", "end_time": "2024-05-16 11:00:00", "location": "Room Baobab", "attendees": ["Kwame Asante", "Priya Raman"]}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"token": "q7m2x9v4b1n8k5j3h6", "meeting_topic": "Merger talks", "start_time": "2024-05-16 22:00:00", "end_time": "2024-05-16 23:00:00", "location": "Room Baobab", "attendees": ["Kwame Asante"]}"#,
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
        /// What the meeting is about.
        #[rule(Facts)]
        meeting_topic: String,
        /// When it starts.
        #[rule(DateTime)]
        start_time: DateTime,
        /// When it ends.
        #[rule(DateTime)]
        #[allow(dead_code, reason = "API-Bank publishes it; a meeting is found without it")]
        end_time: DateTime,
        /// Where it takes place.
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
    Ok(json!(world.meeting.get(&key)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{does_the_same, exception, output, same, world};

    fn query(topic: &str, start: &str, attendees: &[&str]) -> Value {
        json!({"token": "q7m2x9v4b1n8k5j3h6", "meeting_topic": topic, "start_time": start,
               "end_time": "2024-05-16 11:00:00", "location": "Room Baobab",
               "attendees": attendees})
    }

    #[test]
    fn returns_the_meeting() {
        let call = query("survey methods review", "2024-05-16 10:00:00", &[]);
        assert_eq!(
            output(&API, call, &mut world()),
            json!({"meeting_topic": "Survey methods review", "start_time": "2024-05-16 10:00:00",
                   "end_time": "2024-05-16 11:00:00", "location": "Room Baobab",
                   "attendees": ["Kwame Asante", "Priya Raman"], "username": "mira.okafor"})
        );
    }

    #[test]
    fn a_meeting_of_somebody_else_is_not_found() {
        let message =
            exception(&API, query("Sprint planning", "2024-05-16 09:30", &[]), &mut world());
        assert_eq!(
            message,
            "There is no meeting \"Sprint planning\" and none at 2024-05-16 09:30:00."
        );
    }

    #[test]
    fn a_shorter_topic_may_find_the_meeting_but_nothing_may_be_invented() {
        let at = "2024-05-16 10:00:00";
        let gold = query("Survey methods review", at, &["Kwame Asante"]);
        assert!(does_the_same(&API, gold.clone(), query("review", at, &["kwame asante"])));
        assert!(!same(&API, gold.clone(), query("Survey methods review", at, &["Nobody"])));
        let elsewhere = query("Survey methods review", "2024-05-16 11:00:00", &["Kwame Asante"]);
        assert!(!same(&API, gold.clone(), elsewhere));
        assert!(!same(&API, gold, query("Quarterly results preview", "2024-05-23 15:00:00", &[])));
    }

    #[test]
    fn a_query_that_finds_nothing_is_right_only_with_the_same_arguments() {
        let gold = query("Merger talks", "2024-05-16 22:00:00", &["Kwame Asante", "Bo"]);
        let reordered = query("merger talks", "2024-05-16 22:00:00", &["bo", "Kwame Asante"]);
        assert!(same(&API, gold.clone(), reordered));
        assert!(!same(&API, gold, query("Merger talks", "2024-05-16 22:00:00", &["Bo"])));
    }
}
