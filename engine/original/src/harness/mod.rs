//! The `original` profile: the original Python evaluator's verdicts, defects included.
//!
//! A compatibility layer for comparing with published numbers. It shares no code with the project's
//! own APIs: it reproduces the original's call parser ([`call`]), coercions (`manager`), 75 API
//! implementations (`dialogue_*`, `plan_*`, `calculator`, `tool_searcher`, `search_engine`),
//! databases (`tables`), checks (`checks`), and the Python semantics that they depend on (`python`,
//! `text`, `strptime`).
//!
//! As in the original, every row is judged on a fresh world: no earlier call of the dialogue is
//! replayed. Databases are read once and copied on write.
//!
//! Nondeterminism is removed without changing verdicts: a random id or token never equals a
//! recorded one, and the two web services (Dictionary, Translate) always fail.

mod bm25;
mod calculator;
pub mod call;
mod checks;
mod dialogue_account;
mod dialogue_health;
mod dialogue_home;
mod dialogue_lookup;
mod dialogue_meeting;
mod dialogue_schedule;
mod manager;
mod plan_people;
mod plan_travel;
mod python;
mod response;
mod search_engine;
mod strptime;
mod tables;
#[cfg(test)]
mod tests;
mod text;
mod tool_searcher;

pub(crate) use tool_searcher::space_capitals;

pub use call::ParsedCall;
pub use tables::{Pools, Tool};

use checks::{CheckFault, Gold};
use manager::{Api, CallError, Response, World};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use strum::IntoStaticStr;
use tables::{Databases, Descriptions};

/// One of the original's two API pools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Suite {
    /// Levels 1 and 2.
    Dialogue,
    /// Level 3.
    Planning,
}

/// The embedding search behind ToolSearcher.
pub trait ToolRanker {
    /// The name of the suite's tool most similar to a query; `None` if no similarity is positive.
    fn best(&self, suite: Suite, query: &str) -> Option<String>;
}

/// A gold call with its recorded result. Reads both an API line of a dialogue (`param_dict`,
/// `result`) and a step of a level-3 plan (`input`, `output`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GoldCall {
    /// The API's name.
    pub api_name: String,
    /// The annotated arguments. Verdicts ignore them and compare with the input inside `result`.
    #[serde(default, alias = "input")]
    pub param_dict: Json,
    /// The recorded result: `api_name`, `input`, `output`, `exception`.
    #[serde(alias = "output")]
    pub result: Json,
}

/// The outcome of a row. The first eleven are the original's labels of levels 1 and 2, in the order
/// of its checks. The original has none for level 3; the others name where its evaluator stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[derive(IntoStaticStr)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Label {
    /// No text matches the call pattern.
    NoApiCall,
    /// The API is not the gold's.
    ApiNameMismatch,
    /// The API has no such parameter.
    InvalidInputParameter,
    /// A required parameter is missing.
    MissInputArgument,
    /// The check reads a missing field.
    KeyError,
    /// The check passes.
    Correct,
    /// The check fails, and the call raised an exception.
    HasException,
    /// The check fails, and the output differs from the gold's.
    OutputMismatch,
    /// The check fails although the outputs are equal: the inputs differ.
    InputMismatch,
    /// The original crashes with an uncaught exception.
    Crash,
    /// The original never returns.
    Hang,
    /// Level 3: an unknown parameter or a bad number.
    CallAssertionError,
    /// Level 3: a missing parameter, or a `TypeError` raised by the API.
    CallTypeError,
    /// Level 3: there is no such API.
    InvalidToolName,
    /// Level 3: the API is not the gold's, and the gold's check compares names.
    CheckAssertionError,
    /// Level 3: the check reads a missing field.
    CheckKeyError,
    /// Level 3: the check fails.
    Incorrect,
}

impl Label {
    /// The identifier in records.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The original's verdict on a prediction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// False whenever the original crashes or hangs.
    pub correct: bool,
    /// The outcome.
    pub label: Label,
    /// Whether the original crashes or hangs here, which ends its whole evaluation.
    pub crash: bool,
    /// The reason, in one sentence.
    pub explanation: String,
    /// The parsed call, if there is one.
    pub call: Option<ParsedCall>,
    /// The predicted call's result (`api_name`, `input`, `output`, `exception`), if it ran.
    pub result: Option<Json>,
}

