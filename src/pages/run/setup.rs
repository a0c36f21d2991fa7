//! The run form: model, size, settings and buttons. During and after a run, the fields collapse to
//! one line.

use super::estimate::EstimateLine;
use super::field::Problems;
use super::model::ModelChoice;
use super::settings::Settings;
use super::size::SizeChoice;
use crate::platform::{fetch, page};
use crate::session::field::{FieldName, Problem};
use crate::session::{Choice, Form, Phase, form_address};
use crate::state::{App, use_app};
use crate::t;
use crate::texts;
use leptos::prelude::*;

/// The form.
#[component]
pub fn Setup() -> impl IntoView {
    let app = use_app();
    let attempted = RwSignal::new(false);
    let problems: Problems = Memo::new(move |_| {
        let found =
            app.setup.form.with(|form| form.settings(&fetch::origin(), texts::current()).err());
        if attempted.get() { found.unwrap_or_default() } else { Vec::new() }
    });
    let idle = Memo::new(move |_| app.run.current.with(|run| run.phase == Phase::Idle));
    let active = Memo::new(move |_| app.run.current.with(|run| run.phase.is_active()));
    let open = RwSignal::new(idle.get_untracked());
    // Collapse when a run starts; expand when there is none.
    Effect::new(move || open.set(idle.get()));
    let settings_open = RwSignal::new(false);
    let run = move |_| {
        let started = app.start_run();
        attempted.set(!started);
        if !started {
            open.set(true);
            settings_open
                .update(|on| *on |= problems.with_untracked(|all| all.iter().any(in_settings)));
        }
    };
    view! {
        <form class="panel setup" aria-label=t!("Run settings") class:setup-folded=move || !open.get()
            on:submit=|event| event.prevent_default()>
            <details class="setup-fields" prop:open=move || open.get()
                on:toggle=move |event| open.set(page::is_open(&event))>
                // Gone rather than invisible: an invisible one takes the focus, and Enter closes the form.
                <summary hidden=move || idle.get() data-test="setup-summary">
                    {move || app.setup.form.with(summary)}
                </summary>
                <div class="setup-body">
                    <ModelChoice problems attempted/>
                    <SizeChoice/>
                    <Settings problems open=settings_open/>
                </div>
            </details>
            <div class="actions">
                {move || {
                    app.run.take_focus(".setup > .actions button");
                    if active.get() {
                        return view! { <Controls app/> }.into_any();
                    }
                    let text = move || if idle.get() { t!("Run") } else { t!("Run again") };
                    view! {
                        <button type="button" class="button button-primary" data-test="run-button"
                            on:click=run>{text}</button>
                    }.into_any()
                }}
                <Show when=move || open.get()><EstimateLine problems/></Show>
            </div>
        </form>
    }
}

/// Whether the field is in Settings. The endpoint's fields and the prices are outside.
const fn in_settings(problem: &Problem) -> bool {
    !matches!(
        problem.field,
        FieldName::Address | FieldName::Model | FieldName::PromptPrice | FieldName::AnswerPrice
    )
}

/// The form in one line: model, size, protocol, and non-default settings.
fn summary(form: &Form) -> String {
    let texts = texts::current();
    let model = match form.choice {
        Choice::Endpoint if !form.model.trim().is_empty() => form.model.trim(),
        Choice::InPage if form.loaded.is_some() => {
            form.loaded.as_ref().map_or("", |loaded| &loaded.name)
        }
        choice => choice.title(texts),
    };
    let mut parts = vec![model.to_owned(), form.amount.title(texts).to_owned()];
    parts.push(form.run_protocol().as_str().to_owned());
    let differences =
        form_address::differences(form).into_iter().filter(|(name, _)| *name != "protocol");
    parts.extend(differences.map(|(name, value)| format!("{name} {value}")));
    parts.join(" · ")
}

/// Pause and cancel.
#[component]
fn Controls(app: App) -> impl IntoView {
    let phase = Memo::new(move |_| app.run.current.with(|run| run.phase));
    let paused = move || phase.get() == Phase::Paused;
    view! {
        <button type="button" class="button button-stop" data-test="cancel-button"
            on:click=move |_| app.cancel_run()>{t!("Cancel")}</button>
        <button type="button" class="button button-large" data-test="pause-button"
            disabled=move || phase.get() == Phase::Loading
            on:click=move |_| app.pause(!paused())>
            {move || if paused() { t!("Resume") } else { t!("Pause") }}
        </button>
    }
}
