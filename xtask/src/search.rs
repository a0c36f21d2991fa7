//! The API Search files that the site ships: model, vocabulary, and the vectors of all APIs.
//!
//! The engine generates them. The cache keys them by a digest of their inputs, so that they are
//! rebuilt only when the model, the encoder or an API changes.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use anyhow::{Context, Result};

use crate::{
    cache::Cache,
    check::NATIVE_FEATURES,
    digest, model,
    process::{cargo, root, run, target},
    tools::locked_version,
};

/// The code that quantizes the published model.
const MODEL_CODE: [&str; 2] =
    ["engine/retrieval/src/quantize.rs", "xtask/makers/src/search_files.rs"];
/// Additional inputs of the vectors: the code that runs the model, the APIs' descriptions and how
/// they are listed, and the dialogues.
const VECTORS_CODE: [&str; 5] =
    ["apis/src", "dataset/dialogues", "dataset/hard", "engine/kernels/src", "engine/retrieval/src"];

/// The files of API Search, under their names in the site before hashing.
#[derive(Debug, Clone)]
pub struct SearchFiles {
    /// The quantized ONNX file.
    pub model: PathBuf,
    /// One word piece per line.
    pub vocab: PathBuf,
    /// The embeddings of all APIs.
    pub vectors: PathBuf,
}

impl SearchFiles {
    /// Copies all three into a folder, under the names that index.html uses.
    ///
    /// # Errors
    /// When the folder can't be written.
    pub fn copy_to(&self, dir: &Path) -> Result<()> {
        for (file, name) in [
            (&self.model, "model.onnx"),
            (&self.vocab, "vocab.txt"),
            (&self.vectors, "vectors.bin"),
        ] {
            fs::copy(file, dir.join(name))
                .with_context(|| format!("can't copy {} to {}", file.display(), dir.display()))?;
        }
        Ok(())
    }
}

/// The packages that cargo selects when it compiles the generators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuildScope {
    /// Only the generators: the fastest option.
    Makers,
    /// The whole workspace with its tests. Tests enable more features of shared crates, so
    /// selecting only the generators before a test run would compile the engine twice.
    Workspace,
}

/// Returns the files, generating those that the cache lacks. The latest ones are also in the
/// cache's `search/current`, where the command line and the tests look for them.
///
/// # Errors
/// When the model can't be fetched or the engine does not compile.
pub fn ensure(cache: &Cache) -> Result<SearchFiles> {
    ensure_with(cache, BuildScope::Makers)
}

/// Like [`ensure`], with a choice of the packages that cargo compiles.
///
/// # Errors
/// Same as [`ensure`].
pub fn ensure_with(cache: &Cache, scope: BuildScope) -> Result<SearchFiles> {
    let published = model::ensure(cache)?;
    let lock = fs::read_to_string(root().join("Cargo.lock")).context("can't read Cargo.lock")?;
    let tract = locked_version(&lock, "tract-onnx").unwrap_or_default();
    let code = digest_of(&MODEL_CODE, &tract)?;

    let model = cache.search(&format!("model-{}", &code[..16])).join("model.onnx");
    if model.is_file() {
        println!("  search model: found");
    } else {
        make(&model, scope, |out| vec!["model".into(), published.onnx.clone(), out.to_path_buf()])?;
    }
    let code = digest_of(&VECTORS_CODE, &code)?;
    let vectors = cache.search(&format!("vectors-{}", &code[..16])).join("vectors.bin");
    if vectors.is_file() {
        println!("  vectors of the APIs: found");
    } else {
        make(&vectors, scope, |out| {
            vec!["vectors".into(), model.clone(), published.vocab.clone(), out.to_path_buf()]
        })?;
    }
    let files = SearchFiles { model, vocab: published.vocab, vectors };
    publish(cache, &files)?;
    Ok(files)
}

