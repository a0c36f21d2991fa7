//! A file that a link names: fetched only after a question.

use super::Mine;
use crate::components::fetch_question::FetchQuestion;
use crate::messages::own_tools::ReadOwnTools;
use crate::platform::download;
use crate::session::Route;
use crate::session::file_address::FileAddress;
use crate::state::go;
use crate::t;
use crate::texts;
use dataset::own_tools::Limits;
use futures::channel::oneshot;
use leptos::prelude::*;
use leptos::task::spawn_local;

/// The question, then the fetch.
#[component]
pub(super) fn Linked(
    mine: Mine,
    /// The file's address, as the link has it.
    file: String,
) -> impl IntoView {
    let stop = StoredValue::new_local(None::<oneshot::Sender<()>>);
    on_cleanup(move || {
        stop.try_update_value(|sender| *sender = None);
    });
    let is_fetched = RwSignal::new(false);
    let start = move |address: FileAddress| {
        let (sender, stopped) = oneshot::channel::<()>();
        stop.set_value(Some(sender));
        is_fetched.set(true);
        spawn_local(async move {
            let stopped = async move {
                let _ = stopped.await;
            };
            let came = download::load(&address.url, Limits::BYTES as u64, stopped, |_| ()).await;
            // Cancelled: the page is closed.
            if came.is_some() {
                is_fetched.set(false);
            }
            match came {
                None => {}
                Some(Ok(bytes)) => {
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    let name = address.name.split('.').next().unwrap_or_default().to_owned();
                    // Remove the file from the address, so that a reload doesn't ask again.
                    mine.ask(ReadOwnTools { text, name }, || go(&Route::Tools(String::new())));
                }
                Some(Err(reason)) => mine.trouble.set(Some(reason)),
            }
        });
    };
    let cancel = || go(&Route::Tools(String::new()));
    let has_pack = move || mine.pack.with(Option::is_some);
    view! {
        <section class="panel stack" aria-labelledby="tools-linked">
            <h2 id="tools-linked">{t!("A file from a link")}</h2>
            <Show when=has_pack>
                <p class="warn">{t!("It replaces the tools and tasks below. Save them first.")}</p>
            </Show>
            {match FileAddress::read(&file, texts::current()) {
                Err(wrong) => view! { <p class="field-error" role="alert" data-test="tools-linked-wrong">{wrong}</p> }.into_any(),
                Ok(address) => (move || if is_fetched.get() {
                    view! { <p role="status">{t!("Fetching {name}…", name = address.name.clone())}</p> }.into_any()
                } else {
                    view! { <FetchQuestion address=address.clone() test="tools-linked" start cancel/> }.into_any()
                })
                .into_any(),
            }}
        </section>
    }
}
