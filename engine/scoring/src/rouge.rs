//! ROUGE-L of a reply, bug-compatible with the Python package `rouge` 1.0.1, which the original
//! benchmark uses.
//!
//! Text is split into sentences at every period and into words at white space; case and other
//! punctuation are kept. For every pair of reference and hypothesis sentences, the words of one
//! longest common subsequence (LCS) enter a set. Precision and recall compare this set with the
//! sets of distinct words of both texts. So repetition costs nothing, and a space after the last
//! period is a sentence of one empty word.

use indexmap::IndexSet;
use thiserror::Error;

/// Backtracking steps through one pair of sentences before the package hits Python's recursion
/// limit (called from a function of a script, in CPython 3.11).
const MAX_STEPS: usize = 990;
/// Added to the denominator of F1, which avoids a division by 0.
const EPSILON: f64 = 1e-8;

/// ROUGE-L of one hypothesis against one reference; each field is 0 to 1, not rounded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RougeL {
    /// The share of the hypothesis' distinct words that are in an LCS.
    pub precision: f64,
    /// The share of the reference's distinct words that are in an LCS.
    pub recall: f64,
    /// Their harmonic mean; slightly below 1 for equal texts.
    pub f1: f64,
}

impl RougeL {
    /// F1 as the evaluators of levels 1 and 2 record it: rounded to 4 places, so that equal texts
    /// score 1.
    #[must_use]
    pub fn rounded_f1(&self) -> f64 {
        (self.f1 * 1e4).round_ties_even() / 1e4
    }
}

/// Why there is no score. The messages are those that the package raises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum RougeError {
    /// The hypothesis has no sentence: it is empty or only periods.
    #[error("ValueError: Hypothesis is empty.")]
    EmptyHypothesis,
    /// The reference has no sentence.
    #[error("ValueError: Reference is empty.")]
    EmptyReference,
    /// A pair of sentences is too long for the package: it exceeds Python's recursion limit.
    #[error("RecursionError")]
    TooLong,
}

/// Scores a hypothesis against a reference.
///
/// # Errors
/// When either text has no sentence, or a pair of sentences is too long. The evaluators score an
/// *empty* hypothesis 0 without calling this: see [`rouge_l_dialogue`] and [`rouge_l_plan`].
pub fn rouge_l(reference: &str, hypothesis: &str) -> Result<RougeL, RougeError> {
    let mut words = Words::default();
    let hypothesis = words.sentences(hypothesis);
    let reference = words.sentences(reference);
    if hypothesis.is_empty() {
        return Err(RougeError::EmptyHypothesis);
    }
    if reference.is_empty() {
        return Err(RougeError::EmptyReference);
    }
    let mut common = vec![false; words.0.len()];
    for sentence in &reference {
        for other in &hypothesis {
            mark_common(sentence, other, &mut common)?;
        }
    }
    let shared = count(common.iter().filter(|&&marked| marked).count());
    let precision = shared / count(distinct(&hypothesis, words.0.len()));
    let recall = shared / count(distinct(&reference, words.0.len()));
    let f1 = 2.0 * (precision * recall / (precision + recall + EPSILON));
    Ok(RougeL { precision, recall, f1 })
}

/// The score of levels 1 and 2 before rounding: F1, or 0 for an empty hypothesis.
///
/// # Errors
/// See [`rouge_l`].
pub fn rouge_l_unrounded(reference: &str, hypothesis: &str) -> Result<f64, RougeError> {
    if hypothesis.is_empty() {
        return Ok(0.0);
    }
    rouge_l(reference, hypothesis).map(|score| score.f1)
}

/// The score of levels 1 and 2: F1 rounded to 4 places, or 0 for an empty hypothesis.
///
/// # Errors
/// See [`rouge_l`].
pub fn rouge_l_dialogue(reference: &str, hypothesis: &str) -> Result<f64, RougeError> {
    if hypothesis.is_empty() {
        return Ok(0.0);
    }
    rouge_l(reference, hypothesis).map(|score| score.rounded_f1())
}

/// The score of level 3: unrounded F1 of the reply, trimmed and without a leading `AI:`; 0 if
/// nothing is left.
///
/// # Errors
/// See [`rouge_l`].
pub fn rouge_l_plan(reference: &str, hypothesis: &str) -> Result<f64, RougeError> {
    let reply = hypothesis.trim_matches(is_space);
    let reply = reply.strip_prefix("AI:").unwrap_or(reply).trim_matches(is_space);
    if reply.is_empty() {
        return Ok(0.0);
    }
    rouge_l(reference, reply).map(|score| score.f1)
}

/// A text with every Chinese character as a separate word. Chinese has no spaces between words, so a
/// sentence would otherwise be one word. Chinese full stops become periods.
pub fn split_han(text: &str) -> String {
    let mut split = String::with_capacity(2 * text.len());
    for c in text.chars() {
        match c {
            '。' => split.push('.'),
            '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '，' | '：' | '？' | '！' => {
                split.push(' ');
                split.push(c);
                split.push(' ');
            }
            _ => split.push(c),
        }
    }
    split
}

/// White space as Python defines it: Unicode's, and the control characters U+001C to U+001F.
fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// The words of both texts, numbered.
#[derive(Default)]
struct Words<'a>(IndexSet<&'a str>);

