//! End-to-end tests of the command line, on small test data and, if available, the original's.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its data has failed")]
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "a test may wait")]

mod compare;
mod endpoint;
mod evallog;
mod foreign;
mod kept;
mod keys;
mod record;
mod run;
mod score;
mod server;
mod sign;
mod support;
mod usage;
