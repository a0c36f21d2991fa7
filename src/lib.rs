//! API-Bank in the browser: the page, and the worker that hosts the engine.
//!
//! `protocol` and `session` are plain data and compile everywhere; the rest is
//! the browser's.

pub mod protocol;
