//! Messages between page and worker: requests one way, their progress and answers the other.

pub mod browse;
pub mod compare;
pub mod demo;
pub mod endpoints;
mod files;
pub mod generate;
pub mod in_page;
pub mod kept_models;
mod load;
mod outbox;
pub mod own_tools;
mod packs;
mod pending;
pub mod request;
mod run;
pub mod search_lab;

pub use files::{MadeFile, MakeFile};
pub use load::{Asset, Assets, AuditGold, ChosenPack, Load, LoadProgress, ResetWorld, UsePack};
pub use outbox::{Message, Outbox};
pub use packs::{
    AbilityFacts, CancelImport, Import, ImportProgress, ImportReport, ImportSource, ImportedFacts,
    PackFacts, PackFound, StoredPack,
};
pub use pending::Pending;
pub use request::{AnyRequest, Request, Search, SearchHit};
pub use run::{Cancel, Pause, RecordFacts, RunOrigin, RunProgress, StartRun};

use serde::{Deserialize, Serialize};

/// Member of a message to the worker that holds an [`AnyRequest`].
pub const REQUEST: &str = "request";
/// Member of a message to the worker: the id that progress and answer repeat.
pub const ID: &str = "id";
/// Member of a message to the worker that holds the user's files, which serde cannot carry.
pub const FILES: &str = "files";

/// A message from the worker to the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// The worker is listening.
    Listening,
    /// The progress of a request.
    Progress {
        /// The request's id.
        id: u32,
        /// The progress as JSON text, like an answer.
        progress: String,
    },
    /// The answer to a request.
    Answered {
        /// The request's id.
        id: u32,
        /// The answer as [`request::encode`] writes it, or an error.
        answer: Result<String, String>,
    },
    /// A message that belongs to no request and interrupts nothing.
    Notice {
        /// The problem and its remedy.
        message: String,
    },
    /// The worker crashed; a new one must be started.
    Panicked {
        /// The panic's text.
        message: String,
    },
}

/// How much is done of something that can be counted: samples, calls, steps, bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count<T = usize> {
    /// The number that is done.
    pub done: T,
    /// The total; 0 while unknown.
    pub of: T,
}
