//! An episode: the gold calls, which of their results are required, and the model's calls.

use super::effect_view::change_list;
use super::search_view::{found_apis, is_found};
use crate::t;
use dataset::RecordedCall;
use exchange::call::format;
use exchange::protocol::bracket::outcome;
use exchange::{EpisodeCall, EpisodeEnd};
use leptos::prelude::*;
use record::{EpisodeRecord, Lost, SampleRecord, Trace, trace};

/// The gold calls in order, which required results the model obtained, and their changes.
pub fn gold_calls(
    calls: &[RecordedCall],
    episode: Option<&EpisodeRecord>,
) -> impl IntoView + use<> {
    let items = calls
        .iter()
        .map(|call| view! { <li>{line(&format(&call.api_name, &call.param_dict))}</li> })
        .collect_view();
    let rest = episode.map(|episode| {
        let required = episode
            .required
            .iter()
            .map(|one| {
                let (class, word) = match one.met {
                    true => ("tag tag-right", t!("seen")),
                    false => ("tag tag-wrong", t!("not seen")),
                };
                view! { <li><span class=class>{word}</span> " " <code>{one.api.clone()}</code></li> }
            })
            .collect_view();
        view! {
            <p class="subhead">{t!("Required results")}</p>
            {match episode.required.is_empty() {
                true => view! { <p class="quiet">{t!("None.")}</p> }.into_any(),
                false => view! { <ul class="changes">{required}</ul> }.into_any(),
            }}
            <p class="subhead">{t!("Total database changes")}</p>
            {change_list(&episode.gold_changes)}
        }
    });
    view! {
        <p class="subhead">{t!("Gold calls")}</p>
        <ol class="changes">{items}</ol>
        {rest}
    }
}

/// The model's calls in order with results and changes, how the episode ended, and where a horizon task
/// lost its goal.
pub fn made_calls(sample: &SampleRecord) -> Option<impl IntoView + use<>> {
    let episode = sample.episode.as_deref()?;
    let trace = trace(sample);
    let stray = match trace.as_ref().and_then(|trace| trace.lost.as_ref()) {
        Some(Lost::Stray { call, .. }) => Some(*call),
        _ => None,
    };
    let calls: Vec<&EpisodeCall> = episode.steps.iter().flat_map(|step| &step.calls).collect();
    let items = (1..).zip(&calls).map(|(at, call)| made(call, stray == Some(at))).collect_view();
    let ended = match episode.ended {
        EpisodeEnd::ScriptDone => t!("The user script ended."),
        EpisodeEnd::TurnLimit => t!("The turn limit is reached."),
        EpisodeEnd::Left => t!("The agent left."),
    };
    let (class, word) = match episode.same_state {
        true => ("tag tag-right", t!("matches the gold end state")),
        false => ("tag tag-wrong", t!("differs from the gold end state")),
    };
    Some(view! {
        {trace.as_ref().map(lost)}
        <p class="subhead">{t!("Predicted calls")}</p>
        {match calls.is_empty() {
            true => view! { <p class="quiet">{t!("None.")}</p> }.into_any(),
            false => view! { <ol class="changes" data-test="episode-calls">{items}</ol> }.into_any(),
        }}
        <p class="quiet">{t!("{n} answers. ", n = episode.steps.len())} {ended}</p>
        <p class="subhead">{t!("Total database changes")}</p>
        <p><span class=class>{word}</span></p>
        {change_list(&episode.changes)}
    })
}

/// Where the goal was lost.
fn lost(trace: &Trace) -> impl IntoView + use<> {
    let lost = trace.lost.as_ref().map(|lost| match lost {
        Lost::Stray { call, written } => view! {
            <p>{t!("Call {n} made a change outside the goal that was never reverted:", n = call)}</p>
            <p>{line(written)}</p>
        }
        .into_any(),
        Lost::Missing(changes) => view! {
            <p>{t!("Missing changes:")}</p>
            {change_list(changes)}
        }
        .into_any(),
    });
    let list = |title: &'static str, items: &[String]| {
        let text = items.join(", ");
        (!items.is_empty()).then(|| view! { <p>{title} " " {text}</p> })
    };
    view! {
        <div data-test="trace">
            <p class="subhead">{t!("Where the goal was lost")}</p>
            {lost}
            {list(t!("Facts not stated:"), &trace.untold)}
            {list(t!("Results not read:"), &trace.unread)}
        </div>
    }
}

fn made(call: &EpisodeCall, stray: bool) -> impl IntoView + use<> {
    let written = match &call.call {
        Some(parsed) => format(&parsed.name, &parsed.arguments),
        None => call.effect.result.api_name.clone(),
    };
    let refused = call.effect.result.exception.is_some();
    let result = match &call.problem {
        None if is_found(&call.effect.result) => found_apis(&call.effect.result, None).into_any(),
        problem => {
            let outcome = || outcome(&call.effect.result).to_string();
            let text = problem.clone().unwrap_or_else(outcome);
            view! { <pre class="code" tabindex="0">{text}</pre> }.into_any()
        }
    };
    view! {
        <li>
            {line(&written)}
            {refused.then(|| view! { <span class="tag tag-wrong">{t!("refused")}</span> })}
            {stray.then(|| view! { <span class="tag tag-wrong">{t!("outside the goal")}</span> })}
            {result}
        </li>
    }
}

fn line(text: &str) -> impl IntoView + use<> {
    view! { <code class="value">{text.to_owned()}</code> }
}
