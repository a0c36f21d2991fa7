//! GetUserToken: log in with name and password to get the token that other APIs require.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::ApiError;
use crate::store::{TableName, World};
use serde_json::{Value, json};

pub const API: Api = Api {
    name: "GetUserToken",
    suite: Suite::Dialogue,
    domain: Domain::Account,
    description: "Logs a user in with username and password and returns the token that \
                  identifies the user to other APIs.",
    hints: &[
        "log in",
        "sign in with a username and password",
        "get an access token",
        "authenticate the user",
        "here are my credentials",
        "confirm my identity",
        "start a session",
        "obtain a login token",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "token", label: "str", description: "The user's token." }],
    reads: &[TableName::Account],
    writes: &[],
    errors: &["No account has the username.", "The password is not the account's."],
    examples: &[
        Example {
            arguments: r#"{"username": "mira.okafor", "password": "tamarind-42"}"#,
            succeeds: true,
        },
        Example { arguments: r#"{"username": "nobody", "password": "x"}"#, succeeds: false },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The user's login name.
        #[rule(Exact)]
        username: String,
        /// The user's password.
        #[rule(Exact)]
        password: String,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let account = world
        .account
        .get(&args.username)
        .ok_or_else(|| ApiError::not_found("account named", &args.username))?;
    if account.password != args.password {
        return Err(ApiError::Refused("The password is wrong.".to_owned()));
    }
    Ok(json!({ "token": account.token }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};

    #[test]
    fn gives_the_token_of_the_account() {
        let arguments = json!({"username": "mira.okafor", "password": "tamarind-42"});
        let token = output(&API, arguments, &mut world())["token"].clone();
        let owner = world().token_owner(token.as_str().unwrap()).unwrap();
        assert_eq!(owner, "mira.okafor");
    }

    #[test]
    fn refuses_wrong_names_and_passwords() {
        let mut world = world();
        let wrong = json!({"username": "mira.okafor", "password": "Tamarind-42"});
        assert_eq!(exception(&API, wrong, &mut world), "The password is wrong.");
        let unknown = json!({"username": "Mira.Okafor", "password": "tamarind-42"});
        assert_eq!(
            exception(&API, unknown, &mut world),
            "There is no account named \"Mira.Okafor\"."
        );
    }

    #[test]
    fn credentials_match_exactly() {
        let gold = json!({"username": "mira.okafor", "password": "tamarind-42"});
        assert!(same(&API, gold.clone(), gold.clone()));
        let other = json!({"username": "jonas.lindqvist", "password": "Fjord1987"});
        assert!(!same(&API, gold, other));
    }
}
