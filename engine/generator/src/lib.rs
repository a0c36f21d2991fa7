//! Generates a training set with five LLM agents, after section 4 of the paper (arXiv 2304.08244).
//!
//! Must not depend on the evaluation's runs or records. The caller provides sentence embeddings
//! ([`checks::Embed`]).
//!
//! Four agents propose domains, APIs, user queries, and calls with simulated results and replies;
//! the fifth, the tester, accepts or rejects. [`checks`] that need no request run before the
//! tester. [`State`] chooses the next question and applies answers; [`generate`] sends requests.
//! Every answer becomes a [`JournalEntry`]; state, figures and training set are folds of the
//! journal.
//!
//! [`own`] writes tasks for a user's own tools with three of the agents.

pub mod answers;
mod asking;
pub mod checks;
mod drive;
mod estimate;
pub mod export;
pub mod import;
mod item;
mod journal;
mod judge;
pub mod own;
pub mod prompts;
mod reason;
pub mod set;
mod settings;
mod state;
pub mod statistics;
mod tool;
mod vector_text;

pub use asking::{Asking, Stop};
pub use drive::{GenerateError, generate};
pub use item::{Call, Item, Turn};
pub use journal::{
    Collector, FORMAT, Figures, Finished, JournalEntry, Outcome, Refused, Spent, Yield,
    training_set,
};
pub use reason::{Agent, Code, Reason};
pub use set::slug;
pub use settings::{Budget, Limit, Settings, Targets, TargetsError};
pub use state::{End, Job, Machine, Next, ReplayError, State, TakeError};
pub use tool::{LABELS, Parameter, Tool, published};
