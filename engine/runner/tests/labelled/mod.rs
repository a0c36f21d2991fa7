//! The dialogues that labelled answers belong to.

use dataset::{Ability, Dialogue, Hard, Pack};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The dialogue that labelled answers belong to: as it was in version 0.2.0 of the pack if it has
/// changed since, else the pack's.
pub fn dialogue(pack: &Pack, id: &str) -> Option<Dialogue> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scoring/labels/dialogues");
    if let Ok(text) = fs::read_to_string(folder.join(format!("{id}.jsonl"))) {
        if let Some(slug) = id.strip_prefix("hard/") {
            let index = fs::read_to_string(folder.join("hard/index.json")).unwrap();
            let mut index: BTreeMap<String, Hard> = serde_json::from_str(&index).unwrap();
            let hard = index.remove(slug);
            return Some(Dialogue { hard, ..Dialogue::read_hard(id, &text).unwrap() });
        }
        let folder = id.split('/').next();
        let ability = Ability::ALL.into_iter().find(|it| Some(it.as_str()) == folder)?;
        return Some(Dialogue::read_lines(id, ability, &text).unwrap());
    }
    if let Ok(text) = fs::read_to_string(folder.join(format!("{id}.json"))) {
        return Some(Dialogue::read_plan(id, &text).unwrap());
    }
    pack.dialogues.iter().chain(&pack.hard).find(|it| it.id == id).cloned()
}
