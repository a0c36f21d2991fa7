//! This browser's signing key. WebCrypto makes it non-extractable; it is stored in a database of
//! its own.

use super::fetch::subtle;
use super::indexed_db::StoreError;
use idb::{Database, DatabaseEvent as _, Factory, ObjectStoreParams, TransactionMode};
use js_sys::{Array, Reflect, Uint8Array};
use record::jws::{KEY_BYTES, SIGNATURE_BYTES};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{CryptoKey, SubtleCrypto};

/// Name of the database, and of its only store.
const DATABASE: &str = "api-bank-keys";
const STORE: &str = "keys";
/// Name of the entry with the key pair.
const KEY: &str = "signing";
/// The algorithm's name in WebCrypto.
const ED25519: &str = "Ed25519";

/// Message for browsers that cannot sign.
const NO_ED25519: &str = "This browser can't sign with Ed25519 here. Take a current browser and open \
                          the page from https or localhost, or sign the record's file with \
                          `api-bank record sign`.";

/// An opened key.
pub struct Signer {
    subtle: SubtleCrypto,
    private: CryptoKey,
    /// The public key.
    pub public: [u8; KEY_BYTES],
}

impl Signer {
    /// Opens this browser's key, creating it on first use.
    ///
    /// # Errors
    /// A message for the user, with the remedy.
    pub async fn open() -> Result<Self, String> {
        let subtle = subtle().ok_or(NO_ED25519)?;
        let database = database().await.map_err(|error| error.to_string())?;
        let pair = pair(&subtle, &database).await;
        database.close();
        let pair = pair?;
        let part = |name: &str| -> Result<CryptoKey, String> {
            let part = Reflect::get(&pair, &JsValue::from_str(name)).map_err(message_of)?;
            part.dyn_into().map_err(message_of)
        };
        let raw = subtle.export_key("raw", &part("publicKey")?).map_err(message_of)?;
        let raw = Uint8Array::new(&JsFuture::from(raw).await.map_err(message_of)?).to_vec();
        let public = raw.try_into().map_err(|_| NO_ED25519)?;
        Ok(Signer { private: part("privateKey")?, subtle, public })
    }

    /// Signs bytes.
    ///
    /// # Errors
    /// The browser's message.
    pub async fn sign(&self, bytes: &[u8]) -> Result<[u8; SIGNATURE_BYTES], String> {
        let data = Uint8Array::from(bytes);
        let made = self.subtle.sign_with_str_and_buffer_source(ED25519, &self.private, &data);
        let made = JsFuture::from(made.map_err(message_of)?).await.map_err(message_of)?;
        Uint8Array::new(&made).to_vec().try_into().map_err(|_| NO_ED25519.to_owned())
    }
}

/// The stored key pair, or a new one, which is stored first.
async fn pair(subtle: &SubtleCrypto, database: &Database) -> Result<JsValue, String> {
    let lost = |error: StoreError| error.to_string();
    if let Some(pair) = kept(database).await.map_err(lost)? {
        return Ok(pair);
    }
    let uses = Array::of2(&"sign".into(), &"verify".into());
    let made = subtle.generate_key_with_str(ED25519, false, &uses).map_err(|_| NO_ED25519)?;
    let made = JsFuture::from(made).await.map_err(|_| NO_ED25519)?;
    let added = add(database, &made).await;
    // Another tab may have stored its key first: then use that one.
    match kept(database).await.map_err(lost)? {
        Some(pair) => Ok(pair),
        None => Err(added.err().map_or_else(|| NO_ED25519.to_owned(), lost)),
    }
}

async fn kept(database: &Database) -> Result<Option<JsValue>, StoreError> {
    let transaction = database.transaction(&[STORE], TransactionMode::ReadOnly)?;
    Ok(transaction.object_store(STORE)?.get(JsValue::from_str(KEY))?.await?)
}

/// Stores a key pair unless there is one.
async fn add(database: &Database, pair: &JsValue) -> Result<(), StoreError> {
    let transaction = database.transaction(&[STORE], TransactionMode::ReadWrite)?;
    transaction.object_store(STORE)?.add(pair, Some(&JsValue::from_str(KEY)))?.await?;
    transaction.await?;
    Ok(())
}

async fn database() -> Result<Database, StoreError> {
    let mut request = Factory::new()?.open(DATABASE, Some(1))?;
    request.on_upgrade_needed(|event| {
        if let Ok(database) = event.database() {
            // If the store was not created, the first use fails.
            let _ = database.create_object_store(STORE, ObjectStoreParams::new());
        }
    });
    Ok(request.await?)
}

fn message_of(error: JsValue) -> String {
    format!("The browser did not sign ({error:?}). Reload the page and try again.")
}
