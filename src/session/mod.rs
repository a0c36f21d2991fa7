//! What the page knows, as plain structs that fold events: no DOM, tested natively.

pub mod arguments;
pub mod asking;
pub mod browse;
pub mod claim;
pub mod compare;
pub mod demo;
pub mod disclosure;
pub mod endpoint;
pub mod endpoint_options;
pub mod engine;
pub mod examples;
pub mod field;
pub mod fill;
pub mod filter;
pub mod forecast;
pub mod format;
pub mod generation;
pub mod keys;
pub mod library;
pub mod link;
pub mod route;
pub mod rows;
pub mod run;
pub mod section;
pub mod settings;
pub mod trust;

pub use browse::{Browse, DatasetFilter};
pub use engine::Engine;
pub use filter::{Filter, SampleState};
pub use generation::{Generation, Plan};
pub use keys::{Keys, Source};
pub use library::Library;
pub use route::Route;
pub use run::{Phase, Run};
pub use settings::{Amount, Choice, Form};
