//! Splits the page's WebAssembly: code reachable only from the entry points in `src/lazy.rs` goes
//! into a separate file, which the page loads after first paint.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, anyhow, ensure};
use wasm_split_cli_support::{Options, transform};

/// The script that loads the lazy-loaded module.
const LOADER: &str = "split.js";
/// The script that exposes the main module's exports, see `www/exports.js`.
const EXPORTS: &str = "./exports.js";

/// Writes the lazy-loaded module and its loader to `staging`, and returns the main module, which
/// still needs bindings.
pub(super) fn split(page: &Path, staging: &Path) -> Result<PathBuf> {
    let wasm = fs::read(page).with_context(|| format!("can't read {}", page.display()))?;
    let first = page.with_file_name("app-first.wasm");
    let mut options = Options::new(&wasm);
    options.output_dir = staging;
    options.main_out_path = &first;
    options.link_name = "./split.js";
    options.main_module = EXPORTS;
    let split = transform(options)
        .map_err(|error| anyhow!("{} can't be split: {error:#}", page.display()))?;
    ensure!(split.split_modules.len() == 1, "expected one second file: {:?}", split.split_modules);
    let second = split.split_modules.first().context("the second file")?;
    let second = second.file_name().context("a name")?.to_string_lossy();
    let loader = staging.join(LOADER);
    let script = fs::read_to_string(&loader)
        .with_context(|| format!("the split left no loader: can't read {}", loader.display()))?;
    let script = with_own_instantiate(&with_integrity(&script, &second)?)?;
    fs::write(&loader, script).with_context(|| format!("can't write {}", loader.display()))?;
    Ok(first)
}

/// Keeps the module name under which the main module imports its loader, whatever the loader's
/// final file name: the build would take a quoted path for a reference and rewrite it.
pub(super) fn keep_name(script: &Path) -> Result<()> {
    let text =
        fs::read_to_string(script).with_context(|| format!("can't read {}", script.display()))?;
    fs::write(script, with_kept_name(&text)?)
        .with_context(|| format!("can't write {}", script.display()))
}

fn with_kept_name(script: &str) -> Result<String> {
    let key = format!("\"./{LOADER}\": import");
    ensure!(script.matches(&key).count() == 1, "the page's script does not hand on {key}");
    let (stem, ending) = LOADER.split_once('.').context("a loader with an ending")?;
    Ok(script.replace(&key, &format!("[\"./{stem}\" + \".{ending}\"]: import")))
}

/// Makes the loader verify the file's digest, as for all files that the page loads.
fn with_integrity(script: &str, file: &str) -> Result<String> {
    let address = format!("new URL(\"./{file}\", import.meta.url)");
    let bare = format!("fetch({address})");
    ensure!(script.matches(&bare).count() == 1, "the loader does not load {file} by {bare}");
    let held = format!(
        "fetch({address}, {{ credentials: \"same-origin\", integrity: \"integrity-of:{file}\" }})"
    );
    Ok(script.replace(&bare, &held))
}

/// Makes the loader instantiate the file with `www/exports.js`, which also works if the server
/// sends a wrong MIME type.
fn with_own_instantiate(script: &str) -> Result<String> {
    let mut script = script.to_owned();
    for (theirs, own) in [
        ("import { initSync }", "import { initSync, instantiate }"),
        ("WebAssembly.instantiateStreaming(", "instantiate("),
    ] {
        ensure!(script.matches(theirs).count() == 1, "the loader does not have {theirs} once");
        script = script.replace(theirs, own);
    }
    Ok(script)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_in_the_first_file_is_no_path() -> Result<()> {
        let kept = with_kept_name("imports = { \"./split.js\": import1 }")?;
        assert_eq!(kept, "imports = { [\"./split\" + \".js\"]: import1 }");
        assert!(with_kept_name("imports = {}").is_err());
        Ok(())
    }

    #[test]
    fn the_loader_starts_the_file_by_the_sites_own_function() -> Result<()> {
        let script = "import { initSync } from \"./exports.js\"; \
                      WebAssembly.instantiateStreaming(src, imports)";
        let own = with_own_instantiate(script)?;
        assert!(own.ends_with("; instantiate(src, imports)"), "{own}");
        assert!(with_own_instantiate(&own).is_err());
        Ok(())
    }

    #[test]
    fn the_loader_holds_the_file_to_its_digest() -> Result<()> {
        let script = "const src = fetch(new URL(\"./a.wasm\", import.meta.url));";
        let held = with_integrity(script, "a.wasm")?;
        assert!(held.contains("integrity: \"integrity-of:a.wasm\""), "{held}");
        assert!(with_integrity(script, "b.wasm").is_err());
        Ok(())
    }
}
