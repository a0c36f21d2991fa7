//! Filters of the list of samples.

use crate::session::filter::gold_api;
use crate::session::{SampleState, terms};
use crate::state::App;
use crate::t;
use crate::texts::{self, translated};
use apis::Domain;
use dataset::Ability;
use leptos::html;
use leptos::prelude::*;
use record::SampleRecord;
use std::collections::BTreeSet;

/// The filter fields: state, error class, domain and API, ability, words.
#[component]
pub fn Filters(
    /// The shared state.
    app: App,
    /// The search field.
    search: NodeRef<html::Input>,
) -> impl IntoView {
    let states = std::iter::once(None)
        .chain(SampleState::ALL.into_iter().map(Some))
        .map(|state| {
            let title = state.map_or(t!("All"), |state| state.title(texts::current()));
            let name = state.map_or("all", SampleState::as_str);
            let on = move || app.run.filter.with(|filter| filter.state == state && filter.class.is_none());
            view! {
                <button class="segment" data-test=format!("filter-{name}") aria-pressed=move || on().to_string()
                    on:click=move |_| app.run.filter.update(|filter| {
                        filter.state = state;
                        filter.class = None;
                    })>{title}</button>
            }
        })
        .collect_view();
    let abilities = Ability::ALL
        .map(|ability| {
            let picked = move || app.run.filter.with(|filter| filter.ability == Some(ability));
            view! { <option value=ability.as_str() selected=picked>{translated(ability.title())}</option> }
        })
        .into_iter()
        .collect_view();
    let pick_ability = move |event| {
        let value = event_target_value(&event);
        let ability = Ability::ALL.into_iter().find(|ability| ability.as_str() == value);
        app.run.filter.update(|filter| filter.ability = ability);
    };
    let class = move || {
        app.run.filter.with(|filter| filter.class).map(|class| {
            view! {
                <button class="chip chip-button" on:click=move |_| app.run.filter.update(|filter| filter.class = None)>
                    {terms::class(class, texts::current())} " ×"<span class="visually-hidden">{t!(" remove this filter")}</span>
                </button>
            }
        })
    };
    view! {
        <div class="filters">
            <div class="segments" role="group" aria-label=t!("State")>{states}</div>
            {class}
            <Places app/>
            <label class="inline">
                <span class="visually-hidden">{t!("Ability")}</span>
                <select data-test="filter-ability" on:change=pick_ability>
                    <option value="">{t!("All abilities")}</option>
                    {abilities}
                </select>
            </label>
            <label class="inline grow">
                <span class="visually-hidden">{t!("Search")}</span>
                <input type="search" node_ref=search placeholder=t!("Search IDs, calls, answers, reasons") data-test="filter-text"
                    prop:value=move || app.run.filter.with(|filter| filter.text.clone())
                    on:input=move |event| {
                        let text = event_target_value(&event);
                        app.run.filter.update(|filter| filter.text = text);
                    }/>
            </label>
        </div>
    }
}

/// Domain and API of the gold call, among those in the run.
#[component]
fn Places(app: App) -> impl IntoView {
    let apis = Memo::new(move |_| {
        let names = |samples: &[SampleRecord]| {
            samples.iter().filter_map(gold_api).map(str::to_owned).collect::<BTreeSet<_>>()
        };
        app.run.current.with(|run| names(&run.samples))
    });
    let options = move || {
        let option = |name: String| {
            let wanted = name.clone();
            let picked =
                move || app.run.filter.with(|it| it.api.as_deref() == Some(wanted.as_str()));
            view! { <option value=name.clone() selected=picked>{name.clone()}</option> }
        };
        apis.get().into_iter().map(option).collect_view()
    };
    let domains = Domain::ALL
        .into_iter()
        .map(|domain| {
            let picked = move || app.run.filter.with(|filter| filter.domain == Some(domain));
            view! { <option value=domain.title() selected=picked>{translated(domain.title())}</option> }
        })
        .collect_view();
    let pick_api = move |event| {
        let value = event_target_value(&event);
        app.run.filter.update(|filter| filter.api = (!value.is_empty()).then_some(value));
    };
    let pick_domain = move |event| {
        let value = event_target_value(&event);
        let domain = Domain::ALL.into_iter().find(|domain| domain.title() == value);
        app.run.filter.update(|filter| filter.domain = domain);
    };
    view! {
        <label class="inline">
            <span class="visually-hidden">{t!("Domain")}</span>
            <select data-test="filter-domain" on:change=pick_domain>
                <option value="">{t!("All domains")}</option>
                {domains}
            </select>
        </label>
        <label class="inline">
            <span class="visually-hidden">"API"</span>
            <select data-test="filter-api" on:change=pick_api>
                <option value="">{t!("All APIs")}</option>
                {options}
            </select>
        </label>
    }
}
