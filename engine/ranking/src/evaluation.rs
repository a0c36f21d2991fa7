//! Ranks a corpus for every query, one step at a time, so that a caller can show progress and stop.

use crate::corpus::Corpus;
use crate::query::Query;
use crate::retriever::Retriever;
use dataset::random::draw;
use kernels::dot;
use retrieval::{Bm25, Encoder, RetrievalError};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How many of the best tools are kept per query.
const KEPT: usize = 10;

/// How far an evaluation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Tools indexed.
    pub indexed: usize,
    /// Tools in the corpus.
    pub tools: usize,
    /// Queries ranked.
    pub ranked: usize,
    /// Queries.
    pub queries: usize,
}

/// A query's result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ranked {
    /// The place of each relevant tool, from 1; `None` if the corpus lacks it or it is no hit.
    pub ranks: Vec<Option<usize>>,
    /// The best tools, as indices into the corpus, with their scores.
    pub top: Vec<(usize, f64)>,
    /// How long the query took, in milliseconds.
    pub ms: f64,
}

/// A finished evaluation. Everything but the times is deterministic.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The retriever's name.
    pub retriever: String,
    /// The corpus.
    pub corpus: Arc<Corpus>,
    /// The queries.
    pub queries: Arc<[Query]>,
    /// One result per query.
    pub ranked: Vec<Ranked>,
    /// The unit vector of each tool's first text, for a map; empty unless an encoder made them.
    pub vectors: Vec<Vec<f32>>,
}

/// An evaluation in progress.
#[derive(Debug)]
pub struct Evaluation {
    retriever: Retriever,
    corpus: Arc<Corpus>,
    queries: Arc<[Query]>,
    /// The vectors of each indexed tool's texts.
    vectors: Vec<Vec<Vec<f32>>>,
    bm25: Option<Bm25>,
    ranked: Vec<Ranked>,
}

impl Evaluation {
    /// An evaluation that has done nothing yet.
    pub fn new(retriever: Retriever, corpus: Arc<Corpus>, queries: Arc<[Query]>) -> Self {
        let (vectors, bm25, ranked) = (Vec::new(), None, Vec::new());
        Evaluation { retriever, corpus, queries, vectors, bm25, ranked }
    }

    /// How far it is.
    pub fn progress(&self) -> Progress {
        let tools = self.corpus.tools.len();
        let indexed = match self.retriever {
            Retriever::Encoder { .. } => self.vectors.len(),
            _ => tools,
        };
        Progress { indexed, tools, ranked: self.ranked.len(), queries: self.queries.len() }
    }

    /// Indexes one tool or ranks one query; false if nothing is left. `now_ms` is a monotonic clock.
    ///
    /// # Errors
    /// When the encoder fails.
    pub fn step(&mut self, now_ms: &dyn Fn() -> f64) -> Result<bool, RetrievalError> {
        if let Retriever::Encoder { encoder, .. } = &self.retriever
            && let Some(tool) = self.corpus.tools.get(self.vectors.len())
        {
            let vectors = tool.texts.iter().map(|text| encoder.encode_passage(text));
            self.vectors.push(vectors.collect::<Result<_, _>>()?);
            return Ok(true);
        }
        if let (Retriever::Bm25(parameters), None) = (&self.retriever, &self.bm25) {
            let texts: Vec<String> =
                self.corpus.tools.iter().map(|tool| tool.texts.join("\n")).collect();
            self.bm25 = Some(Bm25::new(texts.iter().map(String::as_str), *parameters));
            return Ok(true);
        }
        let Some(query) = self.queries.get(self.ranked.len()) else { return Ok(false) };
        let started = now_ms();
        let scored = self.scored(query)?;
        let ms = now_ms() - started;
        let rank = |name: &String| {
            let place = scored.iter().position(|(tool, _)| {
                self.corpus.tools.get(*tool).is_some_and(|tool| tool.name == *name)
            });
            place.map(|place| place + 1)
        };
        let ranks = query.relevant.iter().map(rank).collect();
        let top = scored.iter().take(KEPT).copied().collect();
        self.ranked.push(Ranked { ranks, top, ms });
        Ok(true)
    }

    /// The tools for a query with their scores, best first; ties in the order of the corpus. As in
    /// API Search, a tool without a positive score is no hit.
    fn scored(&self, query: &Query) -> Result<Vec<(usize, f64)>, RetrievalError> {
        let tools = self.corpus.tools.iter().enumerate();
        let is_searched = |tool: &crate::Tool| match (tool.suite, query.suite) {
            (Some(of), Some(wanted)) => of == wanted,
            _ => true,
        };
        let searched = tools.filter(|(_, tool)| is_searched(tool));
        let mut scored: Vec<(usize, f64)> = match &self.retriever {
            Retriever::Encoder { encoder, .. } => {
                let scores = self.cosines(encoder, &query.text)?;
                searched.map(|(at, _)| (at, scores.get(at).copied().unwrap_or(0.0))).collect()
            }
            Retriever::Bm25(_) => {
                let scores = self.bm25.as_ref().map(|it| it.scores(&query.text));
                let score = |at: usize| scores.as_ref().and_then(|it| it.get(at)).copied();
                searched.map(|(at, _)| (at, score(at).unwrap_or(0.0))).collect()
            }
            Retriever::Oracle => searched
                .map(|(at, tool)| {
                    let place = query.relevant.iter().position(|name| *name == tool.name);
                    (at, 1.0 / (place.unwrap_or(query.relevant.len()) + 1) as f64)
                })
                .collect(),
            Retriever::Random(seed) => searched
                .map(|(at, tool)| {
                    let drawn = draw(*seed, &format!("{}\n{}", query.id, tool.name));
                    let number =
                        drawn.iter().take(6).fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
                    (at, (number + 1) as f64 / (1_u64 << 48) as f64)
                })
                .collect(),
        };
        scored.retain(|(_, score)| *score > 0.0);
        scored.sort_by(|one, other| other.1.total_cmp(&one.1));
        Ok(scored)
    }

    /// The largest cosine of each indexed tool.
    fn cosines(&self, encoder: &Encoder, text: &str) -> Result<Vec<f64>, RetrievalError> {
        let query = encoder.encode_query(text)?;
        let nearest = |texts: &Vec<Vec<f32>>| {
            let cosines = texts.iter().map(|it| f64::from(dot(it, &query)));
            cosines.fold(0.0, f64::max)
        };
        Ok(self.vectors.iter().map(nearest).collect())
    }

    /// The results; those of a stopped evaluation are the queries ranked so far.
    pub fn finish(self) -> Run {
        let first = |texts: Vec<Vec<f32>>| texts.into_iter().next().unwrap_or_default();
        Run {
            retriever: self.retriever.name().to_owned(),
            corpus: self.corpus,
            queries: self.queries,
            ranked: self.ranked,
            vectors: self.vectors.into_iter().map(first).collect(),
        }
    }

    /// Runs to the end. `progress` is called after every step.
    ///
    /// # Errors
    /// When the encoder fails.
    pub fn complete(
        mut self,
        now_ms: &dyn Fn() -> f64,
        mut progress: impl FnMut(Progress),
    ) -> Result<Run, RetrievalError> {
        while self.step(now_ms)? {
            progress(self.progress());
        }
        Ok(self.finish())
    }
}
