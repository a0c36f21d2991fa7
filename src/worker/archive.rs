//! Files for the page to save.

use super::post;
use crate::platform::runs::file_name;
use crate::protocol::Event;
use dataset::import::archive;
use js_sys::{Array, Uint8Array};
use record::Record;
use record::leaderboard::ENDING;
use web_sys::{Blob, Url};

/// Sends an archive of files to the page, which saves it under `name`.
///
/// # Errors
/// When the archive cannot be created.
pub(super) fn save_archive(name: &str, files: &[(String, String)]) -> Result<(), String> {
    let bytes = archive(files).map_err(|error| error.to_string())?;
    save_bytes(name, &bytes)
}

/// Sends a record to the page, which saves it compressed.
///
/// # Errors
/// When a number is not finite, or the browser refuses.
pub(super) fn save_record(record: &Record) -> Result<(), String> {
    let bytes = record.to_gzip().map_err(|error| error.to_string())?;
    save_bytes(&format!("{}{ENDING}", file_name(record)), &bytes)
}

/// Sends a file to the page, which saves it under `name`.
///
/// # Errors
/// When the browser refuses.
pub(super) fn save_bytes(name: &str, bytes: &[u8]) -> Result<(), String> {
    let refused = |_| "The browser could not create the file.".to_owned();
    let parts = Array::of1(&Uint8Array::from(bytes));
    let blob = Blob::new_with_u8_array_sequence(&parts).map_err(refused)?;
    let url = Url::create_object_url_with_blob(&blob).map_err(refused)?;
    post(&Event::File { name: name.to_owned(), url });
    Ok(())
}
