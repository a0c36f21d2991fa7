//! Renames the site's files by content hash, rewrites references and adds integrity digests.
//!
//! A reference is a quoted (or in CSS parenthesized) relative path, with or without `./`:
//! `"./app.js"`, `'app_bg.wasm'`, `url(icon.svg)`. `integrity-of:NAME` is replaced by another
//! file's digest; tags that load scripts and styles get an `integrity` attribute automatically. A
//! file's name depends on the final content of the files that it references, so they are finished
//! first. Files not reachable from index.html are left out.
//!
//! The leaderboard's table references only records, which the service worker does not keep: a visitor
//! opens few of them. Nor does it keep what few visitors load: the engine of a model in the page, and the
//! training set's tools.
//!
//! Only the service worker keeps its name, because browsers look for updates under it. It gets the
//! list of all other files with their digests, and the headers that isolate the page.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use anyhow::{Context, Result, anyhow, bail, ensure};

use super::hosting::ISOLATION;
use crate::{digest, leaderboard::TABLE, training_tools::TRAINING_TOOLS};

/// Hexadecimal digits of the SHA-256 in a file's name.
pub const HASH_DIGITS: usize = 16;

const PAGE: &str = "index.html";
/// The ending of the records in the leaderboard.
const RECORD: &str = ".json.gz";
/// The beginning of the names of the engine's files, see `in_page`.
const ENGINE: &str = "llama";
const SERVICE_WORKER: &str = "service-worker.js";
/// Placeholders in the service worker for the list of files, the list's version and the headers that
/// isolate the page.
const FILES: &str = "\"site-files\"";
const VERSION: &str = "\"site-version\"";
const HEADERS: &str = "\"isolation-headers\"";
const PLACEHOLDER: &str = "integrity-of:";
const DELIMITERS: [(char, char); 4] = [('"', '"'), ('\'', '\''), ('`', '`'), ('(', ')')];

/// A file of the finished site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteFile {
    /// The name in the site's folder.
    pub name: String,
    /// The digest in the format of subresource integrity.
    pub integrity: String,
    /// The size in bytes.
    pub bytes: usize,
}

/// Reads the staged site in `from` and writes the finished one to `to`, as a flat folder.
///
/// # Errors
/// When references are cyclic, or the page references a missing file.
pub(super) fn finish(from: &Path, to: &Path) -> Result<Vec<SiteFile>> {
    let mut raw = BTreeMap::new();
    read_tree(from, "", &mut raw)?;
    ensure!(raw.contains_key(PAGE), "{} holds no {PAGE}", from.display());
    let mut site = Site { raw: &raw, to, done: BTreeMap::new(), open: BTreeSet::new() };
    site.visit(PAGE)?;
    site.list_for_service_worker()?;
    Ok(site.done.into_values().collect())
}

/// All files below a folder by relative path, with `/` as the separator.
fn read_tree(dir: &Path, prefix: &str, files: &mut BTreeMap<String, Vec<u8>>) -> Result<()> {
    for entry in fs::read_dir(dir).with_context(|| format!("can't list {}", dir.display()))? {
        let entry = entry.with_context(|| format!("can't list {}", dir.display()))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        if name.starts_with('.') {
            continue;
        }
        if entry.path().is_dir() {
            read_tree(&entry.path(), &format!("{path}/"), files)?;
        } else {
            let bytes = fs::read(entry.path())
                .with_context(|| format!("can't read {}", entry.path().display()))?;
            files.insert(path, bytes);
        }
    }
    Ok(())
}

struct Site<'a> {
    raw: &'a BTreeMap<String, Vec<u8>>,
    to: &'a Path,
    done: BTreeMap<String, SiteFile>,
    open: BTreeSet<String>,
}

