//! English text: words, numbers, dates, shared phrases and statements.
//!
//! Shared by the match rules, the pack's checks and the checks of generated dialogues.

pub mod calendar;
pub mod fold;
pub mod numbers;
pub mod overlap;
pub mod statement;
mod thesaurus;
pub mod words;
