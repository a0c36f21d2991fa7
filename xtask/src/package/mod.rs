//! `cargo xtask package`: the files of a release. Archives of the site; archives, wheels and npm
//! packages of the command line with the files of API Search; and their checksums.

mod archive;
mod npm;
mod wheel;

use std::{
    env::consts,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};

use crate::{
    cache::Cache,
    digest,
    process::root,
    search::{self, SearchFiles},
};
use archive::{Entry, list, tar_gz, zip};

pub use npm::{program as npm_program, starter as npm_starter};
pub use wheel::wheel;

/// What the command line is compiled for, under its names elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Platform {
    /// Rust's target.
    pub target: &'static str,
    /// The platform tag of a wheel. It names the oldest glibc that the program runs on, which is
    /// that of the runner in release.yml.
    pub wheel: &'static str,
    /// Node's `process.platform`.
    pub os: &'static str,
    /// Node's `process.arch`.
    pub cpu: &'static str,
}

const fn platform(
    target: &'static str,
    wheel: &'static str,
    os: &'static str,
    cpu: &'static str,
) -> Platform {
    Platform { target, wheel, os, cpu }
}

/// The platforms of a release.
pub const PLATFORMS: [Platform; 5] = [
    platform("aarch64-apple-darwin", "macosx_11_0_arm64", "darwin", "arm64"),
    platform("aarch64-unknown-linux-gnu", "manylinux_2_35_aarch64", "linux", "arm64"),
    platform("x86_64-apple-darwin", "macosx_10_12_x86_64", "darwin", "x64"),
    platform("x86_64-pc-windows-msvc", "win_amd64", "win32", "x64"),
    platform("x86_64-unknown-linux-gnu", "manylinux_2_35_x86_64", "linux", "x64"),
];

impl Platform {
    /// This machine's; `None` if releases have no program for it.
    #[must_use]
    pub fn host() -> Option<Self> {
        let os = if consts::OS == "macos" { "darwin" } else { consts::OS };
        PLATFORMS
            .into_iter()
            .find(|known| known.target.starts_with(consts::ARCH) && known.target.contains(os))
    }

    fn program(&self) -> &'static str {
        if self.os == "win32" { "api-bank.exe" } else { "api-bank" }
    }
}

/// The checksums of all other files, in the format of `sha256sum`.
pub const CHECKSUMS: &str = "SHA256SUMS";

/// The workspace's version, which all its crates share.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// What PyPI and npm say of the program.
const DESCRIPTION: &str =
    "Measures how well a language model uses tools: API-Bank's runs, scores and records";

/// What to pack.
#[derive(Debug, Clone)]
pub struct Options {
    /// A built site.
    pub site: PathBuf,
    /// A folder with `TARGET/api-bank` or `TARGET/api-bank.exe` for each of [`PLATFORMS`]; `None`
    /// packs the site alone.
    pub binaries: Option<PathBuf>,
    /// `OWNER/NAME` on GitHub, which PyPI and npm link; npm compares it with the provenance.
    pub repository: Option<String>,
    /// The folder to write; it must be empty or missing.
    pub out: PathBuf,
}

/// Writes the files of a release and their checksums.
///
/// # Errors
/// When the site or a target's program is missing, or a file can't be read or written.
pub fn package(cache: &Cache, options: &Options) -> Result<()> {
    let mut archives = site(&options.site, &options.out)?;
    if let Some(binaries) = &options.binaries {
        let search = search::ensure(cache)?;
        let (repository, out) = (options.repository.as_deref(), options.out.as_path());
        for platform in PLATFORMS {
            let program = Program::new(platform, binaries, &search)?;
            archives.push(program.archive(out)?);
            archives.push(wheel(&program, repository, out)?);
            archives.push(npm_program(&program, repository, out)?);
        }
        archives.push(npm_starter(repository, out)?);
    }
    let checksums = write_checksums(&archives, &options.out)?;
    print!("{checksums}");
    println!("the release is in {}", options.out.display());
    Ok(())
}

