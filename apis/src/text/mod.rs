//! Text: folding for comparisons, words and stems.

pub mod fold;
pub mod words;
