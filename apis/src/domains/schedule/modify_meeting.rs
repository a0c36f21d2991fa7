//! ModifyMeeting: change a meeting of the owner of a token.
//!
//! Finds the meeting as QueryMeeting does, by its start (with a new topic) or by its topic
//! (with a new start). Then replaces all fields.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{TableName, World};
use crate::when::DateTime;
use serde_json::Value;

pub const API: Api = Api {
    name: "ModifyMeeting",
    suite: Suite::Dialogue,
    domain: Domain::Schedule,
    description: "Changes a booked meeting of the user: reschedules it, or edits its topic, place \
                  or attendees.",
    hints: &[
        "reschedule the meeting",
        "move our meeting to another room",
        "the meeting starts later",
        "change who attends a meeting",
        "postpone the team call",
        "update the topic of a meeting",
        "make the meeting longer",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "status", label: "str", description: "success" }],
    reads: &[TableName::Account, TableName::Meeting],
    writes: &[TableName::Meeting],
    errors: &[
        "The token is not valid.",
        "The topic is empty.",
        "The meeting ends before it starts.",
        "The user has no meeting with this topic and none that starts at this time.",
        "The topic belongs to one meeting and the start to another.",
    ],
    examples: &[
        Example {
            arguments: r#"{"token": "q7m2x9v4b1n8k5j3h6", "meeting_topic": "Survey methods review", "start_time": "2024-05-17 14:00:00", "end_time": "2024-05-17 15:00:00", "location": "Video call", "attendees": ["Kwame Asante", "Oskar Nieminen"]}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"token": "q7m2x9v4b1n8k5j3h6", "meeting_topic": "Merger talks", "start_time": "2024-05-17 14:00:00", "end_time": "2024-05-17 15:00:00", "location": "Video call", "attendees": ["Kwame Asante"]}"#,
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
        end_time: DateTime,
        /// Where it takes place.
        #[rule(Place)]
        location: String,
        /// Names of the people invited.
        #[rule(Set)]
        attendees: Vec<String>,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let username = world.token_owner(&args.token)?;
    let topic = filled("meeting_topic", &args.meeting_topic)?.to_owned();
    super::check_span(args.start_time, args.end_time)?;
    let key = super::meeting_of(world, &username, &topic, args.start_time)?;
    world.meeting.update(&key, |meeting| {
        meeting.meeting_topic = topic;
        meeting.start_time = args.start_time;
        meeting.end_time = args.end_time;
        meeting.location = args.location.trim().to_owned();
        meeting.attendees = super::tidy_names(&args.attendees);
    });
    Ok(Value::from("success"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use serde_json::json;

    fn moved(topic: &str, attendees: &[&str]) -> Value {
        json!({"token": "q7m2x9v4b1n8k5j3h6", "meeting_topic": topic,
               "start_time": "2024-05-17 14:00:00", "end_time": "2024-05-17 15:00:00",
               "location": "Video call", "attendees": attendees})
    }

    #[test]
    fn writes_everything_it_is_given() {
        let mut world = world();
        let call = moved("survey methods review", &["Kwame Asante", "Oskar Nieminen"]);
        assert_eq!(output(&API, call, &mut world), "success");
        assert_eq!(
            json!(world.meeting.get("1").unwrap()),
            json!({"meeting_topic": "survey methods review", "start_time": "2024-05-17 14:00:00",
                   "end_time": "2024-05-17 15:00:00", "location": "Video call",
                   "attendees": ["Kwame Asante", "Oskar Nieminen"], "username": "mira.okafor"})
        );
    }

    #[test]
    fn refuses_unknown_meetings_and_impossible_spans() {
        let mut world = world();
        let message = exception(&API, moved("Merger talks", &[]), &mut world);
        assert!(message.contains("no meeting \"Merger talks\""), "{message}");
        let mut backwards = moved("Survey methods review", &[]);
        backwards["end_time"] = json!("2024-05-17 13:59:59");
        assert!(exception(&API, backwards, &mut world).contains("before the start"));
    }

    #[test]
    fn other_attendees_are_another_change() {
        let gold = moved("Survey methods review", &["Kwame Asante", "Priya Raman"]);
        let reordered = moved("survey methods review", &["Priya Raman", "Kwame Asante"]);
        assert!(same(&API, gold.clone(), reordered));
        assert!(!same(&API, gold, moved("Survey methods review", &["Kwame Asante"])));
    }
}
