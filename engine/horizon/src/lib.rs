//! Generates horizon tasks: requirements whose shortest solution has 1 to 256 calls.
//!
//! A task is composed of typed chores. Each adds its rows to the task's world, makes its gold calls
//! there and states its wish; later chores may take what earlier ones find. The same seed gives the
//! same bytes everywhere, and a task depends on seed and id alone. Sums are told, not computed with a
//! tool: Calculator is in no shortest solution.

mod chores;
mod draft;
mod english;
mod names;
mod pack;
mod rows;
mod sentences;
mod shape;
mod task;
#[cfg(test)]
mod tests;

pub use pack::pack;

use apis::World;
use dataset::{Dialogue, TaskId, Tier};

/// Why no tasks were generated. The built-in data and databases cause none of these.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A data file is not valid.
    #[error("the generator's data: {0}")]
    Data(serde_json::Error),
    /// A sentence is missing or has an unknown slot.
    #[error("the generator's sentences: {0:?} is missing or has a slot without a value")]
    Sentence(String),
    /// A task needs more names than it has at its disposal.
    #[error("a task needs more names than data/names.json has")]
    Names,
    /// A day outside of June to December 2024.
    #[error("a task has a day outside of June to December 2024")]
    Day,
    /// No chores fit the level.
    #[error("{0}: no new combination of chores has so many calls")]
    Shape(TaskId),
    /// A gold call failed.
    #[error("the gold call {api} failed: {reason}")]
    Refused {
        /// The API.
        api: String,
        /// Its message.
        reason: String,
    },
    /// The databases already have a row with this key.
    #[error("the databases already have a row {0:?}; tasks need rows of their own")]
    Taken(String),
}

/// Generates all tasks of a seed, by tier, level and number, and adds their rows to a copy of the
/// databases.
///
/// # Errors
/// If `base` has a row with the key of a generated one. The built-in pack has none.
pub fn generate(seed: u32, base: &World) -> Result<(World, Vec<Dialogue>), Error> {
    let mut world = base.clone();
    let mut dialogues = Vec::new();
    for tier in Tier::ALL {
        for task in task::of_tier(seed, tier, base)? {
            task::add_rows(&task.world, &mut world)?;
            dialogues.push(task.dialogue);
        }
    }
    Ok((world, dialogues))
}
