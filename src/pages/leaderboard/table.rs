//! The table.

use super::{Board, open};
use crate::components::results_table::plot;
use crate::session::disclosure::setting;
use crate::session::format;
use crate::session::leaderboard::{Choices, Column, rate, tokens};
use crate::t;
use crate::texts::{self, translated};
use dataset::Split;
use leptos::prelude::*;
use record::Rate;
use record::leaderboard::{Kind, Leaderboard, LeaderboardRow, Proof, RecordFile, Scores};
use std::sync::Arc;

/// What is known of the requests of any row, and has a column.
#[derive(Debug, Clone, Copy)]
struct Requests {
    tokens: bool,
    latency: bool,
}

/// The rows in the chosen order.
pub(super) fn table(board: Board, of: Arc<Leaderboard>) -> impl IntoView {
    let caption = {
        let of = Arc::clone(&of);
        move || caption(&of, board.choices.get())
    };
    // Built-in models send no request.
    let requests = Requests {
        tokens: of.rows.iter().any(|row| tokens(row).is_some()),
        latency: of.rows.iter().any(|row| row.latency_ms.is_some()),
    };
    let rows = move || {
        let choices = board.choices.get();
        let rows = choices.rows(&of);
        if rows.is_empty() {
            let none = t!("Only built-in models so far.");
            return view! { <tr><td class="empty" colspan="20">{none}</td></tr> }.into_any();
        }
        rows.iter()
            .map(|(it, scores)| {
                let is_shared = Choices::shares_rank(&rows, scores);
                row(board, choices, it, scores, is_shared, requests)
            })
            .collect_view()
            .into_any()
    };
    view! {
        <div class="scroll" role="region" tabindex="0" aria-label=t!("Leaderboard table")>
            <table class="table scores board" data-test="leaderboard">
                <caption>{caption}</caption>
                <thead>{move || head(board, requests)}</thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
        <p class="hint">
            {t!("Rank: 1 plus the number of models that are significantly better (paired test, p ≤ 0.05 by Holm's method), so models that the test does not separate share a rank. Built-in models have none.")}
        </p>
    }
}

/// The data, and the count of the whole split.
fn caption(of: &Leaderboard, choices: Choices) -> String {
    let rows = Choices { builtin: true, ..choices }.rows(of);
    let n = rows.iter().map(|(_, scores)| scores.total.0.n).max().unwrap_or_default();
    t!(
        "{pack} {version}, protocol {protocol}, profile {profile}; standard split, n = {n}",
        pack = of.pack.name,
        version = of.pack.version,
        protocol = choices.protocol.as_str(),
        profile = choices.profile.as_str(),
        n = format::count(n)
    )
}

fn head(board: Board, requests: Requests) -> impl IntoView + use<> {
    let choices = board.choices.get();
    let number = |column, title| sortable(board, choices, column, title, "num");
    let rates = choices.rates().into_iter();
    let rates = rates.map(|(column, title)| number(column, translated(title))).collect_view();
    view! {
        <tr>
            {number(Column::Rank, t!("Rank"))}
            {sortable(board, choices, Column::Model, t!("Model"), "")}
            {number(Column::Total, t!("Calls right"))}
            <th scope="col" class="num">{t!("95 % interval")}</th>
            <th scope="col" class="plot-head" aria-hidden="true">
                <span>"0"</span><span>"50"</span><span>"100"</span>
            </th>
            {rates}
            {requests.tokens.then(|| number(Column::Tokens, t!("Tokens")))}
            {requests.latency.then(|| number(Column::Latency, t!("Median latency, as claimed")))}
            <th scope="col">{t!("Verification")}</th>
        </tr>
    }
}

fn sortable(
    board: Board,
    choices: Choices,
    column: Column,
    title: &'static str,
    class: &'static str,
) -> impl IntoView + use<> {
    let is_sorted = choices.column == column;
    let order = match (is_sorted, choices.descending) {
        (false, _) => None,
        (true, false) => Some("ascending"),
        (true, true) => Some("descending"),
    };
    let mark = match order {
        Some("ascending") => "\u{a0}↑",
        Some(_) => "\u{a0}↓",
        None => "",
    };
    view! {
        <th scope="col" class=class aria-sort=order>
            <button type="button" class="sort" on:click=move |_| board.choices.update(|it| it.sort(column))>
                {title}<span aria-hidden="true">{mark}</span>
            </button>
        </th>
    }
}

fn row(
    board: Board,
    choices: Choices,
    row: &LeaderboardRow,
    scores: &Scores,
    is_shared: bool,
    requests: Requests,
) -> impl IntoView + use<> {
    let rank = scores.rank.map_or_else(|| format::NONE.to_owned(), |rank| rank.to_string());
    let shared = is_shared.then(|| t!("shares rank {rank}: no test separates them", rank = rank));
    let cell = |rate: Option<Rate>| {
        let text = rate.map_or_else(|| format::NONE.to_owned(), |rate| format::percent(&rate));
        view! { <td class="num">{text}</td> }
    };
    let rates = choices.rates().into_iter();
    let rates = rates.map(|(column, _)| cell(rate(scores, column))).collect_view();
    let total = scores.total.0;
    let tokens = tokens(row).map_or_else(|| format::NONE.to_owned(), short);
    let latency =
        row.latency_ms.map_or_else(|| format::NONE.to_owned(), |ms| format::span(ms as f64));
    let (summary, more) = verification(&row.records);
    view! {
        <tr data-test="board-row" data-model=row.model.clone()>
            <td class="num strong" data-test="board-rank" title=shared>{rank.clone()}</td>
            <th scope="row">{model(row, total.n)} {actions(board, row)} {open::state(board, &row.records)}</th>
            <td class="num strong">{format::percent(&total)}</td>
            <td class="num">{format::interval(&total)}</td>
            <td class="plot" aria-hidden="true">{plot(&total)}</td>
            {rates}
            {requests.tokens.then(|| view! { <td class="num">{tokens}</td> })}
            {requests.latency.then(|| view! { <td class="num">{latency}</td> })}
            <td>{summary}</td>
        </tr>
        {more}
    }
}

