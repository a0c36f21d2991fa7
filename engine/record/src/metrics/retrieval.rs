//! Whether the model's search keywords find the gold API.

use crate::{Gold, Outcome, SampleRecord};
use apis::ApiResult;
use apis::search::TOOL_SEARCHER;
use apis::search::found_names;

/// Top-1 retrieval: whether the sample's first search finds the API that the gold search finds.
/// `None` if no search is due or there is no answer. Not searching counts as a miss.
pub fn found_first(sample: &SampleRecord) -> Option<bool> {
    if matches!(sample.outcome, Outcome::Failed { .. }) {
        return None;
    }
    match &sample.gold {
        Gold::Call(gold) if gold.api_name == TOOL_SEARCHER => {
            let wanted = best(&sample.gold_effect.as_ref()?.result)?;
            let made = sample.effect.as_ref().map(|effect| &effect.result);
            Some(made.and_then(best).is_some_and(|found| found == wanted))
        }
        Gold::Episode(calls) => {
            let wanted = calls.iter().find_map(|call| best(&call.result))?;
            let steps = sample.episode.iter().flat_map(|episode| &episode.steps);
            let mut results = steps.flat_map(|step| &step.calls).map(|call| &call.effect.result);
            let first = results.find(|result| result.api_name == TOOL_SEARCHER);
            Some(first.and_then(best).is_some_and(|found| found == wanted))
        }
        _ => None,
    }
}

/// A search's best match; `None` for other calls and for an empty result.
fn best(result: &ApiResult) -> Option<String> {
    if result.api_name != TOOL_SEARCHER {
        return None;
    }
    found_names(result).pop()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::tests::call;
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
            sample.gold_effect = effect(TOOL_SEARCHER, wanted.clone());
            sample.effect = made;
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
        assert_eq!(check(None, Some(false)), Some(false));
        assert_eq!(check(None, None), None);
        assert_eq!(found_first(&call(Ability::Call, "call/a", 1, "Wiki", Some(true))), None);
    }
}
