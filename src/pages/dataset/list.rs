//! The list of dialogues: filters encoded in the address, keyboard navigation.

use crate::platform::page;
use crate::session::browse::domain_name;
use crate::session::{DatasetFilter, Route, format};
use crate::state::{App, go};
use crate::t;
use crate::texts::translated;
use apis::Domain;
use dataset::browse::ListedDialogue;
use dataset::{Ability, Split};
use leptos::prelude::*;
use leptos::{ev, html};

/// Maximum length of an opening in a row, in characters.
const CELL: usize = 110;
/// `data-test` attribute of a row.
const ROW: &str = "dialogue-row";

/// The section below the statistics.
#[component]
pub(super) fn Dialogues(app: App) -> impl IntoView {
    let listed = Memo::new(move |_| {
        app.data.browse.with(|it| it.listed().map(|entry| entry.id.clone()).collect::<Vec<_>>())
    });
    let total = move || {
        app.data.browse.with(|it| it.overview.as_ref().map_or(0, |overview| overview.entries.len()))
    };
    let search = NodeRef::<html::Input>::new();
    keys(listed, search);
    // Replace the address: typing must not add history entries.
    Effect::new(move |before: Option<DatasetFilter>| {
        let filter = app.data.browse.with(|browse| browse.filter.clone());
        if before.is_some_and(|before| before != filter) {
            page::replace_fragment(&Route::Dataset(filter.clone()).href());
        }
        filter
    });
    view! {
        <section class="samples" aria-labelledby="dialogues-title">
            <div class="section-head">
                <h2 id="dialogues-title">{t!("Dialogues")}</h2>
                <span class="quiet num" role="status" data-test="dialogues-count">
                    {move || t!("{n} of {all}", n = format::count(listed.read().len()), all = format::count(total()))}
                </span>
                <span class="hint wide-only">{t!("j/k to move, Enter to open, / to search")}</span>
            </div>
            <Filters app search/>
            <div class="scroll" role="region" tabindex="0" aria-label=t!("Dialogue table")>
                <table class="table list dialogues">
                    <caption class="visually-hidden">{t!("Dialogues")}</caption>
                    <thead><tr>
                        <th scope="col">{t!("Ability")}</th>
                        <th scope="col">{t!("Dialogue")}</th>
                        <th scope="col">{t!("Opening")}</th>
                        <th scope="col">{t!("APIs")}</th>
                        <th scope="col" class="num">{t!("Calls")}</th>
                    </tr></thead>
                    <tbody>
                        <For each=move || listed.get() key=|id| id.clone() children=move |id| row(app, &id)/>
                    </tbody>
                </table>
            </div>
            {move || listed.read().is_empty().then(|| view! {
                <p class="empty" data-test="dialogues-empty">
                    {t!("No dialogues match this filter. ")}
                    <button class="button button-small" data-test="dialogues-all"
                        on:click=move |_| app.data.browse.update(|browse| browse.filter = DatasetFilter::default())>
                        {t!("Show all")}
                    </button>
                </p>
            })}
        </section>
    }
}

fn row(app: App, id: &str) -> impl IntoView + use<> {
    app.data.browse.with_untracked(|browse| {
        let entries = browse.overview.iter().flat_map(|overview| &overview.entries);
        entries.into_iter().find(|entry| entry.id == id).map(cells)
    })
}

fn cells(entry: &ListedDialogue) -> impl IntoView + use<> {
    let route = Route::Dialogue(entry.id.clone());
    let href = route.href();
    let hard = (entry.split == Split::Hard)
        .then(|| view! { " " <span class="tag tag-warn">{t!("hard")}</span> });
    let fails = entry.fails.then(|| view! { " " <span class="tag tag-wrong">{t!("error")}</span> });
    view! {
        <tr data-test=ROW data-id=entry.id.clone() on:click=move |_| go(&route)>
            <td class="nowrap">{translated(entry.ability.title())}</td>
            <th scope="row" class="id-cell"><a href=href>{entry.id.clone()}</a></th>
            <td class="text-cell">{format::one_line(entry.opening(), CELL)} {hard} {fails}</td>
            <td class="text-cell"><code>{entry.apis.join(", ")}</code></td>
            <td class="num">{entry.calls}</td>
        </tr>
    }
}

