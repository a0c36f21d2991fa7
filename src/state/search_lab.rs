//! The Search lab's state, made on first use: its code is in the lazy-loaded module.

use crate::session::SearchLab;
use leptos::prelude::*;

/// The Search lab.
#[derive(Clone, Copy)]
pub struct LabState {
    signal: StoredValue<Option<RwSignal<SearchLab>>>,
    /// The app's owner: the state outlives the page.
    owner: StoredValue<Owner>,
}

impl LabState {
    pub(super) fn new() -> Self {
        LabState {
            signal: StoredValue::new(None),
            owner: StoredValue::new(Owner::current().unwrap_or_default()),
        }
    }

    /// The state. Only the lazy-loaded module may call it by name.
    pub(crate) fn signal(self) -> RwSignal<SearchLab> {
        if let Some(known) = self.signal.get_value() {
            return known;
        }
        let signal = self.owner.get_value().with(|| RwSignal::new(SearchLab::default()));
        self.signal.set_value(Some(signal));
        signal
    }
}