impl<'a> Words<'a> {
    /// The sentences of a text as word numbers. A sentence of white space is one empty word.
    fn sentences(&mut self, text: &'a str) -> Vec<Vec<usize>> {
        text.split('.').filter(|sentence| !sentence.is_empty()).map(|s| self.numbers(s)).collect()
    }

    fn numbers(&mut self, sentence: &'a str) -> Vec<usize> {
        let mut numbers: Vec<usize> = sentence
            .split(is_space)
            .filter(|word| !word.is_empty())
            .map(|word| self.0.insert_full(word).0)
            .collect();
        if numbers.is_empty() {
            numbers.push(self.0.insert_full("").0);
        }
        numbers
    }
}

fn distinct(sentences: &[Vec<usize>], words: usize) -> usize {
    let mut seen = vec![false; words];
    sentences.iter().flatten().for_each(|&word| seen[word] = true);
    seen.iter().filter(|&&seen| seen).count()
}

/// Marks the words of one LCS. Backtracking starts at the end, takes equal words, and otherwise
/// moves up in the reference only if that LCS is strictly longer, like the package.
///
/// The length table keeps only the current row, plus one bit per cell: whether to move up. The
/// shorter sentence has at most [`MAX_STEPS`] words, which bounds the work.
fn mark_common(
    reference: &[usize],
    hypothesis: &[usize],
    common: &mut [bool],
) -> Result<(), RougeError> {
    if reference.len().min(hypothesis.len()) > MAX_STEPS {
        return Err(RougeError::TooLong);
    }
    let columns = hypothesis.len();
    let mut ups = vec![0_u64; (reference.len() * columns).div_ceil(64)];
    let mut row = vec![0_u32; columns + 1];
    for (i, word) in reference.iter().enumerate() {
        let mut diagonal = 0;
        for (j, other) in hypothesis.iter().enumerate() {
            let (up, left) = (row[j + 1], row[j]);
            let cell = i * columns + j;
            ups[cell / 64] |= u64::from(up > left) << (cell % 64);
            row[j + 1] = if word == other { diagonal + 1 } else { up.max(left) };
            diagonal = up;
        }
    }
    let (mut i, mut j) = (reference.len(), columns);
    let mut steps = 0;
    while i > 0 && j > 0 {
        steps += 1;
        if steps > MAX_STEPS {
            return Err(RougeError::TooLong);
        }
        let cell = (i - 1) * columns + j - 1;
        if reference[i - 1] == hypothesis[j - 1] {
            common[reference[i - 1]] = true;
            i -= 1;
            j -= 1;
        } else if ups[cell / 64] >> (cell % 64) & 1 == 1 {
            i -= 1;
        } else {
            j -= 1;
        }
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "numbers of words are far below 2^52")]
fn count(n: usize) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chinese_is_compared_by_character() {
        let (gold, said) = ("闹钟已设在6:00。", "闹钟设在 6:00。");
        let score = |a: &str, b: &str| rouge_l(a, b).unwrap().f1;
        assert!(score(gold, said) < 0.5, "as one word");
        let split = score(&split_han(gold), &split_han(said));
        // Five of six words, and five of five.
        assert!((split - 2.0 * (5.0 / 6.0) / (5.0 / 6.0 + 1.0)).abs() < 1e-6, "{split}");
        assert_eq!(split_han("Room 3, 16:00."), "Room 3, 16:00.");
    }

    fn check(reference: &str, hypothesis: &str, expect: f64) {
        let score = rouge_l_dialogue(reference, hypothesis).unwrap();
        assert!((score - expect).abs() < 1e-9, "{reference:?} {hypothesis:?}: {score}");
    }

    #[test]
    fn sets_of_words_in_subsequences() {
        check("one two three", "one two three", 1.0);
        check("one two three four", "one three", 0.6667);
        check("one one one", "one", 1.0);
        check("up down. left right.", "left right. up down", 1.0);
        check("A word", "a word", 0.5);
        check("Fine.", "Fine. ", 0.6667);
        check("any", "", 0.0);
        check("any", "other", 0.0);
    }

    #[test]
    fn level_3_takes_the_speaker_and_blanks_off() {
        assert_eq!(rouge_l_plan("Fine.", " AI: Fine. \n"), rouge_l_plan("Fine.", "Fine."));
        assert_eq!(rouge_l_plan("Fine.", "AI: "), Ok(0.0));
        assert_eq!(rouge_l_plan("Fine.", "."), Err(RougeError::EmptyHypothesis));
    }

    #[test]
    fn texts_without_a_sentence_are_errors() {
        assert_eq!(rouge_l("a", "..."), Err(RougeError::EmptyHypothesis));
        assert_eq!(rouge_l("a", ""), Err(RougeError::EmptyHypothesis));
        assert_eq!(rouge_l(".", "a"), Err(RougeError::EmptyReference));
    }

    #[test]
    fn long_texts_are_scored_until_python_would_stop() {
        let words = |count: usize| "word ".repeat(count);
        assert!(rouge_l(&words(990), &words(990)).is_ok());
        assert_eq!(rouge_l(&words(991), &words(991)), Err(RougeError::TooLong));
        assert_eq!(rouge_l(&words(50_000), &words(50_000)), Err(RougeError::TooLong));
        let long = "a few words here and there. ".repeat(3_000);
        assert!(rouge_l("a few words there", &long).unwrap().recall > 0.9);
    }
}
