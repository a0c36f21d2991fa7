//! What the checks of the pack and of generated dialogues read out of English text.

pub mod calendar;
pub mod numbers;
pub mod overlap;
pub mod words;
