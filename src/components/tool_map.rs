//! A scatter plot of tools, in which tools with similar texts are close.

use crate::messages::search_lab::{LabHits, LabPoint};
use crate::platform::page;
use crate::session::format;
use crate::session::search_lab::map::{HEIGHT, Label, Layout, Mark, Placed, WIDTH, labels};
use crate::t;
use leptos::{ev, prelude::*};

/// The points of a retriever, and a query with lines to its hits.
#[component]
pub fn Picture(
    /// The points.
    points: Vec<LabPoint>,
    /// The retriever's index.
    run: usize,
    /// What each retriever finds for a query.
    answers: Memo<Vec<LabHits>>,
) -> impl IntoView {
    let layout = StoredValue::new(Layout::new(&points));
    let count = layout.with_value(|layout| layout.points.len());
    // The point that has the focus or the pointer, and the one that Tab leads to.
    let active = RwSignal::new(None::<usize>);
    let reached = RwSignal::new(0_usize);
    let move_by = move |event: ev::KeyboardEvent| {
        let at = reached.get_untracked();
        let next = match event.key().as_str() {
            "ArrowRight" | "ArrowDown" => (at + 1).min(count.saturating_sub(1)),
            "ArrowLeft" | "ArrowUp" => at.saturating_sub(1),
            "Home" => 0,
            "End" => count.saturating_sub(1),
            _ => return,
        };
        event.prevent_default();
        reached.set(next);
        page::focus(&format!("[data-point=\"{next}\"]"));
    };
    let marks = layout.with_value(|layout| {
        let mark = |(at, point): (usize, &Placed)| {
            let name = format!("{}, {}", point.name, point.group);
            let place = format!("translate({:.1} {:.1})", point.x, point.y);
            view! {
                <path class=point.mark.class d=point.mark.shape transform=place role="option"
                    aria-label=name data-point=at.to_string()
                    aria-selected=move || (active.get() == Some(at)).to_string()
                    tabindex=move || if reached.get() == at { "0" } else { "-1" }
                    on:focus=move |_| { active.set(Some(at)); reached.set(at); }
                    on:blur=move |_| active.set(None)
                    on:mouseenter=move |_| active.set(Some(at))
                    on:mouseleave=move |_| active.set(None)/>
            }
        };
        layout.points.iter().enumerate().map(mark).collect_view()
    });
    let others = layout.with_value(|layout| layout.others.clone());
    let query = move || {
        let found = answers.with(|all| all.get(run).cloned())?;
        layout.with_value(|layout| {
            let [x, y] = layout.place(found.at?);
            let hits = found.hits.iter();
            let hits: Vec<&Placed> =
                hits.filter_map(|(name, _)| layout.points.iter().find(|to| to.name == *name)).collect();
            let lines = hits.iter().map(|to| {
                view! { <line class="lab-line" x1=number(x) y1=number(y) x2=number(to.x) y2=number(to.y)/> }
            });
            let places: Vec<(&str, f64, f64)> = std::iter::once((t!("your query"), x, y))
                .chain(hits.iter().map(|to| (to.name.as_str(), to.x, to.y)))
                .collect();
            Some(view! {
                <g aria-hidden="true" data-test="lab-query-place">
                    {lines.collect_view()}
                    <circle class="lab-query" cx=number(x) cy=number(y) r="6"/>
                    {labels(&places).into_iter().map(shown).collect_view()}
                </g>
            })
        })
    };
    let named = move || {
        let at = active.get()?;
        layout.with_value(|layout| {
            let point = layout.points.get(at)?;
            let label = labels(&[(point.name.as_str(), point.x, point.y)]);
            Some(label.into_iter().map(shown).collect_view())
        })
    };
    let legend = layout
        .with_value(|it| it.legend.iter().map(|(group, mark)| key(group, *mark)).collect_view());
    let unnamed = layout.with_value(|layout| layout.unnamed);
    let more = (unnamed > 0).then(|| {
        view! {
            <li><svg width="12" height="12" viewBox="-6 -6 12 12" aria-hidden="true">
                <circle class="lab-other-key" r="2"/></svg>{t!("{n} other tools", n = format::count(unnamed))}</li>
        }
    });
    let box_of = format!("0 0 {WIDTH} {HEIGHT}");
    view! {
        <figure class="lab-map" data-test="lab-map">
            <svg viewBox=box_of>
                <path class="lab-other" d=others aria-hidden="true"/>
                <g role="listbox" aria-label=t!("Map of the tools") on:keydown=move_by>{marks}</g>
                {query}
                <g aria-hidden="true">{named}</g>
            </svg>
            <figcaption><ul class="lab-legend">{legend}{more}</ul></figcaption>
        </figure>
    }
}

fn number(n: f64) -> String {
    format!("{n:.1}")
}

fn shown(label: Label) -> impl IntoView {
    let Label { text, x, y, anchor } = label;
    view! { <text class="lab-label" x=number(x) y=number(y) text-anchor=anchor>{text}</text> }
}

fn key(group: &str, mark: Mark) -> impl IntoView + use<> {
    let group = group.to_owned();
    view! {
        <li>
            <svg width="12" height="12" viewBox="-6 -6 12 12" aria-hidden="true">
                <path class=mark.class d=mark.shape/>
            </svg>
            {group}
        </li>
    }
}
