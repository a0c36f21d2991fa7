//! Mail and messages.

use crate::api::Api;

pub mod email_reminder;
pub mod send_email;

/// The APIs of this domain.
pub const APIS: &[&Api] = &[&send_email::API, &email_reminder::API];
