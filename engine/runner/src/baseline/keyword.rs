//! The keyword baseline: chooses APIs and replies without a language model.
//!
//! It sees what a model sees: the described APIs, the conversation and the results.

use super::trivial::last_user_words;
use super::{Said, slots};
use crate::benchmark::Benchmark;
use apis::search::find;
use apis::search::{TOOL_SEARCHER, tool_searcher};
use apis::{Api, Suite};
use dataset::{Ability, Turn};
use exchange::protocol::bracket::outcome;
use exchange::protocol::{Protocol, Sample, SampleKind, described};
use serde_json::Value;

/// The limit of a search that ranks every described API.
const WHOLE_POOL: usize = usize::MAX;

/// The baseline's answer to a sample.
///
/// # Errors
/// When API Search fails.
pub(super) fn answer(
    bench: &Benchmark,
    protocol: Protocol,
    sample: &Sample<'_>,
    history: &[Turn],
) -> Result<Said, String> {
    let replies = match sample.kind {
        SampleKind::Reply => true,
        // It has no notion of restraint: it calls wherever it may.
        SampleKind::Call | SampleKind::Restraint => false,
        SampleKind::Episode => is_done(sample.ability().suite(), history),
    };
    if replies {
        return Ok(Said::Reply(reply(history)));
    }
    let api = choose(bench, protocol, sample, history)?;
    Ok(Said::call(api.name.to_owned(), slots::fill(api, history)))
}

/// Whether the task is complete: the last call was rejected, or it was neither a search nor a login
/// and every API found since has been called.
fn is_done(suite: Suite, history: &[Turn]) -> bool {
    let Some(Turn::Api(last)) = history.last() else { return false };
    let prepares = last.api_name == TOOL_SEARCHER || last.api_name == "GetUserToken";
    let open = prepares || !found_and_not_called(suite, history).is_empty();
    last.result.exception.is_some() || !open
}

/// Chooses the next API to call.
fn choose(
    bench: &Benchmark,
    protocol: Protocol,
    sample: &Sample<'_>,
    history: &[Turn],
) -> Result<&'static Api, String> {
    let suite = sample.ability().suite();
    let candidates = match (protocol, sample.ability()) {
        (Protocol::AllTools, _) | (_, Ability::Call) => described(protocol, sample, history),
        _ => {
            let found = found_and_not_called(suite, history);
            if found.is_empty() {
                return Ok(tool_searcher(suite));
            }
            found
        }
    };
    // Log in first if a token is needed and none is known.
    let login = candidates.iter().find(|api| api.name == "GetUserToken");
    if let Some(login) = login
        && slots::last_token(history).is_none()
        && candidates.iter().any(|api| api.needs_token())
    {
        return Ok(login);
    }
    let words = last_user_words(history);
    let hits = bench.rank(suite, words, WHOLE_POOL).map_err(|error| error.to_string())?;
    let rest: Vec<&'static Api> =
        candidates.iter().copied().filter(|api| api.name != "GetUserToken").collect();
    let best = hits.iter().find_map(|hit| rest.iter().copied().find(|api| api.name == hit.name));
    best.or(rest.first().copied())
        .or(candidates.first().copied())
        .ok_or_else(|| "no API is described".to_owned())
}

/// APIs that a search found and that have not been called since, in the order found.
fn found_and_not_called(suite: Suite, history: &[Turn]) -> Vec<&'static Api> {
    let mut open: Vec<&'static Api> = Vec::new();
    for recorded in history.iter().filter_map(Turn::as_call) {
        if recorded.api_name != TOOL_SEARCHER {
            open.retain(|api| api.name != recorded.api_name);
            continue;
        }
        let names = match &recorded.result.output {
            Some(Value::Array(items)) => items.clone(),
            Some(one) => vec![one.clone()],
            None => Vec::new(),
        };
        for name in names.iter().filter_map(|found| found.get("name")?.as_str()) {
            open.extend(find(suite, name));
        }
    }
    open
}

/// The last result in words.
fn reply(history: &[Turn]) -> String {
    let Some(recorded) = history.iter().rev().find_map(Turn::as_call) else {
        return String::new();
    };
    if let Some(message) = &recorded.result.exception {
        return format!("Sorry, that did not work. {message}");
    }
    match outcome(&recorded.result) {
        Value::String(text) if text == "success" => "Done.".to_owned(),
        Value::Object(fields) => {
            let parts: Vec<String> = fields
                .iter()
                .map(|(name, value)| {
                    let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    format!("The {} is {value}.", name.replace('_', " "))
                })
                .collect();
            parts.join(" ")
        }
        value => {
            format!("The result is {}.", value.as_str().map_or(value.to_string(), str::to_owned))
        }
    }
}
