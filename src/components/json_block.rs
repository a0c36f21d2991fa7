//! A JSON value as text.

use leptos::prelude::*;
use serde_json::Value;

/// A JSON value, indented.
pub fn json_block(value: &Value) -> impl IntoView + use<> {
    let text = match value {
        Value::String(text) => text.clone(),
        other => format!("{other:#}"),
    };
    view! { <pre class="code" tabindex="0">{text}</pre> }
}
