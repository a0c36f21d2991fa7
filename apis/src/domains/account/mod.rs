//! Users, passwords, tokens, profiles.

use crate::api::Api;
use crate::error::ApiError;
use crate::store::World;

mod account_info;
mod check_token;
mod delete_account;
mod forgot_password;
mod get_user_token;
mod modify_password;
mod personal_info_update;
mod register_user;

pub const APIS: &[&Api] = &[
    &get_user_token::API,
    &check_token::API,
    &register_user::API,
    &delete_account::API,
    &forgot_password::API,
    &modify_password::API,
    &account_info::API,
    &personal_info_update::API,
];

pub const LOGIN: &Api = &get_user_token::API;

/// Rejects a blank password. Blanks are significant, so it is not trimmed.
fn usable_password<'a>(parameter: &'static str, password: &'a str) -> Result<&'a str, ApiError> {
    if password.trim().is_empty() { Err(ApiError::Empty { parameter }) } else { Ok(password) }
}

/// Key of the profile with this name, in any case, and this exact password.
fn profile_of(world: &World, username: &str, password: &str) -> Result<String, ApiError> {
    let name = username.trim().to_lowercase();
    let (key, profile) = world
        .profile
        .iter()
        .find(|(key, _)| key.to_lowercase() == name)
        .ok_or_else(|| ApiError::not_found("profile of", username))?;
    if profile.password == password {
        Ok(key.to_owned())
    } else {
        Err(ApiError::Refused("The password is wrong.".to_owned()))
    }
}
