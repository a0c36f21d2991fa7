//! The example: the tools of a made-up web shop, with 40 tasks.

/// The shop's tools as an OpenAPI document.
pub const OPENAPI: &str = include_str!("../../tools/shop.openapi.yaml");

/// The same tools as a pack, with tasks.
pub const PACK: &str = include_str!("../../tools/shop.json");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialogue::Turn;
    use crate::own_tools::{ToolsFile, checks};

    #[test]
    fn the_tasks_pass_every_check() {
        let file = ToolsFile::read(PACK).unwrap();
        let today = file.today.to_string();
        if std::env::var_os("UPDATE").is_some() {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tools/shop.json");
            std::fs::write(path, file.text()).unwrap();
        } else {
            assert_eq!(file.text(), PACK, "the file is not as it is written; run with UPDATE=1");
        }
        let pack = file.into_pack().unwrap();
        let tools = pack.tools.clone().unwrap();
        assert_eq!(checks::check(&pack.dialogues, &tools, &today), []);
        assert_eq!((tools.tools.len(), pack.dialogues.len()), (12, 40));
        let no_call = |it: &&crate::Dialogue| it.turns.iter().any(Turn::expects_no_call);
        assert!(pack.dialogues.iter().filter(no_call).count() >= 8);
        assert!(tools.near.len() >= 8, "near-miss tasks");
    }
}
