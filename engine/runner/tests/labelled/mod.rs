//! The dialogues that labelled answers belong to.

use dataset::{Ability, Dialogue, Pack};

/// The dialogue that labelled answers belong to: as it was in version 0.2.0 of the pack if it has
/// changed since, else the pack's.
pub fn dialogue(pack: &Pack, id: &str) -> Option<Dialogue> {
    let file = format!("{}/../scoring/labels/dialogues/{id}.jsonl", env!("CARGO_MANIFEST_DIR"));
    if let Ok(text) = std::fs::read_to_string(file) {
        let folder = id.split('/').next();
        let ability = Ability::ALL.into_iter().find(|it| Some(it.as_str()) == folder)?;
        return Some(Dialogue::read_lines(id, ability, &text).unwrap());
    }
    pack.dialogues.iter().chain(&pack.hard).find(|it| it.id == id).cloned()
}
