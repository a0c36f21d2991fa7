//! The types that cross between page and worker: commands and requests one way, events and answers
//! the other.

pub mod browse;
pub mod compare;
pub mod demo;
pub mod generate;
mod outbox;
mod packs;
mod pending;
pub mod request;

pub use outbox::{Message, Outbox};
pub use packs::{ImportReport, ImportSource, PackFound, StoredPack};
pub use pending::Pending;
pub use request::{AnyRequest, Request, Search, SearchHit};

use provider::ApiKey;
use record::RunSettings;
use record::export::Format;
use record::{SampleRecord, Status, Summary};
use scoring::audit::Audit;
use serde::{Deserialize, Serialize};

/// Member of a message to the worker that holds a [`Command`].
pub const COMMAND: &str = "command";
/// Member of a message to the worker that holds an [`AnyRequest`].
pub const REQUEST: &str = "request";
/// Member beside [`REQUEST`]: the id that the answer carries.
pub const ID: &str = "id";
/// Member of a message to the worker that holds the user's files, which serde cannot carry.
pub const FILES: &str = "files";

/// A file of the site: address relative to the page, and its digest in the form
/// of subresource integrity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asset {
    /// Address.
    pub url: String,
    /// `sha256-…` or longer; empty when the site was built without.
    pub integrity: String,
}

/// What the worker loads before it can work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assets {
    /// The search model: an ONNX file.
    pub search_model: Asset,
    /// Its vocabulary.
    pub search_vocab: Asset,
    /// Vectors of the APIs.
    pub search_vectors: Asset,
}

/// From the page to the worker.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// Load pack and search model.
    Load {
        /// What the site has. Addresses are absolute.
        assets: Assets,
        /// Digest of the imported pack to work with; `None` for the project's own.
        pack: Option<String>,
    },
    /// Work with another pack. Refused while a run goes on.
    UsePack {
        /// Digest of an imported pack; `None` for the project's own.
        digest: Option<String>,
    },
    /// Read data and keep it in this browser.
    Import {
        /// What it is called in lists.
        label: String,
        /// Where it comes from. Files cross beside the command, in the same order.
        source: ImportSource,
    },
    /// Run the gold of the pack that is worked with through every profile.
    Audit,
    /// Stop the import; nothing of it is kept.
    CancelImport,
    /// Start a run. Refused while one goes on.
    Run {
        /// What to run.
        settings: Box<RunSettings>,
        /// The key for the endpoint. It is held for the run and dropped with it.
        #[serde(with = "provider::key::transfer")]
        key: Option<ApiKey>,
    },
    /// Go on with a run that is kept in this browser. Refused while one goes on, here or in
    /// another tab.
    Resume {
        /// The run.
        id: String,
        /// Whether samples without an answer are asked again.
        again: bool,
        /// As for a new run: it is kept nowhere.
        #[serde(with = "provider::key::transfer")]
        key: Option<ApiKey>,
    },
    /// Ask the samples of the last run that got no answer again, where the run is not kept.
    Rerun {
        /// As for a new run.
        #[serde(with = "provider::key::transfer")]
        key: Option<ApiKey>,
    },
    /// Hold the run, or let it go on. Requests on their way are not called back.
    Pause {
        /// Whether to hold it.
        on: bool,
    },
    /// Stop the run; what is done is kept.
    Cancel,
    /// Show a run that is kept in this browser.
    Open {
        /// The run.
        id: String,
        /// Whether an unfinished run is over with that.
        conclude: bool,
    },
    /// Ask for the file of the last run.
    RecordFile,
    /// Ask for the files of all kept runs, in an archive.
    ExportRuns,
    /// Ask for the last run in the form of another program.
    Export {
        /// The form.
        format: Format,
    },
    /// Put the scratch world back to the pack's databases.
    ResetWorld,
    /// A command of the Generate page.
    Generate {
        /// Which.
        command: generate::GenerationCommand,
    },
}

/// What the loaded pack is and has.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackFacts {
    /// Name of the pack.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its digest.
    pub digest: String,
    /// Dialogues and samples by ability.
    pub abilities: Vec<AbilityFacts>,
    /// What is special about an imported pack; `None` for the project's own.
    pub imported: Option<ImportedFacts>,
}

/// What is special about an imported pack.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedFacts {
    /// Calls whose gold the errata correct.
    pub corrected: usize,
    /// Calls that the errata exclude.
    pub excluded: usize,
    /// Samples that are asked with the pack's own prompt.
    pub prompts: usize,
    /// What the profile `original` misses; empty when it can be computed.
    pub original_lacks: Vec<String>,
}

/// The size of one ability in the loaded pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AbilityFacts {
    /// The ability.
    pub ability: dataset::Ability,
    /// Dialogues.
    pub dialogues: usize,
    /// Samples that ask for a call.
    pub calls: usize,
    /// Samples that ask for a reply.
    pub replies: usize,
}

