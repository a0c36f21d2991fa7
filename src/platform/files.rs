//! Files that the user drops or picks: listed here, read by the worker.

use js_sys::{Array, Function, Promise};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    DataTransfer, File, FileList, FileSystemDirectoryEntry, FileSystemEntry, FileSystemFileEntry,
};

/// Maximum number of files passed on; the worker rejects too many with a message.
const MOST: usize = 6000;
/// Maximum depth of folders.
const DEEPEST: usize = 16;

/// Files with their paths.
#[derive(Debug, Clone, Default)]
pub struct PickedFiles {
    /// Path of each file.
    pub paths: Vec<String>,
    /// The files, in the same order.
    pub files: Array,
}

impl PickedFiles {
    fn add(&mut self, path: &str, file: &File) {
        self.paths.push(path.trim_start_matches('/').to_owned());
        self.files.push(file);
    }

    /// A label: the common folder, or the name of a single file.
    pub fn label(&self) -> Option<String> {
        let first = self.paths.first()?;
        let top = first.split('/').next().unwrap_or(first);
        let shared = self.paths.iter().all(|path| path.split('/').next() == Some(top));
        Some(if shared { top.to_owned() } else { format!("{} files", self.paths.len()) })
    }
}

/// The files of an input element.
pub fn picked(list: &FileList) -> PickedFiles {
    let mut found = PickedFiles::default();
    for index in 0..list.length().min(MOST as u32) {
        if let Some(file) = list.get(index) {
            let path = js_sys::Reflect::get(&file, &"webkitRelativePath".into())
                .ok()
                .and_then(|path| path.as_string())
                .filter(|path| !path.is_empty());
            found.add(&path.unwrap_or_else(|| file.name()), &file);
        }
    }
    found
}

/// The dropped entries. Must be called inside the event handler: the browser clears them
/// afterwards.
pub fn dropped(transfer: &DataTransfer) -> Vec<FileSystemEntry> {
    let items = transfer.items();
    (0..items.length())
        .filter_map(|index| items.get(index)?.webkit_get_as_entry().ok().flatten())
        .collect()
}

/// The files below dropped entries.
///
/// # Errors
/// The browser's message when a folder cannot be read.
pub async fn walk(entries: Vec<FileSystemEntry>) -> Result<PickedFiles, String> {
    let mut found = PickedFiles::default();
    let mut waiting: Vec<(FileSystemEntry, usize)> =
        entries.into_iter().rev().map(|entry| (entry, 0)).collect();
    while let Some((entry, depth)) = waiting.pop() {
        if found.paths.len() >= MOST {
            break;
        }
        if entry.is_file() {
            let entry: FileSystemFileEntry = entry.unchecked_into();
            let file = promised(|resolve, reject| {
                entry.file_with_callback_and_callback(resolve, reject);
            });
            let file: File = file.await?.dyn_into().map_err(|_| "this is not a file".to_owned())?;
            found.add(&entry.full_path(), &file);
        } else if entry.is_directory() && depth < DEEPEST {
            let mut children = children(entry.unchecked_into()).await?;
            children.sort_by_key(|child| std::cmp::Reverse(child.name()));
            waiting.extend(children.into_iter().map(|child| (child, depth + 1)));
        }
    }
    Ok(found)
}

/// A folder's entries, which the browser returns in batches.
async fn children(folder: FileSystemDirectoryEntry) -> Result<Vec<FileSystemEntry>, String> {
    let reader = folder.create_reader();
    let mut all = Vec::new();
    loop {
        let portion = promised(|resolve, reject| {
            // A reader that fails to start calls neither callback, so reject here.
            if let Err(error) = reader.read_entries_with_callback_and_callback(resolve, reject) {
                let _ = reject.call1(&JsValue::NULL, &error);
            }
        });
        let portion: Array = portion.await?.unchecked_into();
        if portion.length() == 0 || all.len() > MOST {
            return Ok(all);
        }
        all.extend(portion.iter().map(JsCast::unchecked_into::<FileSystemEntry>));
    }
}

async fn promised(start: impl Fn(&Function, &Function)) -> Result<JsValue, String> {
    let promise = Promise::new(&mut |resolve, reject| start(&resolve, &reject));
    JsFuture::from(promise).await.map_err(|error| {
        let text = js_sys::Reflect::get(&error, &"message".into());
        let text = text.ok().and_then(|text| text.as_string()).unwrap_or_default();
        format!("The browser cannot read what was dropped ({text}). Pick the files instead.")
    })
}

/// The bytes of a file.
///
/// # Errors
/// The browser's message.
pub async fn read(file: &File) -> Result<Vec<u8>, String> {
    let buffer = JsFuture::from(file.array_buffer()).await;
    buffer.map(|buffer| js_sys::Uint8Array::new(&buffer).to_vec()).map_err(|error| {
        let text = js_sys::Reflect::get(&error, &"message".into());
        let text = text.ok().and_then(|text| text.as_string()).unwrap_or_default();
        format!("the browser cannot read it ({text})")
    })
}
