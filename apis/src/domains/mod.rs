//! The APIs by domain, one file each.
//!
//! `cargo xtask new api <domain> <Name>` writes an API's file and lists it in its domain's `APIS`.

use crate::api::Api;

mod account;
mod communication;
mod entertainment;
mod finance;
mod health;
mod information;
mod schedule;
mod smart_home;
mod travel;

/// In display order.
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

/// Returns the token that other APIs take.
pub const LOGIN: &Api = account::LOGIN;
/// Tells the date.
pub const TODAY: &Api = schedule::TODAY;
/// Change something outside the databases.
pub const ACTING: &[&Api] = &[entertainment::PLAYER];

/// The template of `cargo xtask new api`; tests compile it.
#[cfg(test)]
mod scaffold;

#[cfg(test)]
mod testing;
