//! CheckToken: the user whom a token belongs to.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::ApiError;
use crate::store::{TableName, World};
use serde_json::{Value, json};

pub const API: Api = Api {
    name: "CheckToken",
    suite: Suite::Dialogue,
    domain: Domain::Account,
    description: "Verifies whether a user token is valid and tells which username it belongs to.",
    hints: &[
        "check whether my token still works",
        "has my session expired",
        "who does this token belong to",
        "validate an access token",
        "make sure I am still logged in",
        "find the username behind a token",
    ],
    params: Args::PARAMS,
    returns: &[Field {
        name: "username",
        label: "str",
        description: "The login name of the token's owner.",
    }],
    reads: &[TableName::Account],
    writes: &[],
    errors: &["The token is not valid."],
    examples: &[
        Example { arguments: r#"{"token": "q7m2x9v4b1n8k5j3h6"}"#, succeeds: true },
        Example { arguments: r#"{"token": "unknown"}"#, succeeds: false },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The token to verify.
        #[rule(Exact)]
        token: String,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let username = world.token_owner(&args.token)?;
    Ok(json!({ "username": username }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};

    #[test]
    fn names_the_owner() {
        let call = json!({"token": "q7m2x9v4b1n8k5j3h6"});
        assert_eq!(output(&API, call, &mut world()), json!({"username": "mira.okafor"}));
    }

    #[test]
    fn refuses_a_token_of_nobody() {
        for token in ["", "unknown", "Q7M2X9V4B1N8K5J3H6"] {
            let message = exception(&API, json!({"token": token}), &mut world());
            assert_eq!(message, "The token is not valid: no account has it.");
        }
    }

    #[test]
    fn tokens_match_exactly() {
        let gold = json!({"token": "q7m2x9v4b1n8k5j3h6"});
        assert!(same(&API, gold.clone(), gold.clone()));
        assert!(!same(&API, gold, json!({"token": "z3c6v9b2n5m8l1k4j7"})));
    }
}
