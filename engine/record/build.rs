//! Computes the build id in records: a digest of the sources that determine results, independent of
//! target and version control.

use sha2::{Digest, Sha256};
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders whose sources determine results.
const SOURCES: [&str; 10] = [
    "apis/src",
    "dataset/src",
    "engine/exchange/src",
    "engine/generator/src",
    "engine/original/src",
    "engine/provider/src",
    "engine/record/src",
    "engine/retrieval/src",
    "engine/runner/src",
    "engine/scoring/src",
];
/// Length of the build id, in hexadecimal digits.
const DIGITS: usize = 16;

fn main() -> Result<(), Box<dyn Error>> {
    let record = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?);
    let engine = record.parent().ok_or("the crate lies in no folder")?;
    let root = engine.parent().ok_or("the engine lies in no workspace")?;
    let mut hash = Sha256::new();
    for folder in SOURCES {
        add(root, &root.join(folder), &mut hash)?;
    }
    let mut id = String::new();
    for byte in &hash.finalize()[..DIGITS / 2] {
        write!(id, "{byte:02x}")?;
    }
    println!("cargo::rustc-env=API_BANK_BUILD={id}");
    Ok(())
}

/// Hashes the files below a path in name order. Ignores carriage returns, because a checkout may
/// convert line endings.
fn add(root: &Path, path: &Path, hash: &mut Sha256) -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={}", path.display());
    if path.is_dir() {
        let mut entries: Vec<PathBuf> =
            fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
        entries.sort();
        return entries.iter().try_for_each(|entry| add(root, entry, hash));
    }
    let name = path.strip_prefix(root)?.to_string_lossy().replace('\\', "/");
    hash.update(name);
    hash.update([0]);
    hash.update(fs::read(path)?.into_iter().filter(|byte| *byte != b'\r').collect::<Vec<u8>>());
    hash.update([0]);
    Ok(())
}
