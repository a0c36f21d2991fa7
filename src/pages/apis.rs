//! placeholder
use apis::Suite;
use leptos::prelude::*;
/// APIs
#[component]
pub fn ApisPage() -> impl IntoView { view! { <h1>"APIs"</h1> } }
/// API
#[component]
pub fn ApiPage(suite: Suite, name: String) -> impl IntoView { view! { <h1>{suite.as_str()} {name}</h1> } }
