//! Atomic output: a file is written completely or not at all.
//!
//! Writes to a temporary file in the same folder, flushes it to disk and renames it over the
//! target, so that neither a full disk nor a crash leaves a partial file.

use crate::files::is_standard;
use anyhow::{Context, Result, bail};
use record::packed;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile, PersistError};

/// The kind of file at an output path.
enum Target {
    Standard,
    /// A device or a pipe: written directly, because it can't be replaced.
    Device,
    /// A regular file that may not exist yet; links are resolved.
    File(PathBuf),
}

impl Target {
    fn of(path: &Path) -> Result<Self> {
        if is_standard(path) {
            return Ok(Target::Standard);
        }
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => {
                bail!("can't write {}: it is a folder, expected a file", path.display())
            }
            // The shell may redirect standard output to a regular file, reached by a device's name.
            Ok(found) if !found.is_file() || path.starts_with("/dev") => Ok(Target::Device),
            Ok(_) => Ok(Target::File(fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()))),
            Err(_) => Ok(Target::File(path.to_owned())),
        }
    }
}

/// Whether a path names a regular file, existing or not: one that can be replaced and can have
/// files next to it.
pub(crate) fn is_replaceable(path: &Path) -> bool {
    matches!(Target::of(path), Ok(Target::File(_)))
}

/// Checks before the work starts that a file can be written. Changes nothing.
pub(crate) fn check_writable(path: &Path) -> Result<()> {
    let Target::File(to) = Target::of(path)? else { return Ok(()) };
    let context = || format!("can't write {}", path.display());
    if to.exists() {
        fs::OpenOptions::new().append(true).open(&to).with_context(context)?;
    }
    temporary(&to).map(drop).with_context(context)
}

/// Writes text to a file, or to standard output for `-`.
pub(crate) fn write(path: &Path, text: &str) -> Result<()> {
    let context = || format!("can't write {}", path.display());
    write_with(path, |out| out.write_all(text.as_bytes()).with_context(context))
}

/// Writes the output of `fill` to a file, compressed if its name ends in `.gz`, or to standard output for
/// `-`. On failure an existing file stays unchanged.
pub(crate) fn write_with(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    let context = || format!("can't write {}", path.display());
    let is_packed = path.extension().is_some_and(|it| it.eq_ignore_ascii_case("gz"));
    let fill = |out: &mut dyn Write| match is_packed {
        true => packed(out, fill).map(drop),
        false => fill(out),
    };
    match Target::of(path)? {
        Target::Standard => buffered(io::stdout().lock(), fill).with_context(context),
        Target::Device => {
            let device = fs::OpenOptions::new().write(true).open(path).with_context(context)?;
            buffered(device, fill).with_context(context)
        }
        Target::File(to) => replace(&to, fill).map(drop),
    }
}

/// Writes a file like [`write_with`], and returns it open for appending.
pub(crate) fn replace(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<File> {
    let context = || format!("can't write {}", path.display());
    let mut file = temporary(path).with_context(context)?;
    buffered(file.as_file_mut(), fill).with_context(context)?;
    file.as_file().sync_all().with_context(context)?;
    let placed = file.persist(path).map_err(|refused| kept(refused, path))?;
    sync_folder(path);
    Ok(placed)
}

/// Writes a file with a fresh name to the folder for temporary files, and returns its path.
pub(crate) fn write_temporary(
    ending: &str,
    fill: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<PathBuf> {
    let mut file = Builder::new().prefix("api-bank-").suffix(ending).tempfile()?;
    buffered(file.as_file_mut(), fill)?;
    file.as_file().sync_all()?;
    Ok(file.keep()?.1)
}

fn buffered(out: impl Write, fill: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let mut out = BufWriter::new(out);
    fill(&mut out)?;
    Ok(out.flush()?)
}

/// The folder that contains a file.
fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A temporary file next to `path`, with the permissions of the file there, or else the default ones.
fn temporary(path: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".api-bank-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let file = builder.tempfile_in(folder(path))?;
    if let Ok(found) = fs::metadata(path) {
        file.as_file().set_permissions(found.permissions())?;
    }
    Ok(file)
}

/// The error for a complete file that can't be moved into place: it stays under its temporary name.
fn kept(refused: PersistError, path: &Path) -> anyhow::Error {
    let failed = format!("can't write {}: {}", path.display(), refused.error);
    match refused.file.keep() {
        Ok((_, stays)) => {
            anyhow::anyhow!("{failed}. What was to be written is in {}", stays.display())
        }
        Err(_) => anyhow::anyhow!(failed),
    }
}

/// Flushes a rename to disk. Not every file system can; the file exists either way.
fn sync_folder(path: &Path) {
    #[cfg(unix)]
    if let Ok(folder) = File::open(folder(path)) {
        let _ = folder.sync_all();
    }
    #[cfg(not(unix))]
    let _ = path;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;

    #[test]
    fn output_that_fails_leaves_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.json");
        write(&path, "before").unwrap();
        let failed = write_with(&path, |out| {
            out.write_all(&[b'x'; 100_000])?;
            bail!("the disk is full")
        });
        let error = format!("{:#}", failed.unwrap_err());
        assert!(error.contains("r.json") && error.contains("the disk is full"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "before");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
    }

    #[test]
    fn a_name_that_ends_in_gz_is_compressed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.json.gz");
        let text = "a".repeat(10_000);
        write(&path, &text).unwrap();
        let bytes = fs::read(&path).unwrap();
        assert!(bytes.len() < 100, "{} bytes", bytes.len());
        let mut read = String::new();
        record::unpacked(&bytes[..]).unwrap().read_to_string(&mut read).unwrap();
        assert_eq!(read, text);
    }

    #[test]
    fn a_check_leaves_no_file() {
        let folder = tempfile::tempdir().unwrap();
        check_writable(&folder.path().join("r.json")).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        let nowhere = folder.path().join("no/r.json");
        let error = format!("{:#}", check_writable(&nowhere).unwrap_err());
        assert!(error.contains(&nowhere.display().to_string()), "{error}");
        assert!(check_writable(folder.path()).is_err(), "a folder is no file");
    }

    #[cfg(unix)]
    #[test]
    fn permissions_and_links_stay() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("r.json"), folder.path().join("link"));
        write(&path, "a").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write(&link, "b").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "b");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }
}
