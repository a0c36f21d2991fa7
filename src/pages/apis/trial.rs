//! A form that calls an API on scratch databases.

use crate::components::effect_view::effect_view;
use crate::messages::ResetWorld;
use crate::messages::request::Call;
use crate::session::Engine;
use crate::session::arguments;
use crate::state::{Latest, use_app};
use crate::t;
use apis::{Api, Param};
use leptos::prelude::*;
use leptos::task::spawn_local;
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
    let is_reset = RwSignal::new(false);
    let run = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let arguments = Value::Object(arguments::read(api, &fields.get_untracked())).to_string();
        let suite = api.suite.as_str().to_owned();
        effect.ask(app, Call { suite, api: api.name.to_owned(), arguments });
    };
    let reset = move |_| {
        effect.clear();
        let reset = app.ask(ResetWorld {});
        spawn_local(async move {
            match reset.await {
                // The reader may have left the page.
                Ok(()) => drop(is_reset.try_set(true)),
                Err(message) => app.ui.notify(message),
            }
        });
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
                        {move || (is_reset.get() && !effect.is_asked()).then(|| t!("Databases reset."))}
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
