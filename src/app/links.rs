//! What the address asks for: a page, or a form that it fills in.

use super::App;
use crate::platform::{fetch, page};
use crate::session::fill::{Refused, fill};
use crate::session::{Choice, Form, Route};
use crate::texts;
use leptos::prelude::*;

/// What a link did to the form.
#[derive(Debug, Clone, PartialEq)]
pub struct FromLink {
    /// Names of the values that were taken.
    pub taken: Vec<&'static str>,
    /// What was left out.
    pub refused: Vec<Refused>,
    /// Where requests go now, for an endpoint.
    pub address: Option<String>,
    /// What the form held before.
    pub before: Form,
}

impl App {
    /// Goes where the address says.
    pub(super) fn arrive(self) {
        match Route::parse(&page::fragment()) {
            Route::Fill(query) => {
                // A reload must not undo what is typed from here on.
                page::replace_fragment(&Route::Run.href());
                self.fill(&query);
                self.route.set(Route::Run);
            }
            route => self.route.set(route),
        }
    }

    fn fill(self, query: &str) {
        let filled = fill(query, &fetch::origin(), texts::current());
        let before = self.form.get_untracked();
        let mut form = filled.form;
        // Prompts are work of the user's that no link holds.
        form.asking.edited.clone_from(&before.asking.edited);
        form.linked_address = if form.address == before.address {
            before.linked_address.clone()
        } else {
            form.address.clone()
        };
        let address = (form.choice == Choice::Endpoint).then(|| form.address.clone());
        let link = FromLink { taken: filled.taken, refused: filled.refused, address, before };
        self.form.set(form);
        self.from_link.set(Some(link));
    }

    /// Puts back what the form held before a link filled it in.
    pub fn undo_link(self) {
        if let Some(Some(link)) = self.from_link.try_update(Option::take) {
            self.form.set(link.before);
        }
    }
}