impl Verdict {
    fn new(label: Label, explanation: impl Into<String>) -> Self {
        Self {
            correct: label == Label::Correct,
            label,
            crash: matches!(label, Label::Crash | Label::Hang),
            explanation: explanation.into(),
            call: None,
            result: None,
        }
    }
}

/// The original evaluator over one set of databases. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Original {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    databases: Databases,
    descriptions: Descriptions,
}

impl Original {
    /// Reads the databases (file stem, such as `Account`, to content), the tables of the planning
    /// APIs (API to its attributes) and the pools of API Search. A missing database reads as empty.
    #[must_use]
    pub fn new(
        databases: &BTreeMap<String, Json>,
        planning_tables: &BTreeMap<String, Json>,
        pools: &Pools,
    ) -> Self {
        let databases = Databases::new(databases, planning_tables);
        let descriptions = Descriptions::new(pools);
        Self { shared: Arc::new(Shared { databases, descriptions }) }
    }

    fn world<'a>(&'a self, suite: Suite, ranker: &'a dyn ToolRanker) -> World<'a> {
        World::new(suite, &self.shared.databases, &self.shared.descriptions, ranker)
    }

    /// Judges a prediction for a sample of level 1 or 2.
    #[must_use]
    pub fn judge_dialogue(
        &self,
        gold: &GoldCall,
        prediction: &str,
        ranker: &dyn ToolRanker,
    ) -> Verdict {
        let Some(call) = call::parse(prediction) else {
            return no_call();
        };
        if call.api_name != gold.api_name {
            let text = format!("It calls {}, the gold calls {}.", call.api_name, gold.api_name);
            return with_call(Verdict::new(Label::ApiNameMismatch, text), call);
        }
        let result = self.world(Suite::Dialogue, ranker).call(&call.api_name, &call.params);
        let verdict = match result {
            Ok(response) => dialogue_outcome(gold, &response),
            Err(error) => Verdict::new(dialogue_label(&error), explain(&error, &call)),
        };
        with_call(verdict, call)
    }

    /// Judges a prediction for a step of level 3.
    #[must_use]
    pub fn judge_plan(
        &self,
        gold: &GoldCall,
        prediction: &str,
        ranker: &dyn ToolRanker,
    ) -> Verdict {
        let Some(call) = call::parse(prediction) else {
            return no_call();
        };
        let mut params = call.params.clone();
        if call.api_name == tool_searcher::TOOL_SEARCHER.name {
            let Some(keywords) = params.get_mut("keywords") else {
                let text = "The evaluator reads the keywords of ToolSearcher, and there are none.";
                return with_call(Verdict::new(Label::Crash, text), call);
            };
            *keywords = space_capitals(keywords);
        }
        let verdict = match self.world(Suite::Planning, ranker).call(&call.api_name, &params) {
            Ok(response) => plan_outcome(gold, &response),
            Err(error) => Verdict::new(plan_label(&error), explain(&error, &call)),
        };
        with_call(verdict, call)
    }
}

fn no_call() -> Verdict {
    Verdict::new(Label::NoApiCall, "No call of the form [ApiName(key='value')] was found.")
}

fn with_call(verdict: Verdict, call: ParsedCall) -> Verdict {
    Verdict { call: Some(call), ..verdict }
}

/// The API implementations of a suite, by module.
fn pool(suite: Suite) -> &'static [&'static [Api]] {
    match suite {
        Suite::Dialogue => &[
            dialogue_account::APIS,
            dialogue_schedule::APIS,
            dialogue_meeting::APIS,
            dialogue_health::APIS,
            dialogue_home::APIS,
            dialogue_lookup::APIS,
        ],
        Suite::Planning => &[plan_people::APIS, plan_travel::APIS],
    }
}

fn find(suite: Suite, name: &str) -> Option<&'static Api> {
    pool(suite).iter().copied().flatten().find(|api| api.name == name)
}

fn dialogue_label(error: &CallError) -> Label {
    match error {
        CallError::UnknownParameter(_) => Label::InvalidInputParameter,
        CallError::MissingParameter(_) => Label::MissInputArgument,
        CallError::Hang => Label::Hang,
        CallError::UnknownTool
        | CallError::BadNumber(_)
        | CallError::NoNumber(_)
        | CallError::Escaped(..) => Label::Crash,
    }
}

