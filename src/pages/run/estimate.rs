//! The estimate of a run: requests, tokens, time and cost.

use super::field::{Problems, TextField};
use crate::platform::fetch;
use crate::session::Engine;
use crate::session::field::FieldName;
use crate::session::forecast::Forecast;
use crate::session::in_page;
use crate::session::{Amount, Choice, Form, format};
use crate::state::{App, Latest, use_app};
use crate::t;
use crate::texts;
use leptos::leptos_dom::helpers::TimeoutHandle;
use leptos::prelude::*;
use record::options::CONCURRENCY;
use record::{RunSettings, RunSize};
use std::time::Duration;

/// Debounce of form changes.
const PAUSE: Duration = Duration::from_millis(300);

/// The estimate below the button.
#[component]
pub fn EstimateLine(
    /// Problems with the fields.
    problems: Problems,
) -> impl IntoView {
    let app = use_app();
    let count = counted(app, None);
    let prices_wrong = Memo::new(move |_| {
        let is_price = |field| matches!(field, FieldName::PromptPrice | FieldName::AnswerPrice);
        problems.read().iter().any(|problem| is_price(problem.field))
    });
    let is_endpoint = move || app.setup.form.with(|form| form.choice == Choice::Endpoint);
    let idle = move || matches!(app.worker.engine.get(), Engine::Off);
    view! {
        <div class="estimate" data-test="estimate">
            <p class="quiet">{move || meaning(app)}</p>
            {move || match count.get() {
                Some(Ok(count)) => sizes_view(app, count).into_any(),
                None => view! {
                    {usual_requests(app)}
                    {idle().then(|| view! {
                        <button type="button" class="button button-small" data-test="estimate-button"
                            on:click=move |_| app.start_worker()>{t!("Estimate requests, tokens and time")}</button>
                    })}
                }.into_any(),
                Some(Err(_)) => ().into_any(),
            }}
            <Show when=is_endpoint>
                <details class="prices" open=move || prices_wrong.get()>
                    <summary data-test="estimate-prices">{t!("Prices")}</summary>
                    <div class="field-row">
                        <TextField problems field=FieldName::PromptPrice test="estimate-prompt-price"
                            label=t!("Per million prompt tokens") input_mode="decimal"
                            get=|form| form.prices.prompt.clone()
                            set=|form, text| form.prices.prompt = text/>
                        <TextField problems field=FieldName::AnswerPrice test="estimate-answer-price"
                            label=t!("Per million answer tokens") input_mode="decimal"
                            get=|form| form.prices.answer.clone()
                            set=|form, text| form.prices.answer = text/>
                    </div>
                </details>
            </Show>
        </div>
    }
}

/// The requests of the form's size, before the engine counts them.
fn usual_requests(app: App) -> Option<impl IntoView + use<>> {
    let (choice, amount) = app.setup.form.with(|form| (form.choice, form.amount));
    let sends = matches!(choice, Choice::Endpoint | Choice::InPage);
    let requests = usual_samples(app, amount).filter(|_| sends)?;
    let text = t!("{n} requests.", n = format::count(requests));
    Some(view! { <p class="num" data-test="estimate-requests">{text}</p> })
}

/// The estimate for the form, or for the form with another size.
pub fn counted(app: App, size: Option<Amount>) -> Latest<RunSize> {
    let count = Latest::new();
    let settings = Memo::new(move |_| {
        app.setup.form.with(|form| match size {
            // Its tasks are generated first, which takes a while.
            Some(Amount::Horizon) if form.amount != Amount::Horizon => None,
            Some(size) => {
                let form = Form { amount: size, ..form.clone() };
                form.settings(&fetch::origin(), texts::current()).ok()
            }
            None => form.settings(&fetch::origin(), texts::current()).ok(),
        })
    });
    follow(app, settings, count);
    count
}

/// The samples of a size before the engine counts them, if no setting changes them.
pub fn usual_samples(app: App, size: Amount) -> Option<usize> {
    let is_builtin = app.data.library.with(|library| library.chosen.is_none());
    app.setup.form.with(|form| form.usual_samples(size)).filter(|_| is_builtin)
}

/// The forecast for the form's endpoint, concurrency and prices.
pub fn forecast(app: App, count: &RunSize) -> Forecast {
    app.setup.form.with(|form| {
        if form.choice == Choice::InPage {
            let speed = app.in_page.with(|it| it.loaded.as_ref().map(|model| model.speed));
            let time_ms = speed.and_then(|speed| in_page::duration_ms(count, speed));
            return Forecast { time_ms, ..Forecast::new(count, 1, None, None) };
        }
        let measured = app.setup.measured.get();
        let fits = measured
            .filter(|it| it.address == form.address.trim() && it.model == form.model.trim());
        let concurrency = form.option(&CONCURRENCY).trim().parse().unwrap_or(1);
        let prices = form.prices.read(&mut Vec::new(), texts::current());
        Forecast::new(count, concurrency, fits.map(|it| it.latency_ms), prices)
    })
}

