//! The Your tools page: from a list of tools to a pack that runs.

mod linked;
mod list;
mod source;
mod tasks;
mod write;

use crate::components::confirm::Confirm;
use crate::messages::own_tools::{KeepOwnTools, LastOwnTools, OwnToolsView};
use crate::messages::{MakeFile, Request, StoredPack};
use crate::platform::page;
use crate::session::Route;
use crate::state::{App, go, use_app};
use crate::t;
use leptos::prelude::*;
use leptos::task::spawn_local;

/// The page's state: the pack is the app's, so that it outlives a visit to another page.
#[derive(Clone, Copy)]
struct Mine {
    app: App,
    pack: RwSignal<Option<OwnToolsView>>,
    /// Why the last action failed.
    trouble: RwSignal<Option<String>>,
    busy: RwSignal<bool>,
}

impl Mine {
    /// Whether the pack can't be changed now.
    fn is_busy(self) -> bool {
        self.busy.get()
    }

    /// Shows the pack of the last visit, or forgets it.
    fn last(self, forget: bool) {
        let answer = self.app.ask(LastOwnTools { forget });
        spawn_local(async move {
            match answer.await {
                // Don't replace a pack that was read in the meantime.
                Ok(pack) if forget || self.pack.with_untracked(Option::is_none) => {
                    self.pack.set(pack);
                }
                Ok(_) => {}
                Err(reason) => self.trouble.set(Some(reason)),
            }
        });
    }

    /// Sends a request whose answer is the pack; `then` runs if it succeeds.
    fn ask<R: Request<Answer = OwnToolsView>>(self, request: R, then: impl FnOnce() + 'static) {
        self.busy.set(true);
        let answer = self.app.ask(request);
        spawn_local(async move {
            let answer = answer.await;
            self.busy.set(false);
            match answer {
                Ok(pack) => {
                    self.trouble.set(None);
                    self.pack.set(Some(pack));
                    then();
                }
                Err(reason) => self.trouble.set(Some(reason)),
            }
        });
    }

    /// Keeps the pack in this browser and chooses it for runs.
    fn keep(self) {
        page::ask_to_keep();
        self.busy.set(true);
        let answer = self.app.ask(KeepOwnTools {});
        spawn_local(async move {
            let answer: Result<StoredPack, String> = answer.await;
            self.busy.set(false);
            match answer {
                Ok(stored) => {
                    let digest = stored.digest.clone();
                    self.app.data.library.update(|library| library.add(stored));
                    self.app.choose_pack(Some(digest));
                    go(&Route::Run);
                }
                Err(reason) => self.trouble.set(Some(reason)),
            }
        });
    }
}

/// The page.
#[component]
pub fn ToolsPage(
    /// The address of a file that a link offers; empty without one.
    file: String,
) -> impl IntoView {
    let app = use_app();
    let (trouble, busy) = (RwSignal::new(None), RwSignal::new(false));
    let mine = Mine { app, pack: app.own_tools, trouble, busy };
    let is_read = Memo::new(move |_| mine.pack.with(Option::is_some));
    if mine.pack.with_untracked(Option::is_none) {
        mine.last(false);
    }
    view! {
        <div class="intro">
            <h1>{t!("Your tools")}</h1>
            <p>
                {t!("How well does a model use your tools? Add tools and tasks, then run any model.")}
                " " {t!("Calls return recorded results. Your tools are never called.")}
            </p>
        </div>
        {(!file.is_empty()).then(|| view! { <linked::Linked mine file/> })}
        // Reading other tools over a pack would lose its tasks.
        <Show when=move || !is_read.get()><source::Source mine/></Show>
        {move || trouble.get().map(|text| view! {
            <p class="panel connection-text bad" role="alert" data-test="tools-trouble">{text}</p>
        })}
        <Show when=move || is_read.get()>
            <list::Tools mine/>
            <tasks::Tasks mine/>
            <write::Write mine/>
            <Next mine/>
        </Show>
    }
}

/// What comes next: a run, or the file.
#[component]
fn Next(mine: Mine) -> impl IntoView {
    let is_empty = Memo::new(move |_| {
        mine.pack.with(|pack| pack.as_ref().is_none_or(|it| it.tasks.iter().all(|task| task.draft)))
    });
    view! {
        <section class="panel stack" aria-labelledby="tools-next">
            <h2 id="tools-next">{t!("Run")}</h2>
            <p class="hint">
                {move || match is_empty.get() {
                    true => t!("Add or accept a task first."),
                    false => t!("Keeps the pack in this browser and selects it on the Run page. To measure a changed description, rerun and compare both records."),
                }}
            </p>
            <div class="actions">
                <button type="button" class="button button-primary" data-test="tools-keep"
                    disabled=move || is_empty.get() || mine.is_busy() on:click=move |_| mine.keep()>
                    {t!("Choose for runs")}
                </button>
                <button type="button" class="button" data-test="tools-save"
                    on:click=move |_| mine.app.save(MakeFile::OwnTools)>{t!("Save the pack")}</button>
                <Confirm label=t!("Start over") question=Signal::derive(|| t!("Discard these tools and tasks?").to_owned())
                    yes=t!("Discard") test="tools-anew" act=move || mine.last(true)/>
            </div>
        </section>
    }
}
