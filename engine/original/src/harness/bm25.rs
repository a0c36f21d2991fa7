//! Okapi BM25.

use super::python::Py;
use indexmap::IndexMap;
use serde_json::Value as Json;

/// The package's defaults: saturation of term frequency, weight of document length, and the share
/// of the mean weight that replaces a negative one.
const K1: f64 = 1.5;
const B: f64 = 0.75;
const EPSILON: f64 = 0.25;
/// Number of documents that the original returns.
const TOP: usize = 2;

/// An inverted index: per term, its weight and its count in each document.
#[derive(Debug, Clone, Default)]
pub(super) struct Bm25 {
    documents: Vec<Py>,
    /// `K1 * (1 - B + B * length / mean length)` of each document.
    norms: Vec<f64>,
    terms: IndexMap<String, Term>,
}

#[derive(Debug, Clone, Default)]
struct Term {
    weight: f64,
    /// Document and count, ascending by document.
    counts: Vec<(usize, f64)>,
}

impl Bm25 {
    /// Reads `raw_documents` and `tokenized_documents`.
    pub(super) fn new(database: Option<&Json>) -> Self {
        let list =
            |key: &str| database.and_then(|d| d[key].as_array()).cloned().unwrap_or_default();
        let documents = list("raw_documents").iter().map(Py::from).collect();
        let tokenized = list("tokenized_documents");
        let mut lengths = Vec::with_capacity(tokenized.len());
        let mut terms: IndexMap<String, Term> = IndexMap::new();
        for (index, tokens) in tokenized.iter().enumerate() {
            let tokens: Vec<&str> =
                tokens.as_array().into_iter().flatten().filter_map(Json::as_str).collect();
            lengths.push(count(tokens.len()));
            for token in tokens {
                let counts = &mut terms.entry(token.to_owned()).or_default().counts;
                match counts.last_mut() {
                    Some((last, n)) if *last == index => *n += 1.0,
                    _ => counts.push((index, 1.0)),
                }
            }
        }
        let mean = lengths.iter().sum::<f64>() / count(lengths.len().max(1));
        let norms = lengths.iter().map(|length| K1 * (1.0 - B + B * length / mean)).collect();
        weigh(&mut terms, count(tokenized.len()));
        Self { documents, norms, terms }
    }

    /// The top documents for a query's tokens. Ties go to the earlier document; the original's sort
    /// is unstable.
    pub(super) fn best(&self, query: &[String]) -> Vec<Py> {
        let mut scores = vec![0.0_f64; self.norms.len()];
        for term in query.iter().filter_map(|token| self.terms.get(token)) {
            for &(document, n) in &term.counts {
                scores[document] += term.weight * (n * (K1 + 1.0) / (n + self.norms[document]));
            }
        }
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
        order.into_iter().take(TOP).filter_map(|i| self.documents.get(i).cloned()).collect()
    }
}

/// Sets the inverse document frequency of each term; a negative one becomes `EPSILON` times the
/// mean.
fn weigh(terms: &mut IndexMap<String, Term>, documents: f64) {
    for term in terms.values_mut() {
        let with = count(term.counts.len());
        term.weight = (documents - with + 0.5).ln() - (with + 0.5).ln();
    }
    let mean = terms.values().map(|term| term.weight).sum::<f64>() / count(terms.len().max(1));
    for term in terms.values_mut().filter(|term| term.weight < 0.0) {
        term.weight = EPSILON * mean;
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of words and documents are small")]
fn count(n: usize) -> f64 {
    n as f64
}
