//! The keyword baseline: chooses APIs and replies without a language model.
//!
//! It sees the same as a model: the described APIs, the conversation and the results.

use super::trivial::last_user_words;
use super::{Said, slots};
use crate::benchmark::Benchmark;
use apis::registry::LOGIN;
use apis::search::{self, SearchResults, TOOL_SEARCHER, find, found_names};
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
        // The baseline never restrains itself: it calls wherever a call is possible.
        SampleKind::Call | SampleKind::Restraint => false,
        SampleKind::Episode => {
            is_done(sample.ability().suite(), history, bench.world.search.results)
        }
    };
    if replies {
        return Ok(Said::Reply(reply(history)));
    }
    if let Some(own) = sample.own_tools(protocol == Protocol::AllTools) {
        let ranked = bench.best(sample.ability().suite(), last_user_words(history), WHOLE_POOL)?;
        let best = ranked.iter().find_map(|name| own.iter().find(|tool| tool.name == *name));
        let tool = best.or(own.first()).ok_or_else(|| "no tool is described".to_owned())?;
        return Ok(Said::call(tool.name.clone(), slots::fill_own(tool, history)));
    }
    let api = choose(bench, protocol, sample, history)?;
    Ok(Said::call(api.name.to_owned(), slots::fill(api, history)))
}

/// Whether the task is complete: the last call was rejected, or it was neither a search nor a login
/// and no search result is still to be called.
fn is_done(suite: Suite, history: &[Turn], results: SearchResults) -> bool {
    let Some(Turn::Api(last)) = history.last() else { return false };
    let prepares = last.is_search() || last.api_name == LOGIN.name;
    let open = prepares || !found_and_open(suite, history, results).is_empty();
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
    let results = bench.world.search.results;
    let searches = protocol != Protocol::AllTools && sample.ability() != Ability::Call;
    let candidates = match searches {
        false => described(protocol, sample, history, results),
        true => found_and_open(suite, history, results),
    };
    if searches && candidates.is_empty() {
        return Ok(search::described(suite, results));
    }
    let words = last_user_words(history);
    let ranked = bench.best(suite, words, WHOLE_POOL)?;
    let rest: Vec<&'static Api> =
        candidates.iter().copied().filter(|api| api.name != LOGIN.name).collect();
    let best = ranked.iter().find_map(|name| rest.iter().copied().find(|api| api.name == name));
    let best = best.or(rest.first().copied()).or(candidates.first().copied());
    // Log in first if a token is needed and unknown. With several search results, only the best one
    // matters, because only it is called.
    let login = candidates.iter().find(|api| api.name == LOGIN.name);
    let needs_token = match (searches, results) {
        (true, SearchResults::Five) => best.is_some_and(Api::needs_token),
        _ => candidates.iter().any(|api| api.needs_token()),
    };
    match login {
        Some(login) if needs_token && slots::last_token(history).is_none() => Ok(login),
        _ => best.ok_or_else(|| "no API is described".to_owned()),
    }
}

/// Search results that are still to be called, in the order found. With several results per search,
/// calling one of them settles the search.
fn found_and_open(suite: Suite, history: &[Turn], results: SearchResults) -> Vec<&'static Api> {
    let mut open: Vec<(usize, &'static Api)> = Vec::new();
    for (turn, recorded) in history.iter().filter_map(Turn::as_call).enumerate() {
        let name = recorded.api_name.as_str();
        if name == TOOL_SEARCHER {
            let found = found_names(&recorded.result);
            open.extend(found.iter().filter_map(|name| Some((turn, find(suite, name)?))));
            continue;
        }
        if results == SearchResults::Five && name != LOGIN.name {
            let of_call = |(_, api): &&(usize, &Api)| api.name == name;
            let closed: Vec<usize> = open.iter().filter(of_call).map(|(turn, _)| *turn).collect();
            open.retain(|(turn, _)| !closed.contains(turn));
        }
        open.retain(|(_, api)| api.name != name);
    }
    open.into_iter().map(|(_, api)| api).collect()
}

/// The last result as text.
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
