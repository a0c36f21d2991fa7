//! End-to-end tests of the command line, on small test data and, if available, the original's.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its data has failed")]
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "a test may wait")]

mod compare;
mod croissant;
mod endpoint;
mod endpoints;
mod evallog;
mod exports;
mod foreign;
mod horizon;
mod inspect;
mod installed;
mod keys;
mod mcp;
mod mcp_wire;
mod nothing_lost;
mod own_tools;
mod record;
mod retriever;
mod run;
mod score;
mod server;
mod sign;
mod support;
mod usage;
mod variants;
