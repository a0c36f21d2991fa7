//! The build tool as a library: the tasks of `cargo xtask`, and the static file server that the
//! browser tests share with `cargo xtask serve`.
//!
//! - [`arguments`] is the command line.
//! - [`tools`] pins every tool and installs what is missing into the [`cache`].
//! - [`model`] fetches the embedding model, [`search`] turns it into the files the site ships.
//! - [`leaderboard`] makes the table of the records in `results/`.
//! - [`training_tools`] lists the APIs of the training set.
//! - [`site`] compiles the site, [`site_server`] serves it.
//! - [`package`] writes the files of a release.
//! - [`new`] writes scaffolds of APIs and dialogues.
//! - [`check`] runs the tests, [`bench`] the benchmarks.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "the build tool waits and measures; no result hangs on it"
)]

pub mod arguments;
pub mod bench;
pub mod cache;
pub mod chromium;
pub mod digest;
pub mod features;
pub mod leaderboard;
pub mod model;
pub mod new;
pub mod package;
pub mod packages;
pub mod process;
pub mod programs;
pub mod python;
pub mod real_model;
pub mod search;
pub mod serve;
pub mod site;
pub mod site_server;
pub mod test;
pub mod training_tools;
