//! The API key field. A typed key belongs to one origin and is never written back to the field.

use crate::state::use_app;
use crate::t;
use leptos::html;
use leptos::prelude::*;
use provider::Origin;

/// The key for an origin; disabled without one.
#[component]
pub fn KeyField(
    /// The origin of the current address; `None` while it is invalid.
    #[prop(into)]
    origin: Signal<Option<Origin>>,
    /// The `data-test` attribute.
    test: &'static str,
) -> impl IntoView {
    let app = use_app();
    let input = NodeRef::<html::Input>::new();
    Effect::new(move |before: Option<Option<Origin>>| {
        let now = origin.get();
        // Clear the field when the host changes: the key belongs to the previous one.
        if before.is_some_and(|before| before != now)
            && let Some(input) = input.get_untracked()
        {
            input.set_value("");
        }
        now
    });
    let of_origin = move |read: fn(&Origin) -> String| origin.with(|it| it.as_ref().map(read));
    let label = move || match of_origin(Origin::authority) {
        Some(host) => t!("API key for {host}", host = host),
        None => t!("API key").to_owned(),
    };
    let is_held = move || {
        origin.with(|it| it.as_ref().is_some_and(|it| app.sending.keys.read().has_key_for(it)))
    };
    let problem = move || {
        let found = |it: &Origin| app.sending.keys.read().problem(it).map(str::to_owned);
        origin.with(|origin| origin.as_ref().and_then(found))
    };
    let exposed = move || origin.with(|origin| origin.as_ref().is_some_and(Origin::is_exposed));
    let placeholder = move || if is_held() { t!("A key is stored for this host") } else { "" };
    let type_key = move |event| {
        let text = event_target_value(&event);
        if let Some(origin) = origin.get_untracked() {
            app.sending.keys.update(|keys| keys.enter(&origin, &text));
        }
    };
    let error = format!("error-{test}");
    let described = error.clone();
    view! {
        <div class="field">
            <label>
                <span class="label">{label}</span>
                <input type="password" autocomplete="off" spellcheck="false" data-test=test node_ref=input
                    placeholder=placeholder disabled=move || origin.with(Option::is_none)
                    aria-invalid=move || problem().is_some().then_some("true")
                    aria-describedby=move || problem().is_some().then(|| described.clone())
                    on:input=type_key/>
            </label>
            <p class="field-error" role="alert" id=error data-test=format!("{test}-problem") hidden=move || problem().is_none()>
                {move || problem().map(|reason| t!("API key: {reason}.", reason = reason))}
            </p>
            <p class="field-error" data-test="key-exposed" hidden=move || !exposed()>
                {t!("Plain http to a public host exposes the key and the prompts. Use https:// if the server \
                     supports it.")}
            </p>
        </div>
    }
}
