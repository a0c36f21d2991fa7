//! Loads the original's data from files, folders and archives.

use crate::files;
use crate::shown::tell;
use anyhow::{Context, Result, bail};
use dataset::Pack;
use dataset::import::{Errata, FileKind, Intake, Limits, Original, import, is_part};
use dataset::own_tools::{self, ToolsFile};
use std::fs;
use std::path::{Path, PathBuf};

/// Loads a pack from files, folders and archives together; reports missing or damaged data on
/// standard error.
pub(crate) fn load(places: &[PathBuf]) -> Result<Original> {
    let mut intake = Intake::new(Limits::default());
    for place in places {
        take(place, &mut intake)?;
    }
    let (original, report) =
        import(intake.files.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    for problem in intake.refused.iter().chain(&report.problems) {
        tell!("{problem}");
    }
    if report.is_empty() {
        let places: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
        bail!(
            "no part of API-Bank in {}: expected lv1-lv2-samples, init_database, test-data, apis or \
             lv3_apis",
            places.join(", ")
        );
    }
    for missing in &report.missing {
        tell!("Missing in the pack: {missing}");
    }
    Ok(original)
}

/// The text of a pack of own tools; `None` if a place is something else.
pub(crate) fn own_tools(place: &Path) -> Result<Option<String>> {
    let bytes = fs::metadata(place).ok().filter(fs::Metadata::is_file).map(|it| it.len());
    let Some(bytes) = bytes.filter(|bytes| *bytes <= own_tools::Limits::BYTES as u64) else {
        return Ok(None);
    };
    let text = String::from_utf8(files::bounded(place, bytes)?).ok();
    Ok(text.filter(|text| ToolsFile::is_one(text)))
}

/// Adds a folder, an archive or a file. Paths include the folder's name, because `init_database`
/// identifies its contents.
fn take(place: &Path, intake: &mut Intake) -> Result<()> {
    let can_t_read = || format!("can't read {}", place.display());
    let whole = std::path::absolute(place).with_context(can_t_read)?;
    let metadata = fs::metadata(place).with_context(can_t_read)?;
    let top = whole.parent().unwrap_or(&whole);
    if metadata.is_dir() {
        let inside = fs::canonicalize(&whole).with_context(can_t_read)?;
        return collect(top, &whole, &inside, Limits::default().depth, intake);
    }
    if !metadata.is_file() {
        bail!("can't read {}: expected a file or a folder", place.display());
    }
    let bytes = metadata.len();
    let name = relative(top.parent().unwrap_or(top), &whole);
    // Keep a single file's folder in its path if it identifies the file.
    let name = if is_part(&name) { name } else { relative(top, &whole) };
    if intake.accepts(&name, bytes) {
        intake.add(&name, files::bounded(place, bytes)?);
    }
    Ok(())
}

fn relative(top: &Path, path: &Path) -> String {
    path.strip_prefix(top).unwrap_or(path).to_string_lossy().into_owned()
}

/// Collects the files below a folder, with paths relative to `top`. Whatever is no regular file inside
/// `inside`, such as a pipe, a device or a link that leads out, is refused if it has a part's name.
fn collect(
    top: &Path,
    folder: &Path,
    inside: &Path,
    depth: usize,
    intake: &mut Intake,
) -> Result<()> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("can't list {}", folder.display()))?;
    for entry in entries {
        let path = entry.with_context(|| format!("can't list {}", folder.display()))?.path();
        let name = relative(top, &path);
        let metadata = match fs::metadata(&path) {
            Ok(metadata) => metadata,
            // Such as a dangling link: files outside the data may be unreadable.
            Err(_) if FileKind::of(&name) != FileKind::Archive && !is_part(&name) => continue,
            Err(error) => {
                intake.refuse(&name, error.to_string());
                continue;
            }
        };
        let is_inside = fs::canonicalize(&path).is_ok_and(|it| it.starts_with(inside));
        if !is_inside || !(metadata.is_file() || metadata.is_dir()) {
            if FileKind::of(&name) == FileKind::Archive || is_part(&name) {
                intake.refuse(&name, "expected a regular file inside the folder".to_owned());
            }
            continue;
        }
        let hidden = path.file_name().is_some_and(|it| it.to_string_lossy().starts_with('.'));
        if metadata.is_dir() {
            if depth > 0 && !hidden {
                collect(top, &path, inside, depth - 1, intake)?;
            }
            continue;
        }
        if intake.accepts(&name, metadata.len()) {
            match files::bounded(&path, metadata.len()) {
                Ok(bytes) => intake.add(&name, bytes),
                Err(error) => intake.refuse(&name, format!("{error:#}")),
            }
        }
    }
    Ok(())
}

/// Loads imported data, or a pack of own tools, as a runnable pack; reports unusable parts on standard
/// error.
pub(crate) fn runnable(places: &[PathBuf]) -> Result<Pack> {
    if let [file] = places
        && let Some(text) = own_tools(file)?
    {
        let place = || file.display().to_string();
        let read = ToolsFile::read(&text).with_context(place)?;
        let (tasks, drafts) =
            (read.dialogues.len(), read.dialogues.iter().filter(|dialogue| dialogue.draft).count());
        if drafts > 0 {
            tell!("{drafts} of {tasks} tasks are drafts, which are left out.");
        }
        return read.into_pack().with_context(place);
    }
    let (pack, problems) = original::pack(load(places)?, &Errata::builtin()?);
    for problem in problems {
        tell!("{problem}");
    }
    Ok(pack)
}
