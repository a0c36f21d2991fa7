//! The headline of a run: score, explanation, abilities, and the most common errors with examples.

use super::meaning::Meaning;
use super::samples::list_only;
use crate::session::filter::{expected, received};
use crate::session::score::words;
use crate::session::{Filter, Route, Run, format, terms};
use crate::state::{App, use_app};
use crate::t;
use crate::texts::{self, translated};
use leptos::prelude::*;
use record::table::Shape;
use record::{AbilityRow, Rate, Summary};
use scoring::ErrorClass;

/// Maximum number of error classes.
const CLASSES: usize = 3;
/// Maximum length of an example, in characters.
const EXAMPLE: usize = 160;

/// The headline of the displayed run.
#[component]
pub fn Headline() -> impl IntoView {
    let app = use_app();
    let summary = app.run.summary();
    let shape = Memo::new(move |_| summary.with(Shape::of));
    let score = Memo::new(move |_| {
        let total = summary.read().rows.last().cloned().unwrap_or_default();
        *shape.get().rate(&total)
    });
    let part = Memo::new(move |_| app.run.current.with(Run::part));
    let others = move || {
        let total = summary.read().rows.last().cloned().unwrap_or_default();
        shape
            .get()
            .secondary()
            .map(|metric| {
                view! {
                    <div>
                        <dt class="label" title=terms::metric_meaning(metric, texts::current())>{translated(metric.title())}</dt>
                        <dd class="num" data-test=format!("headline-{}", metric.key())>{format::whole(metric.rate(&total), texts::current())}</dd>
                    </div>
                }
            })
            .collect_view()
    };
    let abilities = move || {
        let rows = summary.get().rows;
        let own = rows.into_iter().filter(|row| row.ability.is_some());
        own.map(|row| view! { <AbilityFigure rate=*shape.get().rate(&row) row/> }).collect_view()
    };
    view! {
        <div class="headline panel" data-test="headline">
            <div class="headline-total">
                <span class="label">{move || translated(shape.get().correct())}</span>
                <p class:headline-part=move || part.get().is_some()>
                    <span class="figure num" data-test="headline-score">{move || format::percent(&score.get())}</span>
                    {move || part.get().map(samples_of)}
                </p>
                <span class="num" data-test="headline-likely">
                    {move || words::likely(&summary.read(), texts::current())}
                </span>
                <span class="quiet num">
                    {move || t!(
                        "n = {n}, 95 % interval {interval} %",
                        n = format::count(score.get().n),
                        interval = format::interval(&score.get())
                    )}
                </span>
                <Show when=move || part.get().is_some()
                    fallback=|| view! { <a href=Route::Leaderboard.href()>{t!("Compare with the leaderboard")}</a> }>
                    <Incomplete app/>
                </Show>
            </div>
            <ul class="headline-abilities">{abilities}</ul>
            <Show when=move || part.get().is_none()><Meaning app summary/></Show>
            <dl class="headline-rates">{others}</dl>
            <CommonErrors app summary/>
        </div>
    }
}

/// How many of the planned samples the figure rests on.
fn samples_of((done, all): (usize, usize)) -> impl IntoView {
    let text = t!("{n} of {all} samples", n = format::count(done), all = format::count(all));
    view! { " " <span class="quiet num" data-test="headline-samples">{text}</span> }
}

/// Says that an incomplete run is no result, and resumes it if the browser stores it.
#[component]
fn Incomplete(app: App) -> impl IntoView {
    let is_stored = move || app.run.current.with(|run| run.id.is_some());
    let resume = move |_| {
        app.resume_shown(app.run.current.with_untracked(|run| run.stopped.is_some()));
    };
    view! {
        <p class="quiet" data-test="headline-incomplete">{t!("Not a result: the run is incomplete.")}</p>
        <Show when=is_stored>
            <button type="button" class="button button-small" data-test="headline-resume"
                on:click=resume>{t!("Resume")}</button>
        </Show>
    }
}

#[component]
fn AbilityFigure(row: AbilityRow, rate: Rate) -> impl IntoView {
    let share =
        rate.value().map(|value| format!("{:.1}", 100.0 * value)).unwrap_or_else(|| "0".to_owned());
    view! {
        <li>
            <span class="label">{row.ability.map(|ability| translated(ability.title()))}</span>
            <span class="headline-figure num">{format::percent(&rate)}</span>
            <svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                <rect class="bar-rest" width="100" height="8"/>
                <rect class="bar-right" width=share height="8"/>
            </svg>
            <span class="quiet num">"n = "{format::count(rate.n)}</span>
        </li>
    }
}

/// The most common error classes, each with its first sample.
#[component]
fn CommonErrors(app: App, summary: Memo<Summary>) -> impl IntoView {
    let classes = Memo::new(move |_| {
        let mut errors = summary.read().rows.last().map(words::commonest).unwrap_or_default();
        errors.truncate(CLASSES);
        errors
    });
    let restrained =
        Memo::new(move |_| summary.read().rows.last().is_some_and(|row| row.restraint.n > 0));
    let rows = move || {
        let of = |(class, count)| view! { <CommonError app class count/> };
        classes.get().into_iter().map(of).collect_view()
    };
    view! {
        <Show when=move || !classes.read().is_empty()>
            <div class="headline-errors">
                <h3>
                    {t!("Commonest errors")}
                    <Show when=move || restrained.get()>
                        " " <span class="quiet">{t!("at calls and no-call steps")}</span>
                    </Show>
                </h3>
                <ol>{rows}</ol>
            </div>
        </Show>
    }
}

#[component]
fn CommonError(app: App, class: ErrorClass, count: usize) -> impl IntoView {
    let example = app.run.current.with_untracked(|run| {
        let profile = app.run.profile.get_untracked();
        words::example(&run.samples, profile, class).map(|sample| {
            let expected = format::one_line(&expected(sample), EXAMPLE);
            let received = format::one_line(&received(sample), EXAMPLE);
            (sample.id.clone(), run.route_of(&sample.id).href(), expected, received)
        })
    });
    let example = example.map(|(id, href, expected, received)| {
        view! {
            <p class="headline-example">
                <code>{received}</code>
                <span class="quiet">{t!("expected")} " " <code>{expected}</code></span>
                <a href=href>{id}</a>
            </p>
        }
    });
    let list = move |_| list_only(app, Filter::of_class(class));
    view! {
        <li>
            <button type="button" class="link" data-test="headline-error" on:click=list
                title=terms::class_meaning(class, texts::current())>{terms::class(class, texts::current())}</button>
            " " <span class="quiet num">{format::count(count)}</span>
            {example}
        </li>
    }
}
