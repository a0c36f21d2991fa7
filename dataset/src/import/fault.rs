//! A fault of a file.

/// The line, if known, and what was expected.
pub(super) type Fault = (Option<usize>, String);