impl Site<'_> {
    /// Finishes a file after all files that it references.
    fn visit(&mut self, path: &str) -> Result<()> {
        if self.done.contains_key(path) {
            return Ok(());
        }
        ensure!(
            self.open.insert(path.to_owned()),
            "{path} points to itself by way of other files, so its name can't hold its digest"
        );
        let bytes = self.raw.get(path).ok_or_else(|| anyhow!("no file {path}"))?;
        let content = if is_text(path) {
            let text =
                std::str::from_utf8(bytes).with_context(|| format!("{path} is not UTF-8"))?;
            self.rewrite(path, text)?.into_bytes()
        } else {
            bytes.clone()
        };
        let file = SiteFile {
            name: final_name(path, &content),
            integrity: digest::integrity(&content),
            bytes: content.len(),
        };
        let target = self.to.join(&file.name);
        fs::write(&target, &content)
            .with_context(|| format!("can't write {}", target.display()))?;
        self.open.remove(path);
        self.done.insert(path.to_owned(), file);
        Ok(())
    }

    /// Writes the service worker, if the site has one, with the list of all finished files.
    fn list_for_service_worker(&mut self) -> Result<()> {
        let Some(bytes) = self.raw.get(SERVICE_WORKER) else { return Ok(()) };
        let text =
            std::str::from_utf8(bytes).with_context(|| format!("{SERVICE_WORKER} is not UTF-8"))?;
        for placeholder in [FILES, VERSION, HEADERS] {
            ensure!(text.contains(placeholder), "{SERVICE_WORKER} has no place for {placeholder}");
        }
        let is_kept = |path: &str| {
            let is_rare = path.ends_with(RECORD) || path.starts_with(ENGINE);
            path != PAGE && path != TRAINING_TOOLS && !is_rare
        };
        // The worker takes a page that names anything else for one of another version.
        let shown = fs::read_to_string(self.to.join(PAGE)).unwrap_or_default();
        let unkept = self
            .done
            .iter()
            .find(|(path, file)| *path != PAGE && !is_kept(path) && shown.contains(&file.name));
        if let Some((path, _)) = unkept {
            bail!(
                "{PAGE} names {path}, which {SERVICE_WORKER} does not keep: it would never install"
            );
        }
        let listed = self.done.iter().filter(|(path, _)| is_kept(path));
        let listed: Vec<[&str; 2]> =
            listed.map(|(_, file)| [file.name.as_str(), file.integrity.as_str()]).collect();
        let files = serde_json::to_string(&listed)?;
        // The version covers the page; the list omits it, because hosts may change its bytes.
        let page = self.done.get(PAGE).map_or("", |file| file.integrity.as_str());
        let version = &digest::hex(format!("{page}{files}").as_bytes())[..HASH_DIGITS];
        let version = format!("\"{version}\"");
        let headers = serde_json::to_string(&ISOLATION)?;
        let values = [(FILES, &files), (VERSION, &version), (HEADERS, &headers)];
        let in_code = |line: &str| match line.trim_start().starts_with("//") {
            true => line.to_owned(),
            false => values.iter().fold(line.to_owned(), |line, (name, it)| line.replace(name, it)),
        };
        let content = text.lines().map(in_code).collect::<Vec<_>>().join("\n") + "\n";
        let file = SiteFile {
            name: SERVICE_WORKER.to_owned(),
            integrity: digest::integrity(content.as_bytes()),
            bytes: content.len(),
        };
        let target = self.to.join(SERVICE_WORKER);
        fs::write(&target, &content)
            .with_context(|| format!("can't write {}", target.display()))?;
        self.done.insert(SERVICE_WORKER.to_owned(), file);
        Ok(())
    }

    fn rewrite(&mut self, path: &str, text: &str) -> Result<String> {
        let mut text = text.to_owned();
        for other in self.raw.keys() {
            if other == path || other == PAGE || other == SERVICE_WORKER {
                continue;
            }
            // A model may be called like a file.
            if path == TABLE && !other.ends_with(RECORD) {
                continue;
            }
            let spellings = spellings(path, other);
            if !points_to(&text, other, &spellings) {
                continue;
            }
            self.visit(other)?;
            let file = &self.done[other];
            if path == PAGE {
                text = with_integrity(&text, &spellings, &file.integrity);
            }
            text = replace(&text, other, &spellings, file);
        }
        check_resolved(path, &text, self.raw.keys(), &self.done)?;
        Ok(text)
    }
}

fn is_text(path: &str) -> bool {
    let endings = [".html", ".js", ".css", ".webmanifest"];
    path == TABLE || endings.iter().any(|ending| path.ends_with(ending))
}

