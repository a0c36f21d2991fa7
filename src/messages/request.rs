//! Requests from the page to the worker: each type has the type of its answer.

use super::generate::{Generate, GenerationProgress, ShowGeneration, Step, TraceDialogue};
use super::{
    AuditGold, Cancel, CancelImport, ChosenPack, Count, Import, ImportProgress, ImportReport, Load,
    LoadProgress, MadeFile, MakeFile, Pause, RecordFacts, ResetWorld, RunProgress, StartRun,
    StoredPack, UsePack, browse, compare, demo, endpoints, in_page, kept_models, own_tools,
    search_lab,
};
use record::demo::{DialogueSummary, TableView, Walkthrough};
use record::{CheckedSignature, RunSettings, RunSize, SampleRecord, Verification};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A request to the worker. It is completed exactly once, with the answer or an error.
pub trait Request: Into<AnyRequest> + 'static {
    /// The type of the answer.
    type Answer: Serialize + DeserializeOwned + 'static;
    /// The type of what is told before the answer; `()` if nothing is.
    type Progress: Serialize + DeserializeOwned + 'static;
}

/// The type of the progress; `()` without one.
macro_rules! progress {
    () => {
        ()
    };
    ($progress:ty) => {
        $progress
    };
}

macro_rules! requests {
    ($($name:ident($request:ty) -> $answer:ty $(, telling $progress:ty)?: $doc:literal;)+) => {
        /// Any request.
        #[derive(Clone, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum AnyRequest {
            $(#[doc = $doc] $name($request),)+
        }

        $(
            impl Request for $request {
                type Answer = $answer;
                type Progress = progress!($($progress)?);
            }

            impl From<$request> for AnyRequest {
                fn from(request: $request) -> Self {
                    AnyRequest::$name(request)
                }
            }
        )+
    };
}

