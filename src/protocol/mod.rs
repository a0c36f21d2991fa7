//! Messages between page and worker: commands and requests one way, events and answers the other.

pub mod browse;
pub mod compare;
pub mod demo;
pub mod endpoints;
pub mod generate;
pub mod in_page;
pub mod kept;
mod outbox;
pub mod own_tools;
mod packs;
mod pending;
pub mod request;
pub mod search_lab;

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
/// Member with [`REQUEST`]: the id that the answer repeats.
pub const ID: &str = "id";
/// Member of a message to the worker that holds the user's files, which serde cannot carry.
pub const FILES: &str = "files";

/// A file of the site: address relative to the page, and subresource integrity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asset {
    /// Address.
    pub url: String,
    /// `sha256-…` or longer; empty if the site was built without it.
    pub integrity: String,
}

/// The files that the worker loads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assets {
    /// The search model: an ONNX file.
    pub search_model: Asset,
    /// Its vocabulary.
    pub search_vocab: Asset,
    /// Vectors of the APIs.
    pub search_vectors: Asset,
}

/// A command from the page to the worker.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// Load pack and search model.
    Load {
        /// The site's files, with absolute addresses.
        assets: Assets,
        /// Digest of the imported pack to use; `None` for the built-in one.
        pack: Option<String>,
    },
    /// Use another pack. Refused during a run.
    UsePack {
        /// Digest of an imported pack; `None` for the built-in one.
        digest: Option<String>,
    },
    /// Import data and store it in this browser.
    Import {
        /// Its label in lists.
        label: String,
        /// Its source. Files are sent with the command, in the same order.
        source: ImportSource,
    },
    /// Judge the gold of the current pack under every profile.
    Audit,
    /// Cancel the import; nothing is stored.
    CancelImport,
    /// Start a run. Refused during a run.
    Run {
        /// The run's settings.
        settings: Box<RunSettings>,
        /// The endpoint's key, kept only during the run.
        #[serde(with = "provider::key::transfer")]
        key: Option<ApiKey>,
    },
    /// Resume a stored run. Refused during a run, here or in another tab.
    Resume {
        /// The run.
        id: String,
        /// Whether to retry samples without an answer.
        again: bool,
        /// As for a new run.
        #[serde(with = "provider::key::transfer")]
        key: Option<ApiKey>,
    },
    /// Retry the last run's samples without an answer, if the run is not stored.
    Rerun {
        /// As for a new run.
        #[serde(with = "provider::key::transfer")]
        key: Option<ApiKey>,
    },
    /// Pause or resume the run. Requests in flight continue.
    Pause {
        /// Whether to pause.
        on: bool,
    },
    /// Cancel the run; finished samples are kept.
    Cancel,
    /// Open a stored run.
    Open {
        /// The run.
        id: String,
        /// Whether to mark an unfinished run as ended.
        conclude: bool,
    },
    /// Save the last run's record, compressed.
    SaveRecord,
    /// Save the last run's record for the leaderboard.
    SaveResult,
    /// Run endpoints side by side and compare them. The comparison fails during a run.
    CompareEndpoints {
        /// The runs: the reference, the reference again, the others.
        runs: Vec<endpoints::PlannedRun>,
    },
    /// Request the compared records, as an archive.
    ExportCompared,
    /// Save a stored run's record, compressed.
    ExportRun {
        /// The run.
        id: String,
    },
    /// Save the records of all stored runs, as an archive.
    ExportRuns,
    /// Request the last run in another program's format.
    Export {
        /// The format.
        format: Format,
    },
    /// Reset the scratch databases to the pack's.
    ResetWorld,
    /// A command of the Generate page.
    Generate {
        /// Which.
        command: generate::GenerationCommand,
    },
}

/// Facts about the loaded pack.
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
    /// Facts about an imported pack; `None` for the built-in one.
    pub imported: Option<ImportedFacts>,
    /// Of a pack of own tools, their number.
    pub own_tools: Option<usize>,
}

/// Facts about an imported pack.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedFacts {
    /// Calls whose gold the errata correct.
    pub corrected: usize,
    /// Calls that the errata exclude.
    pub excluded: usize,
    /// Samples with the pack's own prompt.
    pub prompts: usize,
    /// Data that the profile `original` lacks; empty if it can be computed.
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

