//! Okapi BM25: ranks texts by the words that they share with a query.
//!
//! Source: Robertson and Zaragoza, 2009, "The Probabilistic Relevance Framework: BM25 and Beyond",
//! equation 3.15, with the inverse document frequency of Lucene, which is never negative. Own code,
//! because records must be the same on every machine: the logarithm comes from `libm`, sums run in a
//! fixed order, and equal scores keep the order of the texts.

use std::collections::BTreeMap;

/// The parameters of BM25.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25Parameters {
    /// How slowly repeated words saturate; from 0.
    pub k1: f64,
    /// How much long texts are penalized, 0 to 1.
    pub b: f64,
}

/// Robertson and Zaragoza's usual values, which are also Lucene's.
impl Default for Bm25Parameters {
    fn default() -> Self {
        Bm25Parameters { k1: 1.2, b: 0.75 }
    }
}

/// An index of texts.
#[derive(Debug, Clone)]
pub struct Bm25 {
    /// Text and number of occurrences, by word.
    postings: BTreeMap<String, Vec<(usize, f64)>>,
    /// The part of the denominator that depends on a text's length, by text.
    norms: Vec<f64>,
    parameters: Bm25Parameters,
}

impl Bm25 {
    /// Indexes texts.
    #[must_use]
    pub fn new<'a>(texts: impl IntoIterator<Item = &'a str>, parameters: Bm25Parameters) -> Self {
        let mut postings: BTreeMap<String, Vec<(usize, f64)>> = BTreeMap::new();
        let mut lengths = Vec::new();
        for (text, content) in texts.into_iter().enumerate() {
            let mut counts: BTreeMap<String, f64> = BTreeMap::new();
            let mut length = 0.0;
            for word in words(content) {
                *counts.entry(word).or_default() += 1.0;
                length += 1.0;
            }
            lengths.push(length);
            for (word, count) in counts {
                postings.entry(word).or_default().push((text, count));
            }
        }
        let mean = lengths.iter().sum::<f64>() / lengths.len().max(1) as f64;
        let Bm25Parameters { k1, b } = parameters;
        // A mean of 0 means that no text has a word; then no norm is used.
        let norm = |length: &f64| k1 * (1.0 - b + b * length / mean);
        Bm25 { postings, norms: lengths.iter().map(norm).collect(), parameters }
    }

    /// The memory of words, postings and norms, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let words = self.postings.iter();
        let postings = words.map(|(word, found)| word.len() + size_of_val(found.as_slice()));
        postings.sum::<usize>() + size_of_val(self.norms.as_slice())
    }

    /// The score of every text, from 0, in the order of the texts. 0 means that no word is shared.
    #[must_use]
    pub fn scores(&self, query: &str) -> Vec<f64> {
        let mut scores = vec![0.0; self.norms.len()];
        for word in words(query) {
            let Some(found) = self.postings.get(&word) else { continue };
            let (n, with) = (self.norms.len() as f64, found.len() as f64);
            let rarity = libm::log(1.0 + (n - with + 0.5) / (with + 0.5));
            for (text, count) in found {
                let saturated = count * (self.parameters.k1 + 1.0) / (count + self.norms[*text]);
                scores[*text] += rarity * saturated;
            }
        }
        scores
    }
}

/// The words of a text: runs of letters and digits, in lower case.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(texts: &[&str], query: &str) -> Vec<f64> {
        Bm25::new(texts.iter().copied(), Bm25Parameters::default()).scores(query)
    }

    #[test]
    fn scores_follow_the_formula() {
        // Three texts of 2, 3 and 4 words: the mean is 3. "alarm" is in two of them.
        let texts = ["Add alarm", "alarm, alarm clock", "the price of stocks"];
        let got = scores(&texts, "alarm");
        let rarity = (1.0_f64 + (3.0 - 2.0 + 0.5) / (2.0 + 0.5)).ln();
        let one = rarity * 2.2 / (1.0 + 1.2 * (0.25 + 0.75 * 2.0 / 3.0));
        let two = rarity * 2.0 * 2.2 / (2.0 + 1.2 * (0.25 + 0.75 * 3.0 / 3.0));
        for (got, expected) in got.iter().zip([one, two, 0.0]) {
            assert!((got - expected).abs() < 1e-12, "{got} {expected}");
        }
    }

    #[test]
    fn a_repeated_word_of_the_query_counts_twice() {
        let texts = ["add alarm", "stocks"];
        let (once, twice) = (scores(&texts, "alarm"), scores(&texts, "alarm ALARM"));
        assert!((2.0 * once[0] - twice[0]).abs() < 1e-12);
    }

    #[test]
    fn texts_without_words_score_nothing() {
        assert_eq!(scores(&["", "…"], "alarm"), [0.0, 0.0]);
        assert_eq!(scores(&[], "alarm"), Vec::<f64>::new());
        assert_eq!(scores(&["alarm"], ""), [0.0]);
    }
}