requests! {
    Load(Load) -> (), telling LoadProgress: "Nothing, once searches can be answered.";
    UsePack(UsePack) -> ChosenPack: "The pack that runs use now.";
    Import(Import) -> ImportReport, telling ImportProgress: "What was imported.";
    CancelImport(CancelImport) -> (): "Nothing, at once.";
    AuditGold(AuditGold) -> scoring::audit::Audit, telling Count: "The gold, judged.";
    StartRun(StartRun) -> RecordFacts, telling RunProgress: "Facts of the ended run.";
    Pause(Pause) -> bool: "Whether anything runs.";
    Cancel(Cancel) -> (): "Nothing, at once.";
    MakeFile(MakeFile) -> MadeFile: "A file to save.";
    CompareEndpoints(endpoints::CompareEndpoints) -> endpoints::ComparedEndpoints, telling endpoints::EndpointsProgress: "The comparison.";
    Generate(Generate) -> generator::Stop, telling GenerationProgress: "Why the generation stopped.";
    ShowGeneration(ShowGeneration) -> Option<generator::Stop>, telling GenerationProgress: "Why the stored generation stopped, if there is one.";
    TraceDialogue(TraceDialogue) -> Vec<Step>: "Every answer of a dialogue.";
    ResetWorld(ResetWorld) -> (): "Nothing, once the databases are reset.";
    Search(Search) -> Vec<SearchHit>: "Hits, best first.";
    Call(Call) -> apis::effect::Effect: "Result and changes of a call.";
    EstimateRun(EstimateRun) -> RunSize: "Size of a run.";
    VerifyRecord(VerifyRecord) -> Verification, telling VerifyProgress: "Verification of a record's file.";
    SignRecord(SignRecord) -> SignedRecord: "Signatures of the last record.";
    CompareRecords(compare::CompareRecords) -> compare::Comparison: "Comparison of records.";
    CompareSample(compare::CompareSample) -> compare::SampleComparison: "A sample in all records.";
    ListDialogues(demo::ListDialogues) -> Vec<DialogueSummary>: "Dialogues of an ability, in the pack's order.";
    WalkDialogue(demo::WalkDialogue) -> Walkthrough: "A dialogue step by step.";
    JudgeAnswer(demo::JudgeAnswer) -> SampleRecord: "A sample with a typed answer, judged.";
    JudgeAnswers(demo::JudgeAnswers) -> Vec<SampleRecord>: "Samples with their answers, judged.";
    AskModel(demo::AskModel) -> SampleRecord: "A sample with the endpoint's answer, judged.";
    ReadTable(demo::ReadTable) -> TableView: "A table at a sample.";
    DescribeModel(in_page::DescribeModel) -> in_page::ModelDescription: "Headers of a model's files.";
    DigestModel(in_page::DigestModel) -> Vec<String>, telling in_page::ModelProgress: "SHA-256 of a model's files.";
    LoadModel(in_page::LoadModel) -> in_page::LoadedModel, telling in_page::ModelProgress: "A model, loaded in the page.";
    UseBrowserModel(in_page::UseBrowserModel) -> in_page::LoadedModel: "The browser's own model, ready.";
    UnloadModel(in_page::UnloadModel) -> (): "Nothing, once the model is unloaded.";
    ListKept(kept_models::ListKept) -> kept_models::KeptList: "The models that this browser keeps.";
    KeepModel(kept_models::KeepModel) -> kept_models::KeptList, telling Count<u64>: "The kept models, with the described one.";
    StopKeeping(kept_models::StopKeeping) -> (): "Nothing, at once.";
    ChooseKept(kept_models::ChooseKept) -> in_page::ModelDescription: "Headers of a kept model.";
    DeleteKept(kept_models::DeleteKept) -> kept_models::KeptList: "The models that are left.";
    AddRetriever(search_lab::AddRetriever) -> search_lab::AddedRetriever: "A loaded embedding model.";
    RemoveRetriever(search_lab::RemoveRetriever) -> (): "Nothing, once the model is forgotten.";
    ReadTools(search_lab::ReadTools) -> search_lab::ReadList: "A list of tools.";
    ReadQueries(search_lab::ReadQueries) -> search_lab::ReadList: "A list of queries.";
    Evaluate(search_lab::Evaluate) -> search_lab::Evaluated, telling search_lab::EvaluationProgress: "An evaluation of retrievers.";
    SearchCorpus(search_lab::SearchCorpus) -> Vec<search_lab::LabHits>: "What retrievers find.";
    ReadOwnTools(own_tools::ReadOwnTools) -> own_tools::OwnToolsView: "A pack of own tools.";
    ChangeOwnTools(own_tools::ChangeOwnTools) -> own_tools::OwnToolsView: "The pack of own tools after a change.";
    ReadExample(own_tools::ReadExample) -> own_tools::OwnToolsView: "The example of own tools.";
    KeepOwnTools(own_tools::KeepOwnTools) -> StoredPack: "A pack that this browser keeps.";
    LastOwnTools(own_tools::LastOwnTools) -> Option<own_tools::OwnToolsView>: "The last pack of the page.";
    EstimateTasks(own_tools::EstimateTasks) -> generator::Spent: "What writing tasks would take.";
    WriteTasks(own_tools::WriteTasks) -> generator::Stop, telling own_tools::TasksProgress: "Why no more tasks are written.";
    DatasetOverview(browse::DatasetOverview) -> browse::Overview: "Dialogues and statistics.";
    ReadDialogue(browse::ReadDialogue) -> dataset::browse::Reading: "A dialogue to read.";
}

/// Rank the APIs of a suite by keywords.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Search {
    /// `dialogue` or `planning`.
    pub suite: String,
    /// The keywords.
    pub keywords: String,
    /// Number of hits.
    pub k: usize,
}

/// An API found by a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchHit {
    /// Its name.
    pub name: String,
    /// Cosine similarity to the keywords.
    pub cosine: f32,
}

/// Call an API on the scratch world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// `dialogue` or `planning`.
    pub suite: String,
    /// Name of the API.
    pub api: String,
    /// A JSON object.
    pub arguments: String,
}

