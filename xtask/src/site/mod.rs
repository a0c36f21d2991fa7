//! The static site: compiles both programs, splits the page's into first paint and lazy-loaded
//! module, generates bindings, and collects everything in one folder.
//!
//! Files have plain names, and reference each other by these, until [`finish`] renames them by
//! content hash, rewrites the references and adds the digests.

#[cfg(test)]
mod container_tests;
mod finish;
pub mod hosting;
mod in_page;
mod install;
mod optimize;
pub mod size_budget;
mod split;

use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::{Context, Result, ensure};
use wasm_bindgen_cli_support::Bindgen;

pub use finish::{HASH_DIGITS, SiteFile};

use crate::{
    cache::Cache,
    leaderboard,
    process::{cargo, root, run, target},
    programs, search, training_tools,
};
use strum::IntoStaticStr;

/// The build profile of the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[derive(IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Profile {
    /// Without link-time optimization: for development and the browser tests.
    Fast,
    /// With fat link-time optimization and `wasm-opt`: for publishing.
    Release,
}

impl Profile {
    /// The identifier.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Cargo's profile for one of the programs.
    fn of(self, binary: &'static str) -> &'static str {
        match (self, binary) {
            (Self::Fast, _) => "fast",
            (Self::Release, "worker") => "worker",
            (Self::Release, _) => "page",
        }
    }
}

/// Builds the site at `out`. A failed build leaves existing files unchanged.
///
/// # Errors
/// When a tool is missing, the code does not compile, or a reference is broken.
pub fn build(cache: &Cache, profile: Profile, out: &Path) -> Result<Vec<SiteFile>> {
    println!("tools");
    programs::wasm_target()?;
    let search = search::ensure(cache)?;

    println!("compiling the site (profile {})", profile.name());
    let started = Instant::now();
    let staging = staging(profile);
    gather(&staging)?;
    let page = compiled("app", "page", profile)?;
    bind(&split::split(&page, &staging)?, "app", &staging)?;
    split::keep_name(&staging.join("app.js"))?;
    bind(&compiled("worker", "worker", profile)?, "worker", &staging)?;
    println!("  compiled in {:.0} s", started.elapsed().as_secs_f32());

    search.copy_to(&staging)?;
    leaderboard::copy_records(&staging)?;
    training_tools::write(&staging)?;
    if profile == Profile::Release {
        optimize::all(cache, &staging)?;
    }
    // Not before: the engine's program is optimized already, with features that ours lacks.
    in_page::stage(cache, &staging)?;
    let files = publish(&staging, out)?;
    for file in &files {
        println!("  {:>11} {}", group_digits(file.bytes), file.name);
    }
    println!("the site is in {}", out.display());
    Ok(files)
}

/// Profile and folder from the environment of Trunk's hook.
///
/// # Errors
/// When Trunk did not start this program.
pub fn asked_by_trunk(variable: impl Fn(&str) -> Option<String>) -> Result<(Profile, PathBuf)> {
    let staging = variable("TRUNK_STAGING_DIR");
    let staging = staging.context("TRUNK_STAGING_DIR is not set: run `trunk build` instead")?;
    let is_release = variable("TRUNK_PROFILE").is_some_and(|profile| profile == "release");
    let profile = if is_release { Profile::Release } else { Profile::Fast };
    Ok((profile, PathBuf::from(staging)))
}

/// Finishes the site in `staging` and moves it to `out`.
fn publish(staging: &Path, out: &Path) -> Result<Vec<SiteFile>> {
    let fresh = install::beside(out)?;
    let files = finish::finish(staging, &fresh)?;
    hosting::write(&fresh, &files)?;
    install::replace(&fresh, out)?;
    Ok(files)
}

/// Compiles one of the programs with its feature and returns the path of its WebAssembly.
fn compiled(binary: &'static str, feature: &str, profile: Profile) -> Result<PathBuf> {
    let name = profile.of(binary);
    run(cargo()
        .args(["build", "--target", programs::WASM_TARGET, "--profile", name, "--bin", binary])
        .args(["--no-default-features", "--features", feature]))?;
    Ok(target().join(programs::WASM_TARGET).join(name).join(binary).with_extension("wasm"))
}

/// Generates the JavaScript bindings of a program.
fn bind(wasm: &Path, name: &str, staging: &Path) -> Result<()> {
    Bindgen::new()
        .input_path(wasm)
        .web(true)
        .and_then(|bindgen| {
            bindgen
                .out_name(name)
                .typescript(false)
                .keep_lld_exports(true)
                .remove_name_section(true)
                .remove_producers_section(true)
                .generate(staging)
        })
        .with_context(|| format!("no scripts can be made for {}", wasm.display()))
}

/// Copies the page and all of `www` into an empty folder, flattening subfolders.
fn gather(staging: &Path) -> Result<()> {
    if staging.exists() {
        fs::remove_dir_all(staging)
            .with_context(|| format!("can't remove {}", staging.display()))?;
    }
    fs::create_dir_all(staging).with_context(|| format!("can't make {}", staging.display()))?;
    check_styles_are_linked()?;
    copy(&root().join("index.html"), staging)?;
    flatten(&root().join("www"), staging)
}

fn flatten(from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from).with_context(|| format!("can't list {}", from.display()))? {
        let path = entry.with_context(|| format!("can't list {}", from.display()))?.path();
        if path.is_dir() { flatten(&path, to)? } else { copy(&path, to)? }
    }
    Ok(())
}

