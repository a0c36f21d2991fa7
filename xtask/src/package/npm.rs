//! The command line as npm packages: one with the program for each platform, and `api-bank`, which
//! npm installs together with that of the machine.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::{Value, json};

use super::{DESCRIPTION, PLATFORMS, Platform, Program, VERSION, archive::Entry, archive::tar_gz};
use crate::process::root;

/// Starts the program.
const STARTER: &str = include_str!("api-bank.js");
/// The page on npm.
const README: &str = include_str!("README.md");

fn name(platform: &Platform) -> String {
    format!("api-bank-{}-{}", platform.os, platform.cpu)
}

/// Packs a program; `repository` is `OWNER/NAME` on GitHub.
///
/// # Errors
/// When a file can't be read or written.
pub fn program(program: &Program, repository: Option<&str>, out: &Path) -> Result<PathBuf> {
    let platform = &program.platform;
    let mut manifest = manifest(&name(platform), repository);
    manifest["os"] = json!([platform.os]);
    manifest["cpu"] = json!([platform.cpu]);
    if platform.os == "linux" {
        manifest["libc"] = json!(["glibc"]);
    }
    let file = format!("api-bank-npm-{VERSION}-{}-{}.tgz", platform.os, platform.cpu);
    write(manifest, program.files(), &out.join(file))
}

/// Packs `api-bank`.
///
/// # Errors
/// When a file can't be read or written.
pub fn starter(repository: Option<&str>, out: &Path) -> Result<PathBuf> {
    let mut manifest = manifest("api-bank", repository);
    manifest["bin"] = json!({"api-bank": "api-bank.js"});
    manifest["engines"] = json!({"node": ">=18"});
    manifest["optionalDependencies"] =
        PLATFORMS.iter().map(|platform| (name(platform), json!(VERSION))).collect();
    let files = vec![Entry::text("api-bank.js", STARTER)];
    write(manifest, files, &out.join(format!("api-bank-npm-{VERSION}.tgz")))
}

fn manifest(name: &str, repository: Option<&str>) -> Value {
    let mut manifest = json!({
        "name": name, "version": VERSION, "description": DESCRIPTION, "license": "Apache-2.0",
    });
    if let Some(repository) = repository {
        let url = format!("git+https://github.com/{repository}.git");
        manifest["repository"] = json!({"type": "git", "url": url});
    }
    manifest
}

fn write(manifest: Value, mut files: Vec<Entry>, file: &Path) -> Result<PathBuf> {
    files.extend([
        Entry::text("package.json", format!("{manifest:#}\n")),
        Entry::text("README.md", README),
        Entry::file("LICENSE", &root().join("LICENSE")),
    ]);
    tar_gz(file.to_owned(), files.into_iter().map(|file| file.in_folder("package")).collect())
}
