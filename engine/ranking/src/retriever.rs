//! What ranks the tools.

use retrieval::{Bm25Parameters, Encoder};
use std::sync::Arc;

/// A retriever, ready to index a corpus.
#[derive(Debug, Clone)]
pub enum Retriever {
    /// Cosines of sentence embeddings; the nearest text of a tool counts.
    Encoder {
        /// Its name in tables.
        name: String,
        /// The encoder.
        encoder: Arc<Encoder>,
    },
    /// Okapi BM25 over a tool's texts, joined.
    Bm25(Bm25Parameters),
    /// The relevant tools first, in the order of the query, then the others in that of the corpus.
    Oracle,
    /// A random order that depends on the seed and the query.
    Random(u32),
}

impl Retriever {
    /// Its name in tables.
    pub fn name(&self) -> &str {
        match self {
            Retriever::Encoder { name, .. } => name,
            Retriever::Bm25(_) => "bm25",
            Retriever::Oracle => "oracle",
            Retriever::Random(_) => "random",
        }
    }
}
