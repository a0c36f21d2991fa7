//! `#/leaderboard`: the records of the repository, ranked.

mod add;
mod chart;
mod horizons;
mod open;
mod table;

pub(super) use open::{open_named, progress};

use crate::platform::{fetch, page};
use crate::session::leaderboard::Choices;
use crate::session::terms;
use crate::state::{App, Latest, use_app};
use crate::{t, texts};
use exchange::protocol::Protocol;
use leptos::prelude::*;
use record::leaderboard::Leaderboard;
use scoring::Profile;
use std::sync::Arc;

/// What the parts of the page share.
#[derive(Clone, Copy)]
struct Board {
    app: App,
    choices: RwSignal<Choices>,
    /// The table; it is loaded when the page opens.
    table: Latest<Arc<Leaderboard>>,
    opening: open::Opening,
}

/// Fetches the table.
///
/// # Errors
/// What happened and what to do.
pub(super) async fn load() -> Result<Arc<Leaderboard>, String> {
    let bytes = fetch::asset(&page::assets()?.leaderboard).await?;
    serde_json::from_slice(&bytes).map(Arc::new).map_err(|error| {
        format!("The leaderboard of this site is damaged ({error}). Reload the page.")
    })
}

/// The page.
#[component]
pub fn LeaderboardPage() -> impl IntoView {
    let app = use_app();
    let choices = RwSignal::new(Choices::default());
    let board = Board { app, choices, table: Latest::new(), opening: open::Opening::new() };
    board.table.follow(load());
    view! {
        <div class="intro">
            <h1>{t!("Leaderboard")}</h1>
            <p>{t!("How well language models use tools, best first. Every row can be opened down to each answer.")}</p>
        </div>
        {move || match board.table.get() {
            None => view! { <p class="empty" role="status">{t!("Loading…")}</p> }.into_any(),
            Some(Err(reason)) => view! {
                <p class="field-error" role="alert" data-test="leaderboard-trouble">{reason}</p>
                <button type="button" class="button" on:click=move |_| { board.table.clear(); board.table.follow(load()); }>
                    {t!("Retry")}
                </button>
            }.into_any(),
            Some(Ok(table)) if table.rows.is_empty() && table.horizons.is_empty() => view! {
                <p class="panel empty" data-test="leaderboard-empty">{t!("No record of this dataset yet.")}</p>
            }.into_any(),
            Some(Ok(table)) => view! {
                <Filters board table=Arc::clone(&table)/>
                {table::table(board, Arc::clone(&table))}
                {
                    let table = Arc::clone(&table);
                    move || chart::chart(&board.choices.get().rows(&table))
                }
                {move || horizons::horizons(board, &table)}
            }.into_any(),
        }}
        {add::add(app)}
    }
}

/// What to show.
#[component]
fn Filters(board: Board, table: Arc<Leaderboard>) -> impl IntoView {
    let choices = board.choices;
    let there = |it: &Protocol| table.rows.iter().any(|row| row.protocol == *it);
    let protocols: Vec<Protocol> = Protocol::ALL.into_iter().filter(there).collect();
    let protocol = (protocols.len() > 1).then(|| {
        let chosen = move |event| {
            let name = event_target_value(&event);
            if let Some(it) = Protocol::ALL.into_iter().find(|protocol| protocol.as_str() == name) {
                choices.update(|choices| choices.protocol = it);
            }
        };
        let options = protocols.into_iter().map(|protocol| {
            let selected = choices.read_untracked().protocol == protocol;
            view! { <option value=protocol.as_str() selected=selected>{protocol.as_str()}</option> }
        });
        view! {
            <label class="field">
                <span class="label">{t!("Protocol")}</span>
                <select data-test="board-protocol" on:change=chosen>{options.collect_view()}</select>
            </label>
        }
    });
    let chosen = move |event| {
        let name = event_target_value(&event);
        if let Some(it) = Profile::ALL.into_iter().find(|profile| profile.as_str() == name) {
            choices.update(|choices| choices.profile = it);
        }
    };
    let profiles = Profile::ALL.map(|it: Profile| {
        let selected = choices.read_untracked().profile == it;
        let title = terms::profile(it, texts::current());
        view! { <option value=it.as_str() selected=selected>{title}</option> }
    });
    view! {
        <div class="board-filters">
            {protocol}
            <label class="field">
                <span class="label">{t!("Count as right")}</span>
                <select data-test="board-profile" on:change=chosen>{profiles.into_iter().collect_view()}</select>
            </label>
            {tick(choices, "board-builtin", t!("Built-in models"), |choices| &mut choices.builtin)}
            {tick(choices, "board-trivial", t!("Trivial models"), |choices| &mut choices.trivial)}
            {tick(choices, "board-secondary", t!("Other rates"), |choices| &mut choices.secondary)}
            {tick(choices, "board-kinds", t!("Hard split by kind"), |choices| &mut choices.kinds)}
            {tick(choices, "board-languages", t!("Languages"), |it| &mut it.languages)}
        </div>
    }
}

/// A checkbox of one of the choices.
fn tick(
    choices: RwSignal<Choices>,
    test: &'static str,
    label: &'static str,
    choice: fn(&mut Choices) -> &mut bool,
) -> impl IntoView {
    let set = move |event| choices.update(|it| *choice(it) = event_target_checked(&event));
    view! {
        <label class="check">
            <input type="checkbox" data-test=test prop:checked=move || *choice(&mut choices.get())
                on:change=set/>
            {label}
        </label>
    }
}
