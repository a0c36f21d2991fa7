//! What stays in this browser: an IndexedDB database of texts, for the page and the worker alike.
//!
//! A [`ObjectStore`] is an object store; its keys are texts chosen by the caller, its values JSON as
//! text, because a JavaScript object would lose the order of keys that look like numbers and the
//! difference between `1` and `1.0`. A [`Store`] is one connection; open it where it is needed.

mod error;

pub use error::StoreError;

use idb::{Database, DatabaseEvent as _, Factory, KeyRange, ObjectStoreParams, Query};
use idb::{TransactionMode, TransactionResult};
use js_sys::{Array, Function, Object, Reflect};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast, JsValue};

/// Name of the database.
const NAME: &str = "api-bank";
/// Version of its layout: raised when an object store is added.
const VERSION: u32 = 2;

/// An object store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectStore {
    /// Imported packs by digest: what a list shows of them.
    Packs,
    /// Files of imported packs by digest.
    PackFiles,
    /// Runs by their id: settings and where they stand.
    Runs,
    /// Finished samples by `<run>/<sample>`.
    Samples,
    /// The current generation, and its answers below it.
    Generation,
}

impl ObjectStore {
    /// Every object store.
    pub const ALL: [ObjectStore; 5] = [
        ObjectStore::Packs,
        ObjectStore::PackFiles,
        ObjectStore::Runs,
        ObjectStore::Samples,
        ObjectStore::Generation,
    ];

    const fn name(self) -> &'static str {
        match self {
            ObjectStore::Packs => "packs",
            ObjectStore::PackFiles => "pack_files",
            ObjectStore::Runs => "runs",
            ObjectStore::Samples => "samples",
            ObjectStore::Generation => "generation",
        }
    }
}

/// A text with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredText {
    /// Where.
    pub object_store: ObjectStore,
    /// Under which key.
    pub key: String,
    /// What.
    pub text: String,
}

impl StoredText {
    /// Something as JSON text.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub fn json(
        object_store: ObjectStore,
        key: &str,
        value: &impl Serialize,
    ) -> Result<Self, StoreError> {
        let text =
            serde_json::to_string(value).map_err(|error| StoreError::Value(error.to_string()))?;
        Ok(StoredText { object_store, key: key.to_owned(), text })
    }
}

/// A connection to the database.
#[derive(Debug)]
pub struct Store {
    database: Database,
    /// The same, for what `idb` does not offer.
    raw: JsValue,
}

impl Store {
    /// Opens the database; makes it on the first visit.
    ///
    /// # Errors
    /// When the browser keeps nothing here: private window, blocked storage.
    pub async fn open() -> Result<Self, StoreError> {
        let factory = Factory::new()?;
        let mut request = factory.open(NAME, Some(VERSION))?;
        request.on_upgrade_needed(|event| {
            let Ok(database) = event.database() else { return };
            let known = database.store_names();
            for object_store in ObjectStore::ALL
                .iter()
                .filter(|object_store| !known.contains(&object_store.name().into()))
            {
                // An object store that could not be made shows as an error of the first use.
                let _ = database.create_object_store(object_store.name(), ObjectStoreParams::new());
            }
        });
        let raw = JsValue::from(request.await?);
        let mut database = Database::try_from(raw.clone())?;
        // Another tab with a newer layout must not wait for this one.
        database.on_version_change(|event| {
            if let Ok(database) = event.database() {
                database.close();
            }
        });
        Ok(Store { database, raw })
    }

    /// Keeps texts: all of them, or none.
    ///
    /// # Errors
    /// When there is no room, or the browser refuses.
    pub async fn put(&self, entries: &[StoredText]) -> Result<(), StoreError> {
        let stores: Vec<ObjectStore> = entries.iter().map(|entry| entry.object_store).collect();
        let transaction = self.transaction(&stores, TransactionMode::ReadWrite)?;
        for StoredText { object_store, key, text } in entries {
            let key = JsValue::from_str(key);
            transaction
                .object_store(object_store.name())?
                .put(&JsValue::from_str(text), Some(&key))?;
        }
        finish(transaction).await
    }

