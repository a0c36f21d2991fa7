//! Search results: the found APIs, best first.

use super::json_block::json_block;
use crate::t;
use apis::ApiResult;
use apis::search::{TOOL_SEARCHER, found_names, needed};
use leptos::prelude::*;
use record::{Gold, SampleRecord};
use serde_json::Value;

/// The API that a sample's search is for; `None` for any other sample.
pub fn needed_api(sample: &SampleRecord) -> Option<String> {
    match &sample.gold {
        Gold::Call(gold) if gold.api_name == TOOL_SEARCHER => needed(&gold.result),
        _ => None,
    }
}

/// Whether a result is a list of found APIs.
pub fn is_found(result: &ApiResult) -> bool {
    result.api_name == TOOL_SEARCHER && !found_names(result).is_empty()
}

/// The found APIs with their descriptions, the needed one marked; the raw result is collapsed.
pub fn found_apis(result: &ApiResult, needed: Option<&str>) -> impl IntoView + use<> {
    let described = |output: &Value| match output {
        Value::Array(apis) => apis.clone(),
        one => vec![one.clone()],
    };
    let apis = result.output.as_ref().map(described).unwrap_or_default();
    let items = apis.iter().map(|api| found(api, needed)).collect_view();
    view! {
        <ol class="found" data-test="found-apis">{items}</ol>
        <details class="fold">
            <summary>{t!("As the model gets it")}</summary>
            {result.output.as_ref().map(json_block)}
        </details>
    }
}

fn found(api: &Value, needed: Option<&str>) -> impl IntoView + use<> {
    let text = |field: &str| api.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    let name = text("name");
    let is_needed = needed == Some(name.as_str());
    view! {
        <li class:found-needed=is_needed>
            <code>{name}</code>
            {is_needed.then(|| view! { " " <span class="tag tag-right">{t!("needed")}</span> })}
            <p class="quiet">{text("description")}</p>
        </li>
    }
}