/// `12,345`, or from a million on `1.2 M`.
fn short(count: u64) -> String {
    match usize::try_from(count) {
        Ok(count) if count < 1_000_000 => format::count(count),
        _ => format!("{:.1} M", count as f64 / 1e6),
    }
}

/// The name, what kind of model it is, and the part of the split that it was run on.
fn model(row: &LeaderboardRow, n: usize) -> impl IntoView + use<> {
    let kind = match row.kind {
        Kind::Model => None,
        Kind::Reference => Some(t!("reference")),
        Kind::Trivial => Some(t!("trivial")),
    };
    let name = if row.kind == Kind::Model { row.model.clone() } else { builtin_title(&row.model) };
    let trials = (row.trials > 1).then(|| t!("{n} trials", n = row.trials));
    let part = row.percent.map(|percent| {
        t!("{percent} % of the dialogues, n = {n}", percent = percent, n = format::count(n))
    });
    let settings = row.settings.iter().map(|it| setting(it, texts::current())).collect::<Vec<_>>();
    let settings = (!settings.is_empty()).then(|| {
        let text = settings.join(", ");
        view! { <span class="quiet wrap" data-test="board-settings">{text}</span> }
    });
    let tags = kind.into_iter().map(str::to_owned).chain(part);
    let tags = tags.map(|it| view! { <span class="tag">{it}</span> " " }).collect_view();
    view! {
        <span class="board-model"><bdi>{name}</bdi> " " {tags} {trials} " " {settings}</span>
    }
}

/// What the verification shows, as a button, and a row below that says where the records come from: in the
/// button's narrow column they would make the row tall.
pub(super) fn verification(
    records: &[RecordFile],
) -> (impl IntoView + use<>, impl IntoView + use<>) {
    let open = RwSignal::new(false);
    let proof = proof(records);
    let records = records.to_vec();
    let summary = view! {
        <button type="button" class="link board-origin" data-test="board-origin"
            aria-expanded=move || open.get().to_string() on:click=move |_| open.update(|it| *it = !*it)>
            {proof}
        </button>
    };
    let more = move || {
        open.get().then(|| view! {
            <tr data-test="board-facts">
                <td colspan="40"><div class="board-records">{records.iter().map(origin).collect_view()}</div></td>
            </tr>
        })
    };
    (summary, more)
}

/// The translated name of a built-in model.
pub(super) fn builtin_title(name: &str) -> String {
    let known = record::Baseline::ALL.into_iter().find(|baseline| baseline.title() == name);
    known.map_or_else(|| name.to_owned(), |it| translated(it.title()).to_owned())
}

fn proof(records: &[RecordFile]) -> &'static str {
    match records.first().map(|it| it.proof) {
        Some(Proof::Reproduced) => t!("Answers reproduced"),
        _ => t!("Scores recomputed"),
    }
}

/// A record's command, digest and signatures.
fn origin(record: &RecordFile) -> impl IntoView + use<> {
    let signatures = record
        .signatures
        .iter()
        .filter_map(|signature| Some(signature.fingerprint.as_ref()?.grouped()))
        .map(|key| view! { <dd class="fingerprint"><code>{key}</code></dd> })
        .collect_view();
    let unsigned = record.signatures.is_empty().then(|| view! { <dd>{t!("unsigned")}</dd> });
    view! {
        <dl class="board-facts">
            <dt>{t!("Command")}</dt>
            <dd><code>{record.command.clone()}</code></dd>
            <dt>{t!("Digest")}</dt>
            <dd><code>{record.digest.clone()}</code></dd>
            <dt>{t!("Signed by")}</dt>
            {signatures}{unsigned}
        </dl>
    }
}

fn actions(board: Board, row: &LeaderboardRow) -> impl IntoView + use<> {
    let button = |record: &RecordFile,
                  title: &'static str,
                  test: &'static str,
                  act: fn(Board, &RecordFile)| {
        let record = record.clone();
        view! {
            <button type="button" class="link" data-test=test disabled=move || board.opening.is_busy()
                on:click=move |_| act(board, &record)>{title}</button>
        }
    };
    let standard =
        row.record(Split::Standard).map(|it| button(it, t!("Samples"), "board-open", open::open));
    let hard = row
        .record(Split::Hard)
        .map(|record| button(record, t!("Hard samples"), "board-open-hard", open::open));
    let compare = row
        .record(Split::Standard)
        .map(|record| button(record, t!("Compare with mine"), "board-compare", open::compare));
    view! { <span class="board-actions">{standard}{hard}{compare}</span> }
}
