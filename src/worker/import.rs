//! Imports data, stores the pack in this browser and reports.

use super::tell::Teller;
use crate::messages::{Import, ImportProgress, ImportReport, ImportSource, PackFound, StoredPack};
use crate::platform::cancel::Watch;
use crate::platform::indexed_db::{ObjectStore, Store, StoreError, StoredText};
use crate::platform::{download, files};
use dataset::Pack;
use dataset::import::{Errata, FileKind, Intake, Limits, Problem, Report, import};
use dataset::own_tools::ToolsFile;
use js_sys::Array;
use serde_json::Value;
use wasm_bindgen::JsCast;
use web_sys::File;

/// The dataset on the data hub: the addresses of its file list and of a file.
const HUB_LIST: &str =
    "https://huggingface.co/api/datasets/liminghao1630/API-Bank/tree/main?recursive=true";
const HUB_FILE: &str = "https://huggingface.co/datasets/liminghao1630/API-Bank/resolve/main/";
/// Prefixes of the hub's files that belong to the benchmark, without its training sets.
const HUB_PARTS: [&str; 3] = ["level-1-", "level-2-", "level-3"];
/// Maximum number of rejected files and lines in a report.
const LISTED: usize = 200;

/// Why an import ended without a report.
pub(super) enum Stopped {
    /// The user cancelled.
    Cancelled,
    /// It failed.
    Failed(String),
}

/// Reads and stores data, and returns the report.
pub(super) async fn run(
    request: Import,
    given: Array,
    stop: &Watch,
    page: Teller<Import>,
) -> Result<ImportReport, Stopped> {
    let Import { label, source } = request;
    let reading = Reading { stop, page };
    let intake = match source {
        ImportSource::Files { paths } => reading.files(&paths, &given).await?,
        ImportSource::Address { url } => reading.address(&url).await?,
        ImportSource::Hub => reading.hub().await?,
        ImportSource::Generated => {
            let files = super::generate::pack_files().await.map_err(Stopped::Failed)?;
            Intake::of(files)
        }
    };
    let (original, mut report) = import(intake.files.iter().map(|(p, t)| (p.as_str(), t.as_str())));
    let errata = Errata::builtin().map_err(|error| Stopped::Failed(error.to_string()))?;
    let (pack, damaged) = original::pack(original, &errata);
    report.problems.extend(damaged);
    if stop.stopped() {
        return Err(Stopped::Cancelled);
    }
    Ok(keep(label, &pack, intake, report).await)
}

/// Stores the pack and builds the report.
async fn keep(label: String, pack: &Pack, intake: Intake, report: Report) -> ImportReport {
    let Intake { files, refused, ignored, .. } = intake;
    let refused: Vec<Problem> = refused.into_iter().chain(report.problems).collect();
    let mut outcome = ImportReport {
        pack: None,
        refused: refused.iter().take(LISTED).map(ToString::to_string).collect(),
        refused_more: refused.len().saturating_sub(LISTED),
        ignored: ignored + report.ignored,
        not_kept: None,
    };
    if report.found.is_empty() {
        return outcome;
    }
    let parts: Vec<&(String, String)> =
        files.iter().filter(|(path, _)| report.read.contains(path)).collect();
    let stored = StoredPack {
        digest: pack.digest.clone(),
        label,
        found: report
            .found
            .iter()
            .map(|it| PackFound { what: it.what.to_owned(), count: it.count })
            .collect(),
        missing: report.missing,
        files: parts.len(),
        bytes: parts.iter().map(|(_, text)| text.len() as u64).sum(),
        imported_ms: js_sys::Date::now(),
    };
    let kept = async {
        let entries = [
            StoredText::json(ObjectStore::Packs, &stored.digest, &stored)?,
            StoredText::json(ObjectStore::PackFiles, &stored.digest, &parts)?,
        ];
        Store::open().await?.put(&entries).await
    };
    outcome.not_kept = kept.await.err().map(|error: StoreError| error.to_string());
    outcome.pack = Some(stored);
    outcome
}

/// Reading of data: who may stop it, and who hears of it.
struct Reading<'a> {
    stop: &'a Watch,
    page: Teller<Import>,
}

