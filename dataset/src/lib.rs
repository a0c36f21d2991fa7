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
mod hard_index;
pub mod import;
mod pack;
pub mod random;
pub mod statistics;

pub use ability::Ability;
pub use apis::text;
pub use dialogue::{Dialogue, RecordedCall, Turn};
pub use error::PackError;
pub use hard::{Expect, Hard, HardKind, PlantedCall, Split};
pub use hard_index::INDEX as HARD_INDEX;
pub use pack::{Manifest, Pack, Source};

/// Files of the project's own pack: path below `dataset/`, minified text.
static FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/pack.rs"));
/// The digest that [`Pack::load`] takes of them: taking it here would cost as long as reading them.
const DIGEST: &str = include_str!(concat!(env!("OUT_DIR"), "/digest.txt"));

/// The project's own pack, embedded at build time.
///
/// # Errors
/// Never for a build whose tests pass: they load it.
pub fn builtin() -> Result<Pack, PackError> {
    Pack::load_known(FILES, DIGEST.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_digest_is_that_of_the_files() -> Result<(), PackError> {
        assert_eq!(builtin()?.digest, Pack::load(FILES.iter().copied())?.digest);
        Ok(())
    }
}
