//! Tests of the public API: decoding of responses, and requests through scripted ports.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod answers;
mod client;
mod decoding;
mod fuzz;
mod preflight;
mod streams;
mod support;
