//! The form of the Run page, as typed and as links fill it in.

use super::App;
use crate::platform::{fetch, page};
use crate::session::forecast::Measured;
use crate::session::link::{self, LinkReport};
use crate::session::{Form, Route};
use crate::texts;
use leptos::prelude::*;

/// Where the form is stored, without the key.
const FORM: &str = "api-bank.form";

/// The form of the Run page.
#[derive(Clone, Copy)]
pub struct SetupState {
    /// The form.
    pub form: RwSignal<Form>,
    /// What a link filled in.
    pub link: RwSignal<Option<LinkReport>>,
    /// How long an answer of the endpoint took in the last test of its connection.
    pub measured: RwSignal<Option<Measured>>,
}

impl SetupState {
    pub(super) fn new() -> Self {
        SetupState {
            form: RwSignal::new(page::stored(FORM).unwrap_or_default()),
            link: RwSignal::new(None),
            measured: RwSignal::new(None),
        }
    }

    pub(super) fn store_changes(self) {
        Effect::new(move || page::store(FORM, &*self.form.read()));
    }

    /// Puts back what the form held before a link filled it in.
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
    /// Goes where the address says.
    pub fn follow_address(self) {
        match Route::parse(&page::fragment()) {
            Route::Fill(query) => {
                // A reload must not undo what is typed from here on.
                page::replace_fragment(&Route::Run.href());
                self.setup.open_link(&query);
                self.ui.route.set(Route::Run);
            }
            route => self.ui.route.set(route),
        }
    }
}
