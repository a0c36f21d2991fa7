//! DeleteAccount: close the account that a token belongs to.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::ApiError;
use crate::store::{TableName, World};
use serde_json::{Value, json};

pub const API: Api = Api {
    name: "DeleteAccount",
    suite: Suite::Dialogue,
    domain: Domain::Account,
    description: "Deletes a user's account for good: closes it and removes the login.",
    hints: &[
        "close my account permanently",
        "delete my profile and all my data",
        "I don't want to use this service any more",
        "cancel my membership",
        "remove a user",
        "deactivate my login",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "status", label: "str", description: "success" }],
    reads: &[TableName::Account, TableName::PasswordReset],
    writes: &[TableName::Account, TableName::PasswordReset],
    errors: &["The token is not valid."],
    examples: &[
        Example { arguments: r#"{"token": "q7m2x9v4b1n8k5j3h6"}"#, succeeds: true },
        Example { arguments: r#"{"token": "unknown"}"#, succeeds: false },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The token of the user who leaves.
        #[rule(Exact)]
        token: String,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let username = world.token_owner(&args.token)?;
    world.account.remove(&username);
    // An old code must not open a later account of the same name.
    world.password_reset.remove(&username);
    Ok(json!({ "status": "success" }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use crate::store::PasswordReset;

    const TOKEN: &str = "q7m2x9v4b1n8k5j3h6";

    #[test]
    fn removes_the_account_and_its_code() {
        let mut world = world();
        let before = world.account.len();
        world.password_reset.insert("mira.okafor", PasswordReset { code: 123_456 });
        world.password_reset.insert("jonas.lindqvist", PasswordReset { code: 654_321 });
        let done = output(&API, json!({"token": TOKEN}), &mut world);
        assert_eq!(done, json!({"status": "success"}));
        assert_eq!(world.account.len(), before - 1);
        assert!(!world.account.contains("mira.okafor"));
        assert!(!world.password_reset.contains("mira.okafor"));
        assert!(world.password_reset.contains("jonas.lindqvist"));
        assert!(exception(&API, json!({"token": TOKEN}), &mut world).contains("not valid"));
    }

    #[test]
    fn refuses_a_token_of_nobody() {
        exception(&API, json!({"token": "unknown"}), &mut world());
    }

    #[test]
    fn another_token_is_another_account() {
        let gold = json!({"token": TOKEN});
        assert!(same(&API, gold.clone(), gold.clone()));
        assert!(!same(&API, gold, json!({"token": "z3c6v9b2n5m8l1k4j7"})));
    }
}
