//! Wording: how diverse the users' language is, to detect templates.

use super::figure::{Bound, Figure};
use crate::dialogue::{Dialogue, Turn};
use crate::text::overlap::{Overlap, phrases};
use crate::text::words::{contains, sentences, words};
use std::collections::BTreeMap;

/// Maximum share of the shorter turn's word 4-grams that two user turns may have in common.
pub const MAX_SHARED: f64 = 0.5;
/// Maximum share of dialogues with the same opening, their first three words (exclusive).
pub const MAX_OPENING: f64 = 0.04;
/// Words and phrases that make a request polite.
const POLITE: [&str; 8] =
    ["please", "thanks", "thank you", "could you", "would you", "kindly", "sorry", "may i"];

/// Two user turns that share many word 4-grams.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// The first turn, `<dialogue>#<turn>`.
    pub first: String,
    /// The second turn.
    pub second: String,
    /// Share of the shorter turn's 4-grams that the other contains, 0 to 1.
    pub shared: f64,
}

/// The wording of a set of dialogues.
#[derive(Debug, Clone, PartialEq)]
pub struct Wording {
    /// Pairs above [`MAX_SHARED`], most similar first.
    pub pairs: Vec<Pair>,
    /// The largest share of any pair.
    pub most_shared: f64,
    /// Openings with their frequency, most frequent first.
    pub openings: Vec<(String, usize)>,
    /// First words with their frequency, most frequent first.
    pub first_words: Vec<(String, usize)>,
    /// Words per sentence of the users, ascending.
    pub sentence_lengths: Vec<usize>,
    /// Polite words with the number of user turns that contain them.
    pub polite: Vec<(&'static str, usize)>,
    /// Number of user turns.
    pub turns: usize,
    /// Number of dialogues.
    pub dialogues: usize,
}

/// Measures the user turns.
pub fn measure<'a>(dialogues: impl IntoIterator<Item = &'a Dialogue>) -> Wording {
    let dialogues: Vec<&Dialogue> = dialogues.into_iter().collect();
    let turns: Vec<(String, &str)> = dialogues.iter().flat_map(|it| user_turns(it)).collect();
    let (pairs, most_shared) = alike(&turns);
    let firsts: Vec<Vec<String>> = dialogues
        .iter()
        .filter_map(|dialogue| user_turns(dialogue).next())
        .map(|(_, text)| words(text))
        .collect();
    let mut sentence_lengths: Vec<usize> = turns
        .iter()
        .flat_map(|(_, text)| sentences(text))
        .map(|sentence| words(sentence).len())
        .collect();
    sentence_lengths.sort_unstable();
    let polite = POLITE
        .into_iter()
        .map(|phrase| {
            let phrase_words = words(phrase);
            let has = |text: &str| contains(&words(text), &phrase_words);
            (phrase, turns.iter().filter(|(_, text)| has(text)).count())
        })
        .collect();
    Wording {
        pairs,
        most_shared,
        openings: ranked(firsts.iter().map(|words| words[..words.len().min(3)].join(" "))),
        first_words: ranked(firsts.iter().filter_map(|words| words.first().cloned())),
        sentence_lengths,
        polite,
        turns: turns.len(),
        dialogues: dialogues.len(),
    }
}

impl Wording {
    /// The figures with their bounds.
    pub fn figures(&self) -> Vec<Figure> {
        let top = self.openings.first().map_or(0, |(_, count)| *count);
        let (mean, deviation) = mean_and_deviation(&self.sentence_lengths);
        let quartile = |part| quantile(&self.sentence_lengths, part);
        let polite: usize = self.polite.iter().map(|(_, count)| count).sum();
        vec![
            Figure::count(
                "pairs of user turns that share too much",
                self.pairs.len(),
                Bound::Equal(0.0),
            ),
            Figure::new(
                "largest shared part of word 4-grams",
                self.most_shared,
                Bound::AtMost(MAX_SHARED),
            ),
            Figure::new(
                "most frequent opening, part of dialogues",
                part(top, self.dialogues),
                Bound::Below(MAX_OPENING),
            ),
            Figure::count("different first words", self.first_words.len(), Bound::Free),
            Figure::new("words a sentence of the user, mean", mean, Bound::Free),
            Figure::new("words a sentence, standard deviation", deviation, Bound::Free),
            Figure::count("words a sentence, lower quartile", quartile(0.25), Bound::Free),
            Figure::count("words a sentence, median", quartile(0.5), Bound::Free),
            Figure::count("words a sentence, upper quartile", quartile(0.75), Bound::Free),
            Figure::new("polite words a user turn", part(polite, self.turns), Bound::Free),
        ]
    }
}

