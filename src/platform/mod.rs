//! Browser APIs: the engine's ports, storage, files, locks.

#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod browser_model;
#[cfg(target_arch = "wasm32")]
pub mod cancel;
#[cfg(target_arch = "wasm32")]
pub mod download;
#[cfg(target_arch = "wasm32")]
pub mod fetch;
#[cfg(target_arch = "wasm32")]
pub mod files;
#[cfg(all(target_arch = "wasm32", feature = "worker"))]
pub mod in_page;
#[cfg(target_arch = "wasm32")]
pub mod indexed_db;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod isolation;
#[cfg(all(target_arch = "wasm32", feature = "worker"))]
pub mod kept_models;
#[cfg(target_arch = "wasm32")]
pub mod language;
#[cfg(target_arch = "wasm32")]
pub mod lock;
#[cfg(target_arch = "wasm32")]
pub mod page;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod picture;
#[cfg(target_arch = "wasm32")]
pub mod ports;
#[cfg(target_arch = "wasm32")]
pub mod runs;
#[cfg(all(target_arch = "wasm32", feature = "worker"))]
pub mod signing;
