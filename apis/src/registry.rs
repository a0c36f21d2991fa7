//! The pool: every API, found by suite and name.

use crate::api::{Api, Suite};
use crate::domains;

pub use domains::{LOGIN, TODAY};

/// Whether a call acts: it changes rows, or something outside the databases.
pub fn acts(api: &Api) -> bool {
    !api.writes.is_empty() || domains::ACTING.iter().any(|acting| acting.name == api.name)
}

/// Every API, by domain, in display order.
pub fn all() -> impl Iterator<Item = &'static Api> {
    domains::ALL.iter().flat_map(|apis| apis.iter().copied())
}

/// The APIs of one suite, without ToolSearcher.
pub fn pool(suite: Suite) -> impl Iterator<Item = &'static Api> {
    all().filter(move |api| api.suite == suite)
}

/// Finds an API. Some names occur in both suites.
pub fn find(suite: Suite, name: &str) -> Option<&'static Api> {
    pool(suite).find(|api| api.name == name)
}
