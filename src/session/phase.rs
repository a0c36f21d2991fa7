//! Where a run stands.

use crate::t;
use crate::texts::Texts;

/// Where a run stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Phase {
    /// None was started.
    #[default]
    Idle,
    /// The worker gets ready.
    Loading,
    /// Samples come in.
    Running,
    /// Nothing new is sent until the user lets it go on.
    Paused,
    /// All samples are there.
    Finished,
    /// Stopped by the user; what was done is there.
    Cancelled,
    /// It could not start, or the worker broke down.
    Failed,
}

impl Phase {
    /// The identifier in the page.
    pub const fn as_str(self) -> &'static str {
        match self {
            Phase::Idle => "Idle",
            Phase::Loading => "Loading",
            Phase::Running => "Running",
            Phase::Paused => "Paused",
            Phase::Finished => "Finished",
            Phase::Cancelled => "Cancelled",
            Phase::Failed => "Failed",
        }
    }

    /// The word on the page.
    pub fn title(self, texts: Texts) -> &'static str {
        match self {
            Phase::Idle => t!(texts, "Idle"),
            Phase::Loading => t!(texts, "Loading"),
            Phase::Running => t!(texts, "Running"),
            Phase::Paused => t!(texts, "Paused"),
            Phase::Finished => t!(texts, "Finished"),
            Phase::Cancelled => t!(texts, "Cancelled"),
            Phase::Failed => t!(texts, "Failed"),
        }
    }

    /// Whether something goes on that can be cancelled.
    pub const fn is_active(self) -> bool {
        matches!(self, Phase::Loading | Phase::Running | Phase::Paused)
    }
}
