//! API-Bank in the browser: the page, and the worker that hosts the engine.
//!
//! `protocol` and `session` are plain and compile everywhere;
//! the rest is the browser's. Each of the two programs is built with its feature alone, `page` or
//! `worker`, so that neither has in it, nor waits for, what only the other one needs.

#[cfg(test)]
mod fixture;
pub mod platform;
pub mod protocol;
pub mod session;
pub mod stored;
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
