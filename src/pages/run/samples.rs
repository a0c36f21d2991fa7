//! The samples of the run: filter, list, and the way to each.

use crate::app::{App, go, use_app};
use crate::session::filter::{expected, gold_api, kind, received};
use crate::session::{Route, SampleState, format};
use apis::Domain;
use dataset::Ability;
use engine::record::SampleRecord;
use engine::scoring::Profile;
use leptos::prelude::*;
use std::collections::BTreeSet;

/// Characters of a text that a row shows.
const CELL: usize = 90;

/// The section below the results.
#[component]
pub fn Samples() -> impl IntoView {
    let app = use_app();
    let listed = Memo::new(move |_| {
        app.run.with(|run| app.filter.with(|filter| filter.apply(run, app.profile.get())))
    });
    let total = move || app.run.with(|run| run.samples.len());
    let rows = move || {
        let profile = app.profile.get();
        listed.get().into_iter().filter_map(move |index| {
            app.run.with_untracked(|run| {
                run.samples.get(index).map(|it| (it.id.clone(), SampleState::of(it, profile)))
            })
        })
    };
    view! {
        <section class="samples" aria-labelledby="samples-title">
            <div class="section-head">
                <h2 id="samples-title">"Samples"</h2>
                <span class="quiet num" role="status" data-test="samples-count">
                    {move || format!("{} of {}", listed.read().len(), total())}
                </span>
            </div>
            <Filters app/>
            <div class="scroll" role="region" tabindex="0" aria-label="Samples">
                <table class="table list">
                    <caption class="visually-hidden">"Samples of the run"</caption>
                    <thead>
                        <tr>
                            <th scope="col">"State"</th>
                            <th scope="col">"Sample"</th>
                            <th scope="col">"Expected"</th>
                            <th scope="col">"Answer"</th>
                            <th scope="col">"Verdict"</th>
                        </tr>
                    </thead>
                    <tbody>
                        <For each=rows key=|row| row.clone() children=move |(id, state)| row(app, &id, state)/>
                    </tbody>
                </table>
            </div>
            {move || listed.read().is_empty().then(|| view! {
                <p class="empty">"No sample passes this filter."</p>
            })}
        </section>
    }
}

fn row(app: App, id: &str, state: SampleState) -> impl IntoView + use<> {
    let profile = app.profile.get_untracked();
    app.run.with_untracked(|run| run.sample(id).map(|sample| cells(sample, state, profile)))
}

fn cells(sample: &SampleRecord, state: SampleState, profile: Profile) -> impl IntoView + use<> {
    let route = Route::Sample(sample.id.clone());
    let href = route.href();
    view! {
        <tr data-test="sample-row" data-id=sample.id.clone() data-state=state.as_str() on:click=move |_| go(&route)>
            <td><span class=format!("tag tag-{}", state.as_str())>{state.title()}</span></td>
            <th scope="row" class="id-cell"><a href=href>{sample.id.clone()}</a></th>
            <td class="text-cell"><code>{format::one_line(&expected(sample), CELL)}</code></td>
            <td class="text-cell">{format::one_line(&received(sample), CELL)}</td>
            <td class="verdict-cell">{verdict(sample, profile)}</td>
        </tr>
    }
}

/// The error class, the ROUGE-L, or what was asked for.
fn verdict(sample: &SampleRecord, profile: Profile) -> String {
    let class = sample.verdict(profile).and_then(|verdict| verdict.error_class);
    match (class, sample.rouge_l) {
        (Some(class), _) => class.title().to_owned(),
        (None, Some(score)) => format!("ROUGE-L {score:.3}"),
        (None, None) => kind(sample).to_owned(),
    }
}

#[component]
fn Filters(app: App) -> impl IntoView {
    let states = std::iter::once(None)
        .chain(SampleState::ALL.into_iter().map(Some))
        .map(|state| {
            let title = state.map_or("All", SampleState::title);
            let name = state.map_or("all", SampleState::as_str);
            let on = move || app.filter.with(|filter| filter.state == state && filter.class.is_none());
            view! {
                <button class="segment" data-test=format!("filter-{name}") aria-pressed=move || on().to_string()
                    on:click=move |_| app.filter.update(|filter| {
                        filter.state = state;
                        filter.class = None;
                    })>{title}</button>
            }
        })
        .collect_view();
    let abilities = Ability::ALL
        .map(|ability| {
            let picked = move || app.filter.with(|filter| filter.ability == Some(ability));
            view! { <option value=ability.as_str() selected=picked>{ability.title()}</option> }
        })
        .into_iter()
        .collect_view();
    let pick_ability = move |event| {
        let value = event_target_value(&event);
        let ability = Ability::ALL.into_iter().find(|it| it.as_str() == value);
        app.filter.update(|filter| filter.ability = ability);
    };
    let class = move || {
        app.filter.with(|filter| filter.class).map(|class| {
            view! {
                <button class="chip chip-button" on:click=move |_| app.filter.update(|filter| filter.class = None)>
                    {class.title()} " ×"<span class="visually-hidden">" remove this filter"</span>
                </button>
            }
        })
    };
    view! {
        <div class="filters">
            <div class="segments" role="group" aria-label="State">{states}</div>
            {class}
            <Places app/>
            <label class="inline">
                <span class="visually-hidden">"Ability"</span>
                <select data-test="filter-ability" on:change=pick_ability>
                    <option value="">"All abilities"</option>
                    {abilities}
                </select>
            </label>
            <label class="inline grow">
                <span class="visually-hidden">"Search"</span>
                <input type="search" placeholder="Search ids, calls, answers, reasons" data-test="filter-text"
                    prop:value=move || app.filter.with(|filter| filter.text.clone())
                    on:input=move |event| {
                        let text = event_target_value(&event);
                        app.filter.update(|filter| filter.text = text);
                    }/>
            </label>
        </div>
    }
}

/// Domain and API of the gold call, those that occur in the run.
#[component]
fn Places(app: App) -> impl IntoView {
    let apis = Memo::new(move |_| {
        let names = |samples: &[SampleRecord]| {
            samples.iter().filter_map(gold_api).map(str::to_owned).collect::<BTreeSet<_>>()
        };
        app.run.with(|run| names(&run.samples))
    });
    let options = move || {
        let option = |name: String| {
            let wanted = name.clone();
            let picked = move || app.filter.with(|it| it.api.as_deref() == Some(wanted.as_str()));
            view! { <option value=name.clone() selected=picked>{name.clone()}</option> }
        };
        apis.get().into_iter().map(option).collect_view()
    };
    let domains = Domain::ALL
        .into_iter()
        .map(|domain| {
            let picked = move || app.filter.with(|filter| filter.domain == Some(domain));
            view! { <option value=domain.title() selected=picked>{domain.title()}</option> }
        })
        .collect_view();
    let pick_api = move |event| {
        let value = event_target_value(&event);
        app.filter.update(|filter| filter.api = (!value.is_empty()).then_some(value));
    };
    let pick_domain = move |event| {
        let value = event_target_value(&event);
        let domain = Domain::ALL.into_iter().find(|domain| domain.title() == value);
        app.filter.update(|filter| filter.domain = domain);
    };
    view! {
        <label class="inline">
            <span class="visually-hidden">"Domain"</span>
            <select data-test="filter-domain" on:change=pick_domain>
                <option value="">"All domains"</option>
                {domains}
            </select>
        </label>
        <label class="inline">
            <span class="visually-hidden">"API"</span>
            <select data-test="filter-api" on:change=pick_api>
                <option value="">"All APIs"</option>
                {options}
            </select>
        </label>
    }
}
