//! EmailReminder: mail somebody a reminder with time and place.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::mail;
use crate::store::{EmailReminder, TableName, World};
use crate::when::DateTime;
use serde_json::Value;

pub const API: Api = Api {
    name: "EmailReminder",
    suite: Suite::Planning,
    domain: Domain::Communication,
    description: "Sends somebody an email that reminds of a meeting: what it is about, when and \
                  where.",
    hints: &[
        "email someone a reminder about a meeting",
        "let the attendees know when and where we meet",
        "remind a colleague by email",
        "send out a meeting notice",
        "write to the participants so that they don't miss it",
        "mail the time and place of an event to somebody",
        "reminder email",
        "tell a guest about a meeting that is coming up",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "status", label: "str", description: "success" }],
    reads: &[TableName::EmailReminder],
    writes: &[TableName::EmailReminder],
    errors: &["The content is empty.", "The recipient is not an email address."],
    examples: &[
        Example {
            arguments: r#"{"content": "Bring the signed lease to the handover.", "time": "2024-05-22 10:30:00", "location": "Ribeira office", "recipient": "ines.carvalho@ribeira.example"}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"content": " ", "time": "2024-05-22 10:30:00", "location": "Ribeira office", "recipient": "ines.carvalho@ribeira.example"}"#,
            succeeds: false,
        },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// What the mail reminds of.
        #[rule(Facts)]
        content: String,
        /// When the meeting takes place.
        #[rule(DateTime)]
        time: DateTime,
        /// Where the meeting takes place; may be empty.
        #[rule(Place)]
        location: String,
        /// The email address of who is reminded.
        #[rule(CaseFolded)]
        recipient: String,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let content = filled("content", &args.content)?.to_owned();
    let recipient = mail::address("recipient", &args.recipient)?.to_owned();
    let location = args.location.trim().to_owned();
    let key = world.email_reminder.next_key();
    let reminder = EmailReminder { content, time: args.time, location, recipient };
    world.email_reminder.insert(key, reminder);
    Ok(Value::from("success"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use serde_json::json;

    fn remind(content: &str, time: &str, location: &str, recipient: &str) -> Value {
        json!({"content": content, "time": time, "location": location, "recipient": recipient})
    }

    fn lease() -> Value {
        remind("Bring the signed lease", "2024-05-22 10:30:00", "Dock 4", "ann@post.example")
    }

    #[test]
    fn the_reminder_is_kept() {
        let mut world = world();
        let before = world.email_reminder.len();
        assert_eq!(output(&API, lease(), &mut world), "success");
        assert_eq!(world.email_reminder.len(), before + 1);
        let (_, sent) = world.email_reminder.iter().next_back().unwrap();
        let expected = EmailReminder {
            content: "Bring the signed lease".to_owned(),
            time: "2024-05-22 10:30:00".parse().unwrap(),
            location: "Dock 4".to_owned(),
            recipient: "ann@post.example".to_owned(),
        };
        assert_eq!(sent, &expected);
        output(&API, remind("Call in", "2024-05-22 10:30", "", "ann@post.example"), &mut world);
    }

    #[test]
    fn refuses_what_cannot_be_sent() {
        let mut world = world();
        let blank = remind("", "2024-05-22 10:30:00", "Dock 4", "ann@post.example");
        assert_eq!(exception(&API, blank, &mut world), "content must not be empty.");
        let nobody = remind("Bring it", "2024-05-22 10:30:00", "Dock 4", "Ann");
        assert!(exception(&API, nobody, &mut world).contains("recipient"));
        let never = remind("Bring it", "soon", "Dock 4", "ann@post.example");
        assert!(exception(&API, never, &mut world).contains("time"));
    }

    #[test]
    fn the_words_may_differ_but_not_time_place_and_recipient() {
        let same_as_lease = |content: &str, time: &str, location: &str, recipient: &str| {
            same(&API, lease(), remind(content, time, location, recipient))
        };
        let (what, when) = ("bring signed lease", "2024-05-22T10:30");
        assert!(same_as_lease(what, when, "dock 4", "Ann@post.example"));
        assert!(!same_as_lease("Bring cake", when, "Dock 4", "ann@post.example"));
        assert!(!same_as_lease(what, "2024-05-22 22:30:00", "Dock 4", "ann@post.example"));
        assert!(!same_as_lease(what, when, "Dock 5", "ann@post.example"));
        assert!(!same_as_lease(what, when, "Dock 4", "bo@post.example"));
    }
}
