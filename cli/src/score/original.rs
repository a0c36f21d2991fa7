//! The `original` profile on a pack.

use super::Scored;
use super::gold::Expected;
use crate::pack::{PackSearch, pools};
use apis::Suite;
use dataset::import::Original as Pack;
use engine::scoring::ErrorClass;
use engine::scoring::execution::find;
use engine::scoring::original::{GoldCall, Label, Original, Verdict};
use std::sync::Arc;

/// The original evaluator over a pack's databases and texts.
pub(super) struct Evaluator {
    original: Original,
    search: Arc<PackSearch>,
}

impl Evaluator {
    /// Over a pack.
    pub(super) fn new(pack: &Pack, search: Arc<PackSearch>) -> Self {
        let original = Original::new(&pack.databases, &pack.planning_tables, &pools(pack));
        Evaluator { original, search }
    }

    /// What the original says of a prediction. Its world is fresh for every row.
    pub(super) fn judge(
        &self,
        expected: &Expected<'_>,
        prediction: &str,
    ) -> Result<Scored, String> {
        let raw = expected.raw.ok_or(
            "the pack has no recorded result for this sample, which the original's checks compare \
             with: add its dialogue, or take another profile",
        )?;
        let gold: GoldCall = serde_json::from_value(raw.clone())
            .map_err(|error| format!("the gold call cannot be read: {error}"))?;
        let verdict = match expected.suite {
            Suite::Dialogue => self.original.judge_dialogue(&gold, prediction, &*self.search),
            Suite::Planning => self.original.judge_plan(&gold, prediction, &*self.search),
        };
        Ok(Scored {
            correct: verdict.correct,
            category: verdict.label.as_str().to_owned(),
            error_class: class(expected, &verdict),
            crash: verdict.crash,
            explanation: verdict.explanation,
            ..Scored::default()
        })
    }
}

/// The class of this project that is nearest to the original's label.
fn class(expected: &Expected<'_>, verdict: &Verdict) -> Option<ErrorClass> {
    let called = verdict.call.as_ref().map(|call| call.api_name.as_str());
    let name = expected.call.api_name.as_str();
    Some(match verdict.label {
        Label::Correct => return None,
        Label::NoApiCall => ErrorClass::NoApiCall,
        _ if name == "ToolSearcher" => ErrorClass::FailedApiRetrieval,
        _ if called.is_some_and(|called| called != name) => {
            match called.and_then(|called| find(expected.suite, called)) {
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
