//! Before requests leave: where they go, who said so, and which key goes along. Runs, reruns, the test of
//! a connection, the Demo and the Generate page all come through here.

use super::App;
use crate::platform::page;
use crate::session::keys::HostQuestion;
use crate::session::{Keys, Source};
use leptos::prelude::*;
use provider::{ApiKey, Endpoint};
use record::Model;

/// Where the keys stand for this tab, if the user wants that.
const KEYS: &str = "api-bank.keys";
/// Where earlier versions kept one key, without its origin.
const KEY_WITHOUT_ORIGIN: &str = "api-bank.key";

type OnAgreed = Box<dyn FnOnce()>;

/// Keys, and the question before requests leave.
#[derive(Clone, Copy)]
pub struct SendingState {
    /// Keys by origin: in memory, and for this tab where the user asks for that.
    pub keys: RwSignal<Keys>,
    /// What the user is asked before requests leave.
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

    /// Keeps the keys for this tab, or forgets them there.
    pub(super) fn store_changes(self) {
        Effect::new(move || {
            page::keep_for_tab(KEYS, self.keys.with(|keys| keys.stored()).as_deref());
            page::keep_for_tab(KEY_WITHOUT_ORIGIN, None);
        });
    }

    /// The key for a model, if it is an endpoint's and one was entered for its origin.
    pub fn key_for(self, model: &Model) -> Option<ApiKey> {
        match model {
            Model::Endpoint(endpoint) => self.keys.with_untracked(|keys| keys.key_for(endpoint)),
            Model::Builtin { .. } => None,
        }
    }

    /// Whether nothing is wrong with what was typed as the key for a model.
    pub fn key_is_usable(self, model: &Model) -> bool {
        let Model::Endpoint(endpoint) = model else { return true };
        let origin = endpoint.origin();
        origin.is_ok_and(|it| self.keys.with_untracked(|keys| keys.problem(&it).is_none()))
    }
}

impl App {
    /// Calls `send`, which sends requests to a model: at once, or when the user has agreed to the host.
    pub fn once_agreed(self, model: &Model, source: Source, send: impl FnOnce() + 'static) {
        match model {
            Model::Endpoint(endpoint) => self.once_agreed_to(endpoint, source, send),
            Model::Builtin { .. } => send(),
        }
    }

    /// The same for an endpoint.
    pub fn once_agreed_to(
        self,
        endpoint: &Endpoint,
        source: Source,
        send: impl FnOnce() + 'static,
    ) {
        let origin = match endpoint.origin() {
            Ok(origin) => origin,
            Err(failure) => return self.ui.notify(failure.message),
        };
        let SendingState { keys, question, on_agreed } = self.sending;
        if keys.with_untracked(|keys| keys.must_ask(&origin, source)) {
            on_agreed.set_value(Some(Box::new(send)));
            question.set(Some(HostQuestion { origin, source }));
        } else {
            keys.update(|keys| keys.agree(origin));
            send();
        }
    }

    /// The user's answer to the question that is open.
    pub fn answer_question(self, agrees: bool) {
        let question = self.sending.question.try_update(Option::take).flatten();
        let send = self.sending.on_agreed.try_update_value(Option::take).flatten();
        let (Some(question), Some(send), true) = (question, send, agrees) else { return };
        self.sending.keys.update(|keys| keys.agree(question.origin));
        if question.source == Source::Link {
            self.setup.form.update(|form| form.linked_address.clear());
        }
        send();
    }
}