fn user_turns(dialogue: &Dialogue) -> impl Iterator<Item = (String, &str)> {
    dialogue.turns.iter().enumerate().skip(dialogue.earlier).filter_map(
        |(index, turn)| match turn {
            Turn::User { text } => Some((format!("{}#{index}", dialogue.id), text.as_str())),
            _ => None,
        },
    )
}

/// Pairs above the limit, and the largest share of any pair.
fn alike(turns: &[(String, &str)]) -> (Vec<Pair>, f64) {
    let mut earlier = Overlap::default();
    let mut pairs = Vec::new();
    let mut most = 0.0_f64;
    for (second, text) in turns {
        let phrases = phrases(&words(text));
        for (first, shared) in earlier.shared_with(&phrases) {
            most = most.max(shared);
            if shared > MAX_SHARED {
                let first = turns[first].0.clone();
                pairs.push(Pair { first, second: second.clone(), shared });
            }
        }
        earlier.add(phrases);
    }
    pairs.sort_by(|a, b| b.shared.total_cmp(&a.shared).then_with(|| a.first.cmp(&b.first)));
    (pairs, most)
}

/// Texts with their frequency, most frequent first, ties by name.
fn ranked(texts: impl Iterator<Item = String>) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for text in texts {
        *counts.entry(text).or_default() += 1;
    }
    let mut ranked: Vec<_> = counts.into_iter().collect();
    ranked.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    ranked
}

#[expect(clippy::cast_precision_loss, reason = "counts of a data set stay far below 2^52")]
fn part(count: usize, of: usize) -> f64 {
    if of == 0 { 0.0 } else { count as f64 / of as f64 }
}

#[expect(clippy::cast_precision_loss, reason = "counts of a data set stay far below 2^52")]
fn mean_and_deviation(values: &[usize]) -> (f64, f64) {
    let mean = part(values.iter().sum(), values.len());
    let squares: f64 = values.iter().map(|value| (*value as f64 - mean).powi(2)).sum();
    (mean, (squares / (values.len().max(2) - 1) as f64).sqrt())
}

/// A quantile of sorted values, by nearest rank.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a rank in a short list"
)]
fn quantile(sorted: &[usize], part: f64) -> usize {
    let last = sorted.len().saturating_sub(1);
    sorted.get((last as f64 * part).round() as usize).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ability::Ability;

    fn said(id: &str, text: &str) -> Dialogue {
        let turns = vec![Turn::User { text: text.to_owned() }];
        Dialogue { id: id.to_owned(), ability: Ability::Call, turns, hard: None, earlier: 0 }
    }

    #[test]
    fn a_template_with_swapped_names_is_detected() {
        let wording = measure(&[
            said("a", "Please set an alarm for Ana at seven in the morning on Monday."),
            said("b", "Please set an alarm for Ben at seven in the morning on Monday."),
            said("c", "My train leaves early, wake me at five."),
        ]);
        assert_eq!(wording.pairs.len(), 1, "{:?}", wording.pairs);
        assert_eq!((&*wording.pairs[0].first, &*wording.pairs[0].second), ("a#0", "b#0"));
        assert!(wording.figures().iter().any(|figure| !figure.holds()));
    }

    #[test]
    fn openings_and_lengths_are_counted() {
        let wording = measure(&[said("a", "Set it up, please. Now!"), said("b", "Set it up.")]);
        assert_eq!(wording.openings[0], ("set it up".to_owned(), 2));
        assert_eq!(wording.sentence_lengths, [1, 3, 4]);
        assert_eq!(wording.polite[0], ("please", 1));
        let (mean, deviation) = mean_and_deviation(&[1, 3, 4]);
        assert!((mean - 8.0 / 3.0).abs() < 1e-12 && (deviation - 1.5275).abs() < 1e-4);
        assert_eq!(quantile(&[1, 3, 4], 0.5), 3);
    }
}
