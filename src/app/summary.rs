//! The numbers of the run, counted once for all who show them.

use super::App;
use leptos::prelude::*;
use record::Summary;

impl App {
    /// The numbers of the run under the profile that is shown.
    pub fn summary(self) -> Memo<Summary> {
        if let Some(known) = self.summary.get_value() {
            return known;
        }
        let count = move |_: Option<&Summary>| self.run.with(|run| run.summary(self.profile.get()));
        // It outlives whoever asks for it first.
        let owner = self.owner.get_value();
        let memo = owner.with(|| Memo::new(count));
        self.summary.set_value(Some(memo));
        memo
    }
}
