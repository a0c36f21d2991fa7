//! `#/dataset`: statistics, the list of dialogues, and single dialogues.

mod dialogue;
mod list;
mod statistics;

pub use dialogue::DialoguePage;

use crate::messages::browse::{DatasetOverview, Overview};
use crate::session::DatasetFilter;
use crate::session::Engine;
use crate::session::format;
use crate::state::{App, use_app};
use crate::t;
use leptos::prelude::*;
use leptos::task::spawn_local;

/// The page with statistics and list.
#[component]
pub fn DatasetPage(
    /// The filter in the address.
    filter: DatasetFilter,
) -> impl IntoView {
    let app = use_app();
    app.data.browse.update(|browse| browse.filter = filter);
    load(app);
    let head =
        Memo::new(move |_| app.data.browse.with(|browse| browse.overview.as_ref().map(Head::of)));
    view! {
        <div class="intro">
            <h1>{t!("Dataset")}</h1>
            <p>{t!("The conversations on which the benchmark tests models, each with the right tool calls.")}</p>
        </div>
        {move || match head.get() {
            Some(head) => view! {
                {head.view()}
                <statistics::StatisticsPanel app/>
                <list::Dialogues app/>
                <p class="quiet">"SHA-256: " <code>{head.digest} "…"</code></p>
            }.into_any(),
            None => waiting(app).into_any(),
        }}
    }
}

/// Name, digest and number of corrections.
#[derive(Clone, PartialEq)]
struct Head {
    title: String,
    digest: String,
    own: bool,
    errata: usize,
}

impl Head {
    fn of(overview: &Overview) -> Self {
        Head {
            title: format!("{} {}", overview.name, overview.version),
            digest: overview.digest.chars().take(16).collect(),
            own: overview.own,
            errata: overview.errata,
        }
    }

    fn view(&self) -> impl IntoView + use<> {
        let own = self.own.then(|| {
            view! {
                <dt>{t!("Corrections")}</dt>
                <dd class="num" data-test="dataset-errata">{format::count(self.errata)}</dd>
            }
        });
        view! {
            <dl class="facts dataset-head">
                <dt>{t!("Data")}</dt><dd data-test="dataset-name">{self.title.clone()}</dd>
                {own}
            </dl>
        }
    }
}

/// Requests the overview on every visit, because the pack may have changed.
fn load(app: App) {
    let overview = app.ask(DatasetOverview {});
    spawn_local(async move {
        match overview.await {
            Ok(overview) => app.data.browse.update(|browse| {
                browse.overview = Some(overview);
                browse.trouble = None;
            }),
            Err(message) => app.data.browse.update(|browse| browse.trouble = Some(message)),
        }
    });
}

fn waiting(app: App) -> impl IntoView {
    let text = move || {
        let trouble = app.data.browse.with(|browse| browse.trouble.clone());
        trouble.unwrap_or_else(|| {
            match app.worker.engine.get() {
                Engine::Ready(_) => t!("Opening the data…"),
                Engine::Broken(_) => t!("The engine stopped."),
                _ => t!("Loading the data and the search model…"),
            }
            .to_owned()
        })
    };
    view! { <p class="empty waiting" role="status">{text}</p> }
}