fn copy(file: &Path, to: &Path) -> Result<()> {
    let target = to.join(file.file_name().context("a file with a name")?);
    ensure!(!target.exists(), "two files of the site are called {}", target.display());
    fs::copy(file, target).with_context(|| format!("can't copy {}", file.display()))?;
    Ok(())
}

/// The staging folder, one per profile, so that builds do not interfere.
fn staging(profile: Profile) -> PathBuf {
    target().join("site").join(profile.name())
}

/// A style sheet that index.html does not link would be left out silently.
fn check_styles_are_linked() -> Result<()> {
    let page = fs::read_to_string(root().join("index.html")).context("can't read index.html")?;
    for entry in fs::read_dir(root().join("www/styles")).context("can't list www/styles")? {
        let name =
            entry.context("can't list www/styles")?.file_name().to_string_lossy().into_owned();
        ensure!(
            !name.ends_with(".css") || page.contains(&format!("href=\"./{name}\"")),
            "index.html does not link www/styles/{name}: add \
             <link rel=\"stylesheet\" href=\"./{name}\">"
        );
    }
    Ok(())
}

/// `1234567` becomes `1 234 567`.
fn group_digits(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(' ');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped() {
        assert_eq!(group_digits(7), "7");
        assert_eq!(group_digits(123_456), "123 456");
        assert_eq!(group_digits(1_234_567), "1 234 567");
    }

    #[test]
    fn trunk_names_folder_and_profile() -> Result<()> {
        let asked = |profile: &'static str| {
            asked_by_trunk(|name| match name {
                "TRUNK_STAGING_DIR" => Some("/stage".to_owned()),
                "TRUNK_PROFILE" => Some(profile.to_owned()),
                _ => None,
            })
        };
        assert_eq!(asked("release")?, (Profile::Release, PathBuf::from("/stage")));
        assert_eq!(asked("debug")?.0, Profile::Fast);
        let error = asked_by_trunk(|_| None).unwrap_err().to_string();
        assert!(error.contains("trunk build"), "{error}");
        Ok(())
    }

    #[test]
    fn a_published_site_has_the_files_for_hosts_and_keeps_them_from_browsers() -> Result<()> {
        let dir = tempfile::tempdir()?;
        let (staging, out) = (dir.path().join("staging"), dir.path().join("out"));
        fs::create_dir(&staging)?;
        let page = fs::read_to_string(root().join("index.html"))?;
        let (head, _) = page.split_once("<link rel=").context("a page with links")?;
        fs::write(staging.join("index.html"), head)?;
        fs::copy(root().join("www/service-worker.js"), staging.join("service-worker.js"))?;
        let files = publish(&staging, &out)?;
        assert_eq!(files.len(), 2, "{files:?}");
        let service_worker = fs::read_to_string(out.join("service-worker.js"))?;
        let headers = hosting::Headers::of_site(&root())?;
        for file in ["_headers", "hosting/nginx.conf", "hosting/Caddyfile"] {
            assert!(fs::read_to_string(out.join(file))?.contains(headers.list()[0].1), "{file}");
            assert!(!service_worker.contains(file), "the service worker would fetch {file}");
        }
        Ok(())
    }

    #[test]
    fn every_style_sheet_is_linked() -> Result<()> {
        check_styles_are_linked()
    }
}
