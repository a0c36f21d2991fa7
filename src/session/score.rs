//! What a score means: its place among other models, a sentence in words, the next step, and a card
//! to pass on.

pub mod card;
pub mod scale;
pub mod words;
