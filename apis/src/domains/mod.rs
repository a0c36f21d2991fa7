//! The APIs, one file each, by domain.
//!
//! To add one, write its file and list it in its domain's `APIS`.

use crate::api::Api;

pub mod account;
pub mod communication;
pub mod entertainment;
pub mod finance;
pub mod health;
pub mod information;
pub mod schedule;
pub mod smart_home;
pub mod travel;

/// Every API by domain.
pub const ALL: &[&[&Api]] = &[
    account::APIS,
    schedule::APIS,
    health::APIS,
    smart_home::APIS,
    finance::APIS,
    information::APIS,
    entertainment::APIS,
    travel::APIS,
    communication::APIS,
];

#[cfg(test)]
pub mod testing;
