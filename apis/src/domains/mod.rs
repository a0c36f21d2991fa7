//! The APIs, one file each, by domain.
//!
//! To add one, write its file and list it in its domain's `APIS`.

use crate::api::Api;

pub mod account;
pub mod entertainment;
pub mod finance;
pub mod health;
pub mod schedule;
pub mod travel;

/// Every API by domain.
pub const ALL: &[&[&Api]] = &[
    account::APIS,
    schedule::APIS,
    health::APIS,
    finance::APIS,
    entertainment::APIS,
    travel::APIS,
];

#[cfg(test)]
pub mod testing;
