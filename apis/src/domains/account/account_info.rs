//! AccountInfo: the contact data of a profile.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::ApiError;
use crate::store::{TableName, World};
use serde_json::{Value, json};

/// The original publishes one field `account_info` but returns its parts; this
/// declares the parts. `address` is present only if one is on file.
pub const API: Api = Api {
    name: "AccountInfo",
    suite: Suite::Planning,
    domain: Domain::Account,
    description: "Retrieves a user's account information: the email address, phone number and \
                  postal address on file.",
    hints: &[
        "get someone's contact details",
        "find a user's email address and phone number",
        "where does this customer live",
        "show my profile",
        "what do you have on file about me",
        "look up a person's home address",
        "how can I reach this user",
        "see the details of an account",
        "the email address on the account",
    ],
    params: Args::PARAMS,
    returns: &[
        Field { name: "email", label: "str", description: "The email address." },
        Field { name: "phone", label: "str", description: "The phone number." },
        Field {
            name: "address",
            label: "str",
            description: "The postal address, when one is on file.",
        },
    ],
    reads: &[TableName::Profile],
    writes: &[],
    errors: &["There is no profile of this name.", "The password is not the profile's."],
    examples: &[
        Example {
            arguments: r#"{"username": "Mira Okafor", "password": "tamarind-42"}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"username": "Mira Okafor", "password": "tamarind"}"#,
            succeeds: false,
        },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The user's name.
        #[rule(CaseFolded)]
        username: String,
        /// The user's password.
        #[rule(Exact)]
        password: String,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let key = super::profile_of(world, &args.username, &args.password)?;
    let profile = world.profile.get(&key).ok_or_else(|| ApiError::not_found("profile of", &key))?;
    let mut output = json!({ "email": profile.email, "phone": profile.phone });
    if let Some(address) = &profile.address {
        output["address"] = Value::from(address.as_str());
    }
    Ok(output)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};

    fn ask(username: &str, password: &str) -> Value {
        json!({"username": username, "password": password})
    }

    #[test]
    fn gives_what_is_on_file() {
        let mut world = world();
        world.profile.update("Mira Okafor", |profile| {
            profile.email = "mira@lagoon.example".to_owned();
            profile.phone = "555".to_owned();
            profile.address = None;
        });
        let bare = json!({"email": "mira@lagoon.example", "phone": "555"});
        assert_eq!(output(&API, ask("mira okafor ", "tamarind-42"), &mut world), bare);
        world.profile.update("Mira Okafor", |profile| profile.address = Some("Quay 1".to_owned()));
        let full = json!({"email": "mira@lagoon.example", "phone": "555", "address": "Quay 1"});
        assert_eq!(output(&API, ask("Mira Okafor", "tamarind-42"), &mut world), full);
    }

    #[test]
    fn refuses_unknown_names_and_wrong_passwords() {
        let mut world = world();
        let message = exception(&API, ask("Nobody Atall", "tamarind-42"), &mut world);
        assert_eq!(message, "There is no profile of \"Nobody Atall\".");
        let message = exception(&API, ask("Mira Okafor", "Tamarind-42"), &mut world);
        assert_eq!(message, "The password is wrong.");
    }

    #[test]
    fn the_name_matches_in_any_case_and_the_password_exactly() {
        let gold = ask("Mira Okafor", "tamarind-42");
        assert!(same(&API, gold.clone(), ask("MIRA OKAFOR", "tamarind-42")));
        assert!(!same(&API, gold.clone(), ask("Mira Okafor", "TAMARIND-42")));
        assert!(!same(&API, gold, ask("Jonas Lindqvist", "Fjord1987")));
    }
}
