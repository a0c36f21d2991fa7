//! The models that this browser keeps: load, delete, keep another.

use super::choose_model::choose_kept;
use crate::components::confirm::Confirm;
use crate::messages::Count;
use crate::messages::in_page::ModelDescription;
use crate::messages::kept_models::{
    DeleteKept, KeepModel, KeptModel, ListKept, Space, StopKeeping,
};
use crate::platform::page;
use crate::session::{Kept, format};
use crate::state::{App, use_app};
use crate::t;
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

/// The list; empty until there is a model.
#[component]
pub fn KeptModels() -> impl IntoView {
    let app = use_app();
    spawn_local(async move {
        let list = app.ask(ListKept {}).await;
        // A browser that keeps no files says so when it is asked to keep one.
        if list.is_ok() {
            app.kept.update(|kept| kept.listed(list));
        }
    });
    let models = Memo::new(move |_| {
        app.kept.with(|kept| kept.list.as_ref().map(|list| list.models.clone()).unwrap_or_default())
    });
    let space = move || app.kept.with(|kept| kept.list.as_ref().and_then(|list| list.space));
    let failure = move || app.kept.with(|kept| kept.failure.clone());
    view! {
        <Show when=move || models.with(|all| !all.is_empty())>
            <section class="in-page-kept" aria-labelledby="in-page-kept-title">
                <h3 id="in-page-kept-title">{t!("Kept in this browser")}</h3>
                <ul data-test="in-page-kept">
                    <For each=move || models.get() key=|model| model.id().to_owned()
                        children=move |model| view! { <KeptEntry app model/> }/>
                </ul>
                <p class="hint" data-test="in-page-space">{move || space().map(|space| space_text(&space))}</p>
            </section>
        </Show>
        <p class="field-error" role="alert" data-test="in-page-kept-failure"
            hidden=move || failure().is_none()>{failure}</p>
    }
}

fn space_text(space: &Space) -> String {
    let (used, quota) = (format::size(space.used), format::size(space.quota));
    match space.is_persistent {
        true => t!("This site uses {used} of {quota}.", used = used, quota = quota),
        false => t!(
            "This site uses {used} of {quota}. The browser may delete models when the disk is nearly full.",
            used = used,
            quota = quota
        ),
    }
}

#[component]
fn KeptEntry(app: App, model: KeptModel) -> impl IntoView {
    let busy = move || {
        app.run.current.with(|run| run.phase.is_active())
            || app.in_page.with(|in_page| in_page.step.is_some())
    };
    let (name, size) = (model.name.clone(), format::size(model.bytes()));
    let kind = [Some(model.architecture.clone()), model.quantization.clone(), Some(size.clone())];
    let kind = kind.into_iter().flatten().collect::<Vec<_>>().join(" · ");
    let question = t!("Delete {name}, {size}?", name = name.clone(), size = size);
    let (id, gone) = (model.id().to_owned(), model.id().to_owned());
    view! {
        <li class="in-page-kept-model" data-test="in-page-kept-model">
            <span>
                <span class="card-title">{name.clone()}</span>
                <span class="quiet num">{kind}</span>
            </span>
            <span class="actions">
                <button type="button" class="button button-small" data-test="in-page-kept-load"
                    aria-label=t!("Load {name}", name = name) disabled=busy
                    on:click=move |_| choose_kept(app, id.clone())>{t!("Load")}</button>
                <Confirm label=t!("Delete") question=Signal::derive(move || question.clone())
                    yes=t!("Delete") test="in-page-kept-delete" act=move || delete(app, gone.clone())/>
            </span>
        </li>
    }
}

fn delete(app: App, id: String) {
    spawn_local(async move {
        let list = app.ask(DeleteKept { id: id.clone() }).await;
        let is_chosen = app.in_page.with_untracked(|in_page| in_page.kept.as_ref() == Some(&id));
        if list.is_ok() && is_chosen {
            app.setup.form.update(|form| form.loaded = None);
            app.in_page.update(|in_page| *in_page = in_page.none());
        }
        app.kept.update(|kept| kept.listed(list));
    });
}

/// Keeps the described model; or says that it is kept.
#[component]
pub fn KeepButton(app: App, all: ModelDescription) -> impl IntoView {
    let writing = Memo::new(move |_| app.kept.with(|kept| kept.writing.is_some()));
    let digests = Memo::new(move |_| app.in_page.with(|in_page| in_page.digests.clone()));
    let is_kept = Memo::new(move |_| {
        digests
            .with(|all| all.as_ref().is_some_and(|all| app.kept.with(|it| it.find(all).is_some())))
    });
    let size = format::size(all.model.size());
    let hint = move || {
        let space = app.kept.with(|kept| kept.list.as_ref().and_then(|list| list.space));
        space.map(|space| {
            let left = format::size(space.left());
            t!(
                "Takes {size} of {left} that this browser has left for the site.",
                size = size.clone(),
                left = left
            )
        })
    };
    let hint = StoredValue::new(hint);
    view! {
        <div class="in-page-keep">
            {move || match (writing.get(), digests.with(Option::is_some), is_kept.get()) {
                (true, ..) => view! { <Writing app/> }.into_any(),
                (false, _, true) => {
                    view! { <p class="quiet" role="status" data-test="in-page-is-kept">{t!("Kept in this browser")}</p> }
                        .into_any()
                }
                (false, true, false) => view! {
                    <button type="button" class="button button-small" data-test="in-page-keep"
                        aria-describedby="in-page-keep-said" on:click=move |_| keep(app)>
                        {t!("Keep in this browser")}
                    </button>
                    <p class="hint" id="in-page-keep-said">{move || hint.with_value(|hint| hint())}</p>
                }.into_any(),
                (false, false, false) => ().into_any(),
            }}
        </div>
    }
}

fn keep(app: App) {
    // Without persistent storage, a browser may evict data when space runs out.
    page::ask_to_keep();
    app.kept.update(Kept::begin);
    spawn_local(async move {
        let written = move |Count { done, of }| app.kept.update(|kept| kept.progress(done, of));
        let list = app.follow(KeepModel {}, None, written).await;
        app.kept.update(|kept| kept.stored(list));
    });
}

/// The progress of writing.
#[component]
fn Writing(app: App) -> impl IntoView {
    let bytes = Memo::new(move |_| app.kept.with(|kept| kept.writing.unwrap_or_default()));
    let stop = move |_| {
        app.send(StopKeeping {});
    };
    view! {
        <div class="importing">
            <p role="status" data-test="in-page-writing">{t!("Copying the model into this browser…")}</p>
            <progress max=move || bytes.get().1.max(1).to_string() value=move || bytes.get().0.to_string()
                aria-label=t!("Bytes written")></progress>
            <button type="button" class="button button-stop" data-test="in-page-keep-cancel"
                on:click=stop>{t!("Cancel")}</button>
        </div>
    }
}
