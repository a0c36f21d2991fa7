//! A server of all five wire formats whose every answer is known beforehand.
//!
//! It recognises a sample of the built-in pack by its prompt and answers as a [`Script`] says:
//! with the gold, wrong in a chosen way, or not at all. It listens on the loopback interface
//! alone. The browser tests run it inside their own process, people run `scripted-endpoint`.
//!
//! - [`Gold`] knows prompts and gold answers.
//! - [`Rule`] makes an answer out of the gold one and says what a scorer has to think of it.
//! - [`Script`] gives each sample its rule.
//! - `wire` reads questions and writes answers, whole or streamed, in every format.
//! - [`fault`] is another server, one that fails by script on the way.
//! - [`ScriptedEndpoint`] serves, and remembers what it was asked.

mod agents;
pub mod fault;
mod gold;
mod rule;
mod script;
mod server;
mod wire;

pub use agents::{Agents, Fault};
pub use gold::{Gold, GoldSample};
pub use rule::{Expected, Rule};
pub use script::{Script, ScriptError};
pub use server::{Config, Mischief, ScriptedEndpoint, Seen, serve};
