//! The context that a model sees before a call: utterances, earlier results, the year.

use super::moments::Moments;
use super::scan::{Item, scan};
use crate::dialogue::{Dialogue, Turn};
use crate::text::words::{is_content, stem, words};
use jiff::civil::{Date, DateTime, Time};
use serde_json::Value;
use std::collections::BTreeSet;

/// Everything visible before a call, parsed once.
#[derive(Debug, Default)]
pub struct Seen {
    /// The utterances, unchanged.
    pub(super) utterances: Vec<String>,
    /// Strings and numbers of earlier results, as text.
    pub(super) results: Vec<String>,
    /// Numbers in the utterances, in digits or words.
    pub(super) said_numbers: Vec<f64>,
    /// Numbers in earlier results.
    pub(super) result_numbers: Vec<f64>,
    /// Counts: lengths of lists in results, people mentioned in an utterance.
    pub(super) counts: Vec<f64>,
    /// Days and times.
    pub(super) moments: Moments,
    /// Words of each utterance, in order.
    pub(super) said_words: Vec<Vec<String>>,
    /// Words of each text in earlier results, in order.
    pub(super) result_words: Vec<Vec<String>>,
    /// Stems of all content words.
    pub(super) stems: BTreeSet<String>,
}

/// Minimum number of words for a result's text to be parsed as a sentence.
const SENTENCE: usize = 4;
/// Words for one adult each.
const ADULTS: [&str; 24] = [
    "i",
    "me",
    "im",
    "ive",
    "wife",
    "husband",
    "sister",
    "brother",
    "mother",
    "father",
    "mum",
    "dad",
    "partner",
    "friend",
    "aunt",
    "uncle",
    "grandma",
    "grandpa",
    "colleague",
    "boyfriend",
    "girlfriend",
    "grandmother",
    "grandfather",
    "myself",
];
/// Words for one child each.
const CHILDREN: [&str; 10] = [
    "son",
    "daughter",
    "baby",
    "toddler",
    "child",
    "kid",
    "boy",
    "girl",
    "grandson",
    "granddaughter",
];

impl Seen {
    /// The context before turn `turn` of a dialogue; `year` is the prompt's.
    pub fn before(dialogue: &Dialogue, turn: usize, year: i16) -> Self {
        Seen::gather(dialogue, turn, year, true)
    }

    /// As [`Seen::before`], without earlier results and without the assistant's utterances, which
    /// may repeat them.
    pub fn said_before(dialogue: &Dialogue, turn: usize, year: i16) -> Self {
        Seen::gather(dialogue, turn, year, false)
    }

    fn gather(dialogue: &Dialogue, turn: usize, year: i16, results: bool) -> Self {
        let mut seen = Seen::default();
        let mut items = Vec::new();
        for said in dialogue.turns.iter().take(turn) {
            match said {
                Turn::Assistant { .. } | Turn::Api(_) if !results => {}
                Turn::User { text } | Turn::Assistant { text, .. } => {
                    items.push(scan(text));
                    seen.said_words.push(words(text));
                    seen.utterances.push(text.clone());
                }
                // A description found by API Search grounds no argument.
                Turn::Api(call) if call.is_search() => {}
                Turn::Api(call) => {
                    seen.add_result(call.result.output.as_ref());
                    seen.results.extend(call.result.exception.clone());
                }
            }
        }
        seen.read(&items, year);
        seen
    }

    fn add_result(&mut self, value: Option<&Value>) {
        match value {
            Some(Value::Object(fields)) => {
                for (name, value) in fields {
                    self.results.push(name.clone());
                    self.add_result(Some(value));
                }
            }
            Some(Value::Array(values)) => {
                #[expect(clippy::cast_precision_loss, reason = "the length of a short list")]
                self.counts.push(values.len() as f64);
                values.iter().for_each(|value| self.add_result(Some(value)));
            }
            Some(Value::String(text)) => self.results.push(text.clone()),
            Some(Value::Number(number)) => {
                self.result_numbers.extend(number.as_f64());
                self.results.push(number.to_string());
            }
            _ => {}
        }
    }

    fn read(&mut self, items: &[Vec<Item>], year: i16) {
        let (mut dates, mut times) = (BTreeSet::new(), BTreeSet::new());
        for text in &self.results {
            let (found, at) = stamps(text);
            dates.extend(found);
            times.extend(at);
            self.result_numbers.extend(scan(text).iter().filter_map(as_number));
        }
        self.result_words = self.results.iter().map(|text| words(text)).collect();
        // Sentences in results may mention days and times in words.
        let sentences = self.results.iter().filter(|text| words(text).len() >= SENTENCE);
        let scanned: Vec<Vec<Item>> =
            items.iter().cloned().chain(sentences.map(|text| scan(text))).collect();
        self.moments = Moments::read(&scanned, dates, times, year);
        for utterance in items {
            self.said_numbers.extend(utterance.iter().filter_map(as_number));
        }
        for said in &self.said_words {
            for kind in [&ADULTS[..], &CHILDREN[..]] {
                let count = said.iter().filter(|word| {
                    kind.contains(&word.as_str()) || kind.contains(&word.trim_end_matches('s'))
                });
                #[expect(clippy::cast_precision_loss, reason = "the words of an utterance")]
                self.counts.push(count.count() as f64);
            }
        }
        self.stems = self
            .said_words
            .iter()
            .chain(&self.result_words)
            .flatten()
            .filter(|word| is_content(word))
            .map(|word| stem(word).to_owned())
            .collect();
    }

    /// Whether an utterance contains one of these words.
    pub(super) fn says(&self, wanted: &[&str]) -> bool {
        self.said_words.iter().flatten().any(|word| wanted.contains(&word.as_str()))
    }
}

/// The numeric value of an item.
pub(super) fn as_number(item: &Item) -> Option<f64> {
    match item {
        Item::Number(value) => Some(*value),
        // A price like 7.50 is tokenized as a time.
        Item::Clock(hour, minute) => Some(f64::from(*hour) + f64::from(*minute) / 100.0),
        Item::Ordinal(place) => Some(f64::from(*place)),
        _ => None,
    }
}

/// ISO dates in a text, and the times that follow them.
fn stamps(text: &str) -> (Vec<Date>, Vec<Time>) {
    let (mut dates, mut times) = (Vec::new(), Vec::new());
    let pieces: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || matches!(c, '"' | ',')).collect();
    for (at, piece) in pieces.iter().enumerate() {
        let piece = piece.trim_end_matches(['.', ':', ';']);
        let Ok(date) = piece.parse::<Date>() else { continue };
        dates.push(date);
        let next = pieces.get(at + 1).map(|next| next.trim_end_matches(['.', ':', ';']));
        let stamp = next.and_then(|time| format!("{piece}T{time}").parse::<DateTime>().ok());
        times.extend(stamp.map(|stamp| stamp.time()));
    }
    (dates, times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_are_found_inside_sentences() {
        let (dates, times) =
            stamps("The entry at 2024-05-16 11:00:00 is \"x\", not on 2024-06-01.");
        assert_eq!(dates.len(), 2);
        assert_eq!(times, [Time::constant(11, 0, 0, 0)]);
    }
}
