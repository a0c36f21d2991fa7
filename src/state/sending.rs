//! Checks before sending requests: the target, its source, and the key. Runs, reruns, the
//! connection test, the Demo and the Generate page all use it.

use super::App;
use crate::platform::page;
use crate::session::keys::{HostQuestion, Target};
use crate::session::{Keys, Source};
use leptos::prelude::*;
use provider::{ApiKey, Endpoint};
use record::Model;

/// Key of the tab's storage for API keys, if the user opts in.
const KEYS: &str = "api-bank.keys";
/// Storage key of earlier versions, for a key without its origin.
const KEY_WITHOUT_ORIGIN: &str = "api-bank.key";

type OnAgreed = Box<dyn FnOnce()>;

/// Keys, and the question before requests are sent.
#[derive(Clone, Copy)]
pub struct SendingState {
    /// Keys by origin: in memory, and in the tab's storage if the user opts in.
    pub keys: RwSignal<Keys>,
    /// The open question to the user.
    pub question: RwSignal<Option<HostQuestion>>,
    /// Sends the requests once the user agrees.
    on_agreed: StoredValue<Option<OnAgreed>, LocalStorage>,
}

impl SendingState {
    pub(super) fn new() -> Self {
        SendingState {
            keys: RwSignal::new(Keys::restore(page::of_tab(KEYS).as_deref())),
            question: RwSignal::new(None),
            on_agreed: StoredValue::new_local(None),
        }
    }

    /// Writes every change of the keys to the tab's storage, or removes them from it.
    pub(super) fn store_changes(self) {
        Effect::new(move || {
            page::keep_for_tab(KEYS, self.keys.with(|keys| keys.stored()).as_deref());
            page::keep_for_tab(KEY_WITHOUT_ORIGIN, None);
        });
    }

    /// The key for a model; `None` for built-in models and without a key for the origin.
    pub fn key_for(self, model: &Model) -> Option<ApiKey> {
        match model {
            Model::Endpoint(endpoint) => self.keys.with_untracked(|keys| keys.key_for(endpoint)),
            Model::Builtin { .. } | Model::Agent(_) => None,
        }
    }

    /// Whether the key typed for a model is valid.
    pub fn key_is_usable(self, model: &Model) -> bool {
        let Model::Endpoint(endpoint) = model else { return true };
        let origin = endpoint.origin();
        origin.is_ok_and(|it| self.keys.with_untracked(|keys| keys.problem(&it).is_none()))
    }
}

impl App {
    /// Calls `send`, which sends requests to a model, at once or after the user agrees to the target.
    pub fn once_agreed(self, model: &Model, source: Source, send: impl FnOnce() + 'static) {
        match model {
            Model::Endpoint(endpoint) => self.once_agreed_to(endpoint, source, send),
            Model::Builtin { .. } | Model::Agent(_) => send(),
        }
    }

    /// As [`App::once_agreed`], for an endpoint.
    pub fn once_agreed_to(
        self,
        endpoint: &Endpoint,
        source: Source,
        send: impl FnOnce() + 'static,
    ) {
        // Nothing is sent to a model in the page. The address decides: a record may name a model and
        // a host.
        if provider::is_in_page(&endpoint.base_url) {
            return send();
        }
        let target = match Target::of(endpoint) {
            Ok(target) => target,
            Err(failure) => return self.ui.notify(failure.message),
        };
        let SendingState { keys, question, on_agreed } = self.sending;
        if keys.with_untracked(|keys| keys.must_ask(&target, source)) {
            on_agreed.set_value(Some(Box::new(send)));
            question.set(Some(HostQuestion { target, source }));
        } else {
            keys.update(|keys| keys.agree(target));
            send();
        }
    }

    /// Handles the user's answer to the open question.
    pub fn answer_question(self, agrees: bool) {
        let question = self.sending.question.try_update(Option::take).flatten();
        let send = self.sending.on_agreed.try_update_value(Option::take).flatten();
        let (Some(question), Some(send), true) = (question, send, agrees) else { return };
        self.sending.keys.update(|keys| keys.agree(question.target));
        if question.source == Source::Link {
            self.setup.form.update(|form| form.linked_address.clear());
        }
        send();
    }
}
