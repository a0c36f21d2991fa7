//! RegisterUser: open an account and get its token.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::mail;
use crate::store::{Account, TableName, World};
use serde_json::{Value, json};

/// Length of a token.
const TOKEN_LENGTH: usize = 18;

pub const API: Api = Api {
    name: "RegisterUser",
    suite: Suite::Dialogue,
    domain: Domain::Account,
    description: "Signs up a new user: creates an account from a username, a password and an \
                  email address, and returns its token.",
    hints: &[
        "create an account",
        "register a new user",
        "I'm new here and don't have a login yet",
        "open a user account with my email address",
        "become a member",
        "choose a username and password for the first time",
        "user registration",
        "sign me up as a new user",
        "set me up with a login",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "token", label: "str", description: "The token of the new account." }],
    reads: &[TableName::Account],
    writes: &[TableName::Account],
    errors: &[
        "The username or the password is empty.",
        "The email is not an address.",
        "An account has the username already.",
    ],
    examples: &[
        Example {
            arguments: r#"{"username": "paloma.reyes", "password": "garúa-2024", "email": "paloma.reyes@malecon.example"}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"username": "mira.okafor", "password": "garúa-2024", "email": "mira@malecon.example"}"#,
            succeeds: false,
        },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The login name that the user wants.
        #[rule(Exact)]
        username: String,
        /// The password that the user chose.
        #[rule(Exact)]
        password: String,
        /// The user's email address.
        #[rule(CaseFolded)]
        email: String,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let username = filled("username", &args.username)?;
    let password = super::usable_password("password", &args.password)?.to_owned();
    let email = mail::address("email", &args.email)?.to_owned();
    if world.account.contains(username) {
        return Err(ApiError::exists("an account named", username));
    }
    let token = free_token(world, username);
    world.account.insert(username, Account { password, token: token.clone(), email });
    Ok(json!({ "token": token }))
}

/// A new token. The first try is taken only if the database was made with the same
/// seed, so the loop is short.
fn free_token(world: &World, username: &str) -> String {
    let mut key = username.to_owned();
    loop {
        let token = world.derive_token("token", &key, TOKEN_LENGTH);
        if world.token_owner(&token).is_err() {
            return token;
        }
        key.push('+');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};

    fn user(username: &str, password: &str, email: &str) -> Value {
        json!({"username": username, "password": password, "email": email})
    }

    fn paloma() -> Value {
        user("paloma.reyes", "garúa-2024", "paloma.reyes@malecon.example")
    }

    #[test]
    fn the_token_is_that_of_the_new_account() {
        let mut world = world();
        let token = output(&API, paloma(), &mut world)["token"].clone();
        let token = token.as_str().unwrap();
        assert_eq!(token.len(), TOKEN_LENGTH);
        assert_eq!(world.token_owner(token).unwrap(), "paloma.reyes");
        assert_eq!(world.account.get("paloma.reyes").unwrap().password, "garúa-2024");
    }

    #[test]
    fn a_taken_token_is_not_given_again() {
        let mut world = world();
        let taken = world.derive_token("token", "paloma.reyes", TOKEN_LENGTH);
        world.account.update("jonas.lindqvist", |account| account.token = taken.clone());
        assert_ne!(output(&API, paloma(), &mut world), json!({"token": taken}));
    }

    #[test]
    fn refuses_taken_names_and_unusable_data() {
        let mut world = world();
        output(&API, paloma(), &mut world);
        assert_eq!(
            exception(&API, paloma(), &mut world),
            "There is already an account named \"paloma.reyes\"."
        );
        let blank = user(" ", "p", "p@malecon.example");
        assert_eq!(exception(&API, blank, &mut world), "username must not be empty.");
        let open = user("p", " ", "p@malecon.example");
        assert_eq!(exception(&API, open, &mut world), "password must not be empty.");
        assert!(exception(&API, user("p", "p", "malecon"), &mut world).contains("malecon"));
    }

    #[test]
    fn the_email_matches_in_any_case_and_the_password_exactly() {
        let email = "Paloma.Reyes@Malecon.example";
        assert!(same(&API, paloma(), user("paloma.reyes", "garúa-2024", email)));
        assert!(!same(&API, paloma(), user("paloma.reyes", "Garúa-2024", email)));
        assert!(!same(&API, paloma(), user("paloma", "garúa-2024", email)));
    }
}