/// Packs a built site as `.tar.gz` and `.zip`.
///
/// # Errors
/// When `site` holds no site, `out` is not empty, or a file can't be read or written.
pub fn site(site: &Path, out: &Path) -> Result<Vec<PathBuf>> {
    ensure!(
        site.join("index.html").is_file(),
        "{} holds no site: run `cargo xtask build`",
        site.display()
    );
    fs::create_dir_all(out).with_context(|| format!("can't make {}", out.display()))?;
    let mut old = fs::read_dir(out).with_context(|| format!("can't list {}", out.display()))?;
    ensure!(old.next().is_none(), "{} is not empty: name another folder", out.display());
    let mut entries = Vec::new();
    list(site, "", &mut entries)?;
    if !entries.iter().any(|entry| entry.name == "LICENSE") {
        entries.push(Entry::file("LICENSE", &root().join("LICENSE")));
    }
    let folder = format!("api-bank-site-{VERSION}");
    let entries: Vec<Entry> = entries.into_iter().map(|entry| entry.in_folder(&folder)).collect();
    let (tar, zipped) = (format!("{folder}.tar.gz"), format!("{folder}.zip"));
    Ok(vec![tar_gz(out.join(tar), entries.clone())?, zip(out.join(zipped), entries)?])
}

/// The program of a platform and the files that it finds beside itself.
#[derive(Debug, Clone)]
pub struct Program {
    platform: Platform,
    path: PathBuf,
    search: SearchFiles,
}

impl Program {
    /// `TARGET/api-bank` in a folder of binaries.
    ///
    /// # Errors
    /// When it is missing.
    pub fn new(platform: Platform, binaries: &Path, search: &SearchFiles) -> Result<Self> {
        let path = binaries.join(platform.target).join(platform.program());
        ensure!(
            path.is_file(),
            "expected the program of {} at {}",
            platform.target,
            path.display()
        );
        Ok(Program { platform, path, search: search.clone() })
    }

    fn files(&self) -> Vec<Entry> {
        let mut entries = vec![Entry::program(self.platform.program(), &self.path)];
        let search = self.search.named().map(|(name, path)| Entry::file(name, path));
        entries.extend(search.map(|entry| entry.in_folder("search")));
        entries
    }

    /// Packs it as people unpack it: a zip for Windows, else a `.tar.gz`.
    fn archive(&self, out: &Path) -> Result<PathBuf> {
        let folder = format!("api-bank-{VERSION}-{}", self.platform.target);
        let mut entries = self.files();
        for name in ["LICENSE", "README.md"] {
            entries.push(Entry::file(name, &root().join(name)));
        }
        let entries = entries.into_iter().map(|entry| entry.in_folder(&folder)).collect();
        match self.platform.os {
            "win32" => zip(out.join(format!("{folder}.zip")), entries),
            _ => tar_gz(out.join(format!("{folder}.tar.gz")), entries),
        }
    }
}

