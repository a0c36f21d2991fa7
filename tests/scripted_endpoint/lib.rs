//! A server for all wire formats with predetermined answers.
//!
//! Identifies a sample of the built-in pack by its prompt and answers according to a [`Script`]:
//! with the gold, wrong in a chosen way, or not at all. Listens only on the loopback interface. The
//! browser tests run it in-process; as a program, it is `scripted-endpoint`.
//!
//! - [`Gold`] has the prompts and the gold answers.
//! - [`Rule`] derives an answer from the gold one, with the expected score.
//! - [`Script`] gives each sample its rule.
//! - `wire` decodes prompts and encodes answers, whole or streamed, in every format.
//! - [`fault`] is a second server, with scripted network and protocol failures.
//! - [`ScriptedEndpoint`] serves, and records the requests.

mod agents;
pub mod fault;
mod gold;
mod own_agents;
mod rule;
mod script;
mod server;
mod wire;

pub use agents::{Agents, Fault};
pub use gold::{Gold, GoldSample};
pub use rule::{Expected, Rule};
pub use script::{Script, ScriptError};
pub use server::{Config, Mischief, ScriptedEndpoint, Seen, serve};
