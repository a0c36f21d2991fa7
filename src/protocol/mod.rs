//! Command and Event: the only types that cross between page and worker.

pub mod browse;
pub mod compare;
pub mod demo;
pub mod generate;
mod packs;

pub use packs::{ImportReport, ImportSource, PackFound, StoredPack};

use provider::ApiKey;
use record::RunSettings;
use record::export::Format;
use record::{CheckedSignature, SampleRecord, Status, Summary, Verification};
use scoring::audit::Audit;
use serde::{Deserialize, Serialize};

/// Member of a message to the worker that holds the command.
pub const COMMAND: &str = "command";
/// Under which name files cross beside [`Command::Import`]: they are no data that serde knows.
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
    /// Weights of the search model.
    pub search_weights: Asset,
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
    /// Verify the record in the file beside the command, and open it.
    Verify {
        /// Echoed in the answer.
        id: u32,
    },
    /// Sign the last record with this browser's key.
    Sign {
        /// Echoed in the answer.
        id: u32,
        /// The run that is kept of it.
        run: Option<String>,
        /// What the signer is called in the signature; may be empty.
        name: String,
    },
    /// Rank the APIs of a suite by keywords.
    Search {
        /// Echoed in the answer, so that late answers are told from current ones.
        id: u32,
        /// `dialogue` or `planning`.
        suite: String,
        /// The keywords.
        keywords: String,
        /// How many.
        k: usize,
    },
    /// Call an API on the scratch world.
    Call {
        /// Echoed in the answer.
        id: u32,
        /// `dialogue` or `planning`.
        suite: String,
        /// Name of the API.
        api: String,
        /// A JSON object.
        arguments: String,
    },
    /// Count what a run would ask.
    Estimate {
        /// Echoed in the answer.
        id: u32,
        /// What would be run.
        settings: Box<RunSettings>,
    },
    /// A question of the Compare page.
    Compare {
        /// Echoed in the answer.
        id: u32,
        /// The question.
        question: compare::Question,
    },
    /// A question of the Demo page.
    Demo {
        /// Echoed in the answer.
        id: u32,
        /// The question.
        question: demo::Question,
    },
    /// A question of the Dataset page.
    Dataset {
        /// Echoed in the answer.
        id: u32,
        /// The question.
        question: browse::Question,
    },
    /// Put the scratch world back to the pack's databases.
    ResetWorld,
    /// A wish of the Generate page.
    Generate {
        /// Which.
        wish: generate::Wish,
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

/// One API that a search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchHit {
    /// Its name.
    pub name: String,
    /// Cosine with the keywords.
    pub cosine: f32,
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
        /// SHA-256 of the search model's weights.
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
    Kept {
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
    Held {
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
    /// A command could not be carried out.
    Refused {
        /// The command's id, if it has one.
        id: Option<u32>,
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
    /// What a verification found.
    Verified {
        /// The command's id.
        id: u32,
        /// The result.
        found: Box<Verification>,
    },
    /// The last record is signed.
    Signed {
        /// The command's id.
        id: u32,
        /// Its signatures, the new one last.
        signatures: Vec<CheckedSignature>,
        /// Why the kept run does not have the new one.
        not_kept: Option<String>,
    },
    /// What a search found, best first.
    Found {
        /// The search's id.
        id: u32,
        /// The hits.
        hits: Vec<SearchHit>,
    },
    /// What a call on the scratch world gave: result and changes.
    Called {
        /// The call's id.
        id: u32,
        /// The effect.
        #[serde(with = "as_text")]
        effect: Box<apis::effect::Effect>,
    },
    /// What a run would ask.
    Estimated {
        /// The command's id.
        id: u32,
        /// The count.
        estimate: record::Estimate,
    },
    /// What the Compare page asked for.
    Compared {
        /// The question's id.
        id: u32,
        /// The answer.
        #[serde(with = "as_text")]
        answer: Box<compare::Answer>,
    },
    /// What the Demo page asked for.
    Demo {
        /// The question's id.
        id: u32,
        /// The answer.
        #[serde(with = "as_text")]
        answer: Box<demo::Answer>,
    },
    /// What the Dataset page asked for.
    Dataset {
        /// The question's id.
        id: u32,
        /// The answer.
        #[serde(with = "as_text")]
        answer: Box<browse::Answer>,
    },
    /// News for the Generate page.
    Generation {
        /// What.
        #[serde(with = "as_text")]
        news: Box<generate::News>,
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn free_json_crosses_as_text() {
        let output = json!({"10": 1.0, "9": 1, "b": [], "a": null});
        let result = apis::ApiResult {
            api_name: "A".to_owned(),
            input: json!({}),
            output: Some(output),
            exception: None,
        };
        let effect = Box::new(apis::effect::Effect { result, changes: Vec::new() });
        let event = Event::Called { id: 1, effect };
        let crossed = serde_json::to_value(&event).unwrap();
        let effect = crossed["called"]["effect"].as_str().unwrap();
        assert!(effect.contains(r#"{"10":1.0,"9":1,"b":[],"a":null}"#));
        assert_eq!(serde_json::from_value::<Event>(crossed).unwrap(), event);
    }
}
