//! Test data of the search tests. Functions return `None` and report a skip if the data is missing.

use quantize::quantize;
use retrieval::Encoder;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::path::PathBuf;

/// One API of a pool.
#[derive(Deserialize)]
pub struct Api {
    #[serde(skip)]
    pub suite: &'static str,
    pub name: String,
    pub search_text: String,
}

impl Api {
    pub fn triple(&self) -> (&str, &str, &str) {
        (self.suite, &self.name, &self.search_text)
    }
}

/// A recorded search of the original.
#[derive(Deserialize)]
pub struct Row {
    pub level: u8,
    pub query: String,
    pub top1: String,
    pub margin: f64,
    pub top5: Vec<(String, f64)>,
}

impl Row {
    pub fn suite(&self) -> &'static str {
        if self.level == 3 { "planning" } else { "dialogue" }
    }
}

fn read(path: PathBuf) -> Vec<u8> {
    std::fs::read(&path).expect("a file that is there")
}

fn parity(file: &str) -> Option<Vec<u8>> {
    fixtures::shared(&format!("parity/{file}"), "API Search against the original").map(read)
}

/// A file from the model cache, which `cargo xtask model` fills.
fn cached(file: &str) -> Option<Vec<u8>> {
    fixtures::cached(&format!("model/{file}"), "API Search with real weights").map(read)
}

/// The vocabulary of bert-base-uncased.
pub fn vocabulary() -> Option<String> {
    cached("vocab.txt").map(|bytes| String::from_utf8(bytes).expect("vocab.txt is UTF-8"))
}

/// The published f32 model's ONNX file.
pub fn onnx() -> Option<Vec<u8>> {
    cached("paraphrase-minilm-l3-v2.onnx")
}

/// The rows of a parity file.
pub fn rows<T: DeserializeOwned>(file: &str) -> Option<Vec<T>> {
    let text = String::from_utf8(parity(file)?).expect("UTF-8");
    Some(text.lines().map(|line| serde_json::from_str(line).expect("a row")).collect())
}

/// All recorded searches.
pub fn retrieval_rows() -> Option<Vec<Row>> {
    rows("retrieval.jsonl")
}

/// The APIs of both suites, in pool order.
pub fn pools() -> Option<Vec<Api>> {
    #[derive(Deserialize)]
    struct Pools {
        dialogue: Vec<Api>,
        planning: Vec<Api>,
    }
    let pools: Pools = serde_json::from_slice(&parity("pools.json")?).expect("two pools");
    let with = |suite, apis: Vec<Api>| apis.into_iter().map(move |api| Api { suite, ..api });
    Some(with("dialogue", pools.dialogue).chain(with("planning", pools.planning)).collect())
}

/// The published f32 model, loaded.
pub fn exact() -> Option<Encoder> {
    Some(Encoder::load(&onnx()?, &vocabulary()?).expect("the cached model loads"))
}

/// The int8 model that the page loads.
pub fn shipped() -> Option<Encoder> {
    let model = quantize(&onnx()?).expect("the cached model quantizes");
    Some(Encoder::load(&model, &vocabulary()?).expect("a quantized model loads"))
}

/// A search phrase as a person would write it.
#[derive(Deserialize)]
pub struct Phrase {
    pub suite: String,
    pub phrase: String,
}

/// The phrases for the built-in APIs (`dataset/search/phrases`), in file order.
pub fn phrases() -> Vec<Phrase> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../dataset/search/phrases");
    let files = std::fs::read_dir(folder).expect("the folder of phrases");
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("an entry").path()).collect();
    files.sort();
    let texts = files.iter().map(|file| std::fs::read_to_string(file).expect("a file of phrases"));
    texts
        .flat_map(|text| {
            let rows = text.lines().map(|line| serde_json::from_str(line).expect("a phrase"));
            rows.collect::<Vec<_>>()
        })
        .collect()
}
