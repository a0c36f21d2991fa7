//! The evaluation pack: databases and dialogues, and the loader that reads them.
//!
//! ```
//! let pack = dataset::builtin().expect("the embedded pack is valid");
//! assert!(pack.dialogues.iter().any(|dialogue| dialogue.ability == dataset::Ability::Plan));
//! ```

mod ability;
pub mod browse;
pub mod checks;
mod dialogue;
pub mod errata;
mod error;
mod hard;
pub mod import;
mod pack;
pub mod statistics;

pub use ability::Ability;
pub use dialogue::{Dialogue, RecordedCall, Turn};
pub use error::PackError;
pub use hard::{Expect, Hard, HardKind, INDEX as HARD_INDEX, PlantedCall, Split};
pub use pack::{Manifest, Pack, Source};

/// Files of the project's own pack: path below `dataset/`, minified text.
static FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/pack.rs"));

/// The project's own pack, embedded at build time.
///
/// # Errors
/// Never for a build whose tests pass: they load it.
pub fn builtin() -> Result<Pack, PackError> {
    Pack::load(FILES.iter().copied())
}
