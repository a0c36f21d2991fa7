//! Encoder and index together, with a memory of recent queries.

use super::{Encoder, Hit, Index, RetrievalError};
use std::collections::VecDeque;
use std::sync::Arc;

/// Query vectors that are kept, 1.5 KB each: models repeat themselves, and every trial of a run asks
/// the same, which all have some 700 different ones.
const REMEMBERED: usize = 1024;

/// API Search, ready for queries.
#[derive(Debug)]
pub struct Search {
    encoder: Arc<Encoder>,
    index: Index,
    /// Recent keywords with their vectors, the oldest in front.
    recent: VecDeque<(String, Vec<f32>)>,
}

impl Search {
    /// Puts an encoder and an index together.
    ///
    /// # Errors
    /// When the index was made with other weights than the encoder's: its cosines would lie.
    pub fn new(encoder: impl Into<Arc<Encoder>>, index: Index) -> Result<Self, RetrievalError> {
        let encoder = encoder.into();
        if encoder.digest() != index.digest {
            return Err(RetrievalError::Index(format!(
                "expected vectors made with weights {}, found vectors of {}: build the index again",
                encoder.digest(),
                index.digest
            )));
        }
        Ok(Self { encoder, index, recent: VecDeque::new() })
    }

    /// The best `k` APIs of a suite for some keywords; see [`Index::rank`].
    ///
    /// # Errors
    /// What [`Encoder::encode`] says.
    pub fn search(
        &mut self,
        suite: &str,
        keywords: &str,
        k: usize,
    ) -> Result<Vec<Hit>, RetrievalError> {
        if let Some(at) = self.recent.iter().position(|(text, _)| text == keywords) {
            // To the back, where the recent ones are.
            if let Some(known) = self.recent.remove(at) {
                self.recent.push_back(known);
            }
        } else {
            let vector = self.encoder.encode(keywords)?;
            self.recent.push_back((keywords.to_owned(), vector));
            if self.recent.len() > REMEMBERED {
                self.recent.pop_front();
            }
        }
        let query = self.recent.back().map_or(&[][..], |(_, vector)| vector);
        Ok(self.index.rank(suite, query, k))
    }

    /// The vectors that are searched.
    #[must_use]
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// The encoder, for texts outside the index.
    #[must_use]
    pub fn encoder(&self) -> &Arc<Encoder> {
        &self.encoder
    }
}
