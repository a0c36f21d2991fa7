//! The gold call beside the one that was read out of the answer.

use crate::session::compare::{Pair, pairs, shown};
use dataset::RecordedCall;
use engine::call::{ParsedCall, Tier};
use leptos::prelude::*;
use serde_json::Value;

/// A table with a row for the name and for each parameter; differences are marked.
pub fn call_comparison(gold: &RecordedCall, parsed: Option<&ParsedCall>) -> impl IntoView + use<> {
    let name = parsed.map(|call| call.name.clone());
    let same_name = name.as_deref() == Some(gold.api_name.as_str());
    let rows = pairs(&gold.param_dict, parsed.map(|call| &call.arguments));
    let found = match parsed.map(|call| call.tier) {
        Some(Tier::Bracket) => "read in square brackets, as asked",
        Some(Tier::Bare) => "read without the brackets",
        Some(Tier::Native) => "a native tool call",
        None => "no call could be read",
    };
    view! {
        <div class="scroll" role="region" tabindex="0" aria-label="Calls compared">
            <table class="table compare">
                <caption>"The call: " {found} ". Values that are written differently are marked."</caption>
                <thead>
                    <tr>
                        <th scope="col">"Parameter"</th>
                        <th scope="col">"Gold"</th>
                        <th scope="col">"Model"</th>
                    </tr>
                </thead>
                <tbody>
                    <tr class:differs=!same_name>
                        <th scope="row">"API"</th>
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
    view! { <span class="quiet">"not given"</span> }
}

/// Colour alone would leave some readers out.
fn mark(differs: bool) -> impl IntoView {
    differs.then(|| view! { <span class="tag tag-wrong">"differs"</span> })
}
