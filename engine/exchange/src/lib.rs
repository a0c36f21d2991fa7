//! Everything exchanged with a model: messages, tool calls, the call parser, protocols, prompts,
//! samples, answers, token usage.
//!
//! Must not know endpoints, verdicts or records.

mod answer;
pub mod call;
mod episode;
mod message;
pub mod protocol;
pub mod reasoning;
mod shared_text;
pub mod slots;
mod text;

pub use answer::{Answer, Usage};
pub use episode::{EpisodeCall, EpisodeEnd, EpisodeStep, Required, SampleTimes};
pub use text::shorten;
