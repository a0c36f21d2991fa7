//! Bytes of the built site, raw and as brotli sends them, beside onnxruntime-web with the fp32
//! model.

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
};

use anyhow::{Context, Result, anyhow};

use super::{
    Figure, Figures,
    peers::{self, ONNXRUNTIME, ONNXRUNTIME_FILES},
};
use crate::{
    cache::Cache,
    digest, model,
    site::weight::{Role, Weight},
};

/// Brotli's highest quality, and the largest window that browsers take.
const QUALITY: u32 = 11;
const WINDOW: u32 = 24;
const BUFFER: usize = 1 << 16;

/// Measures the site in `dist`.
pub(super) fn measure(cache: &Cache, dist: &Path) -> Result<Figures> {
    let site = Weight::of(dist)?;
    let model = model::ensure(cache)?;
    let peer = peers::onnxruntime(cache)?;
    let mut theirs: Vec<PathBuf> = Vec::new();
    if let Some(peer) = &peer {
        theirs.extend(ONNXRUNTIME_FILES.iter().map(|file| peer.folder.join(file)));
        theirs.push(model.onnx);
    }
    let ours: Vec<PathBuf> = site.files.iter().map(|file| dist.join(&file.name)).collect();
    // The model takes as long as all other files together: both cores have work.
    let (theirs, ours) = thread::scope(|scope| {
        let theirs = scope.spawn(|| all(cache, &theirs));
        let ours = all(cache, &ours);
        let theirs = theirs.join().map_err(|_| anyhow!("brotli broke down"));
        (theirs.and_then(|it| it), ours)
    });
    let (theirs, ours) = (theirs?, ours?);
    let mut figures = Figures::default();
    let of = |roles: &[Role]| {
        let files = site.files.iter().zip(&ours).filter(|(file, _)| roles.contains(&file.role));
        files.fold(Size::default(), |sum, (_, size)| sum.plus(*size))
    };
    for (file, size) in site.files.iter().zip(&ours) {
        println!("  {:>11} {:>11} {}", size.raw, size.brotli, file.name);
    }
    let search =
        of(&[Role::Worker, Role::WorkerScript, Role::Weights, Role::Vocabulary, Role::Vectors]);
    let theirs = theirs.into_iter().reduce(Size::plus);
    let parts = [
        ("worker", of(&[Role::Worker, Role::WorkerScript])),
        ("weights", of(&[Role::Weights])),
        ("vocabulary", of(&[Role::Vocabulary])),
        ("vectors", of(&[Role::Vectors])),
    ];
    let note = parts.map(|(name, size)| format!("{name} {size}")).join(", ");
    let against = theirs.map_or(String::new(), |size| format!("; peer {size}"));
    figures.add(
        "bytes-search",
        Figure {
            ours: megabytes(search.brotli),
            peer: theirs.map(|size| megabytes(size.brotli)),
            note: format!("{note}{against}"),
        },
    );
    let parts = [
        ("page", of(&[Role::Page])),
        ("scripts", of(&[Role::Script])),
        ("styles", of(&[Role::Style])),
        ("html", of(&[Role::Html])),
    ];
    let paint = parts.iter().fold(Size::default(), |sum, (_, size)| sum.plus(*size));
    let note = parts.map(|(name, size)| format!("{name} {size}")).join(", ");
    figures.add("bytes-paint", Figure::new(paint.brotli as f64 / 1e3, note));
    if peer.is_some() {
        figures.versions.insert("onnxruntime-web".to_owned(), ONNXRUNTIME.to_owned());
    }
    Ok(figures)
}

/// One size in both forms, in bytes.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    raw: u64,
    brotli: u64,
}

impl Size {
    fn plus(self, other: Self) -> Self {
        Size { raw: self.raw + other.raw, brotli: self.brotli + other.brotli }
    }
}

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.0} KB ({:.0} KB raw)", self.brotli as f64 / 1e3, self.raw as f64 / 1e3)
    }
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

fn all(cache: &Cache, files: &[PathBuf]) -> Result<Vec<Size>> {
    files.iter().map(|file| size(cache, file)).collect()
}

/// The size of a file. What brotli makes of it is kept by the file's digest: the model alone takes
/// minutes.
fn size(cache: &Cache, file: &Path) -> Result<Size> {
    let bytes = fs::read(file).with_context(|| format!("can't read {}", file.display()))?;
    let raw = bytes.len() as u64;
    let known = cache.brotli(&digest::hex(&bytes));
    if let Some(brotli) = fs::read_to_string(&known).ok().and_then(|text| text.trim().parse().ok())
    {
        return Ok(Size { raw, brotli });
    }
    let mut counted = Count(0);
    let mut writer = brotli::CompressorWriter::new(&mut counted, BUFFER, QUALITY, WINDOW);
    std::io::Write::write_all(&mut writer, &bytes)?;
    drop(writer);
    if let Some(dir) = known.parent() {
        fs::create_dir_all(dir)?;
    }
    fs::write(&known, counted.0.to_string())
        .with_context(|| format!("can't write {}", known.display()))?;
    Ok(Size { raw, brotli: counted.0 })
}

/// Takes bytes and only counts them.
struct Count(u64);

impl std::io::Write for Count {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brotli_counts_what_it_writes_and_remembers_it() -> Result<()> {
        let dir = tempfile::tempdir()?;
        let cache = Cache::at(dir.path().join("cache"))?;
        let file = dir.path().join("text");
        fs::write(&file, "the same words again and again ".repeat(1000))?;
        let first = size(&cache, &file)?;
        assert_eq!(first.raw, 31_000);
        assert!((10..200).contains(&first.brotli), "{first:?}");
        let kept = cache.brotli(&digest::hex(&fs::read(&file)?));
        fs::write(kept, "7")?;
        assert_eq!(size(&cache, &file)?.brotli, 7, "taken from the cache");
        Ok(())
    }
}
