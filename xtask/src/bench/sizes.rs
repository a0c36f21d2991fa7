//! The built site's size in bytes, raw and brotli-compressed, against onnxruntime-web with the fp32
//! model.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
};

use anyhow::{Context, Result, anyhow, ensure};

use super::{
    Figure, Figures,
    peers::{self, ONNXRUNTIME, ONNXRUNTIME_FILES},
};
use crate::{
    cache::Cache,
    digest, model,
    process::output,
    site::size_budget::{Role, SiteSize, SizedFile},
};

/// Prints the size of a file, compressed with brotli's highest quality and the largest window that
/// browsers support.
const COMPRESS: &str = "const { constants, brotliCompressSync } = require('zlib');
const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };
console.log(brotliCompressSync(require('fs').readFileSync(process.argv[1]), { params }).length);";

/// Roles of the files that the worker loads at startup.
const WORKER: [Role; 5] =
    [Role::Worker, Role::WorkerScript, Role::Model, Role::Vocabulary, Role::Vectors];

/// Reads the list of a first visit: the files that the browser requested before the form was
/// usable, once per network transfer.
///
/// # Errors
/// When there is no list.
pub(super) fn visited(list: &Path) -> Result<Vec<String>> {
    let text =
        fs::read_to_string(list).with_context(|| format!("can't read {}", list.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is no list", list.display()))
}

/// Measures the site in `dist`.
pub(super) fn measure(cache: &Cache, dist: &Path, visited: &[String]) -> Result<Figures> {
    let site = SiteSize::of(dist)?;
    let model = model::ensure(cache)?;
    let peer = peers::onnxruntime(cache)?;
    let mut theirs: Vec<PathBuf> = Vec::new();
    if let Some(peer) = &peer {
        theirs.extend(ONNXRUNTIME_FILES.iter().map(|file| peer.folder.join(file)));
        theirs.push(model.onnx);
    }
    let ours: Vec<PathBuf> = site.files.iter().map(|file| dist.join(&file.name)).collect();
    // Two threads: the model takes as long as all other files combined.
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
    let search = of(&WORKER);
    let theirs = theirs.into_iter().reduce(Size::plus);
    let parts = [
        ("worker", of(&[Role::Worker, Role::WorkerScript])),
        ("model", of(&[Role::Model])),
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
    let known: Vec<(&SizedFile, Size)> = site.files.iter().zip(ours).collect();
    figures.add("bytes-paint", first_visit(&known, visited)?);
    if peer.is_some() {
        figures.versions.insert("onnxruntime-web".to_owned(), ONNXRUNTIME.to_owned());
    }
    Ok(figures)
}

/// The size of a first visit until the form is usable.
fn first_visit(known: &[(&SizedFile, Size)], visited: &[String]) -> Result<Figure> {
    let mut came: Vec<(&SizedFile, Size)> = Vec::new();
    for name in visited {
        let found = known.iter().find(|(file, _)| file.name == *name);
        came.push(
            *found.with_context(|| format!("the browser sent for {name}, no file of the site"))?,
        );
    }
    let has = |came: &[(&SizedFile, Size)], role| came.iter().any(|(file, _)| file.role == role);
    for role in [Role::Html, Role::Style, Role::Script, Role::Page] {
        ensure!(has(&came, role), "the browser sent for no file that is {role:?}: {visited:?}");
    }
    // The page does not see its worker's requests.
    if WORKER.iter().any(|role| has(&came, *role)) {
        let more = known
            .iter()
            .filter(|(file, _)| WORKER.contains(&file.role) && !visited.contains(&file.name));
        came.extend(more);
    }
    let sum = |wanted: &dyn Fn(Role) -> bool| {
        let files = came.iter().filter(|(file, _)| wanted(file.role));
        files.fold(Size::default(), |sum, (_, size)| sum.plus(*size))
    };
    let named = [
        ("page", &[Role::Page][..]),
        ("scripts", &[Role::Script]),
        ("styles", &[Role::Style]),
        ("html", &[Role::Html]),
        ("worker and search", &WORKER),
    ];
    let mut parts: Vec<(&str, Size)> =
        named.iter().map(|(name, roles)| (*name, sum(&|role| roles.contains(&role)))).collect();
    let others = sum(&|role| !named.iter().any(|(_, roles)| roles.contains(&role)));
    parts.push(("others", others));
    parts.retain(|(_, size)| size.raw > 0);
    let parts: Vec<String> = parts.iter().map(|(name, size)| format!("{name} {size}")).collect();
    let whole = sum(&|_| true);
    let names: Vec<&str> = came.iter().map(|(file, _)| file.name.as_str()).collect();
    println!("  a first visit sends for {}", names.join(", "));
    let note = format!(
        "the {} files that Chromium sends for, its cache empty, before the button to run is there: {}",
        came.len(),
        parts.join(", ")
    );
    Ok(Figure::new(whole.brotli as f64 / 1e3, note))
}

/// A raw and a compressed size, in bytes.
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
        write!(f, "{:.1} KB ({:.1} KB raw)", self.brotli as f64 / 1e3, self.raw as f64 / 1e3)
    }
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

fn all(cache: &Cache, files: &[PathBuf]) -> Result<Vec<Size>> {
    files.iter().map(|file| size(cache, file)).collect()
}

/// The size of a file. Compressed sizes are cached by the file's digest: the model alone takes minutes.
fn size(cache: &Cache, file: &Path) -> Result<Size> {
    let bytes = fs::read(file).with_context(|| format!("can't read {}", file.display()))?;
    let raw = bytes.len() as u64;
    let known = cache.brotli(&digest::hex(&bytes));
    if let Some(brotli) = fs::read_to_string(&known).ok().and_then(|text| text.trim().parse().ok())
    {
        return Ok(Size { raw, brotli });
    }
    let brotli = output(Command::new("node").args(["-e", COMPRESS]).arg(file));
    let brotli = brotli.and_then(|text| text.trim().parse().ok());
    let brotli: u64 =
        brotli.context("Node.js, which compresses with brotli, is missing or failed")?;
    if let Some(dir) = known.parent() {
        fs::create_dir_all(dir).with_context(|| format!("can't make {}", dir.display()))?;
    }
    fs::write(&known, brotli.to_string())
        .with_context(|| format!("can't write {}", known.display()))?;
    Ok(Size { raw, brotli })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::on_path;

    fn files<const N: usize>(names: [&str; N]) -> [SizedFile; N] {
        let name = |name: &str| name.to_owned();
        names.map(|it| SizedFile { name: name(it), role: Role::of(it), bytes: 10_000 })
    }

    fn known(files: &[SizedFile]) -> Vec<(&SizedFile, Size)> {
        files.iter().map(|file| (file, Size { raw: 10_000, brotli: 1_000 })).collect()
    }

    #[test]
    fn a_first_visit_is_what_the_browser_sent_for() -> Result<()> {
        let names = ["index.html", "app.css", "app.js", "app_bg.wasm", "later.wasm", "model.onnx"];
        let files = files(names);
        let known = known(&files);
        let visit = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            first_visit(&known, &names)
        };
        assert_eq!(visit(&names[..4])?.ours, 4.0, "counts a lazy-loaded file");
        let twice = visit(&["index.html", "app.css", "app.js", "app_bg.wasm", "app_bg.wasm"])?;
        assert_eq!(twice.ours, 5.0, "a file requested twice must count twice");
        assert!(visit(&names[..3]).is_err(), "accepts a visit without WebAssembly");
        assert!(visit(&["other.js"]).is_err(), "accepts an unknown file");
        Ok(())
    }

    #[test]
    fn a_worker_on_a_first_visit_counts_with_all_that_it_loads() -> Result<()> {
        let names =
            ["index.html", "app.css", "app.js", "app_bg.wasm", "worker-boot.js", "model.onnx"];
        let files = files(names);
        let known = known(&files);
        let visited = names[..5].iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        assert_eq!(first_visit(&known, &visited)?.ours, 6.0);
        Ok(())
    }

    #[test]
    fn compressed_sizes_are_those_of_brotli_and_remembered() -> Result<()> {
        if on_path("node").is_none() {
            eprintln!("SKIPPED: compressed sizes need Node.js");
            return Ok(());
        }
        let dir = tempfile::tempdir()?;
        let cache = Cache::at(dir.path().join("cache"))?;
        let file = dir.path().join("text");
        fs::write(&file, "the same words again and again ".repeat(1000))?;
        let first = size(&cache, &file)?;
        assert_eq!(first.raw, 31_000);
        assert!((10..200).contains(&first.brotli), "{first:?}");
        let kept = cache.brotli(&digest::hex(&fs::read(&file)?));
        fs::write(kept, "7")?;
        assert_eq!(size(&cache, &file)?.brotli, 7, "not read from the cache");
        Ok(())
    }
}
