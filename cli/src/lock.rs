//! One process at a time writes a record: a lock file beside its journal.

use crate::Usage;
use crate::journal::beside;
use crate::output;
use anyhow::{Context, Result};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

/// The extension appended to the journal's file name.
const ENDING: &str = ".lock";

/// A lock that ends with the process, also if it is killed.
pub(crate) struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    /// Locks the record at `out`; `None` if it is no file that can be replaced, such as standard
    /// output, in a folder that can't be written, or on a file system without locks.
    ///
    /// # Errors
    /// When another process writes this record, or its lock can't be opened.
    pub(crate) fn of(out: &Path) -> Result<Option<Self>> {
        if !output::is_replaceable(out) {
            return Ok(None);
        }
        let mut path = beside(out).into_os_string();
        path.push(ENDING);
        let path = PathBuf::from(path);
        let context = || format!("can't write {}", out.display());
        loop {
            let mut options = OpenOptions::new();
            let options = options.create(true).truncate(false).write(true);
            let file = match options.open(&path) {
                Ok(file) => file,
                Err(error) if path.exists() => return Err(error).with_context(context),
                // A folder that can't be written is told when the record's place is checked.
                Err(_) => return Ok(None),
            };
            match file.try_lock() {
                // The process that had the lock may have removed the file in between.
                Ok(()) if !is_at(&file, &path) => {}
                Ok(()) => return Ok(Some(Lock { path, _file: file })),
                Err(TryLockError::WouldBlock) => {
                    let out = out.display();
                    let message = format!(
                        "{out} is in use by another process: wait until it ends, or name another file"
                    );
                    return Err(Usage(message).into());
                }
                Err(TryLockError::Error(_)) => {
                    let _ = fs::remove_file(&path);
                    return Ok(None);
                }
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Still locked, so that nobody else's file is removed.
        let _ = fs::remove_file(&self.path);
    }
}

/// Whether a path still names an open file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let same = |a: fs::Metadata, b: fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
    file.metadata().is_ok_and(|open| fs::metadata(path).is_ok_and(|there| same(open, there)))
}

/// Other platforms don't remove files that are open.
#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_has_one_writer_and_nothing_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("r.json");
        let first = Lock::of(&out).unwrap();
        assert!(first.is_some());
        let refused = format!("{:#}", Lock::of(&out).err().unwrap());
        assert!(refused.contains("in use by another process"), "{refused}");
        assert!(Lock::of(&folder.path().join("other.json")).unwrap().is_some());
        drop(first);
        assert!(Lock::of(&out).unwrap().is_some());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(Lock::of(Path::new("-")).unwrap().is_none());
        let nowhere = folder.path().join("no/r.json");
        assert!(Lock::of(&nowhere).unwrap().is_none());
    }
}
