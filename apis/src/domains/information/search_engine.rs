//! SearchEngine: the two best recorded documents for a query.
//!
//! Ranks by Okapi BM25 over title and abstract. Scores are rounded to millionths and
//! ties keep the order of the documents, so that the last bit of a logarithm cannot
//! change the result between platforms.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{Document, TableName, World};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The most documents returned.
const RESULTS: usize = 2;
/// BM25's k1, the saturation of term frequency.
const K1: f64 = 1.5;
/// BM25's b, the normalization by document length.
const B: f64 = 0.75;

pub const API: Api = Api {
    name: "SearchEngine",
    suite: Suite::Dialogue,
    domain: Domain::Information,
    description: "Searches the web with keywords and returns the pages, news and articles \
                  that fit best, like Google.",
    hints: &[
        "find information online",
        "look for recent news about a topic",
        "find articles and websites",
        "how-to guides on the internet",
        "tips for beginners",
        "what are people saying about this",
    ],
    params: Args::PARAMS,
    returns: &[Field {
        name: "results",
        label: "list",
        description: "Two records at the most, the best first, with title, url and abstract.",
    }],
    reads: &[TableName::SearchEngine],
    writes: &[],
    errors: &["The keyword is empty.", "No document has any of the words."],
    examples: &[
        Example { arguments: r#"{"keyword": "sourdough starter"}"#, succeeds: true },
        Example { arguments: r#"{"keyword": "zzyzx quuxology"}"#, succeeds: false },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// What to search for, in a few words.
        #[rule(Facts)]
        keyword: String,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let keyword = filled("keyword", &args.keyword)?;
    let documents: Vec<&Document> =
        world.search_engine.iter().map(|(_, document)| document).collect();
    let texts: Vec<Vec<String>> = documents
        .iter()
        .map(|document| {
            super::topic_words(&document.title)
                .chain(super::topic_words(&document.summary))
                .collect()
        })
        .collect();
    let best = rank(&super::topic_words(keyword).collect(), &texts);
    if best.is_empty() {
        return Err(ApiError::not_found("document about", keyword));
    }
    Ok(best
        .iter()
        .take(RESULTS)
        .filter_map(|index| documents.get(*index))
        .map(|document| json!(document))
        .collect())
}

/// Indices of the texts that share a word with the query, best first.
fn rank(query: &BTreeSet<String>, texts: &[Vec<String>]) -> Vec<usize> {
    let count = texts.len().max(1) as f64;
    let mean_length = texts.iter().map(Vec::len).sum::<usize>().max(1) as f64 / count;
    let weights: Vec<(&String, f64)> = query
        .iter()
        .map(|word| {
            let with_word = texts.iter().filter(|text| text.contains(word)).count() as f64;
            (word, (1.0 + (count - with_word + 0.5) / (with_word + 0.5)).ln())
        })
        .collect();
    let mut ranked: Vec<(i64, usize)> = texts
        .iter()
        .enumerate()
        .filter(|(_, text)| text.iter().any(|word| query.contains(word)))
        .map(|(index, text)| {
            let length = K1 * (1.0 - B + B * text.len() as f64 / mean_length);
            let score: f64 = weights
                .iter()
                .map(|(word, weight)| {
                    let times = text.iter().filter(|other| other == word).count() as f64;
                    weight * times * (K1 + 1.0) / (times + length)
                })
                .sum();
            ((score * 1e6).round() as i64, index)
        })
        .collect();
    ranked.sort_by_key(|(score, index)| (Reverse(*score), *index));
    ranked.into_iter().map(|(_, index)| index).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{does_the_same, exception, output, same, world};

    fn titles(keyword: &str) -> Vec<String> {
        let results = output(&API, json!({"keyword": keyword}), &mut world());
        let results = results.as_array().unwrap().iter();
        results.map(|result| result["title"].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn finds_two_documents_at_the_most() {
        let found = titles("sourdough starter");
        assert!(found.len() <= 2 && found[0].to_lowercase().contains("sourdough"), "{found:?}");
    }

    #[test]
    fn most_documents_are_found_by_their_titles() {
        let world = world();
        let all = world.search_engine.len();
        let found = world
            .search_engine
            .iter()
            .filter(|(_, document)| titles(&document.title).first() == Some(&document.title))
            .count();
        assert_eq!(found, all);
    }

    #[test]
    fn ranks_rare_words_higher_and_keeps_the_order_of_equals() {
        let text = |words: &str| words.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let texts = [text("cat dog"), text("cat bird"), text("cat fish"), text("tree bush")];
        let query = |words: &str| text(words).into_iter().collect::<BTreeSet<_>>();
        assert_eq!(rank(&query("cat fish"), &texts), [2, 0, 1]);
        assert_eq!(rank(&query("cat"), &texts), [0, 1, 2]);
        assert!(rank(&query("whale"), &texts).is_empty());
        assert!(rank(&query("whale"), &[]).is_empty());
    }

    #[test]
    fn refuses_what_no_document_has() {
        let message = exception(&API, json!({"keyword": "zzyzx quuxology"}), &mut world());
        assert_eq!(message, "There is no document about \"zzyzx quuxology\".");
        exception(&API, json!({"keyword": "the"}), &mut world());
        exception(&API, json!({"keyword": ""}), &mut world());
    }

    #[test]
    fn the_keyword_matches_by_its_words() {
        let gold = json!({"keyword": "sourdough starter care"});
        assert!(does_the_same(&API, gold.clone(), json!({"keyword": "Sourdough starter"})));
        assert!(!same(&API, gold, json!({"keyword": "electric bicycles"})));
    }
}
