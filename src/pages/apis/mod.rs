//! The APIs pages: the pool by domain with its search, and one API.

mod api;
mod trial;

pub use api::ApiPage;

use crate::messages::{Search, SearchHit};
use crate::session::Engine;
use crate::session::{Route, format};
use crate::state::{App, Latest, use_app};
use crate::texts::translated;
use crate::{english, t};
use apis::{Api, Domain, Suite, registry};
use gloo_timers::callback::Timeout;
use leptos::prelude::*;

/// Debounce of the search field, in milliseconds.
const PAUSE_MS: u32 = 200;
/// Hits shown per suite.
const HITS: usize = 5;
const SUITES: [(Suite, &str); 2] =
    [(Suite::Dialogue, english!("Dialogue suite")), (Suite::Planning, english!("Planning suite"))];

/// API Search, and all APIs by domain.
#[component]
pub fn ApisPage() -> impl IntoView {
    let app = use_app();
    let count = registry::all().count();
    let domains = Domain::ALL.map(domain).into_iter().collect_view();
    view! {
        <div class="intro">
            <h1>{t!("APIs")}</h1>
            <p>{t!("The tools that models are tested with: {n} APIs on simulated databases. Pick one to read its documentation and try it out.", n = count)}</p>
        </div>
        <SearchBox app/>
        <div class="domains">{domains}</div>
    }
}

fn domain(domain: Domain) -> impl IntoView {
    let apis = registry::all().filter(|api| api.domain == domain);
    let items = apis.map(item).collect_view();
    view! {
        <section class="panel">
            <h2>{translated(domain.title())}</h2>
            <ul class="api-list">{items}</ul>
        </section>
    }
}

fn item(api: &'static Api) -> impl IntoView {
    let planning = (api.suite == Suite::Planning)
        .then(|| view! { " " <span class="tag">{t!("planning")}</span> });
    view! {
        <li data-test="api-item" data-name=api.name>
            <a href=href(api)>{api.name}</a>
            {planning}
            <span class="quiet">{api.description}</span>
        </li>
    }
}

/// The address of an API's page.
fn href(api: &Api) -> String {
    Route::Api(api.suite, api.name.to_owned()).href()
}

/// Search as you type: the same search that models use.
#[component]
fn SearchBox(app: App) -> impl IntoView {
    let keywords = RwSignal::new(String::new());
    let pending = StoredValue::new_local(None::<Timeout>);
    let found: [Latest<Vec<SearchHit>>; 2] = [Latest::new(), Latest::new()];
    let ask = move || {
        let text = keywords.get_untracked();
        for ((suite, _), found) in SUITES.into_iter().zip(found) {
            let suite = suite.as_str().to_owned();
            found.refresh(app, Search { suite, keywords: text.clone(), k: HITS });
        }
    };
    let typed = move |event| {
        keywords.set(event_target_value(&event));
        let blank = keywords.with_untracked(|text| text.trim().is_empty());
        // Setting the new timer drops the old one, which cancels it.
        pending.set_value((!blank).then(|| Timeout::new(PAUSE_MS, ask)));
    };
    let asked = move || !keywords.read().trim().is_empty();
    view! {
        <section class="panel" aria-labelledby="search-title">
            <label class="field">
                <span class="label" id="search-title">{t!("API Search, as models use it: top five by cosine similarity")}</span>
                <input type="search" data-test="api-search" placeholder=t!("e.g. wake me up tomorrow") on:input=typed/>
            </label>
            <Show when=asked>
                <div class="pair search-hits" role="status">
                    {SUITES.into_iter().zip(found).map(|((suite, title), found)| view! {
                        <div>
                            <h3>{translated(title)}</h3>
                            {move || found.with(|found| answer(app, suite, found))}
                        </div>
                    }).collect_view()}
                </div>
            </Show>
        </section>
    }
}

fn answer(app: App, suite: Suite, found: Option<&Result<Vec<SearchHit>, String>>) -> AnyView {
    match found {
        Some(Ok(hits)) => {
            let hits = hits.iter().map(|hit| hit_view(suite, hit)).collect_view();
            view! { <ol class="hits">{hits}</ol> }.into_any()
        }
        Some(Err(message)) => view! { <p class="field-error">{message.clone()}</p> }.into_any(),
        None => view! { <p class="quiet">{loading(&app.worker.engine.get())}</p> }.into_any(),
    }
}

/// The loading message.
fn loading(engine: &Engine) -> String {
    match engine {
        Engine::Loading(bytes) => {
            t!("Loading the search model, {size}", size = format::size(*bytes))
        }
        Engine::Ready(_) => t!("Searching…").to_owned(),
        _ => t!("Starting the engine…").to_owned(),
    }
}

fn hit_view(suite: Suite, hit: &SearchHit) -> impl IntoView + use<> {
    let href = Route::Api(suite, hit.name.clone()).href();
    view! {
        <li data-test="api-hit" data-name=hit.name.clone()>
            <a href=href>{hit.name.clone()}</a>
            <span class="num">{format!("{:.3}", hit.cosine)}</span>
        </li>
    }
}