/// Count the requests and tokens of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EstimateRun {
    /// The run.
    pub settings: Box<RunSettings>,
}

/// Verify the record in the file sent with the request, and open it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerifyRecord {}

/// Progress of a verification.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerifyProgress {
    /// The record, shown as a run.
    Run(RunProgress),
    /// All of the record is shown.
    Shown(RecordFacts),
    /// Samples verified.
    Verified(Count),
}

/// Sign the last record with this browser's key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignRecord {
    /// Its id among the runs of this browser's database, if it is there.
    pub run: Option<String>,
    /// The signer's name in the signature; may be empty.
    pub name: String,
}

/// A record that was just signed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SignedRecord {
    /// Its signatures, the new one last.
    pub signatures: Vec<CheckedSignature>,
    /// Why the stored run lacks the new one.
    pub not_kept: Option<String>,
}

/// Encodes an answer as JSON text: a JavaScript object would lose the order of keys that look like
/// numbers, and the difference between `1` and `1.0`.
///
/// # Errors
/// The worker's error, or a failed serialization.
pub fn encode<R: Request>(answer: Result<R::Answer, String>) -> Result<String, String> {
    serde_json::to_string(&answer?).map_err(|error| error.to_string())
}

/// Decodes the answer to a request.
///
/// # Errors
/// The worker's error, or an answer of the wrong shape.
pub fn decode<R: Request>(answer: Result<String, String>) -> Result<R::Answer, String> {
    serde_json::from_str(&answer?)
        .map_err(|error| format!("The worker sent an answer that the page cannot read: {error}"))
}

/// Decodes the progress of a request.
///
/// # Errors
/// Progress of the wrong shape.
pub fn decode_progress<R: Request>(progress: &str) -> Result<R::Progress, String> {
    serde_json::from_str(progress)
        .map_err(|error| format!("The worker told something that the page cannot read: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::{Asset, Assets};
    use serde_json::json;

    #[test]
    fn free_json_survives_the_way_to_the_page() {
        let output = json!({"10": 1.0, "9": 1, "b": [], "a": null});
        let result = apis::ApiResult {
            api_name: "A".to_owned(),
            input: json!({}),
            output: Some(output),
            exception: None,
        };
        let effect = apis::effect::Effect { result, changes: Vec::new() };
        let text = encode::<Call>(Ok(effect.clone()));
        assert!(text.as_ref().unwrap().contains(r#"{"10":1.0,"9":1,"b":[],"a":null}"#));
        assert_eq!(decode::<Call>(text), Ok(effect));
    }

    #[test]
    fn a_refusal_and_a_damaged_answer_are_errors() {
        let refused = encode::<Search>(Err("no suite".to_owned()));
        assert_eq!(decode::<Search>(refused), Err("no suite".to_owned()));
        assert!(decode::<Search>(Ok("[1]".to_owned())).is_err());
    }

    #[test]
    fn the_benchmark_of_the_site_names_all_fields() {
        let asset = Asset { url: String::new(), integrity: String::new() };
        let load = Load {
            assets: Assets {
                search_model: asset.clone(),
                search_vocab: asset.clone(),
                search_vectors: asset,
            },
            pack: None,
            tab: String::new(),
        };
        let search = Search { suite: String::new(), keywords: String::new(), k: 1 };
        let driver = include_str!("../../tests/bench/page/driver.js");
        for (name, fields) in
            [("load", serde_json::to_value(load)), ("search", serde_json::to_value(search))]
        {
            let sent = format!("ask({{ {name}: ");
            let line = driver.lines().find(|line| line.contains(&sent)).unwrap();
            for field in fields.unwrap().as_object().unwrap().keys() {
                assert!(line.contains(field), "{name} needs {field}: {line}");
            }
        }
    }

    #[test]
    fn every_request_crosses_as_itself() {
        let request: AnyRequest = VerifyRecord {}.into();
        let crossed = serde_json::to_value(&request).unwrap();
        assert!(serde_json::from_value::<AnyRequest>(crossed).unwrap() == request);
    }
}
