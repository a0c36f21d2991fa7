//! OpenBankAccount: open an account at the bank.
//!
//! If the account exists, API-Bank returns the text "failed"; this returns an error.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{BankAccount, TableName, World};
use serde_json::Value;

pub const API: Api = Api {
    name: "OpenBankAccount",
    suite: Suite::Dialogue,
    domain: Domain::Finance,
    description: "Opens a new account at the bank for a customer, with an account name, a \
                  password and the name of the holder.",
    hints: &[
        "I'd like to become a customer of the bank",
        "start a savings account",
        "set up a new account for my daughter at the bank",
        "new checking account in my name",
        "get an account to keep my money in",
        "open a new account with the bank",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "status", label: "str", description: "success" }],
    reads: &[TableName::BankAccount],
    writes: &[TableName::BankAccount],
    errors: &[
        "The account name, the password or the holder's name is empty.",
        "The account exists already.",
    ],
    examples: &[
        Example {
            arguments: r#"{"account": "okafor-garden", "password": "Harmattan#9", "name": "Mira Okafor"}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"account": "okafor-savings", "password": "Harmattan#9", "name": "Mira Okafor"}"#,
            succeeds: false,
        },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The account name to open.
        #[rule(Trimmed)]
        account: String,
        /// The password of the account.
        #[rule(Exact)]
        password: String,
        /// Full name of the account holder.
        #[rule(Titled)]
        name: String,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let account = filled("account", &args.account)?;
    // Only a blank password is rejected: blanks can be part of one.
    filled("password", &args.password)?;
    let name = filled("name", &args.name)?.to_owned();
    if world.bank_account.contains(account) {
        return Err(ApiError::exists("a bank account", account));
    }
    world.bank_account.insert(account, BankAccount { password: args.password, name });
    Ok(Value::from("success"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use serde_json::json;

    fn open(account: &str, password: &str, name: &str) -> Value {
        json!({"account": account, "password": password, "name": name})
    }

    #[test]
    fn opens_an_account_once() {
        let mut world = world();
        let call = open("okafor-garden", "Harmattan#9", " Mira Okafor ");
        assert_eq!(output(&API, call.clone(), &mut world), "success");
        assert_eq!(world.bank_account.get("okafor-garden").unwrap().name, "Mira Okafor");
        assert_eq!(
            exception(&API, call, &mut world),
            "There is already a bank account \"okafor-garden\"."
        );
    }

    #[test]
    fn refuses_what_is_blank() {
        let mut world = world();
        for (call, parameter) in [
            (open(" ", "Harmattan#9", "Mira Okafor"), "account"),
            (open("okafor-garden", "", "Mira Okafor"), "password"),
            (open("okafor-garden", "Harmattan#9", " "), "name"),
        ] {
            let message = exception(&API, call, &mut world);
            assert_eq!(message, format!("{parameter} must not be empty."));
        }
    }

    #[test]
    fn the_password_matches_exactly_and_the_holder_in_any_case() {
        let gold = open("okafor-garden", "Harmattan#9", "Mira Okafor");
        assert!(same(&API, gold.clone(), open("okafor-garden ", "Harmattan#9", "mira okafor")));
        assert!(!same(&API, gold, open("okafor-garden", "harmattan#9", "Mira Okafor")));
    }
}
