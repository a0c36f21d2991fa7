//! The same run natively, on the API Search files that the site ships.

use std::{fs, path::Path};

use anyhow::{Context, Result};
use dataset::Split;
use provider::{HttpRequest, Ports, Sink, Timeouts, TransportError};
use record::{Baseline, Model, Record, RunSettings};
use retrieval::{Encoder, Index, Search};
use runner::benchmark::Benchmark;
use serde_json::Value;

/// Ports that send nothing and take no time.
struct Still;

impl Ports for Still {
    fn now_ms(&self) -> u64 {
        0
    }

    async fn send(
        &self,
        request: HttpRequest,
        _: Timeouts,
        _: &mut dyn Sink,
    ) -> Result<(), TransportError> {
        Err(TransportError::Unreachable(format!("a baseline asked for {}", request.url)))
    }

    async fn wait(&self, _: u32) {}

    fn cancelled(&self) -> bool {
        false
    }
}

/// The record of a baseline on a split.
///
/// # Errors
/// When the site's files can't be read.
pub async fn record(dist: &Path, baseline: Baseline, split: Split) -> Result<Record> {
    let vectors = Assets::of(dist)?.read(dist, "search_vectors")?;
    let search = Search::new(encoder(dist)?, Index::from_bytes(&vectors)?)?;
    let bench = Benchmark::new(dataset::builtin()?, search);
    let settings = RunSettings { split, ..RunSettings::new(Model::Builtin { name: baseline }) };
    Ok(runner::run(&bench, &settings, None, &Still, |_| {}).await)
}

/// The search model that the site ships.
///
/// # Errors
/// When the site's files can't be read.
pub fn encoder(dist: &Path) -> Result<Encoder> {
    let (model, vocabulary) = model_files(dist)?;
    Ok(Encoder::load(&model, &String::from_utf8(vocabulary)?)?)
}

/// The search model's ONNX file and vocabulary.
///
/// # Errors
/// When the site's files can't be read.
pub fn model_files(dist: &Path) -> Result<(Vec<u8>, Vec<u8>)> {
    let assets = Assets::of(dist)?;
    Ok((assets.read(dist, "search_model")?, assets.read(dist, "search_vocab")?))
}

/// Reads the files that the page passes to its worker, from the list in its `index.html`.
struct Assets(Value);

impl Assets {
    fn of(dist: &Path) -> Result<Self> {
        let page = fs::read_to_string(dist.join("index.html"))?;
        let list = page
            .split_once("id=\"assets\">")
            .and_then(|(_, rest)| rest.split_once("</script>"))
            .map(|(list, _)| list)
            .context("index.html has no list of assets")?;
        Ok(Assets(serde_json::from_str(list).context("the list of assets is no JSON")?))
    }

    fn read(&self, dist: &Path, name: &str) -> Result<Vec<u8>> {
        let url = self.0[name]["url"].as_str().with_context(|| format!("no asset {name}"))?;
        let path = dist.join(url);
        fs::read(&path).with_context(|| format!("can't read {}", path.display()))
    }
}
