//! Overlap of texts by shared phrases: n-grams of [`PHRASE`] words.

use std::collections::{BTreeMap, BTreeSet};

/// Words in a phrase.
pub const PHRASE: usize = 4;

/// Hashes of a text's phrases; empty for a text shorter than a phrase.
pub fn phrases(words: &[String]) -> BTreeSet<u64> {
    words.windows(PHRASE).map(hash).collect()
}

/// As [`phrases`], except that a text shorter than a phrase counts as one.
pub fn phrases_or_whole(words: &[String]) -> BTreeSet<u64> {
    if words.len() < PHRASE { [hash(words)].into() } else { phrases(words) }
}

/// 64-bit FNV-1a: the same on every platform.
fn hash(words: &[String]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in words.iter().flat_map(|word| word.bytes().chain([b' '])) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash
}

/// An inverted index of texts by phrase hash, small enough for thousands of texts: a text is
/// compared only with those that share a phrase with it.
#[derive(Debug, Clone, Default)]
pub struct Overlap {
    sizes: Vec<usize>,
    holders: BTreeMap<u64, Vec<u32>>,
}

impl Overlap {
    /// Adds a text; texts are numbered from 0.
    pub fn add(&mut self, phrases: BTreeSet<u64>) {
        #[expect(clippy::cast_possible_truncation, reason = "texts stay far below 2^32")]
        let index = self.sizes.len() as u32;
        self.sizes.push(phrases.len());
        for phrase in phrases {
            self.holders.entry(phrase).or_default().push(index);
        }
    }

    /// The texts that share a phrase with these, in insertion order, each with the shared fraction
    /// of the shorter text's phrases (above 0, at most 1).
    pub fn shared_with(&self, phrases: &BTreeSet<u64>) -> impl Iterator<Item = (usize, f64)> {
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        for index in phrases.iter().filter_map(|phrase| self.holders.get(phrase)).flatten() {
            *counts.entry(*index).or_default() += 1;
        }
        let own = phrases.len();
        counts.into_iter().map(move |(index, count)| {
            let index = index as usize;
            #[expect(clippy::cast_precision_loss, reason = "the phrases of a dialogue")]
            let share = count as f64 / own.min(self.sizes[index]) as f64;
            (index, share)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::words::words;

    #[test]
    fn the_shorter_text_counts() {
        let mut all = Overlap::default();
        all.add(phrases(&words("one two three four five")));
        all.add(phrases(&words("nothing of the kind is here")));
        all.add(phrases_or_whole(&words("too short")));
        let shared = |text| all.shared_with(&phrases(&words(text))).collect::<Vec<_>>();
        assert_eq!(shared("say one two three four again and again"), [(0, 0.5)]);
        assert_eq!(shared("too short"), []);
        let whole = phrases_or_whole(&words("Too short!"));
        assert_eq!(all.shared_with(&whole).collect::<Vec<_>>(), [(2, 1.0)]);
    }
}
