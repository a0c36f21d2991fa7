//! Loads the original's data from a folder or an archive.

use crate::shown::tell;
use anyhow::{Context, Result, bail};
use dataset::Pack;
use dataset::import::{Errata, FileKind, Intake, Limits, Original, import};

use std::fs;
use std::path::Path;

/// Loads a pack from a folder or an archive; reports missing or damaged data on standard error.
pub(crate) fn load(place: &Path) -> Result<Original> {
    let limits = Limits::default();
    let mut intake = Intake::new(limits);
    if place.is_dir() {
        collect(place, place, limits.depth, &mut intake)?;
    } else {
        let bytes = fs::read(place).with_context(|| format!("can't read {}", place.display()))?;
        intake.add(&place.to_string_lossy(), bytes);
    }
    let (original, report) =
        import(intake.files.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    for problem in intake.refused.iter().chain(&report.problems) {
        tell!("{problem}");
    }
    if report.is_empty() {
        bail!(
            "{} holds no part of API-Bank: expected lv1-lv2-samples, init_database or test-data",
            place.display()
        );
    }
    for missing in &report.missing {
        tell!("Missing in the pack: {missing}");
    }
    Ok(original)
}

/// Collects the files below a folder, with paths relative to `top`.
fn collect(top: &Path, folder: &Path, depth: usize, intake: &mut Intake) -> Result<()> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("can't list {}", folder.display()))?;
    for entry in entries {
        let path = entry.with_context(|| format!("can't list {}", folder.display()))?.path();
        let name = path.strip_prefix(top).unwrap_or(&path).to_string_lossy().into_owned();
        let metadata = match fs::metadata(&path) {
            Ok(metadata) => metadata,
            // Such as a dangling link: files outside the data may be unreadable.
            Err(_) if FileKind::of(&name) == FileKind::Other => continue,
            Err(error) => {
                intake.refuse(&name, error.to_string());
                continue;
            }
        };
        let hidden = path.file_name().is_some_and(|it| it.to_string_lossy().starts_with('.'));
        if metadata.is_dir() {
            if depth > 0 && !hidden {
                collect(top, &path, depth - 1, intake)?;
            }
            continue;
        }
        if intake.accepts(&name, metadata.len()) {
            match fs::read(&path) {
                Ok(bytes) => intake.add(&name, bytes),
                Err(error) => intake.refuse(&name, error.to_string()),
            }
        }
    }
    Ok(())
}

/// Loads imported data as a runnable pack; reports unusable parts on standard error.
pub(crate) fn runnable(folder: &Path) -> Result<Pack> {
    let (pack, problems) = original::pack(load(folder)?, &Errata::builtin()?);
    for problem in problems {
        tell!("{problem}");
    }
    Ok(pack)
}
