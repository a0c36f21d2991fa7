//! End-to-end tests: the built site in a real browser, driven like a user.
//!
//! `cargo xtask test` builds the site, finds Chromium and runs these tests. They need
//! `API_BANK_DIST` (the built site); `API_BANK_CHROMIUM` and `API_BANK_CHROMEDRIVER` name browser
//! and driver that are not on the path. Without a site they are skipped, which is an error if `CI`
//! or `API_BANK_REQUIRE_BROWSER` is set.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a test has a clock; the engine has none"
)]

mod app;
mod browser;
mod browser_model;
mod list;
mod method;
mod moving_picture;
mod native;
mod proxy;
mod stage;
mod wait;

mod access;
mod archive;
mod baselines;
mod compare;
mod connection;
mod dataset;
mod demo;
mod deployment;
mod editions;
mod endpoint;
mod endpoints;
mod faults;
mod formats;
mod generate;
mod horizon;
mod import;
mod isolation;
mod kept_model;
mod keyboard;
mod keys;
mod language;
mod leaderboard;
mod links;
mod long_list;
mod looks;
mod model_in_page;
mod newcomer;
mod offline;
mod own_tools;
mod plain_host;
mod play;
mod protocols;
mod real_model;
mod records;
mod recovery;
mod resumption;
mod retriever;
mod sample_links;
mod score;
mod search_lab;
mod sign;
mod slow_model;
mod verify;
