//! Place, language, messages.

use crate::session::Route;
use crate::t;
use crate::texts::Language;
use leptos::prelude::*;

/// What concerns the page as a whole.
#[derive(Clone, Copy)]
pub struct UiState {
    /// The language of the page.
    pub language: RwSignal<Language>,
    /// The place.
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

    /// Says so when a file could not be saved.
    pub(super) fn saved(self, done: bool) {
        if !done {
            self.notify(t!("The browser blocked saving the file."));
        }
    }
}

/// Goes to a place.
pub fn go(route: &Route) {
    if let Err(error) = window().location().set_hash(&route.href()) {
        leptos::logging::error!("{error:?}");
    }
}
