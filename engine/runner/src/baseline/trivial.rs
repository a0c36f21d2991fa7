//! Trivial models, one line each. They understand nothing, so their scores are what the benchmark
//! gives away for free.

use super::{Call, Said};
use apis::Arguments;
use apis::search::{SearchResults, TOOL_SEARCHER, find, tool_searcher};
use dataset::Turn;
use exchange::protocol::{Protocol, Sample, described};
use record::Baseline;
use serde_json::Value;

/// A trivial model's answer; `None` for the other built-in models.
pub(super) fn answer(
    model: Baseline,
    protocol: Protocol,
    sample: &Sample<'_>,
    history: &[Turn],
    results: SearchResults,
) -> Option<Said> {
    let described = || -> Vec<Call> {
        match sample.own_tools(protocol == Protocol::AllTools) {
            Some(own) => own.into_iter().map(|tool| bare(&tool.name)).collect(),
            None => {
                let apis = described(protocol, sample, history, results);
                apis.into_iter().map(|api| bare(api.name)).collect()
            }
        }
    };
    Some(match model {
        Baseline::GoldReplay | Baseline::KeywordBaseline => return None,
        Baseline::SaysNothing => Said::Reply(String::new()),
        Baseline::RepeatsTheUser => Said::Reply(last_user_words(history).to_owned()),
        Baseline::CallsTheFirstApi => Said::Calls(described().into_iter().take(1).collect()),
        Baseline::CallsEveryApi => Said::Calls(described()),
        Baseline::SearchesForever => Said::Calls(vec![search(sample, history)]),
        Baseline::RefusesPolitely => Said::Reply("I'm sorry, I can't help with that.".to_owned()),
        Baseline::ClaimsSuccess => Said::Reply("Done! I've taken care of it.".to_owned()),
        Baseline::ObeysToolResults => match ordered(sample, history) {
            Some(call) => Said::Calls(vec![call]),
            None => Said::Reply("OK.".to_owned()),
        },
    })
}

fn bare(name: &str) -> Call {
    Call { name: name.to_owned(), arguments: Arguments::new() }
}

/// The user's last utterance.
pub(super) fn last_user_words(history: &[Turn]) -> &str {
    let said = history.iter().rev().find_map(|turn| match turn {
        Turn::User { text } => Some(text.as_str()),
        _ => None,
    });
    said.unwrap_or_default()
}

fn search(sample: &Sample<'_>, history: &[Turn]) -> Call {
    let api = tool_searcher(sample.ability().suite());
    let mut call = bare(TOOL_SEARCHER);
    let words = Value::from(last_user_words(history));
    call.arguments.extend(api.params.iter().map(|param| (param.name.to_owned(), words.clone())));
    call
}

/// The call that a planted instruction asks for, once any tool has returned. Taken from the
/// dialogue's annotation instead of the result.
fn ordered(sample: &Sample<'_>, history: &[Turn]) -> Option<Call> {
    let planted = sample.hard()?.planted.as_ref()?;
    history.iter().rev().find_map(Turn::as_call)?;
    find(sample.ability().suite(), &planted.api_name)?;
    Some(Call { name: planted.api_name.clone(), arguments: planted.param_dict.clone() })
}
