//! Computes the build id in records: a digest of the sources that determine results, independent of
//! target and version control.

use sha2::{Digest, Sha256};
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders that determine results, besides those of the engine's crates.
const SOURCES: [&str; 2] = ["apis/src", "dataset/src"];
/// The folders of a crate of the engine that do so.
const OF_A_CRATE: [&str; 2] = ["src", "data"];
/// Length of the build id, in hexadecimal digits.
const DIGITS: usize = 16;

fn main() -> Result<(), Box<dyn Error>> {
    let record = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?);
    let engine = record.parent().ok_or("the crate lies in no folder")?;
    let root = engine.parent().ok_or("the engine lies in no workspace")?;
    let mut hash = Sha256::new();
    let crates = children(engine)?.into_iter();
    let of_crates = crates.flat_map(|path| OF_A_CRATE.map(|folder| path.join(folder)));
    let sources = SOURCES.map(|folder| root.join(folder)).into_iter();
    for folder in sources.chain(of_crates).filter(|folder| folder.is_dir()) {
        add(root, &folder, &mut hash)?;
    }
    let mut id = String::new();
    for byte in &hash.finalize()[..DIGITS / 2] {
        write!(id, "{byte:02x}")?;
    }
    println!("cargo::rustc-env=API_BANK_BUILD={id}");
    Ok(())
}

/// What a folder contains, in name order.
fn children(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    entries.sort();
    Ok(entries)
}

/// Hashes the files below a path in name order. Ignores carriage returns, because a checkout may
/// convert line endings.
fn add(root: &Path, path: &Path, hash: &mut Sha256) -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={}", path.display());
    if path.is_dir() {
        return children(path)?.iter().try_for_each(|entry| add(root, entry, hash));
    }
    let name = path.strip_prefix(root)?.to_string_lossy().replace('\\', "/");
    hash.update(name);
    hash.update([0]);
    hash.update(fs::read(path)?.into_iter().filter(|byte| *byte != b'\r').collect::<Vec<u8>>());
    hash.update([0]);
    Ok(())
}
