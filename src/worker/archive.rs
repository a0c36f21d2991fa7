//! Files for the page to save.

use crate::messages::MadeFile;
use crate::platform::runs::file_name;
use dataset::import::archive;
use js_sys::{Array, Uint8Array};
use record::Record;
use record::leaderboard::ENDING;
use web_sys::{Blob, Url};

/// An archive of files, under a name.
///
/// # Errors
/// When the archive cannot be created.
pub(super) fn archive_of(name: &str, files: &[(String, String)]) -> Result<MadeFile, String> {
    file_of(name, &archive(files).map_err(|error| error.to_string())?)
}

/// A record, compressed.
///
/// # Errors
/// When a number is not finite, or the browser refuses.
pub(super) fn record_file(record: &Record) -> Result<MadeFile, String> {
    let bytes = record.to_gzip().map_err(|error| error.to_string())?;
    file_of(&format!("{}{ENDING}", file_name(record)), &bytes)
}

/// A file with these bytes, under a name.
///
/// # Errors
/// When the browser refuses.
pub(super) fn file_of(name: &str, bytes: &[u8]) -> Result<MadeFile, String> {
    let refused = |_| "The browser could not create the file.".to_owned();
    let parts = Array::of1(&Uint8Array::from(bytes));
    let blob = Blob::new_with_u8_array_sequence(&parts).map_err(refused)?;
    let url = Url::create_object_url_with_blob(&blob).map_err(refused)?;
    Ok(MadeFile { name: name.to_owned(), url, lacking: None })
}
