//! State of writing tasks for own tools: a fold of the worker's progress.

use super::generation;
use crate::messages::own_tools::TasksProgress;
use crate::texts::Texts;
use generator::{Spent, Stop};

/// The most rejections that the page lists.
const SHOWN: usize = 50;

/// The current or last writing of tasks.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Writing {
    /// Whether it is under way.
    pub active: bool,
    /// The number of tasks asked for.
    pub wanted: usize,
    /// Tasks accepted by the tester.
    pub accepted: usize,
    /// Requests and tokens.
    pub spent: Spent,
    /// Why answers were rejected, the latest first.
    pub refused: Vec<String>,
    /// How it ended.
    pub ending: Option<Result<Stop, String>>,
}

impl Writing {
    /// Starts.
    pub fn begin(&mut self, wanted: usize) {
        *self = Writing { active: true, wanted, ..Writing::default() };
    }

    /// Applies an answer's progress.
    pub fn fold(&mut self, progress: &TasksProgress) {
        self.accepted = progress.accepted;
        self.spent = progress.spent;
        if let Some(reason) = &progress.refused {
            self.refused.insert(0, reason.clone());
            self.refused.truncate(SHOWN);
        }
    }

    /// Ends.
    pub fn end(&mut self, ending: Result<Stop, String>) {
        self.active = false;
        self.ending = Some(ending);
    }

    /// How it ended, in a sentence.
    pub fn ending_text(&self, texts: Texts) -> Option<String> {
        match self.ending.as_ref()? {
            Ok(stop) => Some(generation::stop_text(stop, texts)),
            Err(reason) => Some(reason.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use generator::End;

    #[test]
    fn answers_are_counted_and_the_latest_rejection_comes_first() {
        let mut writing = Writing::default();
        writing.begin(3);
        let progress = |accepted, refused: Option<&str>| TasksProgress {
            accepted,
            spent: Spent { requests: 4, ..Spent::default() },
            pack: None,
            refused: refused.map(str::to_owned),
        };
        for (accepted, refused) in [(1, None), (1, Some("a")), (2, Some("b"))] {
            writing.fold(&progress(accepted, refused));
        }
        assert!(writing.active && writing.ending_text(Texts::ENGLISH).is_none());
        assert_eq!((writing.accepted, writing.spent.requests), (2, 4));
        assert_eq!(writing.refused, ["b", "a"]);
        writing.end(Ok(Stop::Ended(End::Finished { given_up: 0 })));
        assert_eq!(writing.ending_text(Texts::ENGLISH).as_deref(), Some("Finished."));
        assert!(!writing.active);
    }
}
