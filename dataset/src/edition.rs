//! Editions of the built-in pack: itself, a variant, a translation, or generated horizon tasks.

use crate::language::Language;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Which data of the built-in pack a run is on. The default is the pack itself; a variant and a
/// language exclude each other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Edition {
    /// The pack itself.
    #[default]
    Original,
    /// The variant of this seed.
    Variant(u32),
    /// The dialogues that are translated into this language.
    Language(Language),
    /// The horizon tasks of this seed, in place of the dialogues.
    Horizon(u32),
}

impl Edition {
    /// Whether it is the pack itself.
    pub fn is_original(&self) -> bool {
        *self == Edition::Original
    }
}

impl fmt::Display for Edition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Edition::Original => f.write_str("original"),
            Edition::Variant(seed) => write!(f, "variant {seed}"),
            Edition::Language(language) => write!(f, "in {}", language.title()),
            Edition::Horizon(seed) => write!(f, "horizon, seed {seed}"),
        }
    }
}
