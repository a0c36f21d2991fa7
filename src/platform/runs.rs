//! Runs in the browser's database: one row per run and one per sample.

use super::indexed_db::{ObjectStore, Store, StoreError, StoredText};
use super::lock::{self, LockGuard};
use crate::stored_runs::StoredRun;
use record::{Record, SampleRecord, Signature};
use wasm_bindgen::JsValue;

/// Prefix of the names of run locks.
const LOCK: &str = "api-bank.run.";

/// The stored runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunList {
    /// Runs, newest first.
    pub runs: Vec<StoredRun>,
    /// Ids of the runs that are active in any tab.
    pub going_on: Vec<String>,
    /// Ids of unreadable rows, for example from another version of the app.
    pub damaged: Vec<String>,
}

impl RunList {
    /// Whether an unfinished run is active in any tab.
    pub fn has_another_tab(&self) -> bool {
        self.runs.iter().any(|run| !run.over && self.going_on.contains(&run.id))
    }
}

/// Locks a run for this tab; `None` if another tab holds it.
pub async fn take(id: &str) -> Option<LockGuard> {
    lock::take(&format!("{LOCK}{id}")).await
}

/// Lists the stored runs.
///
/// # Errors
/// When there is no storage, or the database cannot be read.
pub async fn list() -> Result<RunList, StoreError> {
    let store = Store::open().await?;
    let mut listed = RunList::default();
    for (id, text) in store.under(ObjectStore::Runs, "").await? {
        match serde_json::from_str(&text) {
            Ok(run) => listed.runs.push(run),
            Err(_) => listed.damaged.push(id),
        }
    }
    listed.runs.reverse();
    let held = lock::held(LOCK).await;
    listed.going_on =
        held.iter().filter_map(|name| Some(name.strip_prefix(LOCK)?.to_owned())).collect();
    Ok(listed)
}

/// A run without its samples.
async fn head(store: &Store, id: &str) -> Result<StoredRun, StoreError> {
    store.get_json(ObjectStore::Runs, id).await?.ok_or_else(|| {
        StoreError::Other(format!("the run {id} does not exist; it may have been deleted"))
    })
}

/// Whether a run's row is stored: the user may clear the site's data at any time.
///
/// # Errors
/// When the database cannot be read.
pub async fn is_stored(store: &Store, id: &str) -> Result<bool, StoreError> {
    Ok(store.get(ObjectStore::Runs, id).await?.is_some())
}

/// A sample and its stored size in bytes.
pub type StoredSample = (SampleRecord, usize);

/// A stored run.
#[derive(Debug)]
pub struct Loaded {
    /// The run's row.
    pub run: StoredRun,
    /// Its samples.
    pub samples: Vec<StoredSample>,
    /// Number of unreadable samples. They count as missing and are asked again on resume.
    pub damaged: usize,
}

/// Loads a run with its samples.
///
/// # Errors
/// When it does not exist, or its row is unreadable.
pub async fn load(store: &Store, id: &str) -> Result<Loaded, StoreError> {
    let run = head(store, id).await?;
    let rows = store.under(ObjectStore::Samples, &format!("{id}/")).await?;
    let count = rows.len();
    let samples: Vec<StoredSample> = rows
        .into_iter()
        .filter_map(|(_, text)| Some((serde_json::from_str(&text).ok()?, text.len())))
        .collect();
    Ok(Loaded { run, damaged: count - samples.len(), samples })
}

/// Writes a run's row and more of its samples in one transaction, then updates the count of
/// samples.
///
/// # Errors
/// When storage is full, or the browser refuses.
pub async fn keep<'a>(
    store: &Store,
    run: &mut StoredRun,
    samples: impl Iterator<Item = &'a SampleRecord>,
) -> Result<(), StoreError> {
    let mut counted = run.clone();
    let mut entries = Vec::new();
    for sample in samples {
        let entry =
            StoredText::json(ObjectStore::Samples, &format!("{}/{}", run.id, sample.id), sample)?;
        counted.count(sample, entry.text.len());
        entries.push(entry);
    }
    entries.push(StoredText::json(ObjectStore::Runs, &run.id, &counted)?);
    store.put(&entries).await?;
    *run = counted;
    Ok(())
}

/// Labels a run; an empty label removes the old one.
///
/// # Errors
/// When it is active in any tab, does not exist, or the browser refuses.
pub async fn name(id: &str, label: &str) -> Result<(), String> {
    // An active run rewrites its row with every sample.
    let _held = take(id).await.ok_or("This run goes on. Name it when it is over.")?;
    let named = async {
        let store = Store::open().await?;
        let mut run = head(&store, id).await?;
        label.trim().clone_into(&mut run.label);
        store.put(&[StoredText::json(ObjectStore::Runs, id, &run)?]).await
    };
    named.await.map_err(|error: StoreError| error.to_string())
}

/// Stores the signatures of a run that is not active.
///
/// # Errors
/// When it is active, does not exist, has another digest, or the browser refuses.
pub async fn sign(id: &str, digest: &str, signatures: Vec<Signature>) -> Result<(), String> {
    let _held = take(id).await.ok_or("This run goes on. Sign it when it is over.")?;
    let message = |error: StoreError| error.to_string();
    let store = Store::open().await.map_err(message)?;
    let mut run = head(&store, id).await.map_err(message)?;
    if run.head.digest != digest {
        return Err(
            "The kept run is another by now, and stays unsigned. Save the signed record as \
                    a file."
                .to_owned(),
        );
    }
    run.head.signatures = signatures;
    let entry = StoredText::json(ObjectStore::Runs, id, &run).map_err(message)?;
    store.put(&[entry]).await.map_err(message)
}

/// Deletes samples of a run, so that they are asked again.
///
/// # Errors
/// When the browser refuses.
pub async fn drop_samples(store: &Store, run: &str, ids: &[String]) -> Result<(), StoreError> {
    if ids.is_empty() {
        return Ok(());
    }
    let keys: Vec<String> = ids.iter().map(|id| format!("{run}/{id}")).collect();
    let places: Vec<(ObjectStore, &str)> =
        keys.iter().map(|key| (ObjectStore::Samples, key.as_str())).collect();
    store.delete(&places).await
}

/// Deletes a run with its samples.
///
/// # Errors
/// When the browser refuses.
pub async fn forget(id: &str) -> Result<(), StoreError> {
    Store::open().await?.delete(&[(ObjectStore::Runs, id), (ObjectStore::Samples, id)]).await
}

/// A run as a record.
///
/// # Errors
/// A message for the user, with the remedy.
pub async fn whole(id: &str) -> Result<Record, String> {
    let store = Store::open().await.map_err(|error| error.to_string())?;
    let Loaded { run, samples, .. } = load(&store, id).await.map_err(|error| error.to_string())?;
    Ok(run.whole(samples.into_iter().map(|(sample, _)| sample).collect()))
}

/// The name of a record's file without its ending: `api-bank-<model>-<date>`, reduced to letters, digits,
/// dots and dashes.
pub fn file_name(record: &Record) -> String {
    let date = js_sys::Date::new(&JsValue::from_f64(record.times.started_ms as f64));
    let date: String = date.to_iso_string().into();
    let date = date.split('T').next().unwrap_or_default().to_owned();
    format!("api-bank-{}-{date}", slug(record.model.title()))
}

fn slug(name: &str) -> String {
    let name = name.to_lowercase();
    let words: Vec<&str> = name
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '.'))
        .filter(|word| !word.is_empty())
        .collect();
    words.join("-")
}
