//! The current pack of the Your tools page: state, and its copy in the browser's storage.

use super::sentence;
use super::view::{Nearness, nearness, view};
use crate::messages::own_tools::OwnToolsView;
use crate::platform::indexed_db::{ObjectStore, Store, StoreError, StoredText};
use dataset::own_tools::{Tool, ToolsFile};
use retrieval::Encoder;
use serde::{Deserialize, Serialize};
use std::cell::{Cell, Ref, RefCell};
use std::sync::Arc;

/// Key prefix of the stored packs, one per tab.
const PLACE: &str = "own-tools";
/// Maximum number of stored packs.
const MOST_STORED: usize = 8;

/// The current pack, if any.
#[derive(Debug, Default)]
pub(in crate::worker) struct CurrentPack {
    tab: RefCell<String>,
    pack: RefCell<Option<Pack>>,
    /// Whether a model is writing tasks for it.
    writing: Cell<bool>,
}

#[derive(Debug)]
struct Pack {
    file: ToolsFile,
    /// Similarity of the tools, with the tools that it was computed for.
    near: Option<(Vec<Tool>, Option<Nearness>)>,
}

/// The stored pack of a tab; an empty text after starting over.
#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    stored_ms: f64,
    text: String,
}

impl CurrentPack {
    /// Sets the tab, which determines the storage key.
    pub(in crate::worker) fn set_tab(&self, tab: String) {
        *self.tab.borrow_mut() = tab;
    }

    fn key(&self) -> String {
        format!("{PLACE}/{}", self.tab.borrow())
    }

    /// Marks the start or end of writing tasks. Meanwhile, the pack can't be replaced.
    pub(super) fn set_writing(&self, on: bool) {
        self.writing.set(on);
    }

    fn check_replaceable(&self) -> Result<(), String> {
        let wait =
            "A model is writing tasks for the current tools. Cancel it or wait until it ends.";
        if self.writing.get() { Err(wait.to_owned()) } else { Ok(()) }
    }

    /// Replaces the pack.
    ///
    /// # Errors
    /// While a model is writing tasks, or the first turn that is wrong.
    pub(super) async fn replace(
        &self,
        file: ToolsFile,
        encoder: Option<Arc<Encoder>>,
    ) -> Result<OwnToolsView, String> {
        self.check_replaceable()?;
        file.read_dialogues(&file.toolset()).map_err(sentence)?;
        *self.pack.borrow_mut() = Some(Pack { file, near: None });
        self.save_and_view(encoder).await
    }

    /// The pack's file.
    ///
    /// # Errors
    /// When there is no pack.
    pub(super) async fn file(&self) -> Result<ToolsFile, String> {
        self.load().await?;
        Ok(self.get()?.file.clone())
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
        self.save_and_view(encoder).await
    }

    /// The tab's last pack. A new tab starts with the latest pack of all tabs.
    ///
    /// # Errors
    /// When the browser's storage fails.
    pub(super) async fn last(
        &self,
        encoder: Option<Arc<Encoder>>,
    ) -> Result<Option<OwnToolsView>, String> {
        self.load().await?;
        if self.pack.borrow().is_none() {
            return Ok(None);
        }
        self.view(encoder).map(Some)
    }

    /// Removes the pack.
    ///
    /// # Errors
    /// While a model is writing tasks, or when the browser's storage fails.
    pub(super) async fn clear(&self) -> Result<(), String> {
        self.check_replaceable()?;
        self.pack.take();
        self.save().await.map_err(|error| error.to_string())
    }

    fn get(&self) -> Result<Ref<'_, Pack>, String> {
        Ref::filter_map(self.pack.borrow(), Option::as_ref)
            .map_err(|_| "There are no tools on the page. Read them again.".to_owned())
    }

    /// Loads the stored pack, unless there is a current one.
    async fn load(&self) -> Result<(), String> {
        if self.pack.borrow().is_some() {
            return Ok(());
        }
        let all = async { stored_packs(&Store::open().await?).await };
        let all = all.await.map_err(|error: StoreError| error.to_string())?;
        let own = self.key();
        let chosen = all.iter().find(|(key, _)| *key == own).or(all.first());
        // A pack of an earlier version that can't be read any more is no error.
        let file = chosen.and_then(|(_, stored)| ToolsFile::read(&stored.text).ok());
        // Don't replace a pack that was read in the meantime.
        let mut pack = self.pack.borrow_mut();
        if pack.is_none() {
            *pack = file.map(|file| Pack { file, near: None });
        }
        Ok(())
    }

    /// Saves the pack and returns its view. If saving fails, only a reload loses it.
    async fn save_and_view(&self, encoder: Option<Arc<Encoder>>) -> Result<OwnToolsView, String> {
        if let Err(error) = self.save().await {
            web_sys::console::error_1(&error.to_string().into());
        }
        // Build the view after the await: views must reach the page in the order of the changes.
        self.view(encoder)
    }

    async fn save(&self) -> Result<(), StoreError> {
        let store = Store::open().await?;
        let text = self.pack.borrow().as_ref().map(|pack| pack.file.text()).unwrap_or_default();
        let entry = Stored { stored_ms: js_sys::Date::now(), text };
        store.put(&[StoredText::json(ObjectStore::Generation, &self.key(), &entry)?]).await
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

/// The packs of all tabs, the latest first; deletes the oldest beyond [`MOST_STORED`].
async fn stored_packs(store: &Store) -> Result<Vec<(String, Stored)>, StoreError> {
    let all = store.under(ObjectStore::Generation, PLACE).await?;
    let read = |text: &str| {
        // An earlier version stored one text for all tabs.
        let legacy = |text| Some(Stored { stored_ms: 0.0, text: serde_json::from_str(text).ok()? });
        serde_json::from_str(text).ok().or_else(|| legacy(text))
    };
    let mut all: Vec<(String, Stored)> =
        all.into_iter().filter_map(|(key, text)| Some((key, read(&text)?))).collect();
    all.sort_by(|a, b| b.1.stored_ms.total_cmp(&a.1.stored_ms));
    // The legacy key is a prefix of all others, and `delete` includes what is below a key.
    let keys = all.iter().map(|(key, _)| key.as_str()).filter(|key| *key != PLACE);
    let old: Vec<_> = keys.skip(MOST_STORED).map(|key| (ObjectStore::Generation, key)).collect();
    if !old.is_empty() {
        store.delete(&old).await?;
    }
    Ok(all)
}
