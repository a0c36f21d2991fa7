//! `cargo xtask package`: the files of a release. Archives of the site, archives of the command line
//! with the files of API Search, and their checksums.
//!
//! The same input gives the same bytes: entries are sorted, with fixed times, owners and modes.

use std::{
    fs,
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use flate2::{Compression, GzBuilder};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use crate::{cache::Cache, digest, process::root, search};

/// The targets of the command line in a release.
pub const TARGETS: [&str; 5] = [
    "aarch64-apple-darwin",
    "aarch64-unknown-linux-gnu",
    "x86_64-apple-darwin",
    "x86_64-pc-windows-msvc",
    "x86_64-unknown-linux-gnu",
];
/// The checksums of all other files, in the format of `sha256sum`.
pub const CHECKSUMS: &str = "SHA256SUMS";

/// The workspace's version, which all its crates share.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// 1980-01-01 UTC in Unix seconds, the earliest time that a zip can express.
const TIME: u64 = 315_532_800;

/// What to pack.
#[derive(Debug, Clone)]
pub struct Options {
    /// A built site.
    pub site: PathBuf,
    /// A folder with `TARGET/api-bank` or `TARGET/api-bank.exe` for each of [`TARGETS`]; `None`
    /// packs the site alone.
    pub binaries: Option<PathBuf>,
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
        let files = search::ensure(cache)?;
        let shared = [
            ("LICENSE", root().join("LICENSE")),
            ("README.md", root().join("README.md")),
            ("search/model.onnx", files.model),
            ("search/vectors.bin", files.vectors),
            ("search/vocab.txt", files.vocab),
        ];
        for target in TARGETS {
            archives.push(program(target, binaries, &shared, &options.out)?);
        }
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
        entries.push(Entry::file("LICENSE", root().join("LICENSE")));
    }
    let folder = format!("api-bank-site-{VERSION}");
    Ok(vec![tar_gz(&folder, entries.clone(), out)?, zip(&folder, entries, out)?])
}

/// Packs the program of a target: a zip for Windows, else a `.tar.gz`.
fn program(
    target: &str,
    binaries: &Path,
    shared: &[(&str, PathBuf)],
    out: &Path,
) -> Result<PathBuf> {
    let is_windows = target.contains("windows");
    let name = if is_windows { "api-bank.exe" } else { "api-bank" };
    let path = binaries.join(target).join(name);
    ensure!(path.is_file(), "expected the program of {target} at {}", path.display());
    let mut entries = vec![Entry { name: name.to_owned(), path, is_program: true }];
    entries.extend(shared.iter().map(|(name, path)| Entry::file(name, path.clone())));
    let folder = format!("api-bank-{VERSION}-{target}");
    if is_windows { zip(&folder, entries, out) } else { tar_gz(&folder, entries, out) }
}

/// A file of an archive.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    /// Its path below the archive's folder, with slashes.
    name: String,
    path: PathBuf,
    is_program: bool,
}

impl Entry {
    fn file(name: &str, path: PathBuf) -> Self {
        Entry { name: name.to_owned(), path, is_program: false }
    }

    fn mode(&self) -> u32 {
        if self.is_program { 0o755 } else { 0o644 }
    }

    fn read(&self) -> Result<Vec<u8>> {
        fs::read(&self.path).with_context(|| format!("can't read {}", self.path.display()))
    }
}

/// All files below a folder.
fn list(folder: &Path, prefix: &str, entries: &mut Vec<Entry>) -> Result<()> {
    let unreadable = || format!("can't list {}", folder.display());
    for entry in fs::read_dir(folder).with_context(unreadable)? {
        let path = entry.with_context(unreadable)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("{prefix}{name}");
        if path.is_dir() {
            list(&path, &format!("{name}/"), entries)?;
        } else {
            entries.push(Entry::file(&name, path));
        }
    }
    Ok(())
}

fn tar_gz(folder: &str, mut entries: Vec<Entry>, out: &Path) -> Result<PathBuf> {
    let file = out.join(format!("{folder}.tar.gz"));
    let unwritable = || format!("can't write {}", file.display());
    entries.sort();
    // Without a name and a time in the header.
    let gzip =
        GzBuilder::new().write(File::create(&file).with_context(unwritable)?, Compression::best());
    let mut archive = tar::Builder::new(gzip);
    for entry in &entries {
        let bytes = entry.read()?;
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len().try_into()?);
        header.set_mode(entry.mode());
        header.set_mtime(TIME);
        header.set_uid(0);
        header.set_gid(0);
        archive
            .append_data(&mut header, format!("{folder}/{}", entry.name), bytes.as_slice())
            .with_context(unwritable)?;
    }
    archive
        .into_inner()
        .and_then(flate2::write::GzEncoder::finish)
        .and_then(|file| file.sync_all())
        .with_context(unwritable)?;
    Ok(file)
}

fn zip(folder: &str, mut entries: Vec<Entry>, out: &Path) -> Result<PathBuf> {
    let file = out.join(format!("{folder}.zip"));
    let unwritable = || format!("can't write {}", file.display());
    entries.sort();
    let mut archive = ZipWriter::new(File::create(&file).with_context(unwritable)?);
    for entry in &entries {
        // The default time is 1980-01-01.
        let options = SimpleFileOptions::default()
            .last_modified_time(zip::DateTime::default())
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(9))
            .unix_permissions(entry.mode());
        archive.start_file(format!("{folder}/{}", entry.name), options).with_context(unwritable)?;
        archive.write_all(&entry.read()?).with_context(unwritable)?;
    }
    archive
        .finish()
        .map_err(io::Error::from)
        .and_then(|file| file.sync_all())
        .with_context(unwritable)?;
    Ok(file)
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
    use std::io::Read;

    use flate2::read::GzDecoder;

    use super::*;

    fn sample() -> Result<tempfile::TempDir> {
        let dir = tempfile::tempdir()?;
        let site = dir.path().join("site");
        fs::create_dir_all(site.join("hosting"))?;
        for name in ["index.html", "_headers", "app-0123456789abcdef.js", "hosting/nginx.conf"] {
            fs::write(site.join(name), name)?;
        }
        for target in TARGETS {
            let folder = dir.path().join("binaries").join(target);
            fs::create_dir_all(&folder)?;
            let end = if target.contains("windows") { ".exe" } else { "" };
            fs::write(folder.join(format!("api-bank{end}")), target)?;
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
        let names: Vec<_> = archives.iter().filter_map(|it| it.file_name()).collect();
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
        let (binaries, out) = (dir.path().join("binaries"), dir.path().to_owned());
        let shared = [("search/vocab.txt", dir.path().join("site/_headers"))];
        for target in TARGETS {
            let archive = program(target, &binaries, &shared, &out)?;
            let folder = format!("api-bank-{VERSION}-{target}");
            if target.contains("windows") {
                assert_eq!(archive, out.join(format!("{folder}.zip")));
                continue;
            }
            assert_eq!(archive, out.join(format!("{folder}.tar.gz")));
            let expected = [("api-bank", 0o755, target), ("search/vocab.txt", 0o644, "_headers")];
            let expected = expected
                .map(|(name, mode, text)| (format!("{folder}/{name}"), mode, text.to_owned()));
            assert_eq!(unpacked(&archive)?, expected);
        }
        fs::remove_dir_all(binaries.join(TARGETS[1]))?;
        let error = program(TARGETS[1], &binaries, &shared, &out).expect_err("no program");
        assert!(error.to_string().contains(TARGETS[1]), "{error}");
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
