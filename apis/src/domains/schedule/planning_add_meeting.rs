//! AddMeeting of the planning suite: book a meeting, without a token.
//!
//! The meeting is stored as a planned meeting. As in the original, it does not appear
//! in the calendars that QueryMeeting shows.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{PlannedMeeting, TableName, World};
use crate::when::DateTime;
use serde_json::Value;

pub const API: Api = Api {
    name: "AddMeeting",
    suite: Suite::Planning,
    domain: Domain::Schedule,
    description: "Books a new meeting: reserves a time and a place for a topic and invites the \
                  attendees.",
    hints: &[
        "invite people to a get-together",
        "book a time and place to talk",
        "arrange a meeting with everyone",
        "set up a team meeting",
        "plan a working lunch",
        "organise a meeting with several attendees",
        "set up a new meeting",
        "put a meeting in everybody's calendar",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "status", label: "str", description: "success" }],
    reads: &[TableName::PlannedMeeting],
    writes: &[TableName::PlannedMeeting],
    errors: &["The topic is empty.", "The meeting ends before it starts."],
    examples: &[
        Example {
            arguments: r#"{"meeting_topic": "Harbour survey", "start_time": "2024-05-21 14:00:00", "end_time": "2024-05-21 15:00:00", "location": "Room Pirita", "attendees": ["Maria Kowalska", "Binh Tran"]}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"meeting_topic": " ", "start_time": "2024-05-21 14:00:00", "end_time": "2024-05-21 15:00:00", "location": "Room Pirita", "attendees": ["Maria Kowalska"]}"#,
            succeeds: false,
        },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
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
    let meeting_topic = filled("meeting_topic", &args.meeting_topic)?.to_owned();
    super::check_span(args.start_time, args.end_time)?;
    let meeting = PlannedMeeting {
        meeting_topic,
        start_time: args.start_time,
        end_time: args.end_time,
        location: args.location.trim().to_owned(),
        attendees: super::tidy_names(&args.attendees),
    };
    let key = world.planned_meeting.next_key();
    world.planned_meeting.insert(key, meeting);
    Ok(Value::from("success"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use serde_json::json;

    fn survey(topic: &str, attendees: &[&str]) -> Value {
        json!({"meeting_topic": topic, "start_time": "2024-05-21 14:00:00",
               "end_time": "2024-05-21 15:00:00", "location": "Room Pirita",
               "attendees": attendees})
    }

    #[test]
    fn plans_the_meeting() {
        let mut world = world();
        let call = survey(" Harbour survey", &["Maria Kowalska"]);
        assert_eq!(output(&API, call, &mut world), "success");
        let (_, added) = world.planned_meeting.iter().next_back().unwrap();
        assert_eq!(json!(added), survey("Harbour survey", &["Maria Kowalska"]));
    }

    #[test]
    fn refuses_a_blank_topic_and_an_end_before_the_start() {
        let mut world = world();
        assert!(exception(&API, survey("\t", &[]), &mut world).contains("meeting_topic"));
        let mut backwards = survey("Harbour survey", &[]);
        backwards["start_time"] = json!("2024-05-21 15:30:00");
        assert!(exception(&API, backwards, &mut world).contains("end_time"));
    }

    #[test]
    fn the_people_invited_count() {
        let gold = survey("Harbour survey", &["Maria Kowalska", "Binh Tran"]);
        assert!(same(
            &API,
            gold.clone(),
            survey("the harbour survey", &["binh tran", "Maria Kowalska"])
        ));
        assert!(!same(&API, gold, survey("Harbour survey", &["Maria Kowalska", "Dmitri Volkov"])));
    }
}
