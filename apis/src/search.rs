//! API Search: finds APIs by keywords.
//!
//! The sentence embeddings live outside this crate: the world holds an implementation of
//! [`ApiSearch`].

use crate::api::{Api, ApiResult, Domain, Example, Field, Suite};
use crate::error::{ApiError, filled};
use crate::registry::{self, LOGIN};
use crate::store::World;
use crate::{api, arguments::Arguments};
use serde_json::Value;

pub use crate::store::{ApiSearch, SearchHandle, SearchResults};

/// Name of API Search in both suites.
pub const TOOL_SEARCHER: &str = "ToolSearcher";

/// ToolSearcher of the dialogue suite.
pub const DIALOGUE: Api = Api {
    name: TOOL_SEARCHER,
    suite: Suite::Dialogue,
    domain: Domain::Information,
    description: "Finds the APIs of the library that fit the given keywords best.",
    hints: &[],
    params: Args::PARAMS,
    returns: &[Field {
        name: "best_matchs",
        label: "List[dict]",
        description: "The descriptions of the five best matches, best first; last that of \
                      GetUserToken, when a match needs a token.",
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

/// [`DIALOGUE`], described for searches that return one API.
const DIALOGUE_ONE: Api = Api {
    description: "Finds the API of the library that fits the given keywords best.",
    returns: &[Field {
        name: "best_matchs",
        label: "Union[List[dict], dict]",
        description: "The description of the best match, preceded by GetUserToken when the \
                      match needs a token.",
    }],
    ..DIALOGUE
};

/// [`PLANNING`], described for searches that return one API.
const PLANNING_ONE: Api = Api { suite: Suite::Planning, run: PLANNING.run, ..DIALOGUE_ONE };

/// ToolSearcher of a suite, described for the default number of results.
pub fn tool_searcher(suite: Suite) -> &'static Api {
    described(suite, SearchResults::default())
}

/// ToolSearcher of a suite, described for a number of results. Calls ignore `results`: they return
/// [`SearchHandle::results`] matches.
pub fn described(suite: Suite, results: SearchResults) -> &'static Api {
    match (suite, results) {
        (Suite::Dialogue, SearchResults::Five) => &DIALOGUE,
        (Suite::Planning, SearchResults::Five) => &PLANNING,
        (Suite::Dialogue, SearchResults::One) => &DIALOGUE_ONE,
        (Suite::Planning, SearchResults::One) => &PLANNING_ONE,
    }
}

/// Finds an API, ToolSearcher included.
pub fn find(suite: Suite, name: &str) -> Option<&'static Api> {
    if name == TOOL_SEARCHER { Some(tool_searcher(suite)) } else { registry::find(suite, name) }
}

/// API names in a search result: several matches best first; a single match last, after the login
/// API if it takes a token.
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
    match names.split_last() {
        None => "nothing".to_owned(),
        Some((one, [])) => one.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

/// The target API of a recorded search. Packs record searches with one result.
pub fn needed(recorded: &ApiResult) -> Option<String> {
    found_names(recorded).pop()
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
    let results = world.search.results;
    let names = world
        .search
        .best(suite, keywords, results.count())
        .map_err(|reason| ApiError::Refused(format!("API Search failed: {reason}.")))?;
    let found: Vec<&Api> =
        names.iter().filter_map(|name| registry::find(suite, name)).take(results.count()).collect();
    if found.is_empty() {
        return Err(ApiError::not_found("API for the keywords", keywords));
    }
    Ok(output(results, &found))
}

/// ToolSearcher's output for matches, best first. As in the paper, a single match is returned alone
/// or, if it takes a token, after GetUserToken. Several matches are listed in full, followed by
/// GetUserToken if one of them takes a token and it is not a match itself.
fn output(results: SearchResults, found: &[&Api]) -> Value {
    let needed = found.iter().any(|api| api.needs_token() && api.suite == LOGIN.suite);
    let is_found = found.iter().any(|api| api.name == LOGIN.name);
    let login = (needed && !is_found).then_some(LOGIN);
    let described = |apis: &[&Api]| apis.iter().map(|api| api.prompt_json()).collect();
    match (results, found, login) {
        (SearchResults::One, [best, ..], None) => best.prompt_json(),
        (SearchResults::One, [best, ..], Some(login)) => described(&[login, best]),
        (_, found, login) => {
            let mut apis = found.to_vec();
            apis.extend(login);
            described(&apis)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::sync::Arc;

    /// Returns fixed names for any keywords.
    struct Fixed(&'static [&'static str]);

    impl ApiSearch for Fixed {
        fn best(&self, _: Suite, _: &str, k: usize) -> Result<Vec<String>, String> {
            Ok(self.0.iter().take(k).map(|name| (*name).to_owned()).collect())
        }
    }

    fn search(results: SearchResults, names: &'static [&'static str]) -> ApiResult {
        let mut world = World::empty(1);
        world.search = SearchHandle::new(Arc::new(Fixed(names)), results);
        let arguments = json!({"keywords": "x"});
        DIALOGUE.call(arguments.as_object().unwrap(), &mut world)
    }

    #[test]
    fn one_match_has_the_papers_shape() {
        let alone = search(SearchResults::One, &["Wiki", "Dictionary"]);
        assert!(alone.output.as_ref().is_some_and(Value::is_object));
        assert_eq!(found_names(&alone), ["Wiki"]);
        let with_login = search(SearchResults::One, &["AddAlarm", "Wiki"]);
        assert_eq!(found_names(&with_login), ["GetUserToken", "AddAlarm"]);
        assert_eq!(needed(&with_login).as_deref(), Some("AddAlarm"));
    }

    #[test]
    fn several_matches_come_best_first_with_the_login_last() {
        let found = |names| found_names(&search(SearchResults::Five, names));
        assert_eq!(found(&["Wiki"]), ["Wiki"]);
        assert_eq!(
            found(&["Wiki", "AddAlarm", "Dictionary", "Translate", "AddScene", "PlayMusic"]),
            ["Wiki", "AddAlarm", "Dictionary", "Translate", "AddScene", "GetUserToken"]
        );
        assert_eq!(found(&["GetUserToken", "AddAlarm"]), ["GetUserToken", "AddAlarm"]);
    }

    #[test]
    fn nothing_found_is_an_error() {
        let result = search(SearchResults::Five, &[]);
        assert!(result.exception.is_some());
        assert_eq!(super::found(&result), "nothing");
    }

    #[test]
    fn only_one_and_five_are_counts() {
        for results in SearchResults::ALL {
            assert_eq!(json!(results), json!(results.count()));
            assert_eq!(results.count().to_string(), results.as_str());
        }
        assert!(serde_json::from_value::<SearchResults>(json!(2)).is_err());
    }
}