/// Requests an estimate when the form changes and the worker is idle.
fn follow(app: App, settings: Memo<Option<RunSettings>>, count: Latest<RunSize>) {
    let free = Memo::new(move |_| {
        let data = match app.worker.engine.get() {
            Engine::Ready(pack) => Some(pack.digest),
            _ => None,
        };
        data.filter(|_| app.run.current.with(|run| !run.phase.is_active()))
    });
    let waiting = StoredValue::new(None::<TimeoutHandle>);
    let stop = move || {
        if let Some(Some(timer)) = waiting.try_update_value(Option::take) {
            timer.clear();
        }
    };
    Effect::new(move || {
        stop();
        let (Some(_), Some(settings)) = (free.get(), settings.get()) else {
            return count.clear();
        };
        let ask = move || app.estimate(settings, count);
        waiting.set_value(set_timeout_with_handle(ask, PAUSE).ok());
    });
    on_cleanup(stop);
}

/// The effect of the Run button.
fn meaning(app: App) -> &'static str {
    match app.setup.form.with(|form| (form.choice, form.run_protocol().is_agent())) {
        (Choice::Endpoint, true) => {
            t!("Sends your endpoint one request per model step.")
        }
        (Choice::Endpoint, false) => t!("Sends your endpoint one request per sample."),
        _ => t!("Runs in this browser and sends nothing."),
    }
}

fn sizes_view(app: App, count: RunSize) -> impl IntoView {
    let builtin = move || {
        let choice = app.setup.form.with(|form| form.choice);
        matches!(choice, Choice::KeywordBaseline | Choice::GoldReplay)
    };
    move || {
        if builtin() {
            let samples = t!("{n} samples.", n = format::count(count.samples));
            return view! {
                <p class="quiet num" data-test="estimate-size">{samples}</p>
                <p class="quiet num" data-test="estimate-difference">{shows(&count)}</p>
            }
            .into_any();
        }
        let forecast = forecast(app, &count);
        let agent = app.setup.form.with(|form| form.run_protocol().is_agent());
        let counted = if agent {
            t!(
                "Assumes 4 prompt characters per token, answers as long as the gold and the gold's path. \
                 Excludes reasoning."
            )
        } else {
            t!(
                "Assumes 4 prompt characters per token and answers as long as the gold. Excludes reasoning."
            )
        };
        let in_page = app.setup.form.with(|form| form.choice == Choice::InPage);
        let time = match forecast.time_ms {
            Some(ms) if in_page => t!(
                "Time: at most {time}. The engine does not read the beginning that a prompt shares with \
                 the one before.",
                time = format::about(ms, texts::current())
            ),
            None if in_page && app.in_page.with(|in_page| in_page.loaded.is_some()) => {
                t!("Time: unknown, because the browser doesn't tell how fast its model is.")
                    .to_owned()
            }
            None if in_page => t!("Time: unknown until the model is loaded.").to_owned(),
            Some(ms) => t!(
                "Time: {time}, if every answer takes as long as the slowest in the connection test.",
                time = format::about(ms, texts::current())
            ),
            None => t!("Time: unknown until you run Test connection.").to_owned(),
        };
        let cost = forecast.cost.map(|cost| {
            let cost = format!("{cost:.2}");
            let text = t!("Cost: about {cost}, in the currency of the prices.", cost = cost);
            view! { <p class="num" data-test="estimate-cost">{text}</p> }
        });
        view! {
            <p class="num" data-test="estimate-size">{t!("{size}.", size = forecast.size(texts::current()))}</p>
            <p class="num" data-test="estimate-time">{time}</p>
            {cost}
            <p class="num" data-test="estimate-difference">{shows(&count)}</p>
            <p class="hint">{counted}</p>
        }
        .into_any()
    }
}

/// The smallest difference that the run can show.
fn shows(count: &RunSize) -> String {
    let n = format::count(count.dialogues);
    match count.smallest_difference {
        Some(share) => t!(
            "Shows differences between models from about {points} points ({n} dialogues).",
            points = format!("{:.1}", 100.0 * share),
            n = n
        ),
        None => t!("Too small to show differences between models ({n} dialogues).", n = n),
    }
}
