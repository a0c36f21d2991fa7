//! Persistent storage: an IndexedDB database of texts, shared by page and worker.
//!
//! A [`ObjectStore`] is an object store; its keys are texts chosen by the caller, its values JSON as
//! text, because a JavaScript object would lose the order of keys that look like numbers and the
//! difference between `1` and `1.0`. A [`Store`] is one connection; open it where it is needed.

mod error;

pub use error::StoreError;

use super::lock;
use idb::{Database, DatabaseEvent as _, Factory, KeyRange, ObjectStoreParams, Query};
use idb::{TransactionMode, TransactionResult};
use js_sys::{Array, Function, Object, Reflect};
use serde::Serialize;
use serde::de::DeserializeOwned;
use strum::{EnumCount, IntoStaticStr, VariantArray};
use wasm_bindgen::{JsCast, JsValue};

/// Name of the database.
const NAME: &str = "api-bank";
/// Version of the layout: incremented when an object store is added.
const VERSION: u32 = 2;
/// Lock that is held while the database opens.
const OPENING: &str = "api-bank.database";
/// How long another tab may take to open the database, in milliseconds.
const PATIENCE: u32 = 10_000;

/// An object store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[derive(EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum ObjectStore {
    /// Imported packs by digest: the fields that lists show.
    Packs,
    /// Files of imported packs by digest.
    PackFiles,
    /// Runs by id: settings and status.
    Runs,
    /// Finished samples by `<run>/<sample>`.
    Samples,
    /// The current generation, with its entries under its key.
    Generation,
}

impl ObjectStore {
    /// Every object store.
    pub const ALL: [ObjectStore; ObjectStore::COUNT] =
        *ObjectStore::VARIANTS.first_chunk().unwrap();

    fn name(self) -> &'static str {
        self.into()
    }
}

/// A text with its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredText {
    /// The object store.
    pub object_store: ObjectStore,
    /// The key.
    pub key: String,
    /// The value.
    pub text: String,
}

impl StoredText {
    /// Serializes a value as JSON.
    ///
    /// # Errors
    /// When it cannot be serialized.
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
    /// The raw connection, for features that `idb` lacks.
    raw: JsValue,
}

impl Store {
    /// Opens the database, creating it on the first visit.
    ///
    /// # Errors
    /// When there is no storage (private window, blocked site data), or another tab does not finish
    /// opening the database.
    pub async fn open() -> Result<Self, StoreError> {
        // A page that was left while it created the database is frozen with it, and all others wait
        // for it. The browser does not freeze a page that holds a lock.
        let _opening = lock::take_within(OPENING, PATIENCE).await.ok_or(StoreError::Busy)?;
        let factory = Factory::new()?;
        let mut request = factory.open(NAME, Some(VERSION))?;
        request.on_upgrade_needed(|event| {
            let Ok(database) = event.database() else { return };
            let known = database.store_names();
            for object_store in ObjectStore::ALL
                .iter()
                .filter(|object_store| !known.contains(&object_store.name().into()))
            {
                // If an object store was not created, its first use fails.
                let _ = database.create_object_store(object_store.name(), ObjectStoreParams::new());
            }
        });
        let raw = JsValue::from(request.await?);
        let mut database = Database::try_from(raw.clone())?;
        // Close the connection when another tab upgrades the layout.
        database.on_version_change(|event| {
            if let Ok(database) = event.database() {
                database.close();
            }
        });
        Ok(Store { database, raw })
    }

    /// Writes texts in one transaction.
    ///
    /// # Errors
    /// When storage is full, or the browser refuses.
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

    /// Reads and deserializes the value of a key.
    ///
    /// # Errors
    /// When the database cannot be read, or the value is invalid.
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

    /// Keys that start with `prefix`, with their texts, sorted.
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

    /// Deletes keys, and all keys that start with one of them and a slash.
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
    /// A transaction with strict durability: it completes when the data is on disk, so that a power
    /// failure loses nothing reported as saved. `None` if the browser lacks it.
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
        // Open transactions complete first.
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

/// The range of keys that start with a text; `None` for all keys.
fn range(prefix: &str) -> Result<Option<Query>, StoreError> {
    if prefix.is_empty() {
        return Ok(None);
    }
    let lower = JsValue::from_str(prefix);
    // U+FFFF is not a character and sorts after every character of a key.
    let upper = JsValue::from_str(&format!("{prefix}\u{ffff}"));
    Ok(Some(KeyRange::bound(&lower, &upper, None, None)?.into()))
}
