//! The API Search files that the site ships: model, vocabulary, and the vectors of all APIs.
//!
//! The model is quantized from the published one and cached. The vectors are a file of the
//! repository, which a test holds to its sources (`engine/ranking/tests/wasm.rs`), so that the site
//! is built without compiling the engine for this machine.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};

use crate::{
    cache::Cache,
    digest,
    features::NATIVE_FEATURES,
    model,
    process::{cargo, root, run, target},
};

/// The quantized model. The vectors name it, and every search of a record is made by it.
const MODEL_SHA256: &str = "1060ede39316928d787e2738f0afbd5bb5fcff19d9aa936dc110a3d8ba127e4b";

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
    /// The files in a folder.
    #[must_use]
    pub fn of(folder: &Path) -> Self {
        SearchFiles {
            model: folder.join("model.onnx"),
            vocab: folder.join("vocab.txt"),
            vectors: folder.join("vectors.bin"),
        }
    }

    /// The files with the names that index.html and the command line use.
    #[must_use]
    pub fn named(&self) -> [(&'static str, &Path); 3] {
        [("model.onnx", &self.model), ("vocab.txt", &self.vocab), ("vectors.bin", &self.vectors)]
    }

    /// Copies all three into a folder.
    ///
    /// # Errors
    /// When the folder can't be written.
    pub fn copy_to(&self, dir: &Path) -> Result<()> {
        for (name, file) in self.named() {
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

/// Returns the files, making those that the cache lacks. The latest ones are also in the cache's
/// `search/current`, where the command line and the tests look for them.
///
/// # Errors
/// When the model can't be fetched, or this machine quantizes it to other bytes.
pub fn ensure(cache: &Cache) -> Result<SearchFiles> {
    let published = model::ensure(cache)?;
    let model = cache.search(&format!("model-{}", &MODEL_SHA256[..16])).join("model.onnx");
    if digest::matches(&model, MODEL_SHA256) {
        println!("  search model: found");
    } else {
        println!("  quantizing the search model");
        quantize(&published.onnx, &model)?;
    }
    let vectors = root().join("dataset/search/vectors.bin");
    let files = SearchFiles { model, vocab: published.vocab, vectors };
    publish(cache, &files)?;
    Ok(files)
}

fn quantize(published: &Path, file: &Path) -> Result<()> {
    let onnx =
        fs::read(published).with_context(|| format!("can't read {}", published.display()))?;
    let bytes = quantize::quantize(&onnx).context("the search model could not be made")?;
    let found = digest::hex(&bytes);
    ensure!(
        found == MODEL_SHA256,
        "the search model has sha256 {found}, expected {MODEL_SHA256}: if engine/quantize changed, \
         write it into xtask/src/search.rs; otherwise this machine computes differently: report it"
    );
    let dir = file.parent().context("a file in a folder")?;
    fs::create_dir_all(dir).with_context(|| format!("can't make {}", dir.display()))?;
    let part = file.with_extension(format!("part-{}", std::process::id()));
    fs::write(&part, bytes).with_context(|| format!("can't write {}", part.display()))?;
    fs::rename(&part, file).with_context(|| format!("can't write {}", file.display()))
}

/// Compiles one of the programs that use the engine, and returns its path.
fn compiled(name: &str, scope: BuildScope) -> Result<PathBuf> {
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
