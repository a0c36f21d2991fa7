//! Users, passwords, tokens, profiles.

use crate::api::Api;

pub mod get_user_token;

/// The APIs of this domain.
pub const APIS: &[&Api] = &[&get_user_token::API];