/// Writes [`CHECKSUMS`], sorted by name, and returns its text.
fn write_checksums(archives: &[PathBuf], out: &Path) -> Result<String> {
    let mut lines = Vec::new();
    for archive in archives {
        let bytes =
            fs::read(archive).with_context(|| format!("can't read {}", archive.display()))?;
        let name = archive.file_name().unwrap_or_default().to_string_lossy().into_owned();
        lines.push((name, digest::hex(&bytes)));
    }
    lines.sort();
    let text: String = lines.iter().map(|(name, hex)| format!("{hex}  {name}\n")).collect();
    let file = out.join(CHECKSUMS);
    fs::write(&file, &text).with_context(|| format!("can't write {}", file.display()))?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::{fs::File, io::Read};

    use flate2::read::GzDecoder;

    use super::*;

    fn sample() -> Result<tempfile::TempDir> {
        let dir = tempfile::tempdir()?;
        let site = dir.path().join("site");
        fs::create_dir_all(site.join("hosting"))?;
        for name in ["index.html", "_headers", "app-0123456789abcdef.js", "hosting/nginx.conf"] {
            fs::write(site.join(name), name)?;
        }
        for platform in PLATFORMS {
            let folder = dir.path().join("binaries").join(platform.target);
            fs::create_dir_all(&folder)?;
            fs::write(folder.join(platform.program()), platform.target)?;
        }
        fs::create_dir(dir.path().join("search"))?;
        for (_, path) in SearchFiles::of(&dir.path().join("search")).named() {
            fs::write(path, "search")?;
        }
        Ok(dir)
    }

    /// Names, modes and contents of a `.tar.gz`.
    fn unpacked(archive: &Path) -> Result<Vec<(String, u32, String)>> {
        let mut archive = tar::Archive::new(GzDecoder::new(File::open(archive)?));
        let mut found = Vec::new();
        for entry in archive.entries()? {
            let mut entry = entry?;
            let mut text = String::new();
            entry.read_to_string(&mut text)?;
            let name = entry.path()?.to_string_lossy().into_owned();
            found.push((name, entry.header().mode()?, text));
        }
        Ok(found)
    }

    #[test]
    fn both_archives_of_the_site_hold_every_file_in_one_folder() -> Result<()> {
        let dir = sample()?;
        let archives = site(&dir.path().join("site"), &dir.path().join("out"))?;
        let names: Vec<_> = archives.iter().filter_map(|archive| archive.file_name()).collect();
        let folder = format!("api-bank-site-{VERSION}");
        assert_eq!(names, [&*format!("{folder}.tar.gz"), &*format!("{folder}.zip")]);
        let files =
            ["LICENSE", "_headers", "app-0123456789abcdef.js", "hosting/nginx.conf", "index.html"];
        let files = files.map(|name| format!("{folder}/{name}"));
        let tar: Vec<String> = unpacked(&archives[0])?.into_iter().map(|(name, ..)| name).collect();
        assert_eq!(tar, files);
        let mut zip = zip::ZipArchive::new(File::open(&archives[1])?)?;
        assert_eq!(zip.len(), files.len());
        for (index, name) in files.iter().enumerate() {
            let mut entry = zip.by_index(index)?;
            let mut text = String::new();
            entry.read_to_string(&mut text)?;
            assert!(text == name[folder.len() + 1..] || name.ends_with("LICENSE"), "{name}");
        }
        Ok(())
    }

    #[test]
    fn the_same_site_gives_the_same_bytes() -> Result<()> {
        let dir = sample()?;
        let from = dir.path().join("site");
        let first = site(&from, &dir.path().join("first"))?;
        fs::rename(from.join("index.html"), from.join("moved"))?;
        fs::rename(from.join("moved"), from.join("index.html"))?;
        let second = site(&from, &dir.path().join("second"))?;
        for (first, second) in first.iter().zip(&second) {
            assert_eq!(fs::read(first)?, fs::read(second)?, "{}", first.display());
        }
        Ok(())
    }

    #[test]
    fn a_program_is_executable_and_comes_with_its_files() -> Result<()> {
        let dir = sample()?;
        let (binaries, out) = (dir.path().join("binaries"), dir.path());
        let search = SearchFiles::of(&dir.path().join("search"));
        for platform in PLATFORMS {
            let program = Program::new(platform, &binaries, &search)?;
            let (archive, npm) = (program.archive(out)?, npm_program(&program, None, out)?);
            let folder = format!("api-bank-{VERSION}-{}", platform.target);
            if platform.os == "win32" {
                assert_eq!(archive, out.join(format!("{folder}.zip")));
                continue;
            }
            assert_eq!(archive, out.join(format!("{folder}.tar.gz")));
            for (archive, folder) in [(archive, &*folder), (npm, "package")] {
                let files = unpacked(&archive)?;
                for (name, mode, text) in
                    [("api-bank", 0o755, platform.target), ("search/vocab.txt", 0o644, "search")]
                {
                    let file = (format!("{folder}/{name}"), mode, text.to_owned());
                    assert!(files.contains(&file), "{file:?} in {}", archive.display());
                }
            }
        }
        fs::remove_dir_all(binaries.join(PLATFORMS[1].target))?;
        let error = Program::new(PLATFORMS[1], &binaries, &search).expect_err("no program");
        assert!(error.to_string().contains(PLATFORMS[1].target), "{error}");
        Ok(())
    }

    #[test]
    fn checksums_are_those_of_sha256sum() -> Result<()> {
        let dir = tempfile::tempdir()?;
        let files = ["b.zip", "a.zip"].map(|name| dir.path().join(name));
        for file in &files {
            fs::write(file, "abc")?;
        }
        let text = write_checksums(&files, dir.path())?;
        // FIPS 180-2, the one-block example.
        let hex = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(text, format!("{hex}  a.zip\n{hex}  b.zip\n"));
        assert_eq!(fs::read_to_string(dir.path().join(CHECKSUMS))?, text);
        Ok(())
    }

    #[test]
    fn no_site_and_a_folder_in_use_are_refused() -> Result<()> {
        let dir = sample()?;
        let error = site(&dir.path().join("binaries"), dir.path()).expect_err("no site");
        assert!(error.to_string().contains("cargo xtask build"), "{error}");
        let error = site(&dir.path().join("site"), dir.path()).expect_err("in use");
        assert!(error.to_string().contains("not empty"), "{error}");
        Ok(())
    }
}