/// From the worker to the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// The worker listens.
    Listening,
    /// A file is being loaded.
    Loading {
        /// Bytes so far, all files together.
        bytes: u64,
    },
    /// The search model is there and answers for the built-in pack, which is still to come.
    Searchable,
    /// Pack and search model are there.
    Ready {
        /// What was loaded.
        pack: PackFacts,
        /// SHA-256 of the search model.
        search_digest: String,
    },
    /// An import goes on.
    Importing {
        /// Files that were looked at.
        files: usize,
        /// Files in all; 0 while that is not known.
        total: usize,
        /// Bytes that came in.
        bytes: u64,
    },
    /// An import is over.
    Imported {
        /// What came of it.
        report: Box<ImportReport>,
    },
    /// An import could not be made or was cancelled.
    ImportFailed {
        /// What happened and what to do.
        message: String,
    },
    /// An audit goes on.
    Auditing {
        /// Gold calls that were judged.
        done: usize,
        /// Gold calls in all.
        total: usize,
    },
    /// An audit is over.
    Audited {
        /// What came of it.
        audit: Box<Audit>,
    },
    /// The chosen pack cannot be used; the project's own is.
    PackRefused {
        /// What happened and what to do.
        message: String,
    },
    /// Pack or search model could not be loaded.
    LoadFailed {
        /// What happened and what to do.
        message: String,
    },
    /// A run begins, goes on after an interruption, or is opened again.
    Started {
        /// Its key among the runs that are kept; `None` where nothing can be kept.
        id: Option<String>,
        /// What is run.
        settings: Box<RunSettings>,
        /// Samples by ability.
        planned: Vec<(dataset::Ability, usize)>,
    },
    /// Samples of an earlier part of the run.
    EarlierSamples {
        /// The samples.
        #[serde(with = "as_text")]
        samples: Vec<SampleRecord>,
    },
    /// Something of the run is not kept in this browser; it goes on in memory.
    NotKept {
        /// Why, and what to do.
        message: String,
    },
    /// Everything of the run is kept again.
    KeptAgain {
        /// The run's key.
        id: String,
    },
    /// The endpoint refuses requests for now.
    Throttled {
        /// Milliseconds until the next try.
        ms: u32,
    },
    /// The run stops early although nobody cancelled it; what is missing can be asked later.
    Stopped {
        /// Why: what the endpoint says, and what to do.
        reason: String,
    },
    /// Something to know that stops nothing.
    Notice {
        /// What, and what to do.
        message: String,
    },
    /// The run is held, or goes on.
    Paused {
        /// Whether it is held.
        on: bool,
    },
    /// A sample is done.
    Sample {
        /// The sample.
        #[serde(with = "as_text")]
        sample: Box<SampleRecord>,
    },
    /// The run is over.
    Finished {
        /// Whether it went to its end.
        status: Status,
        /// The numbers.
        summary: Summary,
        /// SHA-256 of the record without times.
        digest: String,
        /// The data that it ran on.
        pack: dataset::Source,
    },
    /// A request is answered.
    Answered {
        /// The request's id.
        id: u32,
        /// The answer as [`request::encode`] writes it, or why there is none.
        answer: Result<String, String>,
    },
    /// A command could not be carried out.
    Refused {
        /// What happened and what to do.
        message: String,
    },
    /// The file of the last run.
    RecordFile {
        /// A name for it.
        name: String,
        /// Its text.
        text: String,
    },
    /// A file that is not text.
    FileAt {
        /// A name for it.
        name: String,
        /// The address of its blob; whoever saves it lets it go.
        url: String,
    },
    /// How far a verification has come.
    Verifying {
        /// Samples that are verified.
        done: usize,
        /// Of how many.
        of: usize,
    },
    /// A record from a file takes the place of the run that was shown.
    Opened {
        /// What was asked for in it.
        settings: Box<RunSettings>,
    },
    /// News for the Generate page.
    Generation {
        /// What.
        #[serde(with = "as_text")]
        event: Box<generate::GenerationEvent>,
    },
    /// The scratch world is as loaded.
    WorldReset,
    /// The worker is gone; a fresh one has to be started.
    Panicked {
        /// The panic's text.
        message: String,
    },
}

impl Event {
    /// Whether it tells of the data that can be run.
    pub fn is_of_library(&self) -> bool {
        matches!(
            self,
            Event::Importing { .. }
                | Event::Imported { .. }
                | Event::ImportFailed { .. }
                | Event::PackRefused { .. }
                | Event::Auditing { .. }
                | Event::Audited { .. }
                | Event::Panicked { .. }
        )
    }
}

/// Crosses as JSON text. As a JavaScript object it would lose the order of keys
/// that look like numbers, and the difference between `1` and `1.0`.
mod as_text {
    use serde::de::{DeserializeOwned, Error as _};
    use serde::ser::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<T: Serialize, S: Serializer>(
        value: &T,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serde_json::to_string(value).map_err(S::Error::custom)?.serialize(serializer)
    }

    pub(super) fn deserialize<'de, T: DeserializeOwned, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        serde_json::from_str(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}
