//! English text: words, numbers, dates, shared phrases, and what a statement says.
//!
//! The match rules, the checks of the pack and those of generated dialogues read text by this one
//! implementation.

pub mod calendar;
pub mod numbers;
pub mod overlap;
pub mod statement;
mod thesaurus;
pub mod words;
