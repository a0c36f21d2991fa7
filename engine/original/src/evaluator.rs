//! The `original` profile on an imported pack.

use super::search::{PackSearch, Ranker, pools};
use crate::harness::{GoldCall, Label, Original, Verdict};
use apis::Suite;
use apis::search::find;
use dataset::import::{Imported, Original as Data};
use dataset::{Ability, RecordedCall};
use exchange::protocol::Sample;
use scoring::ErrorClass;
use serde_json::Value;
use std::sync::Arc;
use thiserror::Error;

/// The original evaluator over a pack's databases and texts.
#[derive(Debug)]
pub struct Evaluator {
    original: Original,
    search: Arc<PackSearch>,
    offered: Vec<Ability>,
}

/// Why the original says nothing of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum JudgeError {
    /// The pack lacks what the checks compare with.
    #[error(
        "the pack has no recorded result for this sample, which the original's checks compare with: \
         add its dialogue, or take another profile"
    )]
    NoRecordedResult,
    /// The gold call has another shape.
    #[error("the gold call cannot be read: {0}")]
    Gold(String),
    /// The search model fails.
    #[error("API Search cannot answer: {0}")]
    Search(String),
}

impl Evaluator {
    /// Over a pack.
    pub fn new(data: &Data, search: Arc<PackSearch>) -> Self {
        let original = Original::new(&data.databases, &data.planning_tables, &pools(data));
        let offers = |ability: &Ability| lacking(data, &[*ability]).is_empty();
        let offered = Ability::ALL.into_iter().filter(offers).collect();
        Evaluator { original, search, offered }
    }

    /// Whether the pack has all that the verdicts of an ability rest on.
    pub fn offers(&self, ability: Ability) -> bool {
        self.offered.contains(&ability)
    }

    /// What the original says of an answer. Its world is fresh for every sample.
    ///
    /// # Errors
    /// When the pack does not bring what the original's checks compare with.
    pub fn judge(&self, sample: &Sample<'_>, answer: &str) -> Result<Verdict, JudgeError> {
        let raw = sample.source.and_then(|source| {
            raw(source.imported, source.sample.place.as_ref()?, source.sample.turn)
        });
        let raw = raw.ok_or(JudgeError::NoRecordedResult)?;
        let gold: GoldCall =
            serde_json::from_value(raw.clone()).map_err(|it| JudgeError::Gold(it.to_string()))?;
        let ranker = Ranker { search: &self.search, failed: std::cell::RefCell::default() };
        let verdict = match sample.ability().suite() {
            Suite::Dialogue => self.original.judge_dialogue(&gold, answer, &ranker),
            Suite::Planning => self.original.judge_plan(&gold, answer, &ranker),
        };
        match ranker.failed.take() {
            Some(reason) => Err(JudgeError::Search(reason)),
            None => Ok(verdict),
        }
    }
}

/// The gold call as it stands in its file.
pub fn raw<'a>(
    imported: &'a Imported,
    place: &dataset::import::Place,
    turn: usize,
) -> Option<&'a Value> {
    if place.level == 3 {
        return imported.original.plans.get(place.sample)?.steps.get(place.step);
    }
    let source = imported.original.dialogues.get(&(place.level, place.file.clone()))?;
    source.lines.get(turn)
}

/// What a pack lacks for the `original` profile, each as a sentence; empty when nothing.
pub fn lacking(data: &Data, abilities: &[Ability]) -> Vec<String> {
    let mut lacking = Vec::new();
    let dialogues = abilities.iter().any(|ability| *ability != Ability::Plan);
    if dialogues && data.dialogues.is_empty() {
        lacking.push("the dialogues with their recorded results (lv1-lv2-samples)".to_owned());
    }
    if dialogues && data.databases.is_empty() {
        lacking.push("the databases (init_database)".to_owned());
    }
    if abilities.contains(&Ability::Plan) && data.plans.is_empty() {
        lacking.push("the plans with their recorded results (test-data/level-3.json)".to_owned());
    }
    if abilities.contains(&Ability::Plan) && data.planning_tables.is_empty() {
        lacking.push("the tables of the planning APIs (lv3_apis)".to_owned());
    }
    lacking
}

/// The verdict in the project's form: the class that is nearest to the original's label.
pub fn as_verdict(suite: Suite, gold: &RecordedCall, verdict: &Verdict) -> scoring::Verdict {
    let mut explanation = format!("{}: {}", verdict.label, verdict.explanation);
    if verdict.crash {
        explanation.push_str(" The original stops or hangs here.");
    }
    scoring::Verdict {
        correct: verdict.correct,
        error_class: class(suite, gold, verdict),
        explanation,
    }
}

/// The class of this project that is nearest to the original's label.
pub fn class(suite: Suite, gold: &RecordedCall, verdict: &Verdict) -> Option<ErrorClass> {
    let called = verdict.call.as_ref().map(|call| call.api_name.as_str());
    let name = gold.api_name.as_str();
    Some(match verdict.label {
        Label::Correct => return None,
        Label::NoApiCall => ErrorClass::NoApiCall,
        _ if name == "ToolSearcher" => ErrorClass::FailedApiRetrieval,
        _ if called.is_some_and(|called| called != name) => {
            match called.and_then(|called| find(suite, called)) {
                Some(_) => ErrorClass::WrongApi,
                None => ErrorClass::ApiHallucination,
            }
        }
        Label::MissInputArgument | Label::CallTypeError => ErrorClass::MissingInputParameters,
        Label::InvalidInputParameter | Label::CallAssertionError => {
            ErrorClass::InvalidInputParameters
        }
        Label::HasException => ErrorClass::HasException,
        _ => ErrorClass::WrongResult,
    })
}
