//! State and actions of packs: import, choose, rename, delete, audit.

use super::App;
use crate::messages::{
    AuditGold, Count, Import, ImportProgress, ImportSource, StoredPack, UsePack,
};
use crate::platform::files::PickedFiles;
use crate::platform::indexed_db::{ObjectStore, Store, StoreError, StoredText};
use crate::platform::page;
use crate::session::library::{self, AuditState};
use crate::session::{Browse, Library};
use crate::t;
use js_sys::Array;
use leptos::prelude::*;
use scoring::Profile;
use wasm_bindgen_futures::spawn_local;

/// Storage key of the chosen pack's digest.
const CHOSEN: &str = "api-bank.pack";

/// Packs and dialogues.
#[derive(Clone, Copy)]
pub struct DataState {
    /// The available packs.
    pub library: RwSignal<Library>,
    /// The dialogues that the Dataset page lists.
    pub browse: RwSignal<Browse>,
}

impl DataState {
    pub(super) fn new() -> Self {
        let chosen = page::stored::<Option<String>>(CHOSEN).flatten();
        DataState {
            library: RwSignal::new(Library { chosen, ..Library::default() }),
            browse: RwSignal::new(Browse::default()),
        }
    }
}

impl App {
    /// Loads the list of stored packs.
    pub fn list_packs(self) {
        self.lazy.run(move |lazy| (lazy.list_packs)(self));
    }

    /// Loads the list of stored packs. Only the lazy-loaded module may call it by name.
    pub(crate) fn list_packs_now(self) {
        spawn_local(async move {
            match listed().await {
                Ok(packs) => self.data.library.update(|library| {
                    library.list(packs);
                    library.trouble = None;
                }),
                Err(error) => self.data.library.update(|it| it.trouble = Some(error.to_string())),
            }
        });
    }

    /// Imports the user's files.
    pub fn import_files(self, found: PickedFiles) {
        let Some(label) = found.label() else { return };
        let source = ImportSource::Files { paths: found.paths };
        self.import(label, source, Some(found.files));
    }

    /// Imports from an address.
    pub fn import_address(self, url: String) {
        let label = url.split("//").nth(1).unwrap_or(&url).to_owned();
        self.import(label, ImportSource::Address { url }, None);
    }

    /// Imports the dataset from the data hub.
    pub fn import_hub(self) {
        self.import(t!("API-Bank from Hugging Face").to_owned(), ImportSource::Hub, None);
    }

    /// Imports the dialogues of the stored generation.
    pub fn import_generated(self) {
        self.import(t!("Generated dialogues").to_owned(), ImportSource::Generated, None);
    }

    fn import(self, label: String, source: ImportSource, files: Option<Array>) {
        if self.data.library.with_untracked(|library| library.is_importing()) {
            return;
        }
        // Without persistent storage, a browser may evict data when space runs out.
        page::ask_to_keep();
        let importing = move |progress| {
            self.data.library.update(|library| library.import = library::Import::Running(progress));
        };
        importing(ImportProgress::default());
        let imported = self.follow(Import { label, source }, files, importing);
        spawn_local(async move {
            let imported = imported.await;
            self.data.library.update(|library| library.imported(imported));
        });
    }

    /// Chooses the pack for runs; `None` for the built-in one.
    pub fn choose_pack(self, digest: Option<String>) {
        if self.run.is_active() {
            let text = t!("A run is in progress. Cancel it before choosing other data.");
            return self.ui.notice.set(Some(text.to_owned()));
        }
        // Other data may not support the profile `original`.
        self.run.profile.set(Profile::Execution);
        page::store(CHOSEN, &digest);
        self.data.library.update(|library| {
            library.chosen.clone_from(&digest);
            library.audit = AuditState::Idle;
        });
        let chosen = self.ask(UsePack { digest });
        spawn_local(async move {
            match chosen.await {
                Ok(chosen) => self.take_pack(chosen),
                Err(message) => self.ui.notify(message),
            }
        });
    }

    /// Audits the gold of the chosen pack.
    pub fn audit(self) {
        let show = move |state| self.data.library.update(|library| library.audit = state);
        show(AuditState::Running(Count::default()));
        let audit = self.follow(AuditGold {}, None, move |count| show(AuditState::Running(count)));
        spawn_local(async move {
            match audit.await {
                Ok(audit) => show(AuditState::Done(Box::new(audit))),
                Err(message) => {
                    show(AuditState::Idle);
                    self.ui.notify(message);
                }
            }
        });
    }

    /// Renames a pack.
    pub fn rename_pack(self, digest: &str, label: String) {
        let renamed = self.data.library.try_update(|library| {
            let pack = library.packs.iter_mut().find(|pack| pack.digest == digest)?;
            pack.label = label;
            Some(pack.clone())
        });
        if let Some(Some(pack)) = renamed {
            self.stored(async move {
                let entry = StoredText::json(ObjectStore::Packs, &pack.digest, &pack)?;
                Store::open().await?.put(&[entry]).await
            });
        }
    }

    /// Deletes a pack, which leaves the list once it is gone.
    pub fn delete_pack(self, digest: String) {
        let was_chosen =
            self.data.library.with_untracked(|it| it.chosen.as_deref() == Some(digest.as_str()));
        if was_chosen {
            self.choose_pack(None);
        }
        self.stored(async move {
            let places =
                [(ObjectStore::Packs, digest.as_str()), (ObjectStore::PackFiles, digest.as_str())];
            Store::open().await?.delete(&places).await?;
            // Not before: after a reload, what is no longer listed must be gone.
            self.data.library.update(|library| library.remove(&digest));
            Ok(())
        });
    }

    /// Runs a database operation and shows its error.
    fn stored(self, work: impl Future<Output = Result<(), StoreError>> + 'static) {
        spawn_local(async move {
            if let Err(error) = work.await {
                self.ui.notice.set(Some(error.to_string()));
                self.list_packs_now();
            }
        });
    }
}

async fn listed() -> Result<Vec<StoredPack>, StoreError> {
    let entries = Store::open().await?.under(ObjectStore::Packs, "").await?;
    let read = |(key, text): (String, String)| {
        serde_json::from_str(&text)
            .map_err(|error| StoreError::Damaged { key, reason: error.to_string() })
    };
    entries.into_iter().map(read).collect()
}
