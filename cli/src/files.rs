//! Files that several commands read: the API Search files and the input.

use anyhow::{Context, Result, bail};
use retrieval::Encoder;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The path that means standard input or standard output.
pub(crate) const STANDARD: &str = "-";

/// The folder with `model.onnx`, `vocab.txt` and `vectors.bin`.
#[derive(Debug, Clone)]
pub(crate) struct SearchFiles(PathBuf);

impl SearchFiles {
    /// `given`, else `search` beside the program, as a release has it, else `search/current` in the
    /// cache, where `cargo xtask model` installs the files.
    pub(crate) fn find(given: Option<&Path>) -> Result<Self> {
        let folder = match given {
            Some(folder) => folder.to_owned(),
            None => match beside(env::current_exe().ok()) {
                Some(folder) => folder,
                None => cache()?.join("search").join("current"),
            },
        };
        for name in ["model.onnx", "vocab.txt", "vectors.bin"] {
            if !folder.join(name).is_file() {
                bail!(
                    "API Search needs {}, which is not there. Make it with `cargo xtask model`, \
                     or name its folder with --search-files",
                    folder.join(name).display()
                );
            }
        }
        Ok(SearchFiles(folder))
    }

    pub(crate) fn encoder(&self) -> Result<Encoder> {
        let vocabulary = self.read("vocab.txt")?;
        let vocabulary = String::from_utf8(vocabulary)
            .with_context(|| format!("{} is not UTF-8", self.0.join("vocab.txt").display()))?;
        Encoder::load(&self.read("model.onnx")?, &vocabulary).with_context(|| self.damaged())
    }

    pub(crate) fn vectors(&self) -> Result<Vec<u8>> {
        self.read("vectors.bin")
    }

    /// The error message for files that exist but are corrupt.
    pub(crate) fn damaged(&self) -> String {
        format!(
            "API Search cannot start with the files in {}; make them anew with `cargo xtask model`",
            self.0.display()
        )
    }

    fn read(&self, name: &str) -> Result<Vec<u8>> {
        let path = self.0.join(name);
        fs::read(&path).with_context(|| format!("can't read {}", path.display()))
    }
}

/// The folder `search` beside a program or beside what it links to.
fn beside(program: Option<PathBuf>) -> Option<PathBuf> {
    let folder = program?.canonicalize().ok()?.parent()?.join("search");
    folder.join("model.onnx").is_file().then_some(folder)
}

/// The cache folder, resolved the same way as in `cargo xtask`.
fn cache() -> Result<PathBuf> {
    let variable = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    variable("API_BANK_CACHE")
        .or_else(|| variable("XDG_CACHE_HOME").map(|folder| folder.join("api-bank")))
        .or_else(|| env::home_dir().map(|home| home.join(".cache").join("api-bank")))
        .context("no home folder: set API_BANK_CACHE, or name the folder with --search-files")
}

/// Reads a regular file of at most `most` bytes; links are followed. A pipe would block, and a device
/// may have no end.
pub(crate) fn bounded(path: &Path, most: u64) -> Result<Vec<u8>> {
    let context = || format!("can't read {}", path.display());
    if !fs::metadata(path).with_context(context)?.is_file() {
        bail!("can't read {}: expected a regular file", path.display());
    }
    let mut bytes = Vec::new();
    let mut file = fs::File::open(path).with_context(context)?.take(most.saturating_add(1));
    file.read_to_end(&mut bytes).with_context(context)?;
    if bytes.len() as u64 > most {
        bail!("can't read {}: expected at most {most} bytes", path.display());
    }
    Ok(bytes)
}

/// Reads a text like [`bounded`]: UTF-8 or UTF-16.
pub(crate) fn bounded_text(path: &Path, most: u64) -> Result<String> {
    decoded(path, &bounded(path, most)?)
}

/// Whether a path means standard input or standard output.
pub(crate) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == STANDARD
}

/// Reads a file, or standard input for `-`.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    let read = if is_standard(path) {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    };
    read.with_context(|| format!("can't read {}", path.display()))
}

/// Reads a text file, or standard input for `-`: UTF-8 or UTF-16.
pub(crate) fn text(path: &Path) -> Result<String> {
    decoded(path, &read(path)?)
}

fn decoded(path: &Path, bytes: &[u8]) -> Result<String> {
    let text = dataset::encoding::text(bytes).with_context(|| path.display().to_string())?;
    Ok(text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn only_regular_files_are_read_and_no_more_than_allowed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "abc").unwrap();
        assert_eq!(bounded(&file, 3).unwrap(), b"abc");
        assert!(format!("{:#}", bounded(&file, 2).unwrap_err()).contains("at most 2 bytes"));
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        for path in [link.as_path(), folder.path()] {
            assert!(format!("{:#}", bounded(path, 9).unwrap_err()).contains("regular file"));
        }
    }

    #[test]
    fn a_released_program_finds_the_files_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("api-bank");
        fs::write(&program, "").unwrap();
        assert_eq!(beside(Some(program.clone())), None);
        let search = folder.path().join("search");
        fs::create_dir(&search).unwrap();
        fs::write(search.join("model.onnx"), "").unwrap();
        assert_eq!(beside(Some(program)), Some(search.canonicalize().unwrap()));
        assert_eq!(beside(Some(folder.path().join("missing"))), None);
        assert_eq!(beside(None), None);
    }
}