    /// The text of a key.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn get(
        &self,
        object_store: ObjectStore,
        key: &str,
    ) -> Result<Option<String>, StoreError> {
        let transaction = self.transaction(&[object_store], TransactionMode::ReadOnly)?;
        let found =
            transaction.object_store(object_store.name())?.get(JsValue::from_str(key))?.await?;
        Ok(found.and_then(|value| value.as_string()))
    }

    /// What stands under a key, read as JSON.
    ///
    /// # Errors
    /// When the database cannot be read, or holds something else there.
    pub async fn get_json<T: DeserializeOwned>(
        &self,
        object_store: ObjectStore,
        key: &str,
    ) -> Result<Option<T>, StoreError> {
        let text = self.get(object_store, key).await?;
        text.map(|text| serde_json::from_str(&text))
            .transpose()
            .map_err(|error| StoreError::Damaged { key: key.to_owned(), reason: error.to_string() })
    }

    /// Keys that begin with `prefix`, with their texts, in the order of the keys.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn under(
        &self,
        object_store: ObjectStore,
        prefix: &str,
    ) -> Result<Vec<(String, String)>, StoreError> {
        let transaction = self.transaction(&[object_store], TransactionMode::ReadOnly)?;
        let store = transaction.object_store(object_store.name())?;
        let (keys, values) =
            (store.get_all_keys(range(prefix)?, None)?, store.get_all(range(prefix)?, None)?);
        let (keys, values) = (keys.await?, values.await?);
        let pairs = keys.into_iter().zip(values);
        Ok(pairs.filter_map(|(key, value)| Some((key.as_string()?, value.as_string()?))).collect())
    }

    /// Forgets a key and all keys that begin with it and a slash.
    ///
    /// # Errors
    /// When the browser refuses.
    pub async fn delete(&self, places: &[(ObjectStore, &str)]) -> Result<(), StoreError> {
        let stores: Vec<ObjectStore> =
            places.iter().map(|(object_store, _)| *object_store).collect();
        let transaction = self.transaction(&stores, TransactionMode::ReadWrite)?;
        for (object_store, key) in places {
            let store = transaction.object_store(object_store.name())?;
            store.delete(JsValue::from_str(key))?;
            if let Some(range) = range(&format!("{key}/"))? {
                store.delete(range)?;
            }
        }
        finish(transaction).await
    }

    fn transaction(
        &self,
        stores: &[ObjectStore],
        mode: TransactionMode,
    ) -> Result<idb::Transaction, StoreError> {
        let mut names: Vec<&str> = stores.iter().map(|object_store| object_store.name()).collect();
        names.sort_unstable();
        names.dedup();
        if mode == TransactionMode::ReadWrite
            && let Some(transaction) = self.strict(&names)
        {
            return Ok(transaction);
        }
        Ok(self.database.transaction(&names, mode)?)
    }
}

impl Store {
    /// A transaction that is over when its data is on the disk, so that a power cut loses nothing
    /// that was told to be kept. `None` where the browser has none.
    fn strict(&self, names: &[&str]) -> Option<idb::Transaction> {
        let begin: Function =
            Reflect::get(&self.raw, &"transaction".into()).ok()?.dyn_into().ok()?;
        let names: Array = names.iter().map(|name| JsValue::from_str(name)).collect();
        let options = Object::new();
        Reflect::set(&options, &"durability".into(), &"strict".into()).ok()?;
        let begun = begin.call3(&self.raw, &names, &"readwrite".into(), &options).ok()?;
        begun.try_into().ok()
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // Transactions that go on are finished first.
        self.database.close();
    }
}

/// Waits until a transaction is on disk.
async fn finish(transaction: idb::Transaction) -> Result<(), StoreError> {
    match transaction.await? {
        TransactionResult::Committed => Ok(()),
        TransactionResult::Aborted => Err(StoreError::Aborted),
    }
}

/// Keys that begin with a text; `None` is all keys.
fn range(prefix: &str) -> Result<Option<Query>, StoreError> {
    if prefix.is_empty() {
        return Ok(None);
    }
    let lower = JsValue::from_str(prefix);
    // U+FFFF is no character and sorts behind every one that a key can hold.
    let upper = JsValue::from_str(&format!("{prefix}\u{ffff}"));
    Ok(Some(KeyRange::bound(&lower, &upper, None, None)?.into()))
}
