//! Sample builders for the tests of this folder.

use crate::{Gold, Outcome, SampleRecord, Verdicts};
use apis::ApiResult;
use dataset::{Ability, RecordedCall};
use exchange::Answer;
use exchange::SampleTimes;
use exchange::protocol::SampleKind;
use provider::FailureClass;
use scoring::f1::CallOverlap;
use scoring::{ErrorClass, Verdict};
use serde_json::{Map, Value};

/// A correct or wrong call (`Some`), or one without an answer (`None`); the first of two.
pub(crate) fn call(
    ability: Ability,
    dialogue: &str,
    turn: usize,
    api: &str,
    right: Option<bool>,
) -> SampleRecord {
    let verdict = right.map(|right| match right {
        true => Verdict::right("Same."),
        false => Verdict::wrong(ErrorClass::WrongResult, "Another."),
    });
    let outcome = match right {
        Some(_) => Outcome::Answered(Answer::default()),
        None => {
            Outcome::Failed { class: FailureClass::Infrastructure, message: "HTTP 500".to_owned() }
        }
    };
    SampleRecord {
        id: format!("{dialogue}#{turn}"),
        dialogue: dialogue.to_owned(),
        turn,
        ability,
        kind: SampleKind::Call,
        trial: 1,
        position: 1,
        calls_in_dialogue: 2,
        messages: Vec::new(),
        tools: Vec::new(),
        outcome,
        gold: Gold::Call(RecordedCall {
            api_name: api.to_owned(),
            param_dict: Map::new(),
            result: ApiResult::failure(api, Value::Null, ""),
            alternatives: Vec::new(),
            declared: dataset::Declared::default(),
        }),
        hard: None,
        origin: None,
        correction: None,
        parsed: None,
        other_form: None,
        gold_effect: None,
        effect: None,
        verdicts: verdict.map(|verdict| Verdicts {
            execution: verdict.clone(),
            exact: verdict.clone(),
            f1: verdict,
            original: None,
            overlap: CallOverlap::default(),
        }),
        episode: None,
        moot: false,
        told: Vec::new(),
        rouge_l: None,
        attempts: 1,
        retries: Vec::new(),
        times: SampleTimes::default(),
    }
}