impl Reading<'_> {
    async fn files(&self, paths: &[String], given: &Array) -> Result<Intake, Stopped> {
        let mut intake = Intake::new(Limits::default());
        for (index, (path, file)) in paths.iter().zip(given.iter()).enumerate() {
            if self.stop.stopped() {
                return Err(Stopped::Cancelled);
            }
            self.tell(index, paths.len(), intake.bytes);
            let Ok(file) = file.dyn_into::<File>() else { continue };
            if !intake.accepts(path, file.size() as u64) {
                continue;
            }
            match files::read(&file).await {
                Ok(bytes) => intake.add(path, bytes),
                Err(reason) => intake.refuse(path, reason),
            }
        }
        self.tell(paths.len(), paths.len(), intake.bytes);
        Ok(intake)
    }

    async fn address(&self, url: &str) -> Result<Intake, Stopped> {
        let mut intake = Intake::new(Limits::default());
        let bytes = self.fetch(url, 0, 1, 0).await?;
        let name = url.split(['?', '#']).next().unwrap_or(url);
        let name = name.rsplit('/').next().unwrap_or(name);
        // The address does not show the content type; detect an archive by its first bytes.
        let archive = matches!(bytes.get(..2), Some(b"PK" | b"\x1f\x8b"));
        let name = match archive && FileKind::of(name) != FileKind::Archive {
            true => format!("{name}.zip"),
            false => name.to_owned(),
        };
        if FileKind::of(&name) == FileKind::Other {
            return Err(Stopped::Failed(format!(
                "{url} is neither a zip or tar.gz archive nor a .json, .jsonl or .py file. Give the \
             address of the file itself, not of a page about it."
            )));
        }
        intake.add(&name, bytes);
        Ok(intake)
    }

    async fn hub(&self) -> Result<Intake, Stopped> {
        let listed = self.fetch(HUB_LIST, 0, 0, 0).await?;
        let listed: Value = serde_json::from_slice(&listed).map_err(|error| {
            Stopped::Failed(format!("{HUB_LIST} returned no list of files: {error}"))
        })?;
        let paths: Vec<&str> = listed
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|entry| entry.get("path")?.as_str())
            .filter(|path| {
                let name = path.rsplit('/').next().unwrap_or(path);
                name.ends_with(".json") && HUB_PARTS.iter().any(|part| name.starts_with(part))
            })
            .collect();
        if paths.is_empty() {
            return Err(Stopped::Failed(format!("{HUB_LIST} lists no files of the benchmark.")));
        }
        let mut intake = Intake::new(Limits::default());
        for (index, path) in paths.iter().enumerate() {
            let bytes =
                self.fetch(&format!("{HUB_FILE}{path}"), index, paths.len(), intake.bytes).await?;
            intake.add(path, bytes);
        }
        Ok(intake)
    }

    async fn fetch(
        &self,
        url: &str,
        done: usize,
        total: usize,
        before: u64,
    ) -> Result<Vec<u8>, Stopped> {
        let most = Limits::default().archive_bytes;
        let came = |bytes| self.tell(done, total, before + bytes);
        match download::load(url, most, self.stop.wait(), came).await {
            None => Err(Stopped::Cancelled),
            Some(loaded) => loaded.map_err(Stopped::Failed),
        }
    }

    fn tell(&self, files: usize, total: usize, bytes: u64) {
        self.page.tell(&ImportProgress { files, total, bytes });
    }
}

/// Loads a stored pack.
///
/// # Errors
/// A message for the user, with the remedy.
pub(super) async fn stored(digest: &str) -> Result<Pack, String> {
    let store = Store::open().await.map_err(|error| error.to_string())?;
    let files: Option<Vec<(String, String)>> =
        store.get_json(ObjectStore::PackFiles, digest).await.map_err(|error| error.to_string())?;
    let files = files.ok_or("It is no longer stored in this browser. Import it again.")?;
    if let [(_, text)] = &files[..]
        && ToolsFile::is_one(text)
    {
        let pack = ToolsFile::read(text).and_then(ToolsFile::into_pack);
        return pack.map_err(|error| format!("{error}."));
    }
    let (original, _) = import(files.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    let errata = Errata::builtin().map_err(|error| error.to_string())?;
    Ok(original::pack(original, &errata).0)
}
