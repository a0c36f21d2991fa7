//! QueryMeeting of the planning suite: the meetings in a person's calendar.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{TableName, World};
use serde_json::{Value, json};

pub const API: Api = Api {
    name: "QueryMeeting",
    suite: Suite::Planning,
    domain: Domain::Schedule,
    description: "Shows all meetings in a person's calendar by the person's name, each with time, \
                  place and attendees.",
    hints: &[
        "which meetings does she have",
        "show someone's meetings",
        "is he busy that day",
        "when and where is the next meeting",
        "look up the meetings in a calendar",
        "check a colleague's meeting schedule",
        "appointments in somebody's diary",
    ],
    params: Args::PARAMS,
    returns: &[Field {
        name: "meetings",
        label: "list",
        description: "The meetings, each with meeting_id, meeting_name, meeting_time, \
                      meeting_location and meeting_attendees.",
    }],
    reads: &[TableName::Calendar],
    writes: &[],
    errors: &["The name is empty.", "There is no calendar of this person."],
    examples: &[
        Example { arguments: r#"{"user_name": "Mira Okafor"}"#, succeeds: true },
        Example { arguments: r#"{"user_name": "Captain Nobody"}"#, succeeds: false },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The person's full name, for example Mira Okafor.
        #[rule(Titled)]
        user_name: String,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let name = filled("user_name", &args.user_name)?;
    let meetings = super::named(&world.calendar, name)
        .ok_or_else(|| ApiError::not_found("calendar of", name))?;
    Ok(json!({ "meetings": meetings }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};

    #[test]
    fn lists_the_meetings_of_the_calendar() {
        let mut world = world();
        let expected = json!({"meetings": world.calendar.get("Hana Kováčová").unwrap()});
        let found = output(&API, json!({"user_name": "hana kováčová "}), &mut world);
        assert_eq!(found, expected);
        let first = &found["meetings"][0];
        assert_eq!(first["meeting_name"], "Design system workshop");
        assert_eq!(first["meeting_attendees"], json!(["Sofia Lindholm", "Hana Kováčová"]));
    }

    #[test]
    fn refuses_people_without_a_calendar() {
        let mut world = world();
        let message = exception(&API, json!({"user_name": "Captain Nobody"}), &mut world);
        assert_eq!(message, "There is no calendar of \"Captain Nobody\".");
        assert!(exception(&API, json!({"user_name": " "}), &mut world).contains("empty"));
    }

    #[test]
    fn another_person_is_another_call() {
        let gold = json!({"user_name": "Mira Okafor"});
        assert!(same(&API, gold.clone(), json!({"user_name": "MIRA OKAFOR"})));
        assert!(!same(&API, gold, json!({"user_name": "Kwame Asante"})));
    }
}