fn plan_label(error: &CallError) -> Label {
    match error {
        CallError::UnknownTool => Label::InvalidToolName,
        CallError::UnknownParameter(_) | CallError::BadNumber(_) => Label::CallAssertionError,
        CallError::MissingParameter(_) | CallError::Escaped("TypeError", _) => Label::CallTypeError,
        CallError::Hang => Label::Hang,
        CallError::NoNumber(_) | CallError::Escaped(..) => Label::Crash,
    }
}

fn explain(error: &CallError, call: &ParsedCall) -> String {
    let name = &call.api_name;
    match error {
        CallError::UnknownTool => format!("There is no API {name}."),
        CallError::UnknownParameter(key) => format!("{name} has no parameter {key}."),
        CallError::BadNumber(value) => {
            format!("{name} needs a number of digits only, and got {value:?}.")
        }
        CallError::NoNumber(text) => format!("A value of {name} is no number: {text}."),
        CallError::MissingParameter(key) => format!("{name} needs the parameter {key}."),
        CallError::Escaped(kind, text) => format!("{name} raised {kind}: {text}."),
        CallError::Hang => format!("{name} never returns for this input."),
    }
}

/// Runs the gold API's check, and labels a failure by its cause.
fn dialogue_outcome(gold: &GoldCall, response: &Response) -> Verdict {
    let recorded = Gold::new(&gold.result);
    let (label, text) = match check(Suite::Dialogue, gold, &recorded, response) {
        Ok(true) => (Label::Correct, "The API's own check accepts it.".to_owned()),
        Err(CheckFault::Assertion) => {
            (Label::ApiNameMismatch, "The recorded result is of another API.".to_owned())
        }
        Err(CheckFault::Key(key)) => {
            (Label::KeyError, format!("The API's check reads the absent field {key}."))
        }
        Err(CheckFault::Raised(kind)) => {
            (Label::Crash, format!("The API's check raises {kind}, which nothing catches."))
        }
        Ok(false) => mismatch(&recorded, response),
    };
    Verdict { result: Some(to_json(response)), ..Verdict::new(label, text) }
}

/// The label of a call that ran but failed the check.
fn mismatch(gold: &Gold, response: &Response) -> (Label, String) {
    if let Some(text) = response.exception.as_text() {
        (Label::HasException, format!("The call ends in an exception: {text}"))
    } else if gold.get("output").is_ok_and(|output| *output == response.output) {
        (Label::InputMismatch, "The output is the gold's, the input is not.".to_owned())
    } else {
        (Label::OutputMismatch, "The output is not the gold's.".to_owned())
    }
}

fn plan_outcome(gold: &GoldCall, response: &Response) -> Verdict {
    let recorded = Gold::new(&gold.result);
    let (label, text) = match check(Suite::Planning, gold, &recorded, response) {
        Ok(true) => (Label::Correct, "The gold API's check accepts it.".to_owned()),
        Ok(false) => (Label::Incorrect, mismatch(&recorded, response).1),
        Err(CheckFault::Assertion) => {
            (Label::CheckAssertionError, format!("The gold calls {}.", gold.api_name))
        }
        Err(CheckFault::Key(key)) => {
            (Label::CheckKeyError, format!("The gold API's check reads the absent field {key}."))
        }
        Err(CheckFault::Raised(kind)) => {
            (Label::Crash, format!("The gold API's check raises {kind}, which nothing catches."))
        }
    };
    Verdict { result: Some(to_json(response)), ..Verdict::new(label, text) }
}

/// Runs the check of the gold's API; an unknown API raises, as in the original.
fn check(
    suite: Suite,
    gold: &GoldCall,
    recorded: &Gold,
    response: &Response,
) -> Result<bool, CheckFault> {
    let api = find(suite, &gold.api_name).ok_or(CheckFault::Raised("Exception"))?;
    (api.check)(response, recorded)
}

fn to_json(response: &Response) -> Json {
    let mut result = json!({
        "input": response.input.to_json(),
        "output": response.output.to_json(),
        "exception": response.exception.to_json(),
    });
    if let Some(name) = response.api_name {
        result["api_name"] = json!(name);
    }
    result
}
