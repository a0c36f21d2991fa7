//! ModifyPassword: change a password, given the old one.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::ApiError;
use crate::store::{TableName, World};
use serde_json::{Value, json};

pub const API: Api = Api {
    name: "ModifyPassword",
    suite: Suite::Dialogue,
    domain: Domain::Account,
    description: "Changes the password of a logged-in user from the old password to a new one.",
    hints: &[
        "change my password",
        "replace my old password with a stronger one",
        "update the password of my account",
        "I want to use a different password from now on",
        "someone may know my password, so I need a new one",
        "new login password",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "status", label: "str", description: "success" }],
    reads: &[TableName::Account],
    writes: &[TableName::Account],
    errors: &[
        "The token is not valid.",
        "The old password is not the account's.",
        "The new password is empty.",
    ],
    examples: &[
        Example {
            arguments: r#"{"token": "q7m2x9v4b1n8k5j3h6", "old_password": "tamarind-42", "new_password": "Lekki#Bridge9"}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"token": "q7m2x9v4b1n8k5j3h6", "old_password": "tamarind", "new_password": "Lekki#Bridge9"}"#,
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
        /// The password until now.
        #[rule(Exact)]
        old_password: String,
        /// The password from now on.
        #[rule(Exact)]
        new_password: String,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let username = world.token_owner(&args.token)?;
    let password = super::usable_password("new_password", &args.new_password)?.to_owned();
    let known = world.account.get(&username).map(|account| account.password.as_str());
    if known != Some(args.old_password.as_str()) {
        return Err(ApiError::Refused("The old password is wrong.".to_owned()));
    }
    world.account.update(&username, |account| account.password = password);
    Ok(json!({ "status": "success" }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};

    fn change(old: &str, new: &str) -> Value {
        json!({"token": "q7m2x9v4b1n8k5j3h6", "old_password": old, "new_password": new})
    }

    #[test]
    fn only_the_new_password_opens_the_account() {
        let mut world = world();
        let done = output(&API, change("tamarind-42", "Lekki#Bridge9"), &mut world);
        assert_eq!(done, json!({"status": "success"}));
        assert_eq!(world.account.get("mira.okafor").unwrap().password, "Lekki#Bridge9");
        exception(&API, change("tamarind-42", "x"), &mut world);
    }

    #[test]
    fn refuses_wrong_tokens_and_passwords() {
        let mut world = world();
        let message = exception(&API, change("tamarind", "x"), &mut world);
        assert_eq!(message, "The old password is wrong.");
        let message = exception(&API, change("tamarind-42", "  "), &mut world);
        assert_eq!(message, "new_password must not be empty.");
        let nobody = json!({"token": "no", "old_password": "tamarind-42", "new_password": "x"});
        assert!(exception(&API, nobody, &mut world).contains("token"));
    }

    #[test]
    fn passwords_match_exactly() {
        let gold = change("tamarind-42", "Lekki#Bridge9");
        assert!(same(&API, gold.clone(), gold.clone()));
        assert!(!same(&API, gold.clone(), change("tamarind-42", "lekki#bridge9")));
        assert!(!same(&API, gold, change("Tamarind-42", "Lekki#Bridge9")));
    }
}
