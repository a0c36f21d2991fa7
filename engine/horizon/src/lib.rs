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
mod rows;
mod sentences;
mod shape;
mod task;
#[cfg(test)]
mod tests;

use apis::World;
use apis::store::hex;
use dataset::{Manifest, Pack, TaskId, Tier};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use task::Task;

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

/// The tasks of a seed.
#[derive(Debug)]
pub struct Tasks {
    /// A pack with the tasks in place of dialogues, by tier, level and number. Its digest covers theirs
    /// and the built-in pack's.
    pub pack: Pack,
    /// The databases of each task, by id: those of the built-in pack and its own rows. So a task runs as
    /// fast as if there were no others.
    pub worlds: BTreeMap<String, World>,
}

/// Generates all tasks of a seed; `base` is the built-in pack.
///
/// # Errors
/// If `base` has a row with the key of a generated one. The built-in pack has none.
pub fn tasks(seed: u32, base: Pack) -> Result<Tasks, Error> {
    let mut hash = Sha256::new();
    hash.update(&base.digest);
    let (mut dialogues, mut worlds) = (Vec::new(), BTreeMap::new());
    for tier in Tier::ALL {
        for task in task::of_tier(seed, tier, &base.world)? {
            let Task { dialogue, world: rows, .. } = task;
            hash.update(&dialogue.id);
            hash.update(dialogue.to_file());
            hash.update(rows.digest());
            hash.update(serde_json::to_vec(rows.script.events()).map_err(Error::Data)?);
            let mut world = base.world.clone();
            task::add_rows(&rows, &mut world)?;
            worlds.insert(dialogue.id.clone(), world);
            dialogues.push(dialogue);
        }
    }
    let manifest = Manifest { horizon: Some(seed), ..base.manifest };
    let digest = hex(&hash.finalize());
    let pack = Pack {
        manifest,
        world: base.world,
        dialogues,
        hard: Vec::new(),
        digest,
        imported: None,
        tools: None,
    };
    Ok(Tasks { pack, worlds })
}