/// The spellings of the path to `other` in a file at `path`.
fn spellings(path: &str, other: &str) -> Vec<String> {
    let mut from: Vec<&str> = path.split('/').collect();
    from.pop();
    let mut to: Vec<&str> = other.split('/').collect();
    while !from.is_empty() && to.len() > 1 && from[0] == to[0] {
        from.remove(0);
        to.remove(0);
    }
    let relative = format!("{}{}", "../".repeat(from.len()), to.join("/"));
    if from.is_empty() { vec![format!("./{relative}"), relative] } else { vec![relative] }
}

fn points_to(text: &str, other: &str, spellings: &[String]) -> bool {
    text.contains(&placeholder(other))
        || quoted(spellings).any(|(spelling, _, _)| text.contains(&spelling))
}

fn placeholder(other: &str) -> String {
    // Include the closing quote: a file's name may be the prefix of another's.
    format!("{PLACEHOLDER}{other}\"")
}

/// Every spelling with every pair of delimiters.
fn quoted(spellings: &[String]) -> impl Iterator<Item = (String, char, char)> {
    spellings.iter().flat_map(|spelling| {
        DELIMITERS
            .iter()
            .map(move |&(open, close)| (format!("{open}{spelling}{close}"), open, close))
    })
}

fn replace(text: &str, other: &str, spellings: &[String], file: &SiteFile) -> String {
    let mut text = text.replace(&placeholder(other), &format!("{}\"", file.integrity));
    for (spelling, open, close) in quoted(spellings) {
        text = text.replace(&spelling, &format!("{open}./{}{close}", file.name));
    }
    text
}

/// Adds an `integrity` attribute to the page's tags that load this file as a script or style.
fn with_integrity(page: &str, spellings: &[String], integrity: &str) -> String {
    let mut out = String::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        let (before, from) = rest.split_at(start);
        let Some(end) = from.find('>') else { break };
        let (tag, after) = from.split_at(end);
        out.push_str(before);
        let slash = if tag.ends_with('/') { "/" } else { "" };
        out.push_str(tag.strip_suffix(slash).unwrap_or(tag));
        let loads = spellings.iter().any(|path| {
            ["href", "src"].iter().any(|attribute| tag.contains(&format!("{attribute}=\"{path}\"")))
        });
        if loads && takes_integrity(tag) && !tag.contains("integrity=") {
            out.push_str(&format!(" integrity=\"{integrity}\""));
        }
        out.push_str(slash);
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Scripts, styles and module preloads. Not preloads for `fetch`: browsers ignore the attribute
/// there and warn; the fetch specifies the digest.
fn takes_integrity(tag: &str) -> bool {
    tag.starts_with("<script")
        || ["stylesheet", "modulepreload"]
            .iter()
            .any(|kind| tag.contains(&format!("rel=\"{kind}\"")))
}

/// Rejects a page that references a missing file, and any remaining placeholder.
fn check_resolved<'a>(
    path: &str,
    text: &str,
    names: impl Iterator<Item = &'a String>,
    done: &BTreeMap<String, SiteFile>,
) -> Result<()> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    if let Some(line) = code.into_iter().find(|line| line.contains(PLACEHOLDER)) {
        let known: Vec<_> = names.map(String::as_str).collect();
        bail!(
            "{path}: no such file to take the digest of: {}; there are: {}",
            line.trim(),
            known.join(", ")
        );
    }
    if path != PAGE {
        return Ok(());
    }
    for attribute in ["href=\"", "src=\"", "\"url\": \""] {
        for piece in text.split(attribute).skip(1) {
            let target = piece.split('"').next().unwrap_or_default();
            let name = target.strip_prefix("./").unwrap_or(target);
            ensure!(
                done.values().any(|file| file.name == name),
                "{path} points to {target:?}, which the site does not hold"
            );
        }
    }
    Ok(())
}

/// `snippets/a/inline0.js` becomes `inline0-0123456789abcdef.js`; the page keeps its name.
fn final_name(path: &str, content: &[u8]) -> String {
    if path == PAGE {
        return PAGE.to_owned();
    }
    let file = path.rsplit('/').next().unwrap_or(path);
    let hash = &digest::hex(content)[..HASH_DIGITS];
    match file.split_once('.') {
        Some((stem, extension)) => format!("{stem}-{hash}.{extension}"),
        None => format!("{file}-{hash}"),
    }
}

#[cfg(test)]
#[path = "finish_tests.rs"]
mod tests;
