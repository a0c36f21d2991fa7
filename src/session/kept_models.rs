//! The models that this browser keeps, as the page shows them.

use crate::messages::kept_models::{KeptList, KeptModel};

/// The kept models.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kept {
    /// The models; `None` before they are listed.
    pub list: Option<KeptList>,
    /// Bytes written and in total, while a model is being stored.
    pub writing: Option<(u64, u64)>,
    /// The problem with the last request.
    pub failure: Option<String>,
}

impl Kept {
    /// Starts to store a model.
    pub fn begin(&mut self) {
        self.failure = None;
        self.writing = Some((0, 0));
    }

    /// Takes progress; after the end, there is none.
    pub fn progress(&mut self, done: u64, of: u64) {
        if self.writing.is_some() {
            self.writing = Some((done, of));
        }
    }

    /// Takes the result of storing a model.
    pub fn stored(&mut self, list: Result<KeptList, String>) {
        self.writing = None;
        self.listed(list);
    }

    /// Takes the list, or the reason why there is none; the last list stays.
    pub fn listed(&mut self, list: Result<KeptList, String>) {
        match list {
            Ok(list) => {
                self.list = Some(list);
                self.failure = None;
            }
            Err(failure) => self.failure = Some(failure),
        }
    }

    /// The worker is gone, and what it was storing is half written.
    pub fn lost(&mut self) {
        self.writing = None;
    }

    /// The kept model with these digests.
    pub fn find(&self, digests: &[String]) -> Option<&KeptModel> {
        self.list.as_ref()?.models.iter().find(|model| model.has(digests))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::kept_models::KeptFile;

    fn list() -> KeptList {
        let file = KeptFile { name: "m.gguf".to_owned(), bytes: 10, sha256: "aa".to_owned() };
        let model = KeptModel {
            name: "m".to_owned(),
            architecture: "llama".to_owned(),
            quantization: None,
            files: vec![file],
        };
        KeptList { models: vec![model], space: None }
    }

    #[test]
    fn a_stored_model_is_found_by_its_digests() {
        let mut kept = Kept::default();
        kept.progress(1, 2);
        assert_eq!(kept.writing, None, "progress after the end");
        kept.begin();
        kept.progress(4, 10);
        assert_eq!(kept.writing, Some((4, 10)));
        kept.stored(Ok(list()));
        assert_eq!(kept.writing, None);
        assert!(kept.find(&["aa".to_owned()]).is_some());
        assert!(kept.find(&["bb".to_owned()]).is_none() && kept.find(&[]).is_none());
    }

    #[test]
    fn a_failure_leaves_the_list() {
        let mut kept = Kept::default();
        kept.listed(Ok(list()));
        kept.begin();
        kept.stored(Err("no room".to_owned()));
        assert_eq!((kept.list.as_ref(), kept.failure.as_deref()), (Some(&list()), Some("no room")));
        kept.begin();
        kept.lost();
        assert_eq!((kept.writing, kept.failure), (None, None));
    }
}
