//! Ranks a corpus for every query, one step at a time, so that a caller can show progress and stop.

use crate::corpus::Corpus;
use crate::indexed::Indexed;
use crate::query::Query;
use crate::retriever::Retriever;
use retrieval::RetrievalError;
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
pub struct Rankings {
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
    /// The memory of the index, in bytes, without the model's own.
    pub index_bytes: usize,
}

/// An evaluation in progress.
#[derive(Debug)]
pub struct Evaluation {
    index: Indexed,
    queries: Arc<[Query]>,
    ranked: Vec<Ranked>,
}

impl Evaluation {
    /// An evaluation that has done nothing yet.
    pub fn new(retriever: Retriever, corpus: Arc<Corpus>, queries: Arc<[Query]>) -> Self {
        Self::on(Indexed::new(retriever, corpus), queries)
    }

    /// An evaluation on an index that may already have tools.
    pub fn on(index: Indexed, queries: Arc<[Query]>) -> Self {
        Evaluation { index, queries, ranked: Vec::new() }
    }

    /// How far it is.
    pub fn progress(&self) -> Progress {
        let (indexed, tools) = (self.index.count(), self.index.corpus().tools.len());
        Progress { indexed, tools, ranked: self.ranked.len(), queries: self.queries.len() }
    }

    /// Indexes one tool or ranks one query; false if nothing is left. `now_ms` is a monotonic clock.
    ///
    /// # Errors
    /// When the encoder fails.
    pub fn step(&mut self, now_ms: &dyn Fn() -> f64) -> Result<bool, RetrievalError> {
        if self.index.step()? {
            return Ok(true);
        }
        let Some(query) = self.queries.get(self.ranked.len()) else { return Ok(false) };
        let started = now_ms();
        let scored = self.index.search(query)?;
        let ms = now_ms() - started;
        let tools = &self.index.corpus().tools;
        let rank = |name: &String| {
            let place = scored
                .iter()
                .position(|(tool, _)| tools.get(*tool).is_some_and(|tool| tool.name == *name));
            place.map(|place| place + 1)
        };
        let ranks = query.relevant.iter().map(rank).collect();
        let top = scored.iter().take(KEPT).copied().collect();
        self.ranked.push(Ranked { ranks, top, ms });
        Ok(true)
    }

    /// The results; those of a stopped evaluation are the queries ranked so far.
    pub fn finish(self) -> Rankings {
        self.into_parts().0
    }

    /// The results, and the index for single searches or another evaluation.
    pub fn into_parts(self) -> (Rankings, Indexed) {
        let run = Rankings {
            retriever: self.index.retriever().name().to_owned(),
            corpus: Arc::clone(self.index.corpus()),
            queries: self.queries,
            ranked: self.ranked,
            vectors: self.index.vectors(),
            index_bytes: self.index.bytes(),
        };
        (run, self.index)
    }

    /// Runs to the end. `progress` is called after every step.
    ///
    /// # Errors
    /// When the encoder fails.
    pub fn complete(
        mut self,
        now_ms: &dyn Fn() -> f64,
        mut progress: impl FnMut(Progress),
    ) -> Result<Rankings, RetrievalError> {
        while self.step(now_ms)? {
            progress(self.progress());
        }
        Ok(self.finish())
    }
}
