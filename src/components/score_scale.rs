//! The line from 0 to 100 % under a score.

use crate::session::score::scale::{Mark, MarkKind};
use crate::t;
use crate::texts;
use leptos::prelude::*;

/// The marks on a line, and below it the same as a list. The list has all that the picture shows, so
/// labels on the line, which would collide, are not needed.
pub fn score_scale(marks: &[Mark]) -> impl IntoView + use<> {
    let range = marks.iter().find_map(|mark| mark.interval).map(|interval| {
        let (low, high) = (place(interval.low), place(interval.high));
        view! { <line class="scale-range" x1=low x2=high y1="14" y2="14"/> }
    });
    // The run is drawn last, above the others.
    let (run, others): (Vec<_>, Vec<_>) = marks.iter().partition(|mark| mark.kind == MarkKind::Run);
    let drawn = others.into_iter().chain(run);
    let drawn = drawn.map(|mark| symbol(mark.kind, &place(mark.share))).collect_view();
    let items = marks.iter().map(item).collect_view();
    view! {
        <div class="scale" data-test="scale">
            <svg class="scale-line" height="28" aria-hidden="true">
                <line class="scale-axis" x1="2%" x2="98%" y1="14" y2="14"/>
                {range} {drawn}
            </svg>
            <ul class="scale-list" aria-label=t!("From 0 to 100 %")>{items}</ul>
        </div>
    }
}

/// A share's place on the line, which leaves room for half a symbol at its ends.
fn place(share: f64) -> String {
    format!("{:.2}%", 2.0 + 96.0 * share)
}

/// A mark's symbol at `x` in a line of 28 pixels.
fn symbol(kind: MarkKind, x: &str) -> AnyView {
    let class = format!("scale-mark scale-{}", kind.as_str());
    // A nested <svg> is the only element that can be positioned by percentage.
    let shape = match kind {
        MarkKind::Wrong | MarkKind::Right => {
            view! { <rect x="-1.5" y="4" width="3" height="20"/> }.into_any()
        }
        MarkKind::Trivial => view! { <path d="M0 7 6 20H-6Z"/> }.into_any(),
        MarkKind::Keyword => view! { <rect x="-5" y="9" width="10" height="10"/> }.into_any(),
        MarkKind::Best => view! { <path d="M0 6 8 14 0 22-8 14Z"/> }.into_any(),
        MarkKind::Run => view! { <circle cx="0" cy="14" r="8"/> }.into_any(),
    };
    let x = x.to_owned();
    view! { <svg class=class x=x overflow="visible">{shape}</svg> }.into_any()
}

fn item(mark: &Mark) -> impl IntoView + use<> {
    let Mark { kind, name, share, .. } = mark;
    let title = kind.title(texts::current());
    let name = name.clone().map(|it| view! { " " <bdi class="quiet">{it}</bdi> });
    let share = format!("{:.1} %", 100.0 * share);
    let interval = mark.interval.map(|interval| {
        let whole = |share: f64| format!("{:.0}", 100.0 * share);
        let text =
            t!("likely {low} to {high} %", low = whole(interval.low), high = whole(interval.high));
        view! { " " <span class="quiet num">{text}</span> }
    });
    view! {
        <li class=format!("scale-item scale-{}", kind.as_str()) data-mark=kind.as_str()>
            <svg width="20" height="28" aria-hidden="true">{symbol(*kind, "10")}</svg>
            <span>
                <span class:strong=*kind == MarkKind::Run>{title}</span> {name} " "
                <span class="num" data-test="scale-share">{share}</span> {interval}
            </span>
        </li>
    }
}
