//! Rows of the browser's database as plain structs: no I/O, tested natively.

pub mod backlog;
mod run;

pub use run::StoredRun;
