//! The static site: Trunk compiles, this module finishes what Trunk leaves undone.
//!
//! Trunk gives a worker's files no hashed names, computes integrity before names are final, and
//! writes an inline boot script. So it is told to do none of that (`Trunk.toml`), and [`finish`]
//! names every file by its content, rewrites what points to it and adds the digests.

mod finish;
mod install;
mod optimize;
pub mod weight;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use anyhow::{Context, Result, ensure};

pub use finish::{HASH_DIGITS, SiteFile};

use crate::{
    cache::Cache,
    process::{cargo, path_with, root, run, target},
    search, tools,
};

/// How much time the compiler takes for the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// No link-time optimisation: for development and the browser tests.
    Fast,
    /// Fat link-time optimisation and `wasm-opt`: for publishing.
    Release,
}

impl Profile {
    fn cargo_name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Release => "release",
        }
    }

    /// That of the page, as index.html has it for Trunk: small before fast.
    fn of_page(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Release => "page",
        }
    }
}

/// Builds the site and puts it at `out`. A build that fails leaves what was there untouched.
///
/// # Errors
/// When a tool is missing, the code does not compile, or a file of the site points to none.
pub fn build(cache: &Cache, profile: Profile, out: &Path) -> Result<Vec<SiteFile>> {
    println!("tools");
    tools::wasm_target()?;
    let path = path_with(&[tools::trunk(cache)?, tools::wasm_bindgen(cache)?])?;
    let search = search::ensure(cache)?;

    println!("compiling the site (profile {})", profile.cargo_name());
    let started = Instant::now();
    let staging = staging(profile);
    check_styles_are_linked()?;
    // Before Trunk, which would start one cargo a binary and print every error twice.
    for (binary, cargo_profile) in [
        (&["--bin", "app", "--no-default-features"][..], profile.of_page()),
        (&["--bin", "worker"], profile.cargo_name()),
    ] {
        run(cargo()
            .args(["build", "--target", tools::WASM_TARGET, "--profile", cargo_profile])
            .args(binary))?;
    }
    run(Command::new("trunk")
        .current_dir(root())
        .args(["build", "--skip-version-check"])
        // Only so that Trunk minds the page's own profile; it knows `fast` by name alone.
        .args(match profile {
            Profile::Fast => &["--cargo-profile", "fast"][..],
            Profile::Release => &["--release"],
        })
        .arg("--dist")
        .arg(&staging)
        .env("PATH", path)
        // Trunk takes the variable's value for an argument and refuses the usual `1`.
        .env_remove("NO_COLOR")
        .env("RUST_BACKTRACE", "0")
        .env("RUST_LOG", "warn"))?;
    println!("  compiled in {:.0} s", started.elapsed().as_secs_f32());

    search.copy_to(&staging)?;
    if profile == Profile::Release {
        optimize::all(cache, &staging)?;
    }
    let fresh = install::beside(out)?;
    let files = finish::finish(&staging, &fresh)?;
    install::replace(&fresh, out)?;
    for file in &files {
        println!("  {:>11} {}", group_digits(file.bytes), file.name);
    }
    println!("the site is in {}", out.display());
    Ok(files)
}

/// Where Trunk puts its result; one folder a profile, so that builds don't get into each other.
fn staging(profile: Profile) -> PathBuf {
    target().join("site").join(profile.cargo_name())
}

/// A style sheet that index.html does not link would be left out in silence.
fn check_styles_are_linked() -> Result<()> {
    let page = fs::read_to_string(root().join("index.html")).context("can't read index.html")?;
    for entry in fs::read_dir(root().join("www/styles")).context("can't list www/styles")? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        ensure!(
            !name.ends_with(".css") || page.contains(&format!("href=\"www/styles/{name}\"")),
            "index.html does not link www/styles/{name}: add \
             <link data-trunk rel=\"css\" href=\"www/styles/{name}\">"
        );
    }
    Ok(())
}

/// `1234567` as `1 234 567`.
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
    fn every_style_sheet_is_linked() -> Result<()> {
        check_styles_are_linked()
    }
}
