//! Before requests leave: where they go, who said so, and which key goes along. Runs, reruns, the test of
//! a connection, the Demo and the Generate page all come through here.

use super::App;
use crate::platform::page;
use crate::session::Source;
use leptos::prelude::*;
use provider::{ApiKey, Endpoint, Origin};
use record::Model;

/// Where the keys stand for this tab, if the user wants that.
pub(super) const KEYS: &str = "api-bank.keys";
/// Where earlier versions kept one key, without its origin.
const KEY_WITHOUT_ORIGIN: &str = "api-bank.key";

/// What the user is asked before requests leave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Where they would go.
    pub origin: Origin,
    /// Who names it.
    pub source: Source,
}

/// What happens once the user agrees.
pub(super) type Deed = Box<dyn FnOnce()>;

impl App {
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

    /// Who names the endpoint of the form.
    pub fn source_of_form(self) -> Source {
        self.form.with_untracked(|form| {
            let linked = !form.linked_address.is_empty() && form.linked_address == form.address;
            if linked { Source::Link } else { Source::Form }
        })
    }

    /// Does something that sends requests to a model: at once, or when the user has agreed to the host.
    pub fn once_agreed(self, model: &Model, source: Source, deed: impl FnOnce() + 'static) {
        match model {
            Model::Endpoint(endpoint) => self.once_agreed_to(endpoint, source, deed),
            Model::Builtin { .. } => deed(),
        }
    }

    /// The same for an endpoint.
    pub fn once_agreed_to(
        self,
        endpoint: &Endpoint,
        source: Source,
        deed: impl FnOnce() + 'static,
    ) {
        let origin = match endpoint.origin() {
            Ok(origin) => origin,
            Err(failure) => return self.notice.set(Some(failure.message)),
        };
        if self.keys.with_untracked(|keys| keys.must_ask(&origin, source)) {
            self.deed.set_value(Some(Box::new(deed)));
            self.question.set(Some(Question { origin, source }));
        } else {
            self.keys.update(|keys| keys.agree(origin));
            deed();
        }
    }

    /// The user's answer to the question that is open.
    pub fn answer_question(self, agrees: bool) {
        let question = self.question.try_update(Option::take).flatten();
        let deed = self.deed.try_update_value(Option::take).flatten();
        let (Some(question), Some(deed), true) = (question, deed, agrees) else { return };
        self.keys.update(|keys| keys.agree(question.origin));
        if question.source == Source::Link {
            self.form.update(|form| form.linked_address.clear());
        }
        deed();
    }

    /// Keeps the keys for this tab, or forgets them there.
    pub(super) fn store_keys(self) {
        page::keep_for_tab(KEYS, self.keys.with(|keys| keys.stored()).as_deref());
        page::keep_for_tab(KEY_WITHOUT_ORIGIN, None);
    }
}
