//! API-Bank in the browser: the page, and the worker that hosts the engine.
//!
//! `protocol` and `session` are plain and compile everywhere;
//! the rest is the browser's. The page is built without the feature `worker`, so
//! that the search model's runtime stays out of it.

pub mod platform;
pub mod protocol;
pub mod session;
pub mod texts;

#[cfg(target_arch = "wasm32")]
pub mod app;
#[cfg(target_arch = "wasm32")]
pub mod bridge;
#[cfg(target_arch = "wasm32")]
pub mod components;
#[cfg(target_arch = "wasm32")]
pub mod later;
#[cfg(target_arch = "wasm32")]
pub mod pages;
#[cfg(all(target_arch = "wasm32", feature = "worker"))]
pub mod worker;
