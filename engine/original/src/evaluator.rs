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

/// Why the original evaluator cannot judge an answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum JudgeError {
    /// The pack lacks the recorded result that the checks compare with.
    #[error(
        "the pack has no recorded result for this sample, which the original's checks compare with: \
         add its dialogue, or take another profile"
    )]
    NoRecordedResult,
    /// The gold call does not parse; contains the parser's message.
    #[error("the gold call cannot be read: {0}")]
    Gold(String),
    /// The search model failed, with its message.
    #[error("API Search cannot answer: {0}")]
    Search(String),
}

impl Evaluator {
    /// Creates the evaluator of a pack.
    pub fn new(data: &Data, search: Arc<PackSearch>) -> Self {
        let original = Original::new(&data.databases, &data.planning_tables, &pools(data));
        let offers = |ability: &Ability| lacking(data, &[*ability]).is_empty();
        let offered = Ability::ALL.into_iter().filter(offers).collect();
        Evaluator { original, search, offered }
    }

    /// Whether the pack has the data needed to judge an ability.
    pub fn offers(&self, ability: Ability) -> bool {
        self.offered.contains(&ability)
    }

    /// Judges an answer as the original does, on fresh databases for every sample.
    ///
    /// # Errors
    /// When the pack has no recorded result, the gold call does not parse, or API Search fails.
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

/// The gold call's JSON, unchanged from its file.
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

/// The data that a pack lacks for the `original` profile, one phrase per item.
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

/// Converts to the project's verdict; the error class is the closest one to the original's label.
pub fn as_verdict(suite: Suite, gold: &RecordedCall, verdict: &Verdict) -> scoring::Verdict {
    let mut explanation = format!("{}: {}", verdict.label, verdict.explanation);
    if verdict.crash {
        explanation.push_str(" The original stops or hangs here.");
    }
    scoring::Verdict {
        correct: verdict.correct,
        error_class: class(suite, gold, verdict),
        explanation,
        parameter: None,
    }
}

/// The project's error class closest to the original's label; `None` if correct.
pub fn class(suite: Suite, gold: &RecordedCall, verdict: &Verdict) -> Option<ErrorClass> {
    let called = verdict.call.as_ref().map(|call| call.api_name.as_str());
    let name = gold.api_name.as_str();
    Some(match verdict.label {
        Label::Correct => return None,
        Label::NoApiCall => ErrorClass::NoApiCall,
        _ if gold.is_search() => ErrorClass::FailedApiRetrieval,
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
