//! The same run without a browser, on the very files of API Search that the site ships.

use std::{fs, path::Path};

use anyhow::{Context, Result, bail};
use engine::{
    baseline::Baseline,
    bench::Bench,
    provider::{HttpRequest, HttpResponse, TransportError},
    record::{Model, Record},
    retrieval::{Encoder, Index, Search},
    runner::{self, Ports, RunSettings},
};

/// Ports of a run that sends nothing and takes no time.
struct Still;

impl Ports for Still {
    fn now_ms(&self) -> u64 {
        0
    }

    async fn send(&self, request: HttpRequest, _: u32) -> Result<HttpResponse, TransportError> {
        Err(TransportError::Unreachable(format!("a baseline asked for {}", request.url)))
    }

    async fn wait(&self, _: u32) {}

    fn cancelled(&self) -> bool {
        false
    }
}

/// The record of a baseline.
///
/// # Errors
/// When the site's files can't be read.
pub async fn record(dist: &Path, baseline: Baseline) -> Result<Record> {
    let weights = file(dist, "weights-", ".bin")?;
    let vocabulary = String::from_utf8(file(dist, "vocab-", ".txt")?)?;
    let vectors = file(dist, "vectors-", ".bin")?;
    let encoder = Encoder::load(&weights, &vocabulary)?;
    let search = Search::new(encoder, Index::from_bytes(&vectors)?)?;
    let bench = Bench::new(dataset::builtin()?, search);
    let settings = RunSettings::new(Model::Builtin { name: baseline });
    Ok(runner::run(&bench, &settings, None, &Still, |_| {}).await)
}

/// The one file of the site whose name has this start and end, a digest between them.
fn file(dist: &Path, start: &str, end: &str) -> Result<Vec<u8>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dist)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with(start) && name.ends_with(end) {
            found.push(path);
        }
    }
    let [one] = found.as_slice() else {
        bail!("expected one {start}…{end} in {}, found {found:?}", dist.display());
    };
    fs::read(one).with_context(|| format!("can't read {}", one.display()))
}
