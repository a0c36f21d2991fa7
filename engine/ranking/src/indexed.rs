//! A corpus, indexed by a retriever: what an evaluation ranks, and what a single search asks.

use crate::corpus::Corpus;
use crate::query::Query;
use crate::retriever::Retriever;
use crate::tool::Tool;
use dataset::random::draw;
use kernels::dot;
use retrieval::{Bm25, Encoder, RetrievalError};
use std::sync::Arc;

/// A corpus with the vectors or postings of a retriever.
#[derive(Debug, Clone)]
pub struct Indexed {
    retriever: Retriever,
    corpus: Arc<Corpus>,
    /// The vectors of each indexed tool's texts.
    vectors: Vec<Vec<Vec<f32>>>,
    bm25: Option<Bm25>,
}

impl Indexed {
    /// An index without tools.
    pub fn new(retriever: Retriever, corpus: Arc<Corpus>) -> Self {
        Indexed { retriever, corpus, vectors: Vec::new(), bm25: None }
    }

    /// What ranks.
    pub fn retriever(&self) -> &Retriever {
        &self.retriever
    }

    /// What is ranked.
    pub fn corpus(&self) -> &Arc<Corpus> {
        &self.corpus
    }

    /// The number of tools that are indexed.
    pub fn count(&self) -> usize {
        match self.retriever {
            Retriever::Encoder { .. } => self.vectors.len(),
            _ => self.corpus.tools.len(),
        }
    }

    /// The memory of vectors and postings, in bytes, without the model's own.
    pub fn bytes(&self) -> usize {
        let vectors = self.vectors.iter().flatten().map(|vector| vector.len() * size_of::<f32>());
        vectors.sum::<usize>() + self.bm25.as_ref().map_or(0, Bm25::bytes)
    }

    /// The unit vector of each tool's first text, for a map; empty unless an encoder made them.
    pub fn vectors(&self) -> Vec<Vec<f32>> {
        self.vectors.iter().map(|texts| texts.first().cloned().unwrap_or_default()).collect()
    }

    /// The unit vector of a query; `None` unless an encoder ranks.
    ///
    /// # Errors
    /// When the encoder fails.
    pub fn vector(&self, text: &str) -> Result<Option<Vec<f32>>, RetrievalError> {
        match &self.retriever {
            Retriever::Encoder { encoder, .. } => encoder.encode_query(text).map(Some),
            _ => Ok(None),
        }
    }

    /// Indexes the next tool, or all of them if that takes no time; false if nothing is left.
    ///
    /// # Errors
    /// When the encoder fails.
    pub fn step(&mut self) -> Result<bool, RetrievalError> {
        match &self.retriever {
            Retriever::Encoder { encoder, .. } => {
                let Some(tool) = self.corpus.tools.get(self.vectors.len()) else {
                    return Ok(false);
                };
                let vectors = tool.texts.iter().map(|text| encoder.encode_passage(text));
                self.vectors.push(vectors.collect::<Result<_, _>>()?);
                Ok(true)
            }
            Retriever::Bm25(parameters) if self.bm25.is_none() => {
                let texts: Vec<String> =
                    self.corpus.tools.iter().map(|tool| tool.texts.join("\n")).collect();
                self.bm25 = Some(Bm25::new(texts.iter().map(String::as_str), *parameters));
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// The tools for a query, as indices into the corpus with their scores, best first; ties in the
    /// order of the corpus. As in API Search, a tool without a positive score is no hit.
    ///
    /// # Errors
    /// When the encoder fails.
    pub fn search(&self, query: &Query) -> Result<Vec<(usize, f64)>, RetrievalError> {
        let tools = self.corpus.tools.iter().enumerate();
        let is_searched = |tool: &Tool| match (tool.suite, query.suite) {
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
                let scores = self.bm25.as_ref().map(|bm25| bm25.scores(&query.text));
                let score = |at: usize| scores.as_ref().and_then(|scores| scores.get(at)).copied();
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
            let cosines = texts.iter().map(|text| f64::from(dot(text, &query)));
            cosines.fold(0.0, f64::max)
        };
        Ok(self.vectors.iter().map(nearest).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Evaluation, Progress};

    #[test]
    fn an_index_outlives_its_evaluation() {
        let corpus = Arc::new(Corpus::pool());
        let queries: Arc<[Query]> = vec![Query::free("add an alarm")].into();
        let bm25 = Retriever::Bm25(retrieval::Bm25Parameters::default());
        let mut evaluation = Evaluation::new(bm25, Arc::clone(&corpus), Arc::clone(&queries));
        while evaluation.step(&|| 0.0).unwrap() {}
        let (run, index) = evaluation.into_parts();
        assert!(run.index_bytes > 1_000 && run.index_bytes == index.bytes());
        let hits = index.search(&queries[0]).unwrap();
        assert_eq!(corpus.tools[hits[0].0].name, "AddAlarm");
        assert_eq!(index.vector("alarm"), Ok(None));
        // A second evaluation starts with the ranking.
        let mut again = Evaluation::on(index, queries);
        assert!(again.step(&|| 0.0).unwrap());
        assert_eq!(again.progress(), Progress { indexed: 70, tools: 70, ranked: 1, queries: 1 });
        assert_eq!(again.finish().ranked, run.ranked);
    }

    #[test]
    fn a_random_order_has_no_memory() {
        let index = Indexed::new(Retriever::Random(1), Arc::new(Corpus::pool()));
        assert_eq!((index.bytes(), index.vectors()), (0, Vec::new()));
        assert_eq!(index.search(&Query::free("x")).unwrap().len(), 70);
    }
}
