//! Route, language, messages.

use crate::platform::page;
use crate::session::Route;
use crate::session::one_page::OnePage;
use crate::t;
use crate::texts::Language;
use leptos::prelude::*;

/// State of the page as a whole.
#[derive(Clone, Copy)]
pub struct UiState {
    /// The language of the page.
    pub language: RwSignal<Language>,
    /// The current route.
    pub route: RwSignal<Route>,
    /// A passing message: a file that could not be saved, a refused command.
    pub notice: RwSignal<Option<String>>,
}

impl UiState {
    pub(super) fn new(language: Language) -> Self {
        UiState {
            language: RwSignal::new(language),
            route: RwSignal::new(Route::default()),
            notice: RwSignal::new(None),
        }
    }

    /// Shows a passing message.
    pub fn notify(self, message: impl Into<String>) {
        self.notice.set(Some(message.into()));
    }

    /// Offers a page as an HTML file to save.
    pub fn save_page(self, page: &OnePage) {
        self.saved(page::save_as(&page.file_name(), &page.html(), "text/html").is_ok());
    }

    /// Shows a message if saving a file failed.
    pub(super) fn saved(self, done: bool) {
        if !done {
            self.notify(t!("The browser blocked saving the file."));
        }
    }
}

/// Navigates to a route.
pub fn go(route: &Route) {
    if let Err(error) = window().location().set_hash(&route.href()) {
        leptos::logging::error!("{error:?}");
    }
}