/// `j` and `k` move the focus, Enter follows the focused link, `/` focuses the search field.
fn keys(listed: Memo<Vec<String>>, search: NodeRef<html::Input>) {
    let pressed = window_event_listener(ev::keydown, move |event| {
        if page::is_typing(&event) {
            return;
        }
        let step = match event.key().as_str() {
            "j" => 1,
            "k" => -1,
            "/" => {
                if let Some(field) = search.get_untracked() {
                    event.prevent_default();
                    let _ = field.focus();
                }
                return;
            }
            _ => return,
        };
        let links = page::elements(&format!("[data-test=\"{ROW}\"] a"));
        let here = page::focused(&links);
        let next = match here {
            Some(at) => at.saturating_add_signed(step),
            None => 0,
        };
        if let Some(link) = links.get(next.min(listed.with_untracked(Vec::len).saturating_sub(1))) {
            let _ = link.focus();
        }
    });
    on_cleanup(move || pressed.remove());
}

#[component]
fn Filters(app: App, search: NodeRef<html::Input>) -> impl IntoView {
    let choice = move |test: &'static str,
                       name: &'static str,
                       all: &'static str,
                       options: Vec<(String, String)>,
                       here: fn(&DatasetFilter) -> String,
                       put: fn(&mut DatasetFilter, &str)| {
        let options = options
            .into_iter()
            .map(|(value, title)| {
                let own = value.clone();
                let picked = move || app.data.browse.with(|browse| here(&browse.filter) == own);
                view! { <option value=value selected=picked>{title}</option> }
            })
            .collect_view();
        view! {
            <label class="inline">
                <span class="visually-hidden">{name}</span>
                <select data-test=format!("dataset-{test}")
                    on:change=move |event| app.data.browse.update(|browse| put(&mut browse.filter, &event_target_value(&event)))>
                    <option value="" selected=move || app.data.browse.with(|browse| here(&browse.filter).is_empty())>{all}</option>
                    {options}
                </select>
            </label>
        }
    };
    let named = |name: &str, title: &str| (name.to_owned(), title.to_owned());
    let abilities = Ability::ALL.map(|it| named(it.as_str(), translated(it.title()))).to_vec();
    let domains = Domain::ALL.map(|it| named(&domain_name(it), translated(it.title()))).to_vec();
    let splits = Split::ALL.map(|split| named(split.as_str(), translated(split.as_str()))).to_vec();
    let has_hard = app.data.browse.with_untracked(|browse| {
        browse.overview.as_ref().is_some_and(|overview| overview.statistics.len() > 1)
    });
    let apis = app.data.browse.with_untracked(|browse| browse.apis());
    let apis = apis.into_iter().map(|name| (name.clone(), name)).collect();
    view! {
        <div class="filters">
            {choice("ability", t!("Ability"), t!("All abilities"), abilities, |it| it.ability.map(|it| it.as_str().to_owned()).unwrap_or_default(),
                |filter, value| filter.ability = Ability::ALL.into_iter().find(|it| it.as_str() == value))}
            {choice("domain", t!("Domain"), t!("All domains"), domains, |it| it.domain.map(domain_name).unwrap_or_default(),
                |filter, value| filter.domain = Domain::ALL.into_iter().find(|it| domain_name(*it) == value))}
            {choice("api", t!("API"), t!("All APIs"), apis, |it| it.api.clone(), |filter, value| value.clone_into(&mut filter.api))}
            {has_hard.then(|| choice("split", t!("Split"), t!("Both splits"), splits, |it| it.split.map(|it| it.as_str().to_owned()).unwrap_or_default(),
                |filter, value| filter.split = Split::ALL.into_iter().find(|it| it.as_str() == value)))}
            <label class="inline grow">
                <span class="visually-hidden">{t!("Search")}</span>
                <input type="search" node_ref=search placeholder=t!("Search IDs, APIs, dialogue text") data-test="dataset-text"
                    prop:value=move || app.data.browse.with(|browse| browse.filter.text.clone())
                    on:input=move |event| {
                        let text = event_target_value(&event);
                        app.data.browse.update(|browse| browse.filter.text = text);
                    }/>
            </label>
        </div>
    }
}
