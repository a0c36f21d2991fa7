//! What answers the searches of a run in place of the built-in search model.

use serde::{Deserialize, Serialize};

/// The maximum length of a prefix, in bytes.
pub const LONGEST_PREFIX: usize = 1_000;
/// The largest `k1` of BM25.
pub const LARGEST_K1: f64 = 10.0;

/// A retriever other than the built-in one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Retriever {
    /// Okapi BM25 on the texts that the built-in one embeds.
    Bm25 {
        /// How slowly repeated words saturate, 0 to [`LARGEST_K1`].
        k1: f64,
        /// How much long texts are penalized, 0 to 1.
        b: f64,
    },
    /// The API that the gold search finds comes first; the others follow as the built-in retriever
    /// ranks them. Shows what a perfect search would change.
    Oracle,
    /// A user's sentence-embedding model.
    Model(EmbeddingModel),
}

/// A sentence-embedding model and how texts are embedded with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EmbeddingModel {
    /// The name of its folder.
    pub name: String,
    /// SHA-256 of the ONNX file.
    pub digest: String,
    /// SHA-256 of `tokenizer.json`.
    pub tokenizer_digest: String,
    /// `mean`, `cls` or `model`.
    pub pooling: String,
    /// The maximum number of tokens per text.
    pub max_tokens: usize,
    /// Prepended to every query.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub query_prefix: String,
    /// Prepended to every API's text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub passage_prefix: String,
}

impl Retriever {
    /// BM25 with the usual parameters.
    pub const BM25: Retriever = Retriever::Bm25 { k1: 1.2, b: 0.75 };

    /// Its name: `bm25`, `oracle`, or that of the model.
    pub fn title(&self) -> &str {
        match self {
            Retriever::Bm25 { .. } => "bm25",
            Retriever::Oracle => "oracle",
            Retriever::Model(model) => &model.name,
        }
    }

    /// The field that is out of range, with what is expected and what was found.
    pub(crate) fn problem(&self) -> Option<(&'static str, String, String)> {
        match self {
            Retriever::Bm25 { k1, .. } if !(0.0..=LARGEST_K1).contains(k1) => {
                Some(("search.retriever.k1", format!("0 to {LARGEST_K1}"), k1.to_string()))
            }
            Retriever::Bm25 { b, .. } if !(0.0..=1.0).contains(b) => {
                Some(("search.retriever.b", "0 to 1".to_owned(), b.to_string()))
            }
            Retriever::Model(EmbeddingModel { query_prefix, passage_prefix, .. }) => {
                let longest = query_prefix.len().max(passage_prefix.len());
                let expected = || format!("prefixes of at most {LONGEST_PREFIX} bytes");
                (longest > LONGEST_PREFIX)
                    .then(|| ("search.retriever.query_prefix", expected(), longest.to_string()))
            }
            Retriever::Bm25 { .. } | Retriever::Oracle => None,
        }
    }
}

/// The name of a run's retriever.
pub fn retriever_title(retriever: Option<&Retriever>) -> &str {
    retriever.map_or("builtin", Retriever::title)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SearchSource;
    use serde_json::json;

    #[test]
    fn a_record_without_a_retriever_has_the_built_in_one() {
        let source = json!({"model": "m", "digest": "d"});
        let read: SearchSource = serde_json::from_value(source.clone()).unwrap();
        assert_eq!(read.retriever, None);
        assert_eq!(retriever_title(read.retriever.as_ref()), "builtin");
        assert_eq!(json!(read), source);
    }

    #[test]
    fn retrievers_round_trip() {
        let model = EmbeddingModel {
            name: "e5".to_owned(),
            digest: "d".to_owned(),
            tokenizer_digest: "t".to_owned(),
            pooling: "mean".to_owned(),
            max_tokens: 512,
            query_prefix: "query: ".to_owned(),
            passage_prefix: String::new(),
        };
        for retriever in [Retriever::BM25, Retriever::Oracle, Retriever::Model(model)] {
            assert_eq!(retriever.problem(), None);
            let read = serde_json::from_value(json!(retriever)).unwrap();
            assert_eq!(retriever, read);
        }
        assert_eq!(json!(Retriever::Oracle), json!({"kind": "oracle"}));
    }

    #[test]
    fn parameters_have_bounds() {
        let problem = |k1, b| Retriever::Bm25 { k1, b }.problem().map(|(field, ..)| field);
        assert_eq!(problem(-1.0, 0.5), Some("search.retriever.k1"));
        assert_eq!(problem(1.0, 1.5), Some("search.retriever.b"));
    }
}
