//! The API pool of API-Bank: simulated APIs over a typed, in-memory world.
//!
//! ```
//! use apis::{Suite, World, registry};
//! use serde_json::json;
//!
//! let mut world = World::empty(7);
//! let api = registry::find(Suite::Dialogue, "Calculator").expect("the pool has a calculator");
//! let arguments = json!({"formula": "(5+6)*3"});
//! let result = api.call(arguments.as_object().expect("an object"), &mut world);
//! assert_eq!(result.output, Some(json!(33.0)));
//! ```
//!
//! No clock, no randomness and no I/O: an API reads from the [`World`] what it cannot
//! compute, and derives from the world's seed what would otherwise be random.

#![cfg_attr(
    not(feature = "run"),
    allow(dead_code, unused_imports, reason = "the code behind the descriptors is left out")
)]

#[macro_use]
pub mod api;
#[macro_use]
mod param;
pub mod arguments;
pub mod describe;
mod domains;
pub mod effect;
pub mod error;
mod formula;
mod kind;
mod languages;
pub mod literal;
pub mod mail;
pub mod match_rule;
pub mod nesting;
pub mod recorded;
pub mod registry;
mod result;
pub mod search;
pub mod store;
mod suite;
pub mod text;
pub mod when;

pub use api::{Api, ApiResult, Domain, Example, Field, Kind, Suite};
pub use arguments::{ArgumentError, Arguments};
pub use error::ApiError;
pub use match_rule::Rule;
pub use param::Param;
pub use store::{Change, LoadError, TableName, World};
pub use when::{Date, DateTime, MonthDay};
