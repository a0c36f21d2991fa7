//! Gives records their build id: a digest of the sources that decide results. It is the same
//! for every target and needs no version control.

use sha2::{Digest, Sha256};
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders whose sources decide results.
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
/// Digits of the digest that are kept: enough to tell builds apart, short enough to read.
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

/// Adds the files below a path in the order of their names. Line ends do not count.
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
