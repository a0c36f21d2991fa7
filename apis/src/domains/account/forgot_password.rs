//! ForgotPassword: set a new password without the old one, in two calls.
//!
//! The first call stores a code in the table PasswordReset and returns it,
//! instead of the mail that a real service would send. The second call takes the
//! code, sets the password and deletes the code. Each call ignores the parameters
//! of the other.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::ApiError;
use crate::mail;
use crate::store::{PasswordReset, TableName, World};
use serde_json::Value;

/// Status of the first call.
const ASK: &str = "Forgot Password";
/// Status of the second call.
const CONFIRM: &str = "Verification Code";
/// Digits of a code.
const CODE_DIGITS: u32 = 6;

pub const API: Api = Api {
    name: "ForgotPassword",
    suite: Suite::Dialogue,
    domain: Domain::Account,
    description: "Resets a forgotten password in two calls: status 'Forgot Password' with username \
                  and email gives a verification code; status 'Verification Code' with that code \
                  sets a new password.",
    hints: &[
        "I can't remember my password",
        "reset a lost password",
        "send me a verification code",
        "I'm locked out of my account",
        "recover access to an account",
        "set a new password with the code from the email",
        "get back in after losing my credentials",
    ],
    params: Args::PARAMS,
    returns: &[Field {
        name: "status",
        label: "Union[int, str]",
        description: "The verification code after the first step, success after the second.",
    }],
    reads: &[TableName::Account, TableName::PasswordReset],
    writes: &[TableName::Account, TableName::PasswordReset],
    errors: &[
        "The status is neither of the two.",
        "The first step lacks the username or the email.",
        "No account has the username, or its email is another.",
        "The second step lacks the code or the new password.",
        "The code is not one that was given for this user and is still unused.",
    ],
    examples: &[
        Example {
            arguments: r#"{"status": "Forgot Password", "username": "mira.okafor", "email": "mira.okafor@postfach.example"}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"status": "Verification Code", "verification_code": 100000, "new_password": "Lekki#Bridge9"}"#,
            succeeds: false,
        },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// Which step this is: 'Forgot Password' asks for a code, 'Verification Code' uses it.
        #[rule(CaseFolded)]
        status: String,
        /// The user's login name; the first step needs it.
        #[rule(Exact)]
        username: Option<String>,
        /// The email address of the account; the first step needs it.
        #[rule(CaseFolded)]
        email: Option<String>,
        /// The code that the first step gave; the second step needs it.
        #[rule(Exact)]
        verification_code: Option<i64>,
        /// The password from now on; the second step needs it.
        #[rule(Exact)]
        new_password: Option<String>,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let status = args.status.trim().to_lowercase();
    if status == ASK.to_lowercase() {
        ask(&args, world)
    } else if status == CONFIRM.to_lowercase() {
        confirm(&args, world)
    } else {
        let reason = format!("expected '{ASK}' or '{CONFIRM}', got {:?}", args.status);
        Err(ApiError::invalid("status", reason))
    }
}

fn ask(args: &Args, world: &mut World) -> Result<Value, ApiError> {
    let (Some(username), Some(email)) = (&args.username, &args.email) else {
        return Err(ApiError::Refused(format!(
            "The status '{ASK}' needs the parameters username and email."
        )));
    };
    let account = world
        .account
        .get(username)
        .ok_or_else(|| ApiError::not_found("account named", username))?;
    if !mail::same(&account.email, email) {
        return Err(ApiError::Refused("The account has another email address.".to_owned()));
    }
    // The key includes the password, so a used code is not drawn again.
    let code = free_code(world, username, &format!("{username}\n{}", account.password));
    world.password_reset.insert(username.as_str(), PasswordReset { code });
    Ok(Value::from(code))
}

/// A code that no other user has: in the second call the code identifies the user.
fn free_code(world: &World, username: &str, purpose_key: &str) -> i64 {
    let mut key = purpose_key.to_owned();
    loop {
        let code = world.derive_digits("password reset", &key, CODE_DIGITS).cast_signed();
        let mut others = world.password_reset.iter().filter(|(owner, _)| *owner != username);
        if others.all(|(_, reset)| reset.code != code) {
            return code;
        }
        key.push('+');
    }
}

fn confirm(args: &Args, world: &mut World) -> Result<Value, ApiError> {
    let (Some(code), Some(password)) = (args.verification_code, &args.new_password) else {
        return Err(ApiError::Refused(format!(
            "The status '{CONFIRM}' needs the parameters verification_code and new_password."
        )));
    };
    let password = super::usable_password("new_password", password)?.to_owned();
    let username = world
        .password_reset
        .iter()
        .find(|(owner, reset)| {
            reset.code == code && args.username.as_deref().is_none_or(|name| name == *owner)
        })
        .map(|(owner, _)| owner.to_owned())
        .ok_or_else(|| {
            ApiError::Refused(format!(
                "The verification code is wrong or used up. Ask for one with status '{ASK}' first."
            ))
        })?;
    if !world.account.update(&username, |account| account.password = password) {
        return Err(ApiError::not_found("account named", username));
    }
    world.password_reset.remove(&username);
    Ok(Value::from("success"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use serde_json::json;

    fn first(username: &str, email: &str) -> Value {
        json!({"status": "Forgot Password", "username": username, "email": email})
    }

    fn mira() -> Value {
        first("mira.okafor", "mira.okafor@postfach.example")
    }

    fn second(code: &Value, password: &str) -> Value {
        json!({"status": "Verification Code", "verification_code": code, "new_password": password})
    }

    #[test]
    fn two_steps_set_the_password() {
        let mut world = world();
        let code = output(&API, mira(), &mut world);
        assert_eq!(output(&API, mira(), &mut world), code, "the code is derived, not drawn");
        assert!((100_000..=999_999).contains(&code.as_i64().unwrap()), "{code}");
        // Models send numbers as strings.
        let text = Value::from(code.to_string());
        assert_eq!(output(&API, second(&text, "Lekki#Bridge9"), &mut world), "success");
        assert_eq!(world.account.get("mira.okafor").unwrap().password, "Lekki#Bridge9");
        assert!(world.password_reset.is_empty());
        assert!(exception(&API, second(&code, "again"), &mut world).contains("used up"));
        assert_ne!(output(&API, mira(), &mut world), code);
    }

    #[test]
    fn a_code_opens_the_account_that_it_was_given_for() {
        let mut world = world();
        let jonas = first("jonas.lindqvist", "jonas.l@nordmail.example");
        let (mira, jonas) = (output(&API, mira(), &mut world), output(&API, jonas, &mut world));
        assert_ne!(mira, jonas);
        let mut stranger = second(&jonas, "stolen");
        stranger["username"] = json!("mira.okafor");
        exception(&API, stranger, &mut world);
        output(&API, second(&jonas, "kattegat5"), &mut world);
        assert_eq!(world.account.get("jonas.lindqvist").unwrap().password, "kattegat5");
        assert_eq!(world.account.get("mira.okafor").unwrap().password, "tamarind-42");
    }

    #[test]
    fn a_code_that_somebody_waits_with_is_not_given_again() {
        let mut world = world();
        let code = output(&API, mira(), &mut world.clone()).as_i64().unwrap();
        world.password_reset.insert("jonas.lindqvist", PasswordReset { code });
        assert_ne!(output(&API, mira(), &mut world), code);
    }

    #[test]
    fn refuses_incomplete_and_wrong_steps() {
        let mut world = world();
        for (call, message) in [
            (json!({"status": "Forgot Password", "username": "mira.okafor"}), "username and email"),
            (first("nobody", "mira.okafor@postfach.example"), "nobody"),
            (first("mira.okafor", "jonas.l@nordmail.example"), "another email"),
            (json!({"status": "Verification Code", "new_password": "x"}), "verification_code"),
            (second(&json!(123_456), "x"), "wrong or used up"),
            (second(&json!(i64::MAX), "x"), "wrong or used up"),
            (second(&json!(123_456), " "), "new_password must not be empty"),
            (json!({"status": "Help"}), "'Forgot Password' or 'Verification Code'"),
        ] {
            let got = exception(&API, call.clone(), &mut world);
            assert!(got.contains(message), "{call} gave {got}");
        }
    }

    #[test]
    fn a_code_without_an_account_changes_nothing() {
        let mut world = world();
        world.password_reset.insert("gone", PasswordReset { code: 123_456 });
        assert!(exception(&API, second(&json!(123_456), "x"), &mut world).contains("gone"));
    }

    #[test]
    fn the_email_matches_in_any_case_and_the_username_exactly() {
        let mut shouted = first("mira.okafor", "MIRA.OKAFOR@POSTFACH.EXAMPLE");
        shouted["status"] = json!("forgot password");
        assert!(same(&API, mira(), shouted));
        assert!(!same(&API, mira(), first("Mira.Okafor", "mira.okafor@postfach.example")));
        let jonas = first("jonas.lindqvist", "jonas.l@nordmail.example");
        assert!(!same(&API, mira(), jonas));
    }
}
