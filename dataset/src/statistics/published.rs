//! Sizes of the original benchmark, to stand beside a pack's own.
//!
//! Source: API-Bank (Li et al., EMNLP 2023, arXiv 2304.08244), counted anew over the dialogues
//! that its authors released.

use crate::ability::Ability;

/// Where the figures come from, in one line.
pub const SOURCE: &str =
    "API-Bank (Li et al., EMNLP 2023, arXiv 2304.08244), counted over the released dialogues";

/// APIs of both suites, API Search not counted.
pub const APIS: usize = 73;

/// The size of one ability in the original.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Dialogues.
    pub dialogues: usize,
    /// Calls, searches included.
    pub calls: usize,
}

/// The original's size, all abilities together.
pub fn total() -> Size {
    Ability::ALL.into_iter().map(size).fold(Size { dialogues: 0, calls: 0 }, |sum, it| Size {
        dialogues: sum.dialogues + it.dialogues,
        calls: sum.calls + it.calls,
    })
}

/// The original's size of an ability.
pub const fn size(ability: Ability) -> Size {
    match ability {
        Ability::Call => Size { dialogues: 214, calls: 389 },
        Ability::Retrieve => Size { dialogues: 50, calls: 119 },
        Ability::Plan => Size { dialogues: 50, calls: 245 },
    }
}
