//! Reproducible archives: entries are sorted, with fixed times, owners and modes.

use std::{
    fs,
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use flate2::{Compression, GzBuilder};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

/// 1980-01-01 UTC in Unix seconds, the earliest time that a zip can express.
const TIME: u64 = 315_532_800;

/// A file of an archive.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// Its path below the archive's folder, with slashes.
    pub name: String,
    content: Content,
    is_program: bool,
}

#[derive(Debug, Clone)]
enum Content {
    File(PathBuf),
    Text(String),
}

impl Entry {
    pub(super) fn file(name: &str, path: &Path) -> Self {
        Entry { name: name.to_owned(), content: Content::File(path.into()), is_program: false }
    }

    pub(super) fn program(name: &str, path: &Path) -> Self {
        Entry { is_program: true, ..Entry::file(name, path) }
    }

    pub(super) fn text(name: &str, text: impl Into<String>) -> Self {
        Entry { name: name.to_owned(), content: Content::Text(text.into()), is_program: false }
    }

    /// The same file in a folder.
    pub(super) fn in_folder(self, folder: &str) -> Self {
        Entry { name: format!("{folder}/{}", self.name), ..self }
    }

    fn mode(&self) -> u32 {
        if self.is_program { 0o755 } else { 0o644 }
    }

    pub(super) fn read(&self) -> Result<Vec<u8>> {
        match &self.content {
            Content::File(path) => {
                fs::read(path).with_context(|| format!("can't read {}", path.display()))
            }
            Content::Text(text) => Ok(text.clone().into_bytes()),
        }
    }
}

/// All files below a folder.
pub(super) fn list(folder: &Path, prefix: &str, entries: &mut Vec<Entry>) -> Result<()> {
    let unreadable = || format!("can't list {}", folder.display());
    for entry in fs::read_dir(folder).with_context(unreadable)? {
        let path = entry.with_context(unreadable)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("{prefix}{name}");
        if path.is_dir() {
            list(&path, &format!("{name}/"), entries)?;
        } else {
            entries.push(Entry::file(&name, &path));
        }
    }
    Ok(())
}

fn sorted(mut entries: Vec<Entry>) -> Vec<Entry> {
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    entries
}

/// Writes a compressed tar.
pub(super) fn tar_gz(file: PathBuf, entries: Vec<Entry>) -> Result<PathBuf> {
    let unwritable = || format!("can't write {}", file.display());
    // Without a name and a time in the header.
    let gzip =
        GzBuilder::new().write(File::create(&file).with_context(unwritable)?, Compression::best());
    let mut archive = tar::Builder::new(gzip);
    for entry in sorted(entries) {
        let bytes = entry.read()?;
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len().try_into()?);
        header.set_mode(entry.mode());
        header.set_mtime(TIME);
        header.set_uid(0);
        header.set_gid(0);
        archive.append_data(&mut header, &entry.name, &*bytes).with_context(unwritable)?;
    }
    archive
        .into_inner()
        .and_then(flate2::write::GzEncoder::finish)
        .and_then(|file| file.sync_all())
        .with_context(unwritable)?;
    Ok(file)
}

/// Writes a zip.
pub(super) fn zip(file: PathBuf, entries: Vec<Entry>) -> Result<PathBuf> {
    let unwritable = || format!("can't write {}", file.display());
    let mut archive = ZipWriter::new(File::create(&file).with_context(unwritable)?);
    for entry in sorted(entries) {
        // The default time is 1980-01-01.
        let options = SimpleFileOptions::default()
            .last_modified_time(zip::DateTime::default())
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(9))
            .unix_permissions(entry.mode());
        archive.start_file(&entry.name, options).with_context(unwritable)?;
        archive.write_all(&entry.read()?).with_context(unwritable)?;
    }
    archive
        .finish()
        .map_err(io::Error::from)
        .and_then(|file| file.sync_all())
        .with_context(unwritable)?;
    Ok(file)
}
