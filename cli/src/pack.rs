//! The original's data from a folder or an archive.

use anyhow::{Context, Result, bail};
use dataset::Pack;
use dataset::import::{Errata, Intake, Limits, Original, import};
use engine::imported;
use std::fs;
use std::path::Path;

/// Reads a pack, a folder or an archive; says on standard error what is missing or damaged.
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
        eprintln!("{problem}");
    }
    if report.is_empty() {
        bail!(
            "{} holds no part of API-Bank: expected lv1-lv2-samples, init_database or test-data",
            place.display()
        );
    }
    for missing in &report.missing {
        eprintln!("Missing in the pack: {missing}");
    }
    Ok(original)
}

/// Takes in what is below a folder, by paths relative to `top`.
fn collect(top: &Path, folder: &Path, depth: usize, intake: &mut Intake) -> Result<()> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("can't list {}", folder.display()))?;
    for entry in entries {
        let path = entry.with_context(|| format!("can't list {}", folder.display()))?.path();
        let Ok(metadata) = fs::metadata(&path) else { continue };
        let hidden = path.file_name().is_some_and(|it| it.to_string_lossy().starts_with('.'));
        if metadata.is_dir() {
            if depth > 0 && !hidden {
                collect(top, &path, depth - 1, intake)?;
            }
            continue;
        }
        let name = path.strip_prefix(top).unwrap_or(&path).to_string_lossy().into_owned();
        if intake.accepts(&name, metadata.len()) {
            match fs::read(&path) {
                Ok(bytes) => intake.add(&name, bytes),
                Err(error) => intake.refuse(&name, error.to_string()),
            }
        }
    }
    Ok(())
}

/// Reads imported data as a pack that runs; says on standard error what of it cannot be used.
pub(crate) fn runnable(folder: &Path) -> Result<Pack> {
    let (pack, problems) = imported::pack(load(folder)?, &Errata::builtin()?);
    for problem in problems {
        eprintln!("{problem}");
    }
    Ok(pack)
}