/// Runs the program that generates a file, and moves the complete file into place.
fn make(file: &Path, scope: BuildScope, arguments: impl Fn(&Path) -> Vec<PathBuf>) -> Result<()> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    println!("  making {name} (compiles the engine natively, minutes at first)");
    let started = Instant::now();
    let dir = file.parent().context("a file in a folder")?;
    fs::create_dir_all(dir).with_context(|| format!("can't make {}", dir.display()))?;
    let part = file.with_extension(format!("part-{}", std::process::id()));
    let program = compiled("search-files", scope)?;
    run(Command::new(program).current_dir(root()).args(arguments(&part)))
        .with_context(|| format!("{name} could not be made"))?;
    fs::rename(&part, file).with_context(|| format!("can't write {}", file.display()))?;
    println!("  made {name} in {:.0} s", started.elapsed().as_secs_f32());
    Ok(())
}

/// Compiles one of the programs that use the engine, and returns its path.
pub(crate) fn compiled(name: &str, scope: BuildScope) -> Result<PathBuf> {
    let mut command = cargo();
    command.args(["build", "--bin", name]);
    match scope {
        BuildScope::Makers => command.args(["--package", "makers"]),
        BuildScope::Workspace => {
            command.args(["--tests", "--workspace", "--features", NATIVE_FEATURES])
        }
    };
    run(&mut command)?;
    Ok(target().join("debug").join(name).with_extension(env::consts::EXE_EXTENSION))
}

/// Replays the dialogues of `dataset/`, and compares or records their results.
///
/// # Errors
/// When a dialogue can't be read, or a result differs from the recorded one.
pub fn dataset(
    files: &SearchFiles,
    scope: BuildScope,
    bless: bool,
    filter: Option<&str>,
) -> Result<()> {
    run(Command::new(compiled("dataset-files", scope)?)
        .current_dir(root())
        .args(bless.then_some("--bless"))
        .arg(root().join("dataset"))
        .args([&files.model, &files.vocab])
        .args(filter))
}

fn publish(cache: &Cache, files: &SearchFiles) -> Result<()> {
    let current = cache.search("current");
    let fresh = cache.search(&format!("current-{}", std::process::id()));
    fs::create_dir_all(&fresh).with_context(|| format!("can't make {}", fresh.display()))?;
    files.copy_to(&fresh)?;
    if current.exists() {
        fs::remove_dir_all(&current)
            .with_context(|| format!("can't remove {}", current.display()))?;
    }
    fs::rename(&fresh, &current).with_context(|| format!("can't write {}", current.display()))
}

/// The digest of a seed and of the workspace's files and folders, by name and content.
pub(crate) fn digest_of(paths: &[&str], seed: &str) -> Result<String> {
    let mut files = Vec::new();
    for path in paths {
        list(&root().join(path), &mut files)?;
    }
    files.sort();
    let mut all = seed.to_owned();
    for file in files {
        let bytes = fs::read(&file).with_context(|| format!("can't read {}", file.display()))?;
        let name = file.strip_prefix(root()).unwrap_or(&file);
        all.push_str(&format!("\n{} {}", name.display(), digest::hex(&bytes)));
    }
    Ok(digest::hex(all.as_bytes()))
}

fn list(path: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    if !path.is_dir() {
        files.push(path.to_path_buf());
        return Ok(());
    }
    for entry in fs::read_dir(path).with_context(|| format!("can't list {}", path.display()))? {
        let entry = entry.with_context(|| format!("can't list {}", path.display()))?;
        list(&entry.path(), files)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_follows_code_and_seed() -> Result<()> {
        let digest = digest_of(&MODEL_CODE, "tract 1")?;
        assert_eq!(digest, digest_of(&MODEL_CODE, "tract 1")?);
        assert_ne!(digest, digest_of(&MODEL_CODE, "tract 2")?);
        assert_ne!(digest, digest_of(&VECTORS_CODE, "tract 1")?);
        assert!(digest_of(&["no/such/folder"], "").is_err());
        Ok(())
    }
}
