//! State of the Run page's form.

use super::App;
use crate::platform::{fetch, page};
use crate::session::forecast::Measured;
use crate::session::link::{self, LinkReport};
use crate::session::{Form, Route};
use crate::texts;
use leptos::prelude::*;
use record::EmbeddingModel;

/// Storage key of the form, which has no API key.
const FORM: &str = "api-bank.form";

/// The form of the Run page.
#[derive(Clone, Copy)]
pub struct SetupState {
    /// The form.
    pub form: RwSignal<Form>,
    /// The effect of the last link.
    pub link: RwSignal<Option<LinkReport>>,
    /// Latency measured by the last connection test.
    pub measured: RwSignal<Option<Measured>>,
    /// The user's embedding models that are loaded and can answer a run's searches.
    pub own_retrievers: RwSignal<Vec<EmbeddingModel>>,
}

impl SetupState {
    pub(super) fn new() -> Self {
        SetupState {
            form: RwSignal::new(page::stored(FORM).unwrap_or_default()),
            link: RwSignal::new(None),
            measured: RwSignal::new(None),
            own_retrievers: RwSignal::new(Vec::new()),
        }
    }

    pub(super) fn store_changes(self) {
        Effect::new(move || page::store(FORM, &*self.form.read()));
    }

    /// Takes a retriever off the list, and out of the form.
    pub fn forget_retriever(self, model: &EmbeddingModel) {
        self.own_retrievers.update(|list| list.retain(|kept| kept != model));
        let is_chosen = |form: &Form| form.asking.own_retriever.as_ref() == Some(model);
        if self.form.with_untracked(is_chosen) {
            self.form.update(|form| form.asking.own_retriever = None);
        }
    }

    /// The worker crashed: the models that it held are gone.
    pub fn lose_models(self) {
        self.own_retrievers.update(Vec::clear);
        self.form.update(|form| {
            form.loaded = None;
            form.asking.own_retriever = None;
        });
    }

    /// Restores the form from before the link.
    pub fn undo_link(self) {
        if let Some(Some(link)) = self.link.try_update(Option::take) {
            self.form.set(link.before);
        }
    }

    fn open_link(self, query: &str) {
        let before = self.form.get_untracked();
        let (form, report) = link::open(query, before, &fetch::origin(), texts::current());
        self.form.set(form);
        self.link.set(Some(report));
    }
}

impl App {
    /// Navigates to the address of the page.
    pub fn follow_address(self) {
        match Route::parse(&page::fragment()) {
            Route::Fill(query) => {
                // A reload must not overwrite later input with the link's values.
                page::replace_fragment(&Route::Run.href());
                self.setup.open_link(&query);
                self.ui.route.set(Route::Run);
            }
            route => self.ui.route.set(route),
        }
    }
}
