//! The leaderboard's horizons, with their own ranking.

use super::table::{builtin_title, verification};
use super::{Board, open};
use crate::session::disclosure::setting;
use crate::session::format;
use crate::t;
use crate::texts::{self, translated};
use dataset::Tier;
use leptos::prelude::*;
use record::leaderboard::{HorizonEntry, Kind, Leaderboard, RecordFile};
use record::metrics::horizon::{COLUMNS, HorizonRow};

/// The section; `None` without a row to show.
pub(super) fn horizons(board: Board, of: &Leaderboard) -> Option<impl IntoView + use<>> {
    let shown = board.choices.get().horizons(of);
    if shown.is_empty() {
        return None;
    }
    let tiers = Tier::ALL.map(Tier::title).into_iter();
    let heads = tiers.chain(COLUMNS.iter().map(|(title, _)| *title));
    let heads = heads.map(|it| view! { <th scope="col" class="num">{translated(it)}</th> });
    let heads = heads.collect_view();
    let rows = shown.into_iter().map(|entry| row(board, entry)).collect_view();
    Some(view! {
        <section class="stack" data-test="board-horizons" aria-labelledby="board-horizons-title">
            <h2 id="board-horizons-title">{t!("Horizon")}</h2>
            <p>{t!("The number of calls in a row at which a model completes half of its tasks.")} " " <a href="#/method">{t!("About the method")}</a></p>
            <div class="scroll" role="region" tabindex="0" aria-label=t!("Horizons")>
                <table class="table scores board">
                    <caption>{t!("All tasks, then by tier. Prices are means over the completed tasks.")}</caption>
                    <thead><tr>
                        <th scope="col" class="num">{t!("Rank")}</th>
                        <th scope="col">{t!("Model")}</th>
                        <th scope="col" class="num">{t!("Horizon")}</th>
                        {heads}
                        <th scope="col" class="num">{t!("Seeds")}</th>
                        <th scope="col">{t!("Verification")}</th>
                    </tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            <p class="hint">
                {t!("Rank: 1 plus the number of models with a significantly longer horizon (p ≤ 0.05 by Holm's method). Built-in models have none.")}
            </p>
        </section>
    })
}

fn row(board: Board, of: &HorizonEntry) -> impl IntoView + use<> {
    let number = |text: String| view! { <td class="num">{text}</td> };
    let words = |tier: Option<Tier>| {
        let row = of.horizons.iter().find(|horizon| horizon.tier == tier);
        row.map_or_else(
            || format::NONE.to_owned(),
            |entry| format::horizon(&entry.estimate, texts::current()),
        )
    };
    let estimate = |tier| view! { <td class="num calls-interval">{words(tier)}</td> };
    let tiers = Tier::ALL.map(|tier| estimate(Some(tier))).into_iter().collect_view();
    let all = of.total();
    let cells = COLUMNS.iter().map(|(_, cell)| number(all.map(cell).unwrap_or_default()));
    let pass = all.and_then(HorizonRow::pass_of_all);
    let seeds = of.seeds.iter().map(ToString::to_string).chain(pass);
    let seeds = seeds.collect::<Vec<_>>().join(", ");
    let (summary, more) = verification(&of.records);
    let opens = of.records.iter().zip(&of.seeds);
    let opens = opens.map(|(record, seed)| samples(board, record, *seed, of.seeds.len()));
    view! {
        <tr data-test="board-horizon" data-model=of.model.clone()>
            <td class="num strong">{of.rank.map_or_else(|| format::NONE.to_owned(), |rank| rank.to_string())}</td>
            <th scope="row">
                {model(of)} " " <span class="board-actions">{opens.collect_view()}</span>
                {open::state(board, &of.records)}
            </th>
            <td class="num strong calls-interval">{words(None)}</td>
            {tiers}
            {cells.collect_view()}
            <td class="num">{seeds}</td>
            <td>{summary}</td>
        </tr>
        {more}
    }
}

/// The button that opens a record.
fn samples(board: Board, record: &RecordFile, seed: u32, several: usize) -> impl IntoView + use<> {
    let record = record.clone();
    let title = match several {
        1 => t!("Samples").to_owned(),
        _ => t!("Samples of seed {seed}", seed = seed),
    };
    view! {
        <button type="button" class="link" data-test="board-open-horizon" disabled=move || board.opening.is_busy()
            on:click=move |_| open::open(board, &record)>{title}</button>
    }
}

fn model(of: &HorizonEntry) -> impl IntoView + use<> {
    let kind = match of.kind {
        Kind::Model => None,
        Kind::Reference => Some(t!("reference")),
        Kind::Trivial => Some(t!("trivial")),
    };
    let name = if of.kind == Kind::Model { of.model.clone() } else { builtin_title(&of.model) };
    let tags = kind.into_iter().chain(of.adaptive.then(|| t!("adaptive")));
    let tags = tags.map(|it| view! { <span class="tag">{it}</span> " " }).collect_view();
    let settings = of.settings.iter().map(|it| setting(it, texts::current())).collect::<Vec<_>>();
    let settings = (!settings.is_empty())
        .then(|| view! { <span class="quiet wrap">{settings.join(", ")}</span> });
    view! { <span class="board-model"><bdi>{name}</bdi> " " {tags} {settings}</span> }
}
