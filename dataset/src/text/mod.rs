//! English text for the checks of dialogues. No verdict on an answer rests on it.

pub mod calendar;
pub mod light;
pub mod numbers;
pub mod overlap;

pub use apis::text::{fold, words};
