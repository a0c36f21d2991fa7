//! Whether the model's search keywords find the needed API.

use crate::{Gold, Outcome, SampleRecord};
use apis::ApiResult;
use apis::search::{TOOL_SEARCHER, found_names, needed};

/// Whether the sample's first search returns the API that the gold search is for. `None` if the
/// gold has no search or there is no answer. Not searching counts as a miss.
pub fn found_first(sample: &SampleRecord) -> Option<bool> {
    if matches!(sample.outcome, Outcome::Failed { .. }) {
        return None;
    }
    match &sample.gold {
        Gold::Call(gold) if gold.api_name == TOOL_SEARCHER => {
            let rerun = &sample.gold_effect.as_ref()?.result;
            // A one-result search is compared with its rerun, which may differ from imported data.
            let wanted = needed(if returns_several(rerun) { &gold.result } else { rerun })?;
            let made = sample.effect.as_ref().map(|effect| &effect.result);
            Some(made.is_some_and(|made| finds(made, &wanted)))
        }
        Gold::Episode(calls) => {
            let searches = calls.iter().filter(|call| call.api_name == TOOL_SEARCHER);
            let wanted = searches.into_iter().find_map(|call| needed(&call.result))?;
            let steps = sample.episode.iter().flat_map(|episode| &episode.steps);
            let mut results = steps.flat_map(|step| &step.calls).map(|call| &call.effect.result);
            let first = results.find(|result| result.api_name == TOOL_SEARCHER);
            Some(first.is_some_and(|first| finds(first, &wanted)))
        }
        _ => None,
    }
}

/// Whether a search returned several APIs. A single match comes alone or after `GetUserToken`.
fn returns_several(result: &ApiResult) -> bool {
    found_names(result).len() > 2
}

/// Whether `made` is a search that returns `wanted`: among several APIs, or as the single match.
fn finds(made: &ApiResult, wanted: &str) -> bool {
    let names = found_names(made);
    made.api_name == TOOL_SEARCHER
        && match returns_several(made) {
            true => names.iter().any(|name| name == wanted),
            false => names.last().is_some_and(|name| name == wanted),
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::tests::call;
    use crate::share_effect;
    use apis::effect::Effect;
    use dataset::Ability;
    use serde_json::{Value, json};

    fn effect(api: &str, output: Value) -> Option<Effect> {
        let result = ApiResult {
            api_name: api.to_owned(),
            input: Value::Null,
            output: Some(output),
            exception: None,
        };
        Some(Effect { result, changes: Vec::new() })
    }

    #[test]
    fn the_best_match_counts_and_only_that_of_a_search() {
        let wanted = json!([{"name": "GetUserToken"}, {"name": "AddAlarm"}]);
        let check = |made: Option<Effect>, right| {
            let mut sample = call(Ability::Retrieve, "retrieve/a", 1, TOOL_SEARCHER, right);
            sample.gold_effect = effect(TOOL_SEARCHER, wanted.clone()).map(share_effect);
            sample.effect = made.map(share_effect);
            found_first(&sample)
        };
        assert_eq!(
            check(effect(TOOL_SEARCHER, json!({"name": "AddAlarm"})), Some(true)),
            Some(true)
        );
        assert_eq!(
            check(
                effect(TOOL_SEARCHER, json!([{"name": "AddAlarm"}, {"name": "Wiki"}])),
                Some(false)
            ),
            Some(false)
        );
        assert_eq!(check(effect("Wiki", json!({"name": "AddAlarm"})), Some(false)), Some(false));
        let several = ["Wiki", "AddAlarm", "Dictionary"].map(|name| json!({"name": name}));
        assert_eq!(check(effect(TOOL_SEARCHER, json!(several)), Some(true)), Some(true));
        assert_eq!(check(None, Some(false)), Some(false));
        assert_eq!(check(None, None), None);
        assert_eq!(found_first(&call(Ability::Call, "call/a", 1, "Wiki", Some(true))), None);
    }
}
