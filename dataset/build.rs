//! Embeds the pack: every JSON and JSONL file of the data folders, minified, and their digest.

use sha2::{Digest, Sha256};
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    let mut files = Vec::new();
    collect(&root.join("manifest.json"), &mut files)?;
    collect(&root.join("databases"), &mut files)?;
    collect(&root.join("dialogues"), &mut files)?;
    collect(&root.join("hard"), &mut files)?;
    let mut pack = Vec::new();
    for file in files {
        let name = file.strip_prefix(&root)?.to_string_lossy().replace('\\', "/");
        let values = minify(&file).map_err(|error| format!("{name}: {error}"))?;
        pack.push((name, values));
    }
    pack.sort();
    let mut table = String::from("&[\n");
    for (name, values) in &pack {
        writeln!(table, "    ({name:?}, {:?}),", values.join("\n"))?;
    }
    table.push_str("]\n");
    fs::write(out.join("pack.rs"), table)?;
    fs::write(out.join("digest.txt"), digest(&pack))?;
    Ok(())
}

/// The digest that `Pack::load` computes of the same files; a test compares both.
fn digest(pack: &[(String, Vec<String>)]) -> String {
    let mut hash = Sha256::new();
    for (name, values) in pack {
        hash.update(name);
        hash.update([0]);
        values.iter().for_each(|value| hash.update(value));
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Files below `path`, sorted by name so that builds are reproducible.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={}", path.display());
    if path.is_dir() {
        let mut entries: Vec<PathBuf> =
            fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
        entries.sort();
        for entry in entries {
            collect(&entry, files)?;
        }
    } else if path.extension().is_some_and(|end| end == "json" || end == "jsonl") {
        files.push(path.to_owned());
    }
    Ok(())
}

/// The minified JSON values of a file: one, or one per line.
fn minify(file: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let text = fs::read_to_string(file)?;
    let values = serde_json::Deserializer::from_str(&text).into_iter::<serde_json::Value>();
    let lines: Result<Vec<String>, _> = values.map(|value| value.map(|v| v.to_string())).collect();
    Ok(lines?)
}
