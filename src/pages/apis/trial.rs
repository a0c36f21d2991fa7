//! A form that calls an API on scratch databases.

use crate::components::effect_view::effect_view;
use crate::protocol::Command;
use crate::protocol::request::Call;
use crate::session::Engine;
use crate::session::arguments;
use crate::state::{Latest, use_app};
use crate::t;
use apis::{Api, Param};
use leptos::prelude::*;
use serde_json::Value;

/// The form and the last call's effect.
#[component]
pub fn Trial(
    /// The API.
    api: &'static Api,
) -> impl IntoView {
    let app = use_app();
    let example = api.examples.first().map_or("{}", |example| example.arguments);
    let fields = RwSignal::new(arguments::fields(api, example));
    let effect = Latest::new();
    let run = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let arguments = Value::Object(arguments::read(api, &fields.get_untracked())).to_string();
        let suite = api.suite.as_str().to_owned();
        effect.ask(app, Call { suite, api: api.name.to_owned(), arguments });
    };
    let reset = move |_| {
        effect.clear();
        app.send(Command::ResetWorld);
    };
    let answer = move || {
        effect.is_asked().then(|| match effect.get() {
            Some(Ok(effect)) => effect_view(&effect, None).into_any(),
            Some(Err(message)) => view! { <p class="field-error">{message}</p> }.into_any(),
            None if matches!(app.worker.engine.get(), Engine::Ready(_)) => {
                view! { <p class="quiet">{t!("Calling…")}</p> }.into_any()
            }
            None => view! { <p class="quiet">{t!("Starting the engine…")}</p> }.into_any(),
        })
    };
    let inputs = api
        .params
        .iter()
        .enumerate()
        .map(|(index, param)| input(fields, index, param))
        .collect_view();
    view! {
        <section class="panel">
            <form class="endpoint" on:submit=run aria-label=t!("Try it out")>
                <h2>{t!("Try it out")}</h2>
                <p class="hint">{t!("Calls share a scratch copy of the databases.")}</p>
                {inputs}
                <div class="actions">
                    <button type="submit" class="button" data-test="api-run">{t!("Call {api}", api = api.name)}</button>
                    <button type="button" class="button" data-test="api-reset" on:click=reset>{t!("Reset databases")}</button>
                    <span class="quiet" role="status">
                        {move || (app.worker.resets.get() > 0 && !effect.is_asked()).then(|| t!("Databases reset."))}
                    </span>
                </div>
            </form>
            <div role="status" data-test="api-result">{answer}</div>
        </section>
    }
}

fn input(fields: RwSignal<Vec<String>>, index: usize, param: &'static Param) -> impl IntoView {
    let value = move || fields.with(|all| all.get(index).cloned().unwrap_or_default());
    view! {
        <label class="field">
            <span class="label">{param.name} {if param.required { "" } else { t!(" (optional)") }}</span>
            <input type="text" autocomplete="off" spellcheck="false" data-test=format!("api-param-{}", param.name)
                prop:value=value
                on:input=move |event| {
                    let text = event_target_value(&event);
                    fields.update(|all| {
                        if let Some(field) = all.get_mut(index) {
                            *field = text;
                        }
                    });
                }/>
        </label>
    }
}
