//! The evaluation pack: databases and dialogues, with their loader, importers and checks.
//!
//! ```
//! let pack = dataset::builtin().expect("the embedded pack is valid");
//! assert!(pack.dialogues.iter().any(|dialogue| dialogue.ability == dataset::Ability::Plan));
//! ```

mod ability;
pub mod browse;
pub mod checks;
pub mod declared;
mod dialogue;
mod edition;
pub mod encoding;
pub mod errata;
mod error;
mod hard;
mod hard_index;
pub mod horizon;
pub mod import;
mod language;
pub mod own_tools;
mod pack;
pub mod random;
pub mod searches;
pub mod statistics;
pub mod text;
mod translation;
pub mod variant;

pub use ability::Ability;
pub use declared::{Accept, Declared, Facts, Forbidden};
pub use dialogue::{Dialogue, RecordedCall, Turn};
pub use edition::Edition;
pub use error::PackError;
pub use hard::{Expect, Hard, HardKind, PlantedCall, Split};
pub use hard_index::INDEX as HARD_INDEX;
pub use horizon::{TaskId, Tier};
pub use language::Language;
pub use pack::{Manifest, Pack, Source};
pub use variant::Variant;

use apis::search::{SearchHandle, SearchResults};
use std::sync::Arc;

/// Files of the project's own pack: path below `dataset/`, minified text.
static FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/pack.rs"));
/// Their digest, computed at build time: computing it takes as long as loading the pack.
const DIGEST: &str = include_str!(concat!(env!("OUT_DIR"), "/digest.txt"));

/// The results of its searches. Derived from the pack, so not part of its digest.
const SEARCHES: &str = include_str!("../search/gold.jsonl");

/// The project's own pack, embedded at build time.
///
/// # Errors
/// Never: a test loads it.
pub fn builtin() -> Result<Pack, PackError> {
    let mut pack = Pack::load_known(FILES, DIGEST.to_owned())?;
    pack.world.search = recorded_searches()?;
    Ok(pack)
}

/// The built-in pack's dialogues in another language: 30 of Call, 15 each of the other abilities.
///
/// # Errors
/// Never: a test loads all.
pub fn builtin_in(language: Language) -> Result<Pack, PackError> {
    translation::pack(language)
}

/// API Search that answers from the pack's recorded searches.
fn recorded_searches() -> Result<SearchHandle, PackError> {
    let searches = Arc::new(searches::Searches::read(SEARCHES)?);
    Ok(SearchHandle::new(searches, SearchResults::default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `cargo xtask new dialogue` marks gaps with TODO.
    #[test]
    fn no_dialogue_is_a_scaffold() {
        for (path, text) in FILES {
            let of_dialogue = path.starts_with("dialogues/") || path.starts_with("hard/");
            assert!(!(of_dialogue && text.contains("TODO")), "{path}: replace every TODO");
        }
    }

    #[test]
    fn the_embedded_digest_matches_the_files() -> Result<(), PackError> {
        assert_eq!(builtin()?.digest, Pack::load(FILES.iter().copied())?.digest);
        Ok(())
    }
}
