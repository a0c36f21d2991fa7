//! Requests of the Search lab: files, evaluations, single searches.

use super::Count;
use record::EmbeddingModel;
use scoring::Interval;
use serde::{Deserialize, Serialize};
use strum::{EnumCount, IntoStaticStr, VariantArray};

/// The most retrievers of an evaluation.
pub const MOST_RETRIEVERS: usize = 4;
/// The number of distractors.
pub const DISTRACTORS: usize = 2_000;
/// A query lacks a tool if it is not among this many.
pub const RESULTS: usize = 5;

/// What ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LabRetriever {
    /// API Search's model.
    Builtin,
    /// Okapi BM25.
    Bm25,
    /// A seeded random order.
    Random,
    /// A model that the user added, by its id.
    Own(u32),
}

/// The tools to search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[derive(EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "snake_case")]
pub enum LabCorpus {
    /// The pool, each query in its own suite.
    #[default]
    PoolBySuite,
    /// The pool as one list.
    Pool,
    /// The pool among the training set's APIs.
    Training,
    /// The pool among generated tools.
    Distractors,
    /// The user's list.
    File,
}

/// A kind of queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[derive(EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "snake_case")]
pub enum LabQueries {
    /// The keywords of the gold searches.
    Gold,
    /// Paraphrases of them.
    Paraphrases,
    /// Phrases that were written from the dialogues alone.
    HeldOut,
    /// Phrases that were written by API.
    Phrases,
    /// The user's last words before the searches.
    User,
    /// The user's file.
    File,
}

impl LabCorpus {
    /// All, in the order of the page.
    pub const ALL: [LabCorpus; LabCorpus::COUNT] = *LabCorpus::VARIANTS.first_chunk().unwrap();

    /// The identifier in the page.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl LabQueries {
    /// All, in the order of the page.
    pub const ALL: [LabQueries; LabQueries::COUNT] = *LabQueries::VARIANTS.first_chunk().unwrap();

    /// The identifier in the page.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Load a sentence-embedding model from the files sent along.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddRetriever {
    /// The files' paths, in the same order.
    pub paths: Vec<String>,
}

/// A loaded model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddedRetriever {
    /// Its id, unique in this page.
    pub id: u32,
    /// As records name it.
    pub model: EmbeddingModel,
    /// The files that it was made from.
    pub files: Vec<String>,
    /// The ONNX file's size.
    pub bytes: u64,
    /// The length of its vectors.
    pub dimensions: usize,
}

/// Forget a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoveRetriever {
    /// Its id.
    pub id: u32,
}

/// Read the list of tools sent along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadTools {}

/// Read the queries sent along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadQueries {}

/// A list that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadList {
    /// The file's name.
    pub name: String,
    /// The number of tools or queries.
    pub count: usize,
}

/// Evaluate retrievers. Refused during a run; [`super::Cancel`] stops it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evaluate {
    /// The retrievers; the first is the reference of the differences.
    pub retrievers: Vec<LabRetriever>,
    /// The tools.
    pub corpus: LabCorpus,
    /// The queries.
    pub queries: Vec<LabQueries>,
    /// The seed of distractors and of the random order.
    pub seed: u32,
}

/// Progress of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvaluationProgress {
    /// The retriever, by its index.
    pub retriever: usize,
    /// Tools indexed and queries ranked.
    pub steps: Count,
}

/// How an evaluation ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evaluated {
    /// Completely.
    Done(Box<LabReport>),
    /// The user cancelled it.
    Cancelled,
}

/// The result of an evaluation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LabReport {
    /// The corpus's name.
    pub corpus: String,
    /// The number of its tools.
    pub tools: usize,
    /// The number of queries.
    pub queries: usize,
    /// The number of queries that need no tool of the corpus, and are left out.
    pub left_out: usize,
    /// The seed.
    pub seed: u32,
    /// The names of the measures, in the order of all estimates.
    pub measures: Vec<String>,
    /// One entry per retriever.
    pub runs: Vec<LabRun>,
    /// The differences of all other retrievers from the first.
    pub differences: Vec<LabDifference>,
}

/// What a retriever reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LabRun {
    /// Its name.
    pub retriever: String,
    /// All queries, then kinds and domains.
    pub rows: Vec<LabRow>,
    /// The memory of the index, in bytes.
    pub index_bytes: u64,
    /// How long indexing took, in milliseconds; `None` if the index was there.
    pub index_ms: Option<f64>,
    /// The number of queries that lack a tool among the first [`RESULTS`].
    pub missed: usize,
    /// Those queries, at most some thousands.
    pub misses: Vec<LabMiss>,
    /// The tools on their two principal components; empty without vectors.
    pub map: Vec<LabPoint>,
}

/// The measures of some queries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LabRow {
    /// `all`, a kind of queries, or a domain.
    pub group: String,
    /// The number of queries.
    pub queries: usize,
    /// The number of independent observations.
    pub clusters: usize,
    /// Mean and 95 % interval, 0 to 1, of each measure.
    pub estimates: Vec<(f64, Interval)>,
    /// The median time of a query, in milliseconds.
    pub median_ms: f64,
}

/// The paired difference of a retriever from the first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LabDifference {
    /// The retriever's index.
    pub run: usize,
    /// The measure.
    pub measure: String,
    /// Its mean minus the first's.
    pub difference: f64,
    /// The 95 % interval.
    pub interval: Interval,
    /// The two-sided p-value.
    pub p: f64,
    /// The number of queries in which the first is better.
    pub only_first: usize,
    /// The number of queries in which this one is better.
    pub only_second: usize,
}

/// A query that lacks a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LabMiss {
    /// Its text.
    pub text: String,
    /// Its kind.
    pub kind: String,
    /// The tools that it needs, with their ranks from 1.
    pub relevant: Vec<(String, Option<usize>)>,
    /// What came first: name and score.
    pub neighbours: Vec<(String, f64)>,
}

/// A tool on the map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LabPoint {
    /// Its name.
    pub name: String,
    /// Its domain or origin.
    pub group: String,
    /// Whether the map names it: an API of the pool, or a tool of the user's list.
    pub is_named: bool,
    /// Its place.
    pub at: [f64; 2],
}

/// Search the last evaluation's corpus with its retrievers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchCorpus {
    /// The query.
    pub text: String,
}

/// What a retriever found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LabHits {
    /// The retriever.
    pub retriever: String,
    /// The five best tools with their scores.
    pub hits: Vec<(String, f64)>,
    /// The query's place on the retriever's map, if it has one.
    pub at: Option<[f64; 2]>,
}
