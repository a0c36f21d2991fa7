//! QueryBalance: the bank balance of the owner of a token.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::ApiError;
use crate::store::{TableName, World};
use serde_json::Value;

pub const API: Api = Api {
    name: "QueryBalance",
    suite: Suite::Dialogue,
    domain: Domain::Finance,
    description: "Checks how much money the user has in the bank and returns the account balance.",
    hints: &[
        "check my bank balance",
        "what's left in my account",
        "can I afford this",
        "show the funds available to me",
        "how much have I saved",
    ],
    params: Args::PARAMS,
    returns: &[Field {
        name: "balance",
        label: "float",
        description: "The balance; the number itself is the output.",
    }],
    reads: &[TableName::Account, TableName::Bank],
    writes: &[],
    errors: &["The token is not valid.", "The user is no customer of the bank."],
    examples: &[
        Example { arguments: r#"{"token": "q7m2x9v4b1n8k5j3h6"}"#, succeeds: true },
        Example { arguments: r#"{"token": "unknown"}"#, succeeds: false },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The user's token.
        #[rule(Trimmed)]
        token: String,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let username = world.token_owner(args.token.trim())?;
    let customer = world.bank.get(&username).ok_or_else(|| {
        ApiError::Refused(format!(
            "{username} has no balance: the user is no customer of the bank."
        ))
    })?;
    Ok(Value::from(customer.balance))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use serde_json::json;

    const TOKEN: &str = "q7m2x9v4b1n8k5j3h6";

    #[test]
    fn gives_the_balance_of_the_owner() {
        let mut world = world();
        let balance = output(&API, json!({"token": TOKEN}), &mut world);
        assert_eq!(balance, json!(world.bank.get("mira.okafor").unwrap().balance));
    }

    #[test]
    fn refuses_strangers() {
        let mut world = world();
        assert!(exception(&API, json!({"token": "no"}), &mut world).contains("token"));
        world.bank.remove("mira.okafor");
        let message = exception(&API, json!({"token": TOKEN}), &mut world);
        assert!(message.contains("mira.okafor"), "{message}");
    }

    #[test]
    fn every_customer_is_a_user() {
        let world = world();
        assert!(world.bank.iter().all(|(username, _)| world.account.contains(username)));
    }

    #[test]
    fn the_token_matches_exactly() {
        let gold = json!({"token": TOKEN});
        assert!(same(&API, gold.clone(), json!({"token": format!(" {TOKEN} ")})));
        assert!(!same(&API, gold, json!({"token": TOKEN.to_uppercase()})));
    }
}
