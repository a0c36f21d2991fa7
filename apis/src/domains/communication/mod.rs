//! Mail and messages.

use crate::api::Api;

mod email_reminder;
mod send_email;

pub const APIS: &[&Api] = &[&send_email::API, &email_reminder::API];
