//! API-Bank in the browser: the page, and the worker that hosts the engine.
//!
//! `protocol`, `session`, `stored_runs` and `texts` are plain Rust, tested natively; the rest needs a
//! browser. Imports point one way: `app` and `lazy` to `pages`, `pages` to `components`, these to
//! `state`, all to the plain modules. Each program is built with only its own feature, `page` or
//! `worker`, and so without the other's dependencies.

#[cfg(test)]
mod fixture;
pub mod messages;
pub mod platform;
pub mod session;
pub mod stored_runs;
pub mod texts;

#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod app;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod bridge;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod components;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod lazy;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod pages;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod state;
#[cfg(all(target_arch = "wasm32", feature = "worker"))]
pub mod worker;
