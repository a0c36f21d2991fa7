//! The pool: every API, found by suite and name.

use crate::api::{Api, Suite};
use crate::domains;

/// Every API, by domain, in the order in which pages list them.
pub fn all() -> impl Iterator<Item = &'static Api> {
    domains::ALL.iter().flat_map(|apis| apis.iter().copied())
}

/// The APIs of one suite, without API Search itself.
pub fn pool(suite: Suite) -> impl Iterator<Item = &'static Api> {
    all().filter(move |api| api.suite == suite)
}

/// The API of a suite by name. Several names stand in both suites.
pub fn find(suite: Suite, name: &str) -> Option<&'static Api> {
    pool(suite).find(|api| api.name == name)
}
