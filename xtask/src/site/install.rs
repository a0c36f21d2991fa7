//! Moves a finished site into place; the previous one stays until the new one is complete.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, anyhow, ensure};

/// An empty folder next to `out`, hence on the same file system.
pub(super) fn beside(out: &Path) -> Result<PathBuf> {
    let fresh = sibling(out, "new")?;
    if fresh.exists() {
        fs::remove_dir_all(&fresh).with_context(|| format!("can't empty {}", fresh.display()))?;
    }
    fs::create_dir_all(&fresh).with_context(|| format!("can't make {}", fresh.display()))?;
    Ok(fresh)
}

/// Moves `fresh` to `out`. Deletes an existing site at `out`; any other non-empty folder is an error.
pub(super) fn replace(fresh: &Path, out: &Path) -> Result<()> {
    if !out.exists() {
        return fs::rename(fresh, out).with_context(|| format!("can't write {}", out.display()));
    }
    let is_empty = fs::read_dir(out)
        .with_context(|| format!("{} is not a folder", out.display()))?
        .next()
        .is_none();
    ensure!(
        is_empty || out.join("index.html").is_file(),
        "{} is not empty and holds no site: name another folder with --out, or empty it",
        out.display()
    );
    let old = sibling(out, "old")?;
    if old.exists() {
        fs::remove_dir_all(&old).with_context(|| format!("can't empty {}", old.display()))?;
    }
    fs::rename(out, &old).with_context(|| format!("can't move {}", out.display()))?;
    if let Err(error) = fs::rename(fresh, out) {
        fs::rename(&old, out).ok();
        return Err(error).with_context(|| format!("can't write {}", out.display()));
    }
    fs::remove_dir_all(&old).with_context(|| format!("can't remove {}", old.display()))
}

fn sibling(out: &Path, what: &str) -> Result<PathBuf> {
    let name = out
        .file_name()
        .ok_or_else(|| anyhow!("{} names no folder", out.display()))?
        .to_string_lossy();
    Ok(out.with_file_name(format!(".{name}-{what}-{}", std::process::id())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(dir: &Path, text: &str) -> Result<()> {
        Ok(fs::write(dir.join("index.html"), text)?)
    }

    #[test]
    fn the_new_site_takes_the_place_of_the_old() -> Result<()> {
        let dir = tempfile::tempdir()?;
        let out = dir.path().join("dist");
        for text in ["first", "second"] {
            let fresh = beside(&out)?;
            page(&fresh, text)?;
            replace(&fresh, &out)?;
            assert_eq!(fs::read_to_string(out.join("index.html"))?, text);
        }
        assert_eq!(fs::read_dir(dir.path())?.count(), 1, "nothing else is left");
        Ok(())
    }

    #[test]
    fn a_folder_with_other_things_is_left_alone() -> Result<()> {
        let dir = tempfile::tempdir()?;
        let out = dir.path().join("photos");
        fs::create_dir(&out)?;
        fs::write(out.join("holiday.jpg"), "")?;
        let fresh = beside(&out)?;
        page(&fresh, "site")?;
        let error = replace(&fresh, &out).expect_err("not a site");
        assert!(error.to_string().contains("holds no site"));
        assert!(out.join("holiday.jpg").exists());
        Ok(())
    }
}
