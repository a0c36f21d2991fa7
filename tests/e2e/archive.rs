//! The archives of a release: unpacked, they are the site, and work under a sub-path.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use flate2::read::GzDecoder;
use xtask::{package, site_server::SiteServer};

use crate::{
    app::App,
    browser::{Browser, Setup},
    stage::{dist, slot},
    wait::SOON,
};

/// Unpacks an archive and returns its only folder.
fn unpack(archive: &Path, to: &Path) -> Result<PathBuf> {
    let file = File::open(archive)?;
    if archive.extension().is_some_and(|end| end == "zip") {
        zip::ZipArchive::new(file)?.extract(to)?;
    } else {
        tar::Archive::new(GzDecoder::new(file)).unpack(to)?;
    }
    let mut folders = fs::read_dir(to)?;
    let folder = folders.next().context("an empty archive")??.path();
    ensure!(folders.next().is_none(), "{} has more than one folder", archive.display());
    Ok(folder)
}

/// The files below a folder by their path.
fn files(folder: &Path, below: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files(&path, below, found)?;
        } else {
            found.insert(path.strip_prefix(below)?.to_owned(), fs::read(&path)?);
        }
    }
    Ok(())
}

/// Loads the page and runs a baseline to the end.
async fn visit(app: &App) -> Result<()> {
    app.open().await?;
    app.run_baseline("gold-replay").await?;
    app.see("cell-total-calls", SOON, |text| text == "100.0 %").await.map(drop)
}

#[tokio::test]
async fn an_unpacked_archive_works_under_a_sub_path() -> Result<()> {
    let Some(dist) = dist()? else { return Ok(()) };
    let dir = tempfile::tempdir()?;
    let mut expected = BTreeMap::new();
    files(&dist, &dist, &mut expected)?;
    let mut folders = Vec::new();
    for (index, archive) in package::site(&dist, &dir.path().join("packed"))?.iter().enumerate() {
        let folder = unpack(archive, &dir.path().join(index.to_string()))?;
        let mut found = BTreeMap::new();
        files(&folder, &folder, &mut found)?;
        for (name, bytes) in &expected {
            let same = found.get(name) == Some(bytes);
            ensure!(same, "{} of {} differs", name.display(), archive.display());
        }
        folders.push(folder);
    }

    let _slot = slot().await?;
    let folder = folders.swap_remove(0);
    let site = SiteServer::start(&folder, "/some/project").await.context("can't serve the site")?;
    let browser = Browser::start(&Setup::default()).await?;
    let app = App::new(browser, site.url(), folder);
    let outcome = visit(&app).await;
    if outcome.is_err() {
        app.browser.report_failure("archive").await;
    }
    app.browser.quit().await;
    outcome
}