/// An event from the worker to the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// The worker is listening.
    Listening,
    /// Loading progress.
    Loading {
        /// Bytes received, over all files.
        bytes: u64,
    },
    /// The search model is loaded.
    Searchable,
    /// The pack is loaded. The search model of the built-in pack may still be on its way: searches
    /// wait for it.
    Ready {
        /// The loaded pack.
        pack: PackFacts,
        /// SHA-256 of the search model.
        search_digest: String,
    },
    /// Import progress.
    Importing {
        /// Files processed.
        files: usize,
        /// Total number of files; 0 while unknown.
        total: usize,
        /// Bytes received.
        bytes: u64,
    },
    /// An import finished.
    Imported {
        /// The result.
        report: Box<ImportReport>,
    },
    /// An import failed or was cancelled.
    ImportFailed {
        /// The problem and its remedy.
        message: String,
    },
    /// Audit progress.
    Auditing {
        /// Gold calls judged.
        done: usize,
        /// Total number of gold calls.
        total: usize,
    },
    /// An audit finished.
    Audited {
        /// The result.
        audit: Box<Audit>,
    },
    /// The chosen pack cannot be used; the built-in one is used instead.
    PackRefused {
        /// The problem and its remedy.
        message: String,
    },
    /// Pack or search model could not be loaded.
    LoadFailed {
        /// The problem and its remedy.
        message: String,
    },
    /// A run starts, is resumed, or is opened.
    Started {
        /// Its id among the stored runs; `None` without storage.
        id: Option<String>,
        /// Its settings.
        settings: Box<RunSettings>,
        /// Samples by ability.
        planned: Vec<(dataset::Ability, usize)>,
    },
    /// Samples of an earlier session of the run.
    EarlierSamples {
        /// The samples.
        #[serde(with = "as_text")]
        samples: Vec<SampleRecord>,
    },
    /// Part of the run could not be stored; the run continues in memory.
    NotKept {
        /// The reason and the remedy.
        message: String,
    },
    /// The whole run is stored again.
    KeptAgain {
        /// The run's id.
        id: String,
    },
    /// The endpoint throttles.
    Throttled {
        /// Milliseconds until the next request.
        ms: u32,
    },
    /// The run stops early without being cancelled; missing samples can be asked later.
    Stopped {
        /// The endpoint's reason and the remedy.
        reason: String,
    },
    /// A message that interrupts nothing.
    Notice {
        /// The problem and its remedy.
        message: String,
    },
    /// The run was paused or resumed.
    Paused {
        /// Whether it is paused.
        on: bool,
    },
    /// A sample is done.
    Sample {
        /// The sample.
        #[serde(with = "as_text")]
        sample: Box<SampleRecord>,
    },
    /// The run ended.
    Finished {
        /// Whether it completed.
        status: Status,
        /// The summary.
        summary: Summary,
        /// SHA-256 of the record without times.
        digest: String,
        /// The pack it ran on.
        pack: dataset::Source,
        /// Number of samples that the record says were planned.
        planned: usize,
    },
    /// The answer to a request.
    Answered {
        /// The request's id.
        id: u32,
        /// The answer as [`request::encode`] writes it, or an error.
        answer: Result<String, String>,
    },
    /// A command was refused.
    Refused {
        /// The problem and its remedy.
        message: String,
    },
    /// The last run's record was sent as a file.
    RunSaved,
    /// A file to save.
    File {
        /// A name for it.
        name: String,
        /// The blob's address; the receiver revokes it.
        url: String,
    },
    /// Verification progress.
    Verifying {
        /// Samples verified.
        done: usize,
        /// Total number of samples.
        of: usize,
    },
    /// A record from a file replaces the displayed run.
    Opened {
        /// Its settings.
        settings: Box<RunSettings>,
    },
    /// An event of the Generate page.
    Generation {
        /// The event.
        #[serde(with = "as_text")]
        event: Box<generate::GenerationEvent>,
    },
    /// Progress of writing tasks.
    WritingTasks {
        /// What an answer changed.
        #[serde(with = "as_text")]
        progress: Box<own_tools::TasksProgress>,
    },
    /// Progress of a comparison of endpoints.
    Endpoints {
        /// The event.
        #[serde(with = "as_text")]
        event: Box<endpoints::EndpointsEvent>,
    },
    /// Progress of a model in the page.
    ModelProgress {
        /// The step.
        step: in_page::ModelStep,
        /// Bytes done.
        done: u64,
        /// Bytes in total; 0 if unknown.
        of: u64,
    },
    /// Progress of storing a model in this browser.
    KeepingModel {
        /// Bytes written.
        done: u64,
        /// Bytes in total.
        of: u64,
    },
    /// Progress of an evaluation in the Search lab.
    Evaluating {
        /// The retriever, by its index.
        retriever: usize,
        /// Tools indexed and queries ranked.
        done: usize,
        /// Tools and queries in total.
        of: usize,
    },
    /// The scratch databases were reset.
    WorldReset,
    /// The worker crashed; a new one must be started.
    Panicked {
        /// The panic's text.
        message: String,
    },
}

impl Event {
    /// Whether the event concerns the available packs.
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

/// Serializes as JSON text: a JavaScript object would lose the order of keys that look like
/// numbers, and the difference between `1` and `1.0`.
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
