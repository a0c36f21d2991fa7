//! The pages, one file or folder each.

mod apis;
mod audit;
mod claim;
mod compare;
mod data;
mod dataset;
mod demo;
mod endpoints;
mod generate;
mod leaderboard;
mod method;
mod own_tools;
mod play;
mod records;
pub mod run;
mod sample;
mod search_lab;
mod verify;

use crate::session::Route;
use crate::state::App;
use crate::t;
use leptos::prelude::*;

/// The page of a route. Run is in the first WebAssembly file; the others are lazy-loaded.
pub fn at(app: App, route: Route) -> AnyView {
    match route {
        Route::Run | Route::Fill(_) => view! { <run::RunPage/> }.into_any(),
        Route::Results => view! { <run::RunPage to_results=true/> }.into_any(),
        route => (move || match app.lazy.module.get() {
            Some(lazy) => (lazy.page)(&route),
            None => {
                view! { <p class="empty waiting" role="status">{t!("Loading…")}</p> }.into_any()
            }
        })
        .into_any(),
    }
}

/// A lazy-loaded page.
pub fn show(route: &Route) -> AnyView {
    match route {
        Route::Run | Route::Fill(_) | Route::Results => ().into_any(),
        Route::Shared(query) => view! { <claim::SharedPage query=query.clone()/> }.into_any(),
        Route::Records => view! { <records::RecordsPage/> }.into_any(),
        Route::Verify => view! { <verify::VerifyPage/> }.into_any(),
        Route::Sample { run, id } => {
            view! { <sample::SamplePage run=run.clone() id=id.clone()/> }.into_any()
        }
        Route::Data => view! { <data::DataPage/> }.into_any(),
        Route::Audit => view! { <audit::AuditPage/> }.into_any(),
        Route::Apis => view! { <apis::ApisPage/> }.into_any(),
        Route::Api(suite, name) => {
            view! { <apis::ApiPage suite=*suite name=name.clone()/> }.into_any()
        }
        Route::Compare => view! { <compare::ComparePage/> }.into_any(),
        Route::Endpoints => view! { <endpoints::EndpointsPage/> }.into_any(),
        Route::Leaderboard => view! { <leaderboard::LeaderboardPage/> }.into_any(),
        Route::Demo(dialogue) => view! { <demo::DemoPage dialogue=dialogue.clone()/> }.into_any(),
        Route::Play(query) => view! { <play::PlayPage query=query.clone()/> }.into_any(),
        Route::Dataset(filter) => {
            view! { <dataset::DatasetPage filter=filter.clone()/> }.into_any()
        }
        Route::Dialogue(id) => view! { <dataset::DialoguePage id=id.clone()/> }.into_any(),
        Route::Generate => view! { <generate::GeneratePage/> }.into_any(),
        Route::SearchLab => view! { <search_lab::SearchLabPage/> }.into_any(),
        Route::Tools(file) => view! { <own_tools::ToolsPage file=file.clone()/> }.into_any(),
        Route::Method => view! { <method::MethodPage/> }.into_any(),
        Route::Unknown(path) => view! {
            <h1>{t!("Page not found")}</h1>
            <p>{t!("No such page: ")} <code>{path.clone()}</code> ". " <a href=Route::Run.href()>{t!("Back to Run")}</a></p>
        }
        .into_any(),
    }
}
