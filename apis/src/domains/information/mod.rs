//! Look-ups: encyclopaedia, dictionary, search, documents, media.

use crate::api::Api;

mod dictionary;
mod document_qa;
mod image_caption;
mod query_history_today;
mod search_engine;
mod speech_recognition;
mod translate;
mod wiki;

pub const APIS: &[&Api] = &[
    &search_engine::API,
    &wiki::API,
    &dictionary::API,
    &translate::API,
    &query_history_today::API,
    &document_qa::API,
    &image_caption::API,
    &speech_recognition::API,
];

/// Stop words, without question words: who and when ask for different things.
const STOP_WORDS: &[&str] = &[
    "a", "about", "am", "an", "and", "are", "as", "at", "be", "been", "by", "can", "could", "did",
    "do", "does", "for", "from", "had", "has", "have", "i", "in", "into", "is", "it", "its", "me",
    "my", "of", "on", "or", "please", "s", "should", "tell", "that", "the", "their", "there",
    "these", "they", "this", "to", "was", "were", "will", "with", "would", "you", "your",
];

/// The words of a text in lower case, without stop words and plural endings.
fn topic_words(text: &str) -> impl Iterator<Item = String> {
    let text = text.to_lowercase();
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty() && !STOP_WORDS.contains(word))
        .map(|word| singular(word).to_owned())
        .collect();
    words.into_iter()
}

/// Strips a plural `s`. Both sides of a comparison are stripped, so other words that
/// end in `s` do no harm.
fn singular(word: &str) -> &str {
    match word.strip_suffix('s') {
        Some(stem) if stem.chars().count() > 2 && !stem.ends_with(['s', 'u', 'i']) => stem,
        _ => word,
    }
}

/// Whether a URL ends in one of the endings, in any case.
fn ends_in(url: &str, endings: &[&str]) -> bool {
    let url = url.to_lowercase();
    endings.iter().any(|ending| url.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topic_words_drop_fillers_case_and_plurals() {
        let words = |text| topic_words(text).collect::<Vec<_>>();
        assert_eq!(
            words("What are the Coral-Reefs of Brazil?"),
            ["what", "coral", "reef", "brazil"]
        );
        assert_eq!(words("glass, bus, tennis"), ["glass", "bus", "tennis"]);
        assert!(words("of the \u{0} …").is_empty());
    }
}
