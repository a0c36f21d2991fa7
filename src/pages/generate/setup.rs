//! The form: targets, budget, endpoint and buttons.

use super::follow;
use crate::components::confirm::Confirm;
use crate::messages::Cancel;
use crate::messages::generate::Generate;
use crate::pages::run::agents_model::{AgentsModel, with_agents_model};
use crate::session::generation::{Phase, Plan};
use crate::state::{App, use_app};
use crate::t;
use crate::texts;
use leptos::prelude::*;

/// The form.
#[component]
pub fn Setup() -> impl IntoView {
    let app = use_app();
    let attempted = RwSignal::new(false);
    let wrong = move || {
        attempted
            .get()
            .then(|| app.generation.plan.with(|plan| plan.settings(texts::current()).err()))
            .flatten()
    };
    view! {
        <form class="panel setup" aria-label=t!("Generation settings") on:submit=|event| event.prevent_default()>
            <fieldset class="group">
                <legend>{t!("Targets")}</legend>
                <div class="field-row">
                    <Number label=t!("Call") test="target-call" get=|it| &it.call set=|it, text| it.call = text/>
                    <Number label=t!("Retrieve+Call") test="target-retrieve" get=|it| &it.retrieve
                        set=|it, text| it.retrieve = text/>
                    <Number label=t!("Plan+Retrieve+Call") test="target-plan" get=|it| &it.plan
                        set=|it, text| it.plan = text/>
                </div>
                <div class="field-row">
                    <Number label=t!("Domains") test="target-domains" get=|it| &it.domains
                        set=|it, text| it.domains = text/>
                    <Number label=t!("APIs") test="target-apis" get=|it| &it.apis set=|it, text| it.apis = text/>
                    <Number label=t!("Seed") test="target-seed" get=|it| &it.seed set=|it, text| it.seed = text/>
                </div>
                <button type="button" class="button button-small" data-test="paper-size"
                    on:click=move |_| app.generation.plan.update(Plan::of_paper)>{t!("Use the paper's size")}</button>
            </fieldset>
            <fieldset class="group">
                <legend>{t!("Budget")}</legend>
                <div class="field-row">
                    <Number label=t!("Requests") test="limit-requests" get=|it| &it.requests
                        set=|it, text| it.requests = text/>
                    <Number label=t!("Tokens") test="limit-tokens" get=|it| &it.tokens
                        set=|it, text| it.tokens = text/>
                    <Number label=t!("Money") test="limit-money" get=|it| &it.money set=|it, text| it.money = text/>
                </div>
                <div class="field-row">
                    <Number label=t!("Price per million prompt tokens") test="price-prompt"
                        get=|it| &it.prompt_price set=|it, text| it.prompt_price = text/>
                    <Number label=t!("Price per million answer tokens") test="price-answer"
                        get=|it| &it.completion_price set=|it, text| it.completion_price = text/>
                </div>
                <p class="hint">{t!("Generation stops at the first limit reached. Empty means no limit.")}</p>
            </fieldset>
            <AgentsModel attempted/>
            <p class="hint">{t!("Uses the model of the Run page. A temperature of 0 becomes 0.9, and the token limit is at least 4096.")}</p>
            <p class="field-error" role="alert" data-test="plan-problem" hidden=move || wrong().is_none()>{wrong}</p>
            <Buttons attempted/>
        </form>
    }
}

/// A number field.
#[component]
fn Number(
    label: &'static str,
    test: &'static str,
    get: fn(&Plan) -> &String,
    set: fn(&mut Plan, String),
) -> impl IntoView {
    let app = use_app();
    view! {
        <label class="field">
            <span class="label">{label}</span>
            <input type="text" inputmode="decimal" autocomplete="off" data-test=test
                prop:value=move || app.generation.plan.with(|plan| get(plan).clone())
                on:input=move |event| {
                    let text = event_target_value(&event);
                    app.generation.plan.update(|plan| set(plan, text));
                }/>
        </label>
    }
}

/// Starts or resumes; does nothing while a field is invalid.
fn begin(app: App, resume: bool) {
    let settings = app.generation.plan.with_untracked(|plan| plan.settings(texts::current()));
    let Ok(settings) = settings else { return };
    with_agents_model(app, move |asking, key| {
        app.generation.current.update(|current| current.begin());
        follow(app, Generate { settings, asking, key, resume });
    });
}

/// Start or resume, pause, cancel.
#[component]
fn Buttons(attempted: RwSignal<bool>) -> impl IntoView {
    let app = use_app();
    let press = move |resume: bool| {
        attempted.set(true);
        begin(app, resume);
    };
    let state = Memo::new(move |_| {
        app.generation.current.with(|it| (it.phase, it.settings.is_some(), it.can_go_on()))
    });
    view! {
        <div class="actions">
            {move || {
                let (phase, kept, can_go_on) = state.get();
                if phase.is_active() {
                    active(app, phase).into_any()
                } else if kept {
                    view! {
                        {can_go_on.then(|| view! {
                            <button type="button" class="button button-primary" data-test="generate-resume"
                                on:click=move |_| press(true)>{t!("Continue")}</button>
                        })}
                        <Confirm label=t!("Start over") question=Signal::derive(|| t!("Discard generated data?").to_owned())
                            yes=t!("Discard and start") test="generate-anew" act=move || press(false)/>
                    }.into_any()
                } else {
                    view! {
                        <button type="button" class="button button-primary" data-test="generate-start"
                            on:click=move |_| press(false)>{t!("Start")}</button>
                    }.into_any()
                }
            }}
            <p class="quiet">{t!("About three requests per dialogue, one per domain.")}</p>
        </div>
    }
}

fn active(app: App, phase: Phase) -> impl IntoView {
    let paused = phase == Phase::Paused;
    view! {
        <button type="button" class="button" data-test="generate-pause" disabled=phase == Phase::Preparing
            on:click=move |_| app.pause(!paused)>
            {if paused { t!("Continue") } else { t!("Pause") }}
        </button>
        <button type="button" class="button button-stop" data-test="generate-cancel"
            on:click=move |_| app.send(Cancel {})>{t!("Cancel")}</button>
    }
}
