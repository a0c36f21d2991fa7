//! SendEmail: send a mail to one receiver.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::mail;
use crate::store::{Email, TableName, World};
use serde_json::Value;

pub const API: Api = Api {
    name: "SendEmail",
    suite: Suite::Dialogue,
    domain: Domain::Communication,
    description: "Sends an email message with a subject line and a text to the receiver's mail \
                  address.",
    hints: &[
        "mail this to my landlord",
        "let someone know by email",
        "compose an email with a subject line",
        "forward a note to a customer",
        "drop her a line",
        "contact a person in writing",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "status", label: "str", description: "success" }],
    reads: &[TableName::Email],
    writes: &[TableName::Email],
    errors: &["The receiver is not an email address.", "The subject or the content is empty."],
    examples: &[
        Example {
            arguments: r#"{"receiver": "liam.oconnell@corrib.example", "subject": "Choir rehearsal moved", "content": "We sing on Thursday this week, same hall, half past seven."}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"receiver": "Liam", "subject": "Choir rehearsal moved", "content": "We sing on Thursday this week."}"#,
            succeeds: false,
        },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The email address that the mail goes to.
        #[rule(CaseFolded)]
        receiver: String,
        /// The subject line of the mail.
        #[rule(Facts)]
        subject: String,
        /// The text of the mail.
        #[rule(Facts)]
        content: String,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let receiver = mail::address("receiver", &args.receiver)?.to_owned();
    let subject = filled("subject", &args.subject)?.to_owned();
    let content = filled("content", &args.content)?.to_owned();
    let key = world.email.next_key();
    world.email.insert(key, Email { receiver, subject, content });
    Ok(Value::from("success"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use serde_json::json;

    fn mail_to(receiver: &str, subject: &str, content: &str) -> Value {
        json!({"receiver": receiver, "subject": subject, "content": content})
    }

    #[test]
    fn every_mail_is_kept() {
        let mut world = world();
        let before = world.email.len();
        let call = mail_to(" ann@post.example ", "Keys", "They are under the blue pot.");
        assert_eq!(output(&API, call.clone(), &mut world), "success");
        assert_eq!(output(&API, call, &mut world), "success");
        assert_eq!(world.email.len(), before + 2);
        let (_, sent) = world.email.iter().next_back().unwrap();
        let expected = Email {
            receiver: "ann@post.example".to_owned(),
            subject: "Keys".to_owned(),
            content: "They are under the blue pot.".to_owned(),
        };
        assert_eq!(sent, &expected);
    }

    #[test]
    fn refuses_what_cannot_be_sent() {
        let mut world = world();
        assert!(exception(&API, mail_to("ann", "Keys", "Here."), &mut world).contains("\"ann\""));
        let message = exception(&API, mail_to("ann@post.example", " ", "Here."), &mut world);
        assert_eq!(message, "subject must not be empty.");
        let message = exception(&API, mail_to("ann@post.example", "Keys", "\n"), &mut world);
        assert_eq!(message, "content must not be empty.");
    }

    #[test]
    fn other_words_for_the_same_mail_are_right() {
        let gold = mail_to("ann@post.example", "Keys of the flat", "The keys are under the pot.");
        let reworded = mail_to("Ann@post.example", "Keys of flat", "keys: under the pot!");
        assert!(same(&API, gold.clone(), reworded));
        let elsewhere =
            mail_to("anna@post.example", "Keys of the flat", "The keys are under the pot.");
        assert!(!same(&API, gold.clone(), elsewhere));
        assert!(!same(
            &API,
            gold,
            mail_to("ann@post.example", "Keys of the flat", "See you soon.")
        ));
    }
}
