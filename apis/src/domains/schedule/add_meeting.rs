//! AddMeeting: book a meeting for the owner of a token.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{Meeting, TableName, World};
use crate::when::DateTime;
use serde_json::Value;

pub const API: Api = Api {
    name: "AddMeeting",
    suite: Suite::Dialogue,
    domain: Domain::Schedule,
    description: "Books a new meeting for the user: topic, start and end, place, and the people \
                  who are invited.",
    hints: &[
        "get the team together",
        "invite colleagues to a call",
        "book a conference room for a discussion",
        "arrange a meeting with a client",
        "set up a project review",
        "create a new meeting with attendees",
        "book a team meeting for next week",
        "add a new meeting",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "status", label: "str", description: "success" }],
    reads: &[TableName::Account, TableName::Meeting],
    writes: &[TableName::Meeting],
    errors: &[
        "The token is not valid.",
        "The topic is empty.",
        "The meeting ends before it starts.",
    ],
    examples: &[
        Example {
            arguments: r#"{"token": "q7m2x9v4b1n8k5j3h6", "meeting_topic": "Interviewer training", "start_time": "2024-05-21 10:00:00", "end_time": "2024-05-21 11:30:00", "location": "Room Baobab", "attendees": ["Kwame Asante", "Priya Raman"]}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"token": "q7m2x9v4b1n8k5j3h6", "meeting_topic": "Interviewer training", "start_time": "2024-05-21 10:00:00", "end_time": "2024-05-21 09:30:00", "location": "Room Baobab", "attendees": ["Kwame Asante"]}"#,
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
    let meeting_topic = filled("meeting_topic", &args.meeting_topic)?.to_owned();
    super::check_span(args.start_time, args.end_time)?;
    let meeting = Meeting {
        meeting_topic,
        start_time: args.start_time,
        end_time: args.end_time,
        location: args.location.trim().to_owned(),
        attendees: super::tidy_names(&args.attendees),
        username,
    };
    let key = world.meeting.next_key();
    world.meeting.insert(key, meeting);
    Ok(Value::from("success"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use serde_json::json;

    fn training(attendees: Value) -> Value {
        json!({"token": "q7m2x9v4b1n8k5j3h6", "meeting_topic": "Interviewer training",
               "start_time": "2024-05-21 10:00:00", "end_time": "2024-05-21 11:30:00",
               "location": "Room Baobab", "attendees": attendees})
    }

    #[test]
    fn books_with_attendees_as_a_list_or_as_its_text() {
        for attendees in [json!(["Kwame Asante", "Bo"]), json!("['Kwame Asante', 'Bo']")] {
            let mut world = world();
            assert_eq!(output(&API, training(attendees), &mut world), "success");
            let (_, added) = world.meeting.iter().next_back().unwrap();
            assert_eq!(added.attendees, ["Kwame Asante", "Bo"]);
            assert_eq!(added.username, "mira.okafor");
        }
    }

    #[test]
    fn refuses_a_blank_topic_and_an_end_before_the_start() {
        let mut world = world();
        let mut blank = training(json!([]));
        blank["meeting_topic"] = json!(" ");
        assert_eq!(exception(&API, blank, &mut world), "meeting_topic must not be empty.");
        let mut backwards = training(json!(["Bo"]));
        backwards["end_time"] = json!("2024-05-21 09:00:00");
        assert!(exception(&API, backwards, &mut world).starts_with("end_time is not valid"));
    }

    #[test]
    fn attendees_match_in_any_order_but_all_of_them() {
        let gold = training(json!(["Kwame Asante", "Priya Raman"]));
        assert!(same(&API, gold.clone(), training(json!(["priya raman", "Kwame Asante"]))));
        assert!(!same(&API, gold, training(json!(["Kwame Asante"]))));
    }
}
