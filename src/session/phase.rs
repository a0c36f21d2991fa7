//! Phase of a run.

use crate::t;
use crate::texts::Texts;
use strum::IntoStaticStr;

/// Phase of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[derive(IntoStaticStr)]
pub enum Phase {
    /// Not started.
    #[default]
    Idle,
    /// The worker is loading.
    Loading,
    /// Samples are arriving.
    Running,
    /// Paused by the user: no new requests are sent.
    Paused,
    /// All samples are done.
    Finished,
    /// Stopped by the user, or because nothing answered; finished samples are kept.
    Cancelled,
    /// It could not start, or the worker crashed.
    Failed,
}

impl Phase {
    /// The identifier in the page.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The label in the page.
    pub fn title(self, texts: Texts) -> &'static str {
        match self {
            Phase::Idle => t!(texts, "Idle"),
            Phase::Loading => t!(texts, "Loading"),
            Phase::Running => t!(texts, "Running"),
            Phase::Paused => t!(texts, "Paused"),
            Phase::Finished => t!(texts, "Finished"),
            Phase::Cancelled => t!(texts, "Stopped early"),
            Phase::Failed => t!(texts, "Failed"),
        }
    }

    /// Whether it can be cancelled.
    pub const fn is_active(self) -> bool {
        matches!(self, Phase::Loading | Phase::Running | Phase::Paused)
    }
}
