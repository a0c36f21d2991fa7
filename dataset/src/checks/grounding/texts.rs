//! Rules for texts: visible words, documented values, search keywords.

use super::{Ground, Seen};
use crate::dialogue::{RecordedCall, Turn};
use crate::text::words::{contains, is_content, stem, words};
use apis::{Api, Param, registry};
use serde_json::Value;
use std::collections::BTreeSet;

/// Words that switch something on.
const ON: [&str; 14] = [
    "on", "start", "starts", "run", "runs", "going", "begin", "begins", "light", "up", "boil",
    "heat", "brew", "warm",
];
/// Words that switch something off.
const OFF: [&str; 10] =
    ["off", "stop", "stops", "out", "dark", "end", "ends", "kill", "until", "till"];

/// Grounds a value that is visible verbatim, not inside a longer word.
pub(super) fn literal(value: &str, seen: &Seen) -> Option<Ground> {
    if seen.utterances.iter().any(|text| stands_in(text, value)) {
        return Some(Ground::Said);
    }
    seen.results.iter().any(|text| stands_in(text, value)).then_some(Ground::Result)
}

fn stands_in(text: &str, value: &str) -> bool {
    let joins = |letter: Option<char>| letter.is_some_and(|it| it.is_alphanumeric() || it == '_');
    !value.is_empty()
        && text.match_indices(value).any(|(at, _)| {
            let ends = value.chars().next_back();
            let longer_before =
                joins(text[..at].chars().next_back()) && joins(value.chars().next());
            let longer_after = joins(text[at + value.len()..].chars().next()) && joins(ends);
            !longer_before && !longer_after
        })
}

/// Grounds a value whose words are visible consecutively, ignoring case and punctuation.
pub(super) fn plain(value: &str, seen: &Seen) -> Option<Ground> {
    let part = words(value);
    if part.is_empty() {
        // No words, only signs: compare verbatim.
        return literal(value, seen);
    }
    // Compare a single number as a number, so that 5 does not match 5.30.
    if let Ok(number) = value.parse::<f64>() {
        let is = |list: &[f64]| list.iter().any(|known| (known - number).abs() < 1e-9);
        return if is(&seen.said_numbers)
            && seen.utterances.iter().any(|text| stands_in(text, value))
        {
            Some(Ground::Said)
        } else if is(&seen.result_numbers) {
            Some(Ground::Result)
        } else {
            None
        };
    }
    if seen.said_words.iter().any(|said| contains(said, &part)) {
        return Some(Ground::Said);
    }
    seen.result_words.iter().any(|text| contains(text, &part)).then_some(Ground::Result)
}

/// Grounds a value that the parameter's description quotes or names as the default, or the empty
/// string if it is allowed.
pub(super) fn documented(value: &str, param: &Param) -> Option<Ground> {
    // Values after "for example" are not a list of allowed values.
    let listed = param.description.split("for example").next().unwrap_or_default();
    let quoted = !value.is_empty() && listed.contains(&format!("'{value}'"));
    let empty = value.is_empty() && param.description.contains("may be empty");
    let default =
        !value.is_empty() && param.description.contains(&format!("{value} when left out"));
    (quoted || empty || default).then_some(Ground::Documented)
}

/// Grounds a boolean by words for on and off.
pub(super) fn switch(value: &str, seen: &Seen) -> Option<Ground> {
    if value == "true" {
        return seen.says(&ON).then_some(Ground::Switch);
    }
    // "run from eight to two" implies switching off.
    let span = seen.says(&["from"]) && seen.says(&["to"]);
    (span || seen.says(&OFF)).then_some(Ground::Switch)
}

/// Grounds a visible value, edited as the user says: without hyphens, or with another ending after
/// the dot.
pub(super) fn edited(value: &str, seen: &Seen) -> Option<Ground> {
    let pieces = || seen.utterances.iter().flat_map(|text| text.split_whitespace());
    let trimmed = |piece: &str| piece.trim_end_matches(['.', ',', '?', '!']).to_owned();
    let unhyphened = seen.says(&["hyphen", "hyphens", "dash", "dashes"])
        && pieces().any(|piece| piece.contains('-') && trimmed(piece).replace('-', "") == value);
    let stem_of =
        |text: &str| text.rsplit_once('.').map(|(stem, end)| (stem.to_owned(), end.to_owned()));
    let reended = stem_of(value).is_some_and(|(stem, end)| {
        seen.says(&[end.as_str()])
            && pieces().any(|piece| stem_of(&trimmed(piece)).is_some_and(|(it, _)| it == stem))
    });
    (unhyphened || reended).then_some(Ground::Edited)
}

/// Grounds a value whose content words are all visible, in any order and form.
pub(super) fn by_words(value: &str, seen: &Seen) -> Option<Ground> {
    let content: Vec<String> = words(value).into_iter().filter(|word| is_content(word)).collect();
    let known = |word: &String| seen.stems.contains(stem(word));
    (!content.is_empty() && content.iter().all(known)).then_some(Ground::Words)
}

/// Grounds the keywords of a search: the API found is called later, and the keywords share a content
/// word with its name, description or hints.
pub(super) fn search(value: &str, call: &RecordedCall, later: &[Turn]) -> Option<Ground> {
    let found = names(call.result.output.as_ref());
    let used = later.iter().filter_map(Turn::as_call).any(|call| found.contains(&call.api_name));
    let keywords: BTreeSet<String> = stems(value);
    let said = found
        .iter()
        .flat_map(|name| registry::all().filter(move |api| api.name == name))
        .any(|api| !api_stems(api).is_disjoint(&keywords));
    (used && said).then_some(Ground::Search)
}

/// Names of the APIs that a search returned, except the login API returned with them.
fn names(output: Option<&Value>) -> Vec<String> {
    let name = |value: &Value| value["name"].as_str().map(str::to_owned);
    match output {
        Some(Value::Array(list)) => {
            list.iter().filter_map(name).skip(list.len().min(2) - 1).collect()
        }
        Some(one) => name(one).into_iter().collect(),
        None => Vec::new(),
    }
}

fn api_stems(api: &Api) -> BTreeSet<String> {
    let spaced: String = api
        .name
        .chars()
        .flat_map(|letter| letter.is_uppercase().then_some(' ').into_iter().chain([letter]))
        .collect();
    let texts = [spaced.as_str(), api.description];
    texts.into_iter().chain(api.hints.iter().copied()).flat_map(stems).collect()
}

fn stems(text: &str) -> BTreeSet<String> {
    words(text).iter().filter(|word| is_content(word)).map(|word| stem(word).to_owned()).collect()
}
