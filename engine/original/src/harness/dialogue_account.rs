//! Accounts, tokens, passwords and the bank.

use super::checks::{CheckFault, Gold, all_equal, same_result, same_stripped};
use super::manager::{Api, Args, Fault, Kind, Response, Shape, World, opt, text};
use super::python::Py;
use super::tables::Table;

const ACCOUNT: Table = Table::Database("Account");
const BANK: Table = Table::Database("Bank");
/// The code that ForgotPassword always sends.
const CODE: i128 = 970_420;
/// The account that exists before any OpenBankAccount.
const OPEN_AT_START: &str = "test";
/// Replaces the random token of a new user. Contains a character that random tokens lack, so it
/// never equals a recorded one.
const DRAWN_TOKEN: &str = "drawn-at-random-00";

pub(super) const APIS: &[Api] = &[
    Api {
        name: "CheckToken",
        shape: Shape::Nameless,
        params: &[text("token")],
        call: |w, a| Ok(Py::dict([("username", Py::text(&user(w, a)?))])),
        check: all_equal,
    },
    Api {
        name: "GetUserToken",
        shape: Shape::Full,
        params: &[text("username"), text("password")],
        call: get_user_token,
        check: all_equal,
    },
    Api {
        name: "RegisterUser",
        shape: Shape::Nameless,
        params: &[text("username"), text("password"), text("email")],
        call: register_user,
        check: check_register_user,
    },
    Api {
        name: "DeleteAccount",
        shape: Shape::Nameless,
        params: &[text("token")],
        call: delete_account,
        check: all_equal,
    },
    Api {
        name: "ForgotPassword",
        shape: Shape::Nameless,
        params: &[
            text("status"),
            opt("username", Kind::Raw),
            opt("email", Kind::Raw),
            opt("verification_code", Kind::Int),
            opt("new_password", Kind::Raw),
        ],
        call: forgot_password,
        check: all_equal,
    },
    Api {
        name: "ModifyPassword",
        shape: Shape::Full,
        params: &[text("token"), text("old_password"), text("new_password")],
        call: modify_password,
        check: all_equal,
    },
    Api {
        name: "OpenBankAccount",
        shape: Shape::Full,
        params: &[text("account"), text("password"), text("name")],
        call: open_bank_account,
        check: all_equal,
    },
    Api {
        name: "QueryBalance",
        shape: Shape::Full,
        params: &[text("token")],
        call: query_balance,
        check: |r, g| Ok(same_stripped(r, g, "token")? && same_result(r, g)?),
    },
];

/// The user with the call's token.
///
/// # Errors
/// When no account has exactly this token.
pub(super) fn user(w: &World<'_>, args: &Args) -> Result<String, Fault> {
    let token = args.text("token");
    let owner = w.rows(ACCOUNT).find(|(_, account)| account.field("token") == token);
    owner.map(|(name, _)| name.to_string()).ok_or_else(|| "The token is invalid.".into())
}

fn success() -> Py {
    Py::dict([("status", Py::text("success"))])
}

fn get_user_token(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let account = w.read(ACCOUNT).get(a.text("username")).ok_or("The username does not exist.")?;
    if account.field("password") != a.text("password") {
        return Err("The password is incorrect.".into());
    }
    Ok(Py::dict([("token", Py::text(account.field("token")))]))
}

fn register_user(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let username = a.text("username");
    if w.read(ACCOUNT).get(username).is_some() {
        return Err("The username already exists.".into());
    }
    let row = Py::dict([
        ("password", a.value("password")),
        ("token", Py::text(DRAWN_TOKEN)),
        ("email", a.value("email")),
    ]);
    w.put(ACCOUNT, username.into(), row);
    Ok(Py::dict([("token", Py::text(DRAWN_TOKEN))]))
}

/// Tokens are random, so the output is only compared where the gold's is null.
fn check_register_user(r: &Response, g: &Gold) -> Result<bool, CheckFault> {
    let output = !g.get("output")?.is_none() || r.output.is_none();
    Ok(output && r.input == *g.get("input")? && r.exception == *g.get("exception")?)
}

fn delete_account(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let username = user(w, a)?;
    w.remove(ACCOUNT, &username).ok_or("No such user.")?;
    Ok(success())
}

fn forgot_password(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    match a.text("status") {
        "Forgot Password" => send_code(w, a),
        "Verification Code" => use_code(w, a),
        _ => Err("The status is only 'Forgot Password' or 'Verification Code'.".into()),
    }
}

fn send_code(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let (username, email) = (a.text("username"), a.text("email"));
    if username.is_empty() || email.is_empty() {
        return Err("The username and email are required for the first call.".into());
    }
    let account = w.read(ACCOUNT).get(username).ok_or("The username does not exist.")?;
    if account.field("email") != email {
        return Err("The email is incorrect.".into());
    }
    w.recovering = Some(username.to_owned());
    Ok(Py::Int(CODE))
}

fn use_code(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let username = w
        .recovering
        .clone()
        .ok_or("You need to call the API with status 'Forgot Password' at first.")?;
    if a.text("new_password").is_empty() || a.int("verification_code") == 0 {
        let text = "The new password and verification code are required for the second call.";
        return Err(text.into());
    }
    if a.int("verification_code") != CODE {
        return Err("The verification code is incorrect.".into());
    }
    w.set(ACCOUNT, &username, "password", a.value("new_password"));
    Ok(Py::text("success"))
}

fn modify_password(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let username = user(w, a)?;
    let account = w.read(ACCOUNT).get(&username).cloned().unwrap_or(Py::None);
    if account.field("password") != a.text("old_password") {
        return Err("The old password is incorrect.".into());
    }
    w.set(ACCOUNT, &username, "password", a.value("new_password"));
    Ok(success())
}

/// For an existing account the output is `failed`, not an exception.
fn open_bank_account(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let account = a.text("account");
    if account == OPEN_AT_START || w.opened.iter().any(|opened| opened == account) {
        return Ok(Py::text("failed"));
    }
    w.opened.push(account.to_owned());
    Ok(Py::text("success"))
}

fn query_balance(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let username = user(w, a).map_err(|_| "The token is incorrect.")?;
    let row = w.read(BANK).get(&username).ok_or("The user does not have an account.")?;
    Ok(row.get("balance").cloned().unwrap_or(Py::None))
}
