//! The command line end to end: on small data of its own, and on the original's where available.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its data has failed")]
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "a test may wait")]

mod endpoint;
mod record;
mod run;
mod score;
mod sign;
mod support;
mod usage;
