//! The gold call next to the parsed one.

use crate::session::compare::{Pair, pairs, shown};
use crate::t;
use dataset::RecordedCall;
use exchange::call::{ParsedCall, Tier};
use leptos::prelude::*;
use serde_json::Value;

/// A table with a row for the name and one per parameter; differences are marked.
pub fn call_comparison(gold: &RecordedCall, parsed: Option<&ParsedCall>) -> impl IntoView + use<> {
    let name = parsed.map(|call| call.name.clone());
    let same_name = name.as_deref() == Some(gold.api_name.as_str());
    let rows = pairs(&gold.param_dict, parsed.map(|call| &call.arguments));
    let found = match parsed.map(|call| call.tier) {
        Some(Tier::Bracket) => t!("in square brackets, as requested"),
        Some(Tier::Bare) => t!("without brackets"),
        Some(Tier::Native) => t!("a native tool call"),
        Some(Tier::Other) => t!("in another form than asked for"),
        None => t!("no parsable call"),
    };
    view! {
        <div class="scroll" role="region" tabindex="0" aria-label=t!("Call comparison")>
            <table class="table compare">
                <caption>{t!("Call: {found}. Differently written values are marked.", found = found)}</caption>
                <thead>
                    <tr>
                        <th scope="col">{t!("Parameter")}</th>
                        <th scope="col">{t!("Gold")}</th>
                        <th scope="col">{t!("Model")}</th>
                    </tr>
                </thead>
                <tbody>
                    <tr class:differs=!same_name>
                        <th scope="row">{t!("API")}</th>
                        <td><code>{gold.api_name.clone()}</code></td>
                        <td>
                            {match name {
                                Some(name) => view! { <code>{name}</code> }.into_any(),
                                None => absent().into_any(),
                            }}
                            {mark(!same_name)}
                        </td>
                    </tr>
                    {rows.into_iter().map(row).collect_view()}
                </tbody>
            </table>
        </div>
    }
}

fn row(pair: Pair) -> impl IntoView {
    let differs = pair.differs();
    view! {
        <tr class:differs=differs>
            <th scope="row"><code>{pair.name}</code></th>
            <td>{value(pair.gold)}</td>
            <td>{value(pair.predicted)} {mark(differs)}</td>
        </tr>
    }
}

fn value(value: Option<Value>) -> AnyView {
    match value {
        Some(value) => view! { <code class="value">{shown(&value)}</code> }.into_any(),
        None => absent().into_any(),
    }
}

fn absent() -> impl IntoView {
    view! { <span class="quiet">{t!("not given")}</span> }
}

/// A text marker too: not everyone sees colours.
fn mark(differs: bool) -> impl IntoView {
    differs.then(|| view! { <span class="tag tag-wrong">{t!("differs")}</span> })
}
