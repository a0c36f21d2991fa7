//! Runs `wasm-opt` on the compiled WebAssembly, for release builds.

use std::{fs, path::Path, process::Command, time::Instant};

use anyhow::{Context, Result};

use crate::{cache::Cache, process::run, programs};

/// WebAssembly features beyond the MVP that rustc uses. Listed explicitly, so that `wasm-opt` can't
/// introduce others that older browsers lack.
const FEATURES: [&str; 9] = [
    "--enable-bulk-memory",
    "--enable-bulk-memory-opt",
    "--enable-call-indirect-overlong",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
    "--enable-simd",
];

/// Optimizes every `.wasm` file of a folder in place: the worker's for speed, the page's for size.
/// Strips function names, which only the lazy-loaded file has.
pub(super) fn all(cache: &Cache, dir: &Path) -> Result<()> {
    let Some(wasm_opt) = programs::wasm_opt(cache)? else {
        return Ok(());
    };
    for entry in fs::read_dir(dir).with_context(|| format!("can't list {}", dir.display()))? {
        let file = entry.with_context(|| format!("can't list {}", dir.display()))?.path();
        if file.extension().is_none_or(|extension| extension != "wasm") {
            continue;
        }
        let before = size(&file)?;
        let started = Instant::now();
        let part = file.with_extension("part");
        let is_worker = file.file_name().is_some_and(|name| name == "worker_bg.wasm");
        let level = if is_worker { "-O2" } else { "-Os" };
        run(Command::new(&wasm_opt)
            .args([level, "--strip-debug", "--strip-producers"])
            .args(FEATURES)
            .arg(&file)
            .arg("-o")
            .arg(&part))
        .with_context(|| format!("wasm-opt refuses {}", file.display()))?;
        fs::rename(&part, &file).with_context(|| format!("can't write {}", file.display()))?;
        println!(
            "  wasm-opt: {} from {before} to {} bytes in {:.0} s",
            file.file_name().unwrap_or_default().to_string_lossy(),
            size(&file)?,
            started.elapsed().as_secs_f32()
        );
    }
    Ok(())
}

fn size(file: &Path) -> Result<u64> {
    let size = fs::metadata(file).with_context(|| format!("can't read {}", file.display()))?;
    Ok(size.len())
}
