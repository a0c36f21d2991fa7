//! Encoder and index, with a cache of recent queries.

use super::{Encoder, Hit, Index, RetrievalError};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The minimum number of cached queries. Models repeat themselves, and so do the trials of a run; a
/// run has some 700 distinct queries.
const REMEMBERED: usize = 1024;

/// API Search, ready for queries.
#[derive(Debug)]
pub struct Search {
    encoder: Arc<Encoder>,
    index: Arc<Index>,
    recent: Recent,
}

/// The cache key: number of results, suite, keywords.
type Query = (usize, String, String);

/// A cache of recent searches in two generations, an approximation of LRU.
#[derive(Debug, Default)]
struct Recent {
    /// The current generation, at most [`REMEMBERED`] entries.
    new: BTreeMap<Query, Vec<Hit>>,
    /// The previous generation. A hit moves an entry to the current one.
    old: BTreeMap<Query, Vec<Hit>>,
}

impl Recent {
    fn get(&mut self, query: &Query) -> Option<Vec<Hit>> {
        if let Some(hits) = self.new.get(query) {
            return Some(hits.clone());
        }
        let (query, hits) = self.old.remove_entry(query)?;
        self.keep(query, &hits);
        Some(hits)
    }

    fn keep(&mut self, query: Query, hits: &[Hit]) {
        if self.new.len() == REMEMBERED {
            self.old = std::mem::take(&mut self.new);
        }
        self.new.insert(query, hits.to_vec());
    }
}

impl Search {
    /// Combines an encoder and an index.
    ///
    /// # Errors
    /// When another model made the index, because the cosines would be meaningless.
    pub fn new(
        encoder: impl Into<Arc<Encoder>>,
        index: impl Into<Arc<Index>>,
    ) -> Result<Self, RetrievalError> {
        let (encoder, index) = (encoder.into(), index.into());
        if encoder.digest() != index.digest {
            return Err(RetrievalError::Index(format!(
                "expected vectors made with the model {}, found vectors of {}: build the index again",
                encoder.digest(),
                index.digest
            )));
        }
        Ok(Self { encoder, index, recent: Recent::default() })
    }

    /// The best `k` APIs of a suite for some keywords; see [`Index::rank`].
    ///
    /// # Errors
    /// See [`Encoder::encode_query`].
    pub fn search(
        &mut self,
        suite: &str,
        keywords: &str,
        k: usize,
    ) -> Result<Vec<Hit>, RetrievalError> {
        let query = (k, suite.to_owned(), keywords.to_owned());
        if let Some(hits) = self.recent.get(&query) {
            return Ok(hits);
        }
        let hits = self.index.rank(suite, &self.encoder.encode_query(keywords)?, k);
        self.recent.keep(query, &hits);
        Ok(hits)
    }

    /// The index that is searched.
    #[must_use]
    pub fn index(&self) -> &Arc<Index> {
        &self.index
    }

    /// The encoder, for texts outside the index.
    #[must_use]
    pub fn encoder(&self) -> &Arc<Encoder> {
        &self.encoder
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_again_stays_remembered() {
        let query = |number: usize| (1, "dialogue".to_owned(), number.to_string());
        let mut recent = Recent::default();
        for number in 0..3 * REMEMBERED {
            recent.keep(query(number), &[]);
            assert_eq!(recent.get(&query(0)), Some(Vec::new()));
        }
        assert_eq!(recent.get(&query(1)), None);
        assert!(recent.new.len() + recent.old.len() <= 2 * REMEMBERED);
    }
}
