//! Samples with disagreements, and one of them side by side.

use super::Table;
use crate::messages::compare::{Column, SampleComparison, Side};
use crate::session::format;
use crate::t;
use crate::texts::reasons::reason;
use crate::texts::{self, translated};
use leptos::prelude::*;
use record::compare::{Disagreement, Trials, letter};

/// Samples per page.
const PAGE: usize = 100;

/// The list and the selected sample.
pub(super) fn differences(
    table: Table,
    records: &[Column],
    found: Vec<Disagreement>,
) -> impl IntoView + use<> {
    let titles: Vec<String> = records.iter().map(|record| record.title.clone()).collect();
    if records.len() < 2 {
        return view! { <p class="empty">{t!("Add a second record to compare.")}</p> }.into_any();
    }
    if found.is_empty() {
        return view! { <p class="empty">{t!("The records agree on every shared call.")}</p> }
            .into_any();
    }
    let shown = RwSignal::new(PAGE);
    let count = found.len();
    let heads = (0..records.len())
        .map(|index| view! { <th scope="col" class="num">{letter(index)}</th> })
        .collect_view();
    let rows = move || found.iter().take(shown.get()).map(|entry| row(table, entry)).collect_view();
    view! {
        <h2>{t!("Samples with disagreements: {n}", n = format::count(count))}</h2>
        <div class="scroll differing" role="region" tabindex="0" aria-label=t!("Disagreements")>
            <table class="table" data-test="compare-differing">
                <thead><tr><th scope="col">{t!("Sample")}</th><th scope="col">{t!("Ability")}</th>{heads}</tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
        {move || (shown.get() < count).then(|| view! {
            <button type="button" class="button" on:click=move |_| shown.update(|shown| *shown += PAGE)>
                {t!("Show {n} more", n = PAGE)}
            </button>
        })}
        {move || table.sample.get().map(|sample| sides(&titles, sample))}
    }
    .into_any()
}

fn row(table: Table, it: &Disagreement) -> impl IntoView + use<> {
    let cells = it
        .trials
        .iter()
        .map(|trials| {
            let (text, class) = share(*trials);
            view! { <td class="num"><span class=class>{text}</span></td> }
        })
        .collect_view();
    let id = it.id.clone();
    let open = move |_| table.open_sample(id.clone());
    view! {
        <tr>
            <th scope="row"><button type="button" class="link" on:click=open>{it.id.clone()}</button></th>
            <td>{translated(it.ability.title())}</td>
            {cells}
        </tr>
    }
}

/// The number of right trials; for a single trial, its verdict.
pub(in crate::pages) fn share(trials: Option<Trials>) -> (String, &'static str) {
    match trials {
        Some(Trials { right, n }) if n > 1 && right > 0 && right < n => {
            (format!("{right} / {n}"), "tag tag-warn")
        }
        Some(Trials { right, n }) if n > 1 => (format!("{right} / {n}"), mark(Some(right == n)).1),
        single => {
            let (text, class) = mark(single.map(|it| it.right > 0));
            (text.to_owned(), class)
        }
    }
}

fn mark(correct: Option<bool>) -> (&'static str, &'static str) {
    match correct {
        Some(true) => (t!("right"), "tag tag-right"),
        Some(false) => (t!("wrong"), "tag tag-wrong"),
        None => ("–", "quiet"),
    }
}

fn sides(titles: &[String], compared: SampleComparison) -> AnyView {
    let SampleComparison { sample, gold, sides } = compared;
    let columns = titles
        .iter()
        .zip(sides)
        .enumerate()
        .map(|(index, (title, side))| column(index, title.clone(), side))
        .collect_view();
    view! {
        <section class="panel" data-test="compare-sides" aria-label=t!("Sample across records")>
            <h2>{sample}</h2>
            <h3>{t!("Gold")}</h3>
            <pre class="code">{gold}</pre>
            <div class="sides">{columns}</div>
        </section>
    }
    .into_any()
}

fn column(index: usize, title: String, side: Option<Side>) -> AnyView {
    let Some(side) = side else {
        return view! {
            <div><h3>{letter(index)} " " {title}</h3><p class="quiet">{t!("Not in this record.")}</p></div>
        }
        .into_any();
    };
    let (word, class) = mark(side.correct);
    view! {
        <div>
            <h3>{letter(index)} " " {title} " " <span class=class>{word}</span></h3>
            <pre class="code" tabindex="0">{side.text}</pre>
            <p class="quiet">{reason(&side.explanation, texts::current())}</p>
        </div>
    }
    .into_any()
}
