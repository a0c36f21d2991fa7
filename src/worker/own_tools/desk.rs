//! The pack on the page: held here, and stored for the tab's next visit.

use super::sentence;
use super::view::{Nearness, nearness, view};
use crate::messages::own_tools::OwnToolsView;
use crate::platform::indexed_db::{ObjectStore, Store, StoreError, StoredText};
use dataset::own_tools::{Tool, ToolsFile};
use retrieval::Encoder;
use serde::{Deserialize, Serialize};
use std::cell::{Ref, RefCell};
use std::sync::Arc;

/// Stored packs: one of each tab, under this and the tab's name.
const PLACE: &str = "own-tools";
/// The number of tabs whose packs stay stored.
const TABS: usize = 8;

/// The pack on the page, if there is one.
#[derive(Debug, Default)]
pub(in crate::worker) struct Desk {
    tab: RefCell<String>,
    pack: RefCell<Option<Pack>>,
}

#[derive(Debug)]
struct Pack {
    file: ToolsFile,
    /// Of these tools.
    near: Option<(Vec<Tool>, Option<Nearness>)>,
}

/// A pack of a tab.
#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    stored_ms: f64,
    text: String,
}

impl Desk {
    /// Names the tab.
    pub(in crate::worker) fn sit(&self, tab: String) {
        *self.tab.borrow_mut() = tab;
    }

    fn key(&self) -> String {
        format!("{PLACE}/{}", self.tab.borrow())
    }

    /// Puts a pack on the page.
    ///
    /// # Errors
    /// The first turn that is wrong.
    pub(super) async fn put(
        &self,
        file: ToolsFile,
        encoder: Option<Arc<Encoder>>,
    ) -> Result<OwnToolsView, String> {
        file.read_dialogues(&file.toolset()).map_err(sentence)?;
        *self.pack.borrow_mut() = Some(Pack { file, near: None });
        self.shown(encoder).await
    }

    /// The pack's file.
    ///
    /// # Errors
    /// When there is no pack.
    pub(super) async fn file(&self) -> Result<ToolsFile, String> {
        self.recall().await?;
        Ok(self.held()?.file.clone())
    }

    /// Changes the pack.
    ///
    /// # Errors
    /// What is wrong with the change, or with the pack after it; then the pack is as before.
    pub(super) async fn change(
        &self,
        encoder: Option<Arc<Encoder>>,
        change: impl FnOnce(&mut ToolsFile) -> Result<(), String>,
    ) -> Result<OwnToolsView, String> {
        let mut file = self.file().await?;
        change(&mut file)?;
        // The limits, once more.
        file.digest.clear();
        let file = ToolsFile::read(&file.text()).map_err(sentence)?;
        file.read_dialogues(&file.toolset()).map_err(sentence)?;
        if let Some(pack) = self.pack.borrow_mut().as_mut() {
            pack.file = file;
        }
        self.shown(encoder).await
    }

    /// The pack of the tab's last visit. A new tab takes the latest of other tabs.
    ///
    /// # Errors
    /// When the browser's storage fails.
    pub(super) async fn last(
        &self,
        encoder: Option<Arc<Encoder>>,
    ) -> Result<Option<OwnToolsView>, String> {
        self.recall().await?;
        if self.pack.borrow().is_none() {
            return Ok(None);
        }
        self.view(encoder).map(Some)
    }

    /// Forgets the pack.
    ///
    /// # Errors
    /// When the browser's storage fails.
    pub(super) async fn forget(&self) -> Result<(), String> {
        self.pack.take();
        self.store().await.map_err(|error| error.to_string())
    }

    fn held(&self) -> Result<Ref<'_, Pack>, String> {
        Ref::filter_map(self.pack.borrow(), Option::as_ref)
            .map_err(|_| "There are no tools on the page. Read them again.".to_owned())
    }

    /// Reads the stored pack, unless there is one on the page.
    async fn recall(&self) -> Result<(), String> {
        if self.pack.borrow().is_some() {
            return Ok(());
        }
        let all = async { stored(&Store::open().await?).await };
        let all = all.await.map_err(|error: StoreError| error.to_string())?;
        let own = self.key();
        let chosen = all.iter().find(|(key, _)| *key == own).or(all.first());
        // A pack of an earlier version that can't be read any more is no error.
        let file = chosen.and_then(|(_, stored)| ToolsFile::read(&stored.text).ok());
        // One that was read in the meantime stays.
        let mut pack = self.pack.borrow_mut();
        if pack.is_none() {
            *pack = file.map(|file| Pack { file, near: None });
        }
        Ok(())
    }

    /// Stores the pack and shows it. Without storage, a reload loses it.
    async fn shown(&self, encoder: Option<Arc<Encoder>>) -> Result<OwnToolsView, String> {
        if let Err(error) = self.store().await {
            web_sys::console::error_1(&error.to_string().into());
        }
        // After the storage, so that views reach the page in the order of the changes.
        self.view(encoder)
    }

    /// Stores the pack as it is now, an empty text without one, and drops those of the oldest tabs.
    async fn store(&self) -> Result<(), StoreError> {
        let store = Store::open().await?;
        let text = self.pack.borrow().as_ref().map(|pack| pack.file.text()).unwrap_or_default();
        let entry = Stored { stored_ms: js_sys::Date::now(), text };
        store.put(&[StoredText::json(ObjectStore::Generation, &self.key(), &entry)?]).await?;
        let all = stored(&store).await?;
        // Deleting the key of earlier versions would delete all under it.
        let of_tabs = all.iter().map(|(key, _)| key.as_str()).filter(|key| *key != PLACE);
        let old: Vec<_> = of_tabs.skip(TABS).map(|key| (ObjectStore::Generation, key)).collect();
        if !old.is_empty() {
            store.delete(&old).await?;
        }
        Ok(())
    }

    fn view(&self, encoder: Option<Arc<Encoder>>) -> Result<OwnToolsView, String> {
        let mut pack = self.pack.borrow_mut();
        let pack = pack.as_mut().ok_or("There are no tools on the page. Read them again.")?;
        if let Some(encoder) = encoder
            && pack.near.as_ref().is_none_or(|(tools, _)| *tools != pack.file.tools)
        {
            let near = nearness(&pack.file.tools, &encoder).map_err(|error| error.to_string())?;
            pack.near = Some((pack.file.tools.clone(), near));
        }
        view(&pack.file, pack.near.as_ref().and_then(|(_, near)| near.clone()))
    }
}

/// The packs of all tabs, the latest first.
async fn stored(store: &Store) -> Result<Vec<(String, Stored)>, StoreError> {
    let all = store.under(ObjectStore::Generation, PLACE).await?;
    let read = |text: &str| {
        // An earlier version stored one text for all tabs.
        let alone = |text| Some(Stored { stored_ms: 0.0, text: serde_json::from_str(text).ok()? });
        serde_json::from_str(text).ok().or_else(|| alone(text))
    };
    let mut all: Vec<(String, Stored)> =
        all.into_iter().filter_map(|(key, text)| Some((key, read(&text)?))).collect();
    all.sort_by(|a, b| b.1.stored_ms.total_cmp(&a.1.stored_ms));
    Ok(all)
}
