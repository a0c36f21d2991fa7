//! API Search: the API that finds the others.
//!
//! Searching needs sentence embeddings, which live outside this crate: the world
//! holds an implementation of [`ApiSearch`].

use crate::api::ApiResult;
use crate::api::{Api, Domain, Example, Field, Suite};
use crate::error::{ApiError, filled};
use crate::registry;
use crate::store::World;
use crate::{api, arguments::Arguments};
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// Name of API Search in both suites.
pub const TOOL_SEARCHER: &str = "ToolSearcher";

/// Finds the API that fits keywords best.
pub trait ApiSearch {
    /// Name of the best match in a suite; `None` if nothing fits.
    ///
    /// # Errors
    /// The reason as a clause without a full stop.
    fn best(&self, suite: Suite, keywords: &str) -> Result<Option<String>, String>;
}

/// A world's implementation of API Search, if it is loaded.
#[derive(Clone, Default)]
pub struct SearchHandle(Option<Arc<dyn ApiSearch + Send + Sync>>);

impl SearchHandle {
    /// A loaded handle.
    pub fn new(search: Arc<dyn ApiSearch + Send + Sync>) -> Self {
        SearchHandle(Some(search))
    }
}

impl fmt::Debug for SearchHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "SearchHandle(loaded)" } else { "SearchHandle(empty)" })
    }
}

/// ToolSearcher of the dialogue suite.
pub const DIALOGUE: Api = Api {
    name: TOOL_SEARCHER,
    suite: Suite::Dialogue,
    domain: Domain::Information,
    description: "Finds the API of the library that fits the given keywords best.",
    hints: &[],
    params: Args::PARAMS,
    returns: &[Field {
        name: "best_matchs",
        label: "Union[List[dict], dict]",
        description: "The description of the best match, preceded by GetUserToken when the \
                      match needs a token.",
    }],
    reads: &[],
    writes: &[],
    errors: &["The keywords are empty.", "Nothing in the library fits the keywords."],
    examples: &[
        Example { arguments: r#"{"keywords": "wake me up in the morning"}"#, succeeds: true },
        Example { arguments: r#"{"keywords": " "}"#, succeeds: false },
    ],
    run: code!(|arguments, world| run(Suite::Dialogue, arguments, world)),
};

/// ToolSearcher of the planning suite.
pub const PLANNING: Api = Api {
    suite: Suite::Planning,
    run: code!(|arguments, world| run(Suite::Planning, arguments, world)),
    ..DIALOGUE
};

/// ToolSearcher of a suite.
pub fn tool_searcher(suite: Suite) -> &'static Api {
    match suite {
        Suite::Dialogue => &DIALOGUE,
        Suite::Planning => &PLANNING,
    }
}

/// Finds an API, ToolSearcher included.
pub fn find(suite: Suite, name: &str) -> Option<&'static Api> {
    if name == TOOL_SEARCHER { Some(tool_searcher(suite)) } else { registry::find(suite, name) }
}

/// Names of the APIs in the result of a search, best match last.
pub fn found_names(result: &ApiResult) -> Vec<String> {
    let name = |value: &Value| value.get("name").and_then(Value::as_str).map(str::to_owned);
    match &result.output {
        Some(Value::Array(items)) => items.iter().filter_map(name).collect(),
        Some(one) => name(one).into_iter().collect(),
        None => Vec::new(),
    }
}

/// [`found_names`] as text: `GetUserToken and AddAlarm`, or `nothing`.
pub fn found(result: &ApiResult) -> String {
    let names = found_names(result);
    if names.is_empty() { "nothing".to_owned() } else { names.join(" and ") }
}

/// Suite, name and search text of every API in the pool, several texts per API.
/// The search vectors are computed from these.
pub fn texts() -> Vec<(&'static str, &'static str, String)> {
    registry::all()
        .flat_map(|api| {
            api.search_texts().into_iter().map(|text| (api.suite.as_str(), api.name, text))
        })
        .collect()
}

params! {
    struct Args {
        /// A few words that say what the API should do.
        #[rule(Key)]
        keywords: String,
    }
}

fn run(suite: Suite, arguments: &Arguments, world: &mut World) -> Result<Value, ApiError> {
    let args: Args = api::typed(arguments)?;
    let keywords = filled("keywords", &args.keywords)?;
    let search = world
        .search
        .0
        .as_deref()
        .ok_or_else(|| ApiError::Refused("API Search is not loaded.".to_owned()))?;
    let found = search
        .best(suite, keywords)
        .map_err(|reason| ApiError::Refused(format!("API Search failed: {reason}.")))?
        .and_then(|name| registry::find(suite, &name))
        .ok_or_else(|| ApiError::not_found("API for the keywords", keywords))?;
    Ok(output(found))
}

/// The output of ToolSearcher for a match: its description, preceded by that of
/// GetUserToken if the match takes a token.
pub fn output(found: &Api) -> Value {
    match registry::find(found.suite, "GetUserToken") {
        Some(login) if found.needs_token() => {
            Value::from(vec![login.prompt_json(), found.prompt_json()])
        }
        _ => found.prompt_json(),
    }
}
