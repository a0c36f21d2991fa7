//! Sizes of the original benchmark, for comparison.
//!
//! Source: API-Bank (Li et al., EMNLP 2023, arXiv 2304.08244), counted over the dialogues that its
//! authors released.

use crate::ability::Ability;

/// The source of the figures, in one line.
pub const SOURCE: &str =
    "API-Bank (Li et al., EMNLP 2023, arXiv 2304.08244), counted over the released dialogues";

/// APIs of both suites, without API Search.
pub const APIS: usize = 73;

/// The size of one ability in the original.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Dialogues.
    pub dialogues: usize,
    /// Calls, including searches.
    pub calls: usize,
}

/// The original's total size.
pub fn total() -> Size {
    Ability::ALL.into_iter().map(size).fold(Size { dialogues: 0, calls: 0 }, |sum, it| Size {
        dialogues: sum.dialogues + it.dialogues,
        calls: sum.calls + it.calls,
    })
}

/// The original's size by ability.
pub const fn size(ability: Ability) -> Size {
    match ability {
        Ability::Call => Size { dialogues: 214, calls: 389 },
        Ability::Retrieve => Size { dialogues: 50, calls: 119 },
        Ability::Plan => Size { dialogues: 50, calls: 245 },
    }
}
