//! The APIs, one file each, by domain.
//!
//! To add one, write its file and list it in its domain's `APIS`.

use crate::api::Api;

pub mod account;
pub mod communication;
pub mod finance;
pub mod information;
pub mod schedule;
pub mod smart_home;
pub mod travel;

/// Every API by domain.
pub const ALL: &[&[&Api]] = &[
    account::APIS,
    schedule::APIS,
    smart_home::APIS,
    finance::APIS,
    information::APIS,
    travel::APIS,
    communication::APIS,
];

#[cfg(test)]
pub mod testing;
