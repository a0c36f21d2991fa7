//! The frame's parts: header, errors and messages.

use crate::components::theme::ThemePicker;
use crate::lazy;
use crate::platform::page;
use crate::session::Engine;
use crate::session::section::{Section, page_of};
use crate::session::{Phase, Route};
use crate::state::App;
use crate::t;
use crate::texts::{self, translated};
use leptos::html;
use leptos::prelude::*;

/// Navigation: the sections, and below them the pages of the current one.
#[component]
pub(super) fn Header(app: App) -> impl IntoView {
    let section = Memo::new(move |_| Section::of(&app.ui.route.read()));
    let links = Section::ALL.map(|it| view! { <li><SectionLink app section=it/></li> });
    let list = NodeRef::<html::Ul>::new();
    // On a phone the list scrolls.
    Effect::new(move || {
        section.track();
        if let Some(list) = list.get() {
            page::reveal_current(&list);
        }
    });
    view! {
        <header class="header">
            <a class="brand" href=Route::Run.href()>"API-Bank"</a>
            <nav class="nav-main" aria-label=t!("Main")>
                <ul class="nav" node_ref=list>{links.into_iter().collect_view()}</ul>
            </nav>
            <ThemePicker/>
            {move || section.get().map(|section| pages_of(app, section))}
        </header>
    }
}

/// A section is current on all of its pages, but the link's target is only one of them.
#[component]
fn SectionLink(app: App, section: Section) -> impl IntoView {
    let home = section.pages().into_iter().next().map(|(route, _)| route).unwrap_or_default();
    let href = home.href();
    let current = move || {
        let route = app.ui.route.read();
        if *route == home {
            return Some("page");
        }
        (Section::of(&route) == Some(section)).then_some("true")
    };
    view! { <a class="nav-link" href=href aria-current=current>{section.title(texts::current())}</a> }
}

/// The pages of a section; `None` if it has only one.
fn pages_of(app: App, section: Section) -> Option<impl IntoView> {
    let pages = section.pages();
    let link = move |(route, title): (Route, &'static str)| {
        let href = route.href();
        let current = move || match app.ui.route.read() {
            here if *here == route => Some("page"),
            here if page_of(&here) == route => Some("true"),
            _ => None,
        };
        view! { <li><a class="nav-link" href=href aria-current=current>{translated(title)}</a></li> }
    };
    (pages.len() > 1).then(|| {
        view! {
            <nav class="nav-section" aria-label=section.title(texts::current())>
                <ul class="nav">{pages.into_iter().map(link).collect_view()}</ul>
            </nav>
        }
    })
}

/// Shows load failures, a crashed worker, and notices.
#[component]
pub(super) fn Troubles(app: App) -> impl IntoView {
    let broken = move || match app.worker.engine.get() {
        Engine::Broken(message) => Some(message),
        _ => None,
    };
    let trouble = move || {
        broken().map(|message| {
            let lost = app.run.current.with(|run| run.phase == Phase::Failed && !run.samples.is_empty());
            view! {
                <section class="alert" role="alert">
                    <h2>{t!("The engine stopped")}</h2>
                    <pre class="alert-text" data-test="worker-error">{message}</pre>
                    <p>
                        {if lost { t!("Finished samples are still shown below. ") } else { "" }}
                        {t!("Restart the engine; if this happens again, include the text above in a bug report.")}
                    </p>
                    <button class="button" data-test="restart-worker" on:click=move |_| app.restart_worker()>
                        {t!("Restart")}
                    </button>
                </section>
            }
        })
    };
    let notice = move || {
        app.ui.notice.get().map(|text| {
            view! {
                <p class="notice" role="status">
                    {text}
                    <button class="button button-small" on:click=move |_| app.ui.notice.set(None)>{t!("Dismiss")}</button>
                </p>
            }
        })
    };
    let missing = move || {
        app.lazy.missing.get().then(|| {
            view! {
                <section class="alert" role="alert" data-test="later-missing">
                    <h2>{t!("Part of the page failed to load")}</h2>
                    <p>{t!("Check your connection; if this persists, the site is incomplete. Your input is kept.")}</p>
                    <button class="button" data-test="load-later" on:click=move |_| lazy::load(app)>
                        {t!("Reload")}
                    </button>
                </section>
            }
        })
    };
    view! { {missing} {trouble} {notice} }
}
