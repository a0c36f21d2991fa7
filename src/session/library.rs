//! The available packs: built-in and imported, and the import in progress.

use crate::messages::{Count, ImportProgress, ImportReport, StoredPack};
use scoring::audit::Audit;

/// State of an import.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Import {
    /// None requested.
    #[default]
    Idle,
    /// In progress.
    Running(ImportProgress),
    /// Finished.
    Done(Box<ImportReport>),
    /// Failed or cancelled.
    Failed(String),
}

/// State of a gold audit.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum AuditState {
    /// None requested.
    #[default]
    Idle,
    /// In progress: calls judged.
    Running(Count),
    /// Finished.
    Done(Box<Audit>),
}

/// The packs and their state.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Library {
    /// Packs stored in this browser, newest first.
    pub packs: Vec<StoredPack>,
    /// Digest of the pack that runs use; `None` for the built-in one.
    pub chosen: Option<String>,
    /// The current or last import.
    pub import: Import,
    /// The current or last audit.
    pub audit: AuditState,
    /// Why the list may be incomplete.
    pub trouble: Option<String>,
}

impl Library {
    /// Takes what was imported, or why nothing was.
    pub fn imported(&mut self, imported: Result<ImportReport, String>) {
        if let Ok(ImportReport { pack: Some(pack), not_kept: None, .. }) = &imported {
            self.add(pack.clone());
        }
        self.import = match imported {
            Ok(report) => Import::Done(Box::new(report)),
            Err(message) => Import::Failed(message),
        };
    }

    /// Adds a pack at the front, replacing one with the same digest.
    pub fn add(&mut self, pack: StoredPack) {
        self.packs.retain(|known| known.digest != pack.digest);
        self.packs.insert(0, pack);
    }

    /// Sets the list from storage.
    pub fn list(&mut self, mut packs: Vec<StoredPack>) {
        packs.sort_by(|a, b| b.imported_ms.total_cmp(&a.imported_ms));
        self.packs = packs;
    }

    /// Removes a pack. If it was chosen, the built-in one is.
    pub fn remove(&mut self, digest: &str) {
        self.packs.retain(|pack| pack.digest != digest);
        if self.chosen.as_deref() == Some(digest) {
            self.chosen = None;
        }
    }

    /// Whether an import is in progress.
    pub fn is_importing(&self) -> bool {
        matches!(self.import, Import::Running(_))
    }

    /// The label of the pack with a digest.
    pub fn label(&self, digest: &str) -> Option<&str> {
        self.packs.iter().find(|pack| pack.digest == digest).map(|pack| pack.label.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pack(digest: &str, imported_ms: f64) -> StoredPack {
        StoredPack {
            digest: digest.to_owned(),
            label: digest.to_uppercase(),
            found: Vec::new(),
            missing: Vec::new(),
            files: 1,
            bytes: 2,
            imported_ms,
        }
    }

    fn imported(pack: StoredPack, not_kept: Option<&str>) -> ImportReport {
        ImportReport {
            pack: Some(pack),
            refused: Vec::new(),
            refused_more: 0,
            ignored: 0,
            not_kept: not_kept.map(str::to_owned),
        }
    }

    #[test]
    fn an_import_ends_in_the_list() {
        let mut library = Library::default();
        library.list(vec![pack("a", 1.0), pack("b", 2.0)]);
        library.import = Import::Running(ImportProgress::default());
        assert!(library.is_importing());
        library.imported(Ok(imported(pack("a", 3.0), None)));
        assert!(!library.is_importing());
        let digests: Vec<&str> = library.packs.iter().map(|pack| pack.digest.as_str()).collect();
        assert_eq!(digests, ["a", "b"]);
        assert_eq!(library.label("b"), Some("B"));
        library.imported(Ok(imported(pack("c", 4.0), Some("no room"))));
        assert_eq!(library.packs.len(), 2, "only stored packs are listed");
        library.imported(Err("no list".to_owned()));
        assert_eq!(library.import, Import::Failed("no list".to_owned()));
    }

    #[test]
    fn a_removed_pack_is_no_longer_chosen() {
        let mut library = Library { chosen: Some("a".to_owned()), ..Library::default() };
        library.add(pack("a", 1.0));
        library.remove("a");
        assert_eq!((library.chosen, library.packs.len()), (None, 0));
    }
}
