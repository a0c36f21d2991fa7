//! The frame around every page, and the page's entry point.

mod shell;

use crate::components::language::LanguagePicker;
use crate::lazy;
use crate::pages;
use crate::platform::{language, page};
use crate::session::Run;
use crate::state::App;
use crate::t;
use crate::texts::{self, Language};
use leptos::prelude::*;
use leptos::{ev, html};
use shell::{Header, Troubles};

/// Mounts the app in the reader's language.
pub fn start() {
    // Leptos has no executor before the app is mounted.
    wasm_bindgen_futures::spawn_local(async {
        let mut spoken = language::preferred();
        let trouble = language::speak(spoken).await.err();
        if trouble.is_some() {
            spoken = Language::English;
        }
        page::remove("boot");
        leptos::mount::mount_to_body(move || view! { <Frame language=spoken trouble/> });
    });
}

/// The whole app.
#[component]
fn Frame(
    /// The language.
    language: Language,
    /// Why it is not the requested one.
    trouble: Option<String>,
) -> impl IntoView {
    let app = App::new(language);
    app.ui.notice.set(trouble);
    provide_context(app);
    app.follow_address();
    let main = NodeRef::<html::Main>::new();
    let moved = window_event_listener(ev::hashchange, move |_| {
        app.follow_address();
        // Move the focus, so that screen readers announce the new page and the keyboard starts at
        // its top.
        if let Some(main) = main.get_untracked() {
            let _ = main.focus();
        }
        window().scroll_to_with_x_and_y(0.0, 0.0);
    });
    on_cleanup(move || moved.remove());
    let leaving = window_event_listener(ev::beforeunload, move |event| {
        if app.run.current.with_untracked(Run::is_at_risk) {
            event.prevent_default();
            // Older browsers require a text, but none shows it.
            event.set_return_value("not kept");
        }
    });
    on_cleanup(move || leaving.remove());
    app.store_changes();
    app.refresh_runs();
    // The first paint is on the screen after the second frame.
    request_animation_frame(move || request_animation_frame(move || lazy::load(app)));
    Effect::new(move || {
        app.ui.language.track();
        document()
            .set_title(&format!("{} · API-Bank", app.ui.route.read().title(texts::current())));
    });
    let skip = move |event: ev::MouseEvent| {
        event.prevent_default();
        if let Some(main) = main.get_untracked() {
            let _ = main.focus();
        }
    };
    let embedded = page::is_embedded();
    let framed = Memo::new(move |_| !(embedded && app.ui.route.read().is_embeddable()));
    // Rerender on a change of language; input and progress are in the state.
    move || {
        app.ui.language.track();
        view! {
            <a class="skip" href="#main" on:click=skip>{t!("Skip to the content")}</a>
            {move || framed.get().then(|| view! { <Header app/> })}
            <main id="main" class="main" tabindex="-1" node_ref=main>
                <Troubles app/>
                {move || pages::at(app, app.ui.route.get())}
            </main>
            {move || app.lazy.module.get().map(|lazy| (lazy.send_question)())}
            {move || framed.get().then(footer)}
        }
    }
}

fn footer() -> impl IntoView {
    view! {
        <footer class="footer">
            <span>"API-Bank " {env!("CARGO_PKG_VERSION")}</span>
            <span>{t!("Everything runs in this browser. Only the endpoint you choose gets requests.")}</span>
            <LanguagePicker/>
        </footer>
    }
}
