//! Form field: the size of a run, with samples, time and cost.

use super::estimate::{counted, forecast, usual_samples};
use crate::session::{Amount, Choice, format};
use crate::state::{App, Latest, use_app};
use crate::t;
use crate::texts;
use leptos::prelude::*;
use record::RunSize;

/// A card per size; the settings offer other amounts.
#[component]
pub fn SizeChoice() -> impl IntoView {
    let app = use_app();
    let cards = Amount::SIZES.map(|size| view! { <SizeCard app size/> });
    view! {
        <fieldset class="choices sizes">
            <legend>{t!("Size")}</legend>
            {cards.into_iter().collect_view()}
        </fieldset>
    }
}

#[component]
fn SizeCard(app: App, size: Amount) -> impl IntoView {
    let checked = move || app.setup.form.with(|form| form.amount == size);
    let count = counted(app, Some(size));
    view! {
        <label class="card" class:card-picked=checked>
            <input type="radio" name="size" data-test=format!("size-{}", size.as_str()) prop:checked=checked
                on:change=move |_| app.setup.form.update(|form| form.choose_amount(size))/>
            <span>
                <span class="card-title">{size.title(texts::current())}</span>
                <span class="card-text">{size.share(texts::current())}</span>
                <span class="card-text num" data-test=format!("size-{}-takes", size.as_str())
                    data-counted=move || matches!(count.get(), Some(Ok(_))).then_some("")>
                    {move || takes(app, size, count)}
                </span>
            </span>
        </label>
    }
}

/// Samples, plus time and cost if known. Never empty, to avoid layout shift.
fn takes(app: App, size: Amount, count: Latest<RunSize>) -> String {
    let texts = texts::current();
    let Some(Ok(count)) = count.get() else {
        return usual_samples(app, size)
            .map_or_else(|| "\u{a0}".to_owned(), |n| t!("{n} samples", n = format::count(n)));
    };
    let mut parts = vec![t!("{n} samples", n = format::count(count.samples))];
    let choice = app.setup.form.with(|form| form.choice);
    if matches!(choice, Choice::Endpoint | Choice::InPage) {
        let forecast = forecast(app, &count);
        parts.extend(forecast.time_ms.map(|ms| format::about(ms, texts)));
        parts
            .extend(forecast.cost.map(|cost| t!("cost about {cost}", cost = format!("{cost:.2}"))));
    }
    parts.join(" · ")
}
