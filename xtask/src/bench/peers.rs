//! The peers that the project is measured against, downloaded into the cache with the registry's
//! client.

use std::{fs, path::PathBuf, process::Command};

use anyhow::{Context, Result, ensure};

use crate::{
    cache::Cache,
    process::{on_path, run},
};

/// onnxruntime-web, the usual way for a page to run the published model.
pub(super) const ONNXRUNTIME: &str = "1.30.0";
/// The files that a page loads to run a model on WebAssembly: script, module, runtime.
pub(super) const ONNXRUNTIME_FILES: [&str; 3] =
    ["ort.wasm.min.mjs", "ort-wasm-simd-threaded.mjs", "ort-wasm-simd-threaded.wasm"];

/// A peer in the cache.
#[derive(Debug, Clone)]
pub(super) struct Peer {
    /// The folder with its files.
    pub folder: PathBuf,
}

/// Returns onnxruntime-web, downloading it if necessary; prints a notice and returns `None` if npm
/// is missing. Rows that need it are then not measured.
pub(super) fn onnxruntime(cache: &Cache) -> Result<Option<Peer>> {
    let home = cache.tool("onnxruntime-web", ONNXRUNTIME);
    let folder = home.join("node_modules").join("onnxruntime-web").join("dist");
    let complete = || ONNXRUNTIME_FILES.iter().all(|file| folder.join(file).is_file());
    if complete() {
        println!("  onnxruntime-web {ONNXRUNTIME}: found");
        return Ok(Some(Peer { folder }));
    }
    let Some(npm) = on_path("npm") else {
        println!("  SKIPPED the comparison with onnxruntime-web: npm is not installed");
        return Ok(None);
    };
    println!("  fetching onnxruntime-web {ONNXRUNTIME}");
    fs::create_dir_all(&home).with_context(|| format!("can't make {}", home.display()))?;
    run(Command::new(npm)
        .args(["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"])
        .arg(&home)
        .arg(format!("onnxruntime-web@{ONNXRUNTIME}")))
    .context("onnxruntime-web could not be fetched")?;
    ensure!(complete(), "onnxruntime-web {ONNXRUNTIME} lacks one of {ONNXRUNTIME_FILES:?}");
    Ok(Some(Peer { folder }))
}
