//! The tasks of a seed as a pack.

use crate::{Error, generate};
use apis::store::hex;
use dataset::{Manifest, Pack};
use sha2::{Digest, Sha256};

/// A pack with the tasks of a seed in place of the dialogues of `base`, the built-in pack. Its digest
/// covers both.
///
/// # Errors
/// As [`generate`].
pub fn pack(seed: u32, base: Pack) -> Result<Pack, Error> {
    let (world, dialogues) = generate(seed, &base.world)?;
    let mut hash = Sha256::new();
    hash.update(&base.digest);
    for dialogue in &dialogues {
        hash.update(&dialogue.id);
        hash.update(dialogue.to_file());
    }
    let manifest = Manifest { horizon: Some(seed), ..base.manifest };
    let digest = hex(&hash.finalize());
    Ok(Pack { manifest, world, dialogues, hard: Vec::new(), digest, imported: None })
}
