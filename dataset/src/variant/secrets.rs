//! Credentials and ids of a variant. Letters and digits are swapped by one permutation, so that
//! length and classes stay, different values stay different, and so do slips: what was one digit or
//! one capital off still is.

use super::corpus::{Corpus, Found};
use super::lexicon::Lexicon;
use crate::random::SplitMix;
use std::collections::{BTreeMap, BTreeSet};

/// The fields that hold passwords and tokens.
const SECRETS: [&str; 4] = ["password", "new_password", "old_password", "token"];
/// The last digits of a phone number, which are drawn: the rest says that it is fictional.
const PHONE_DIGITS: usize = 4;
/// The shortest password that is looked for in other spellings.
const SHORTEST: usize = 6;
/// How users speak of single letters.
const SIZES: [&str; 4] = ["big", "capital", "small", "letter"];

/// A permutation of letters and digits that leaves none in place, except 0: ids don't begin with it.
#[derive(Debug)]
pub(super) struct Cipher(BTreeMap<char, char>);

impl Cipher {
    pub(super) fn draw(seed: u32) -> Self {
        let mut random = SplitMix(u64::from(seed));
        let mut map = BTreeMap::new();
        for class in ["123456789", "aeiou", "bcdfghjklmnpqrstvwxyz"] {
            let old: Vec<char> = class.chars().collect();
            let mut new = old.clone();
            // Sattolo's algorithm: one cycle, so that nothing stays.
            for last in (1..new.len()).rev() {
                new.swap(last, random.below(last));
            }
            for (old, new) in old.into_iter().zip(new) {
                map.insert(old, new);
                map.insert(old.to_ascii_uppercase(), new.to_ascii_uppercase());
            }
        }
        Cipher(map)
    }

    /// The text with every letter and digit swapped.
    pub(super) fn swap(&self, text: &str) -> String {
        text.chars().map(|c| self.0.get(&c).copied().unwrap_or(c)).collect()
    }

    /// The text with only its digits swapped.
    fn swap_digits(&self, text: &str) -> String {
        let swap = |c: char| self.0.get(&c).filter(|_| c.is_ascii_digit()).copied().unwrap_or(c);
        text.chars().map(swap).collect()
    }

    /// A phone number with its last digits swapped.
    fn swap_phone(&self, text: &str) -> String {
        let digits = text.char_indices().rev().filter(|(_, c)| c.is_ascii_digit());
        let from = digits.take(PHONE_DIGITS).last().map_or(0, |(at, _)| at);
        let (kept, drawn) = text.split_at(from);
        kept.to_owned() + &self.swap_digits(drawn)
    }

    /// Adds every credential and id of the corpus.
    pub(super) fn add_to(&self, corpus: &Corpus, lexicon: &mut Lexicon) {
        let ordinary = corpus.ordinary();
        corpus.each(&mut |found| {
            if let Some(new) = self.new_of(&found, &ordinary) {
                lexicon.add(found.text, &new);
            }
        });
        corpus.each(&mut |found| {
            if SECRETS.contains(&found.field) && found.text.len() >= SHORTEST {
                self.add_spellings(found.text, &ordinary, lexicon);
            }
        });
        for letter in self.0.keys().filter(|c| c.is_alphabetic()).map(char::to_string) {
            for size in SIZES {
                lexicon.add(&format!("{size} {letter}"), &format!("{size} {}", self.swap(&letter)));
            }
        }
    }

    fn new_of(&self, found: &Found<'_>, ordinary: &BTreeSet<&str>) -> Option<String> {
        let Found { table, field, text, .. } = *found;
        let row = |name: &str| found.is_row() && table == name;
        match field {
            _ if text.is_empty() || ordinary.contains(text) && text.len() < SHORTEST => None,
            field if SECRETS.contains(&field) => Some(self.swap(text)),
            "stock_code" => Some(self.swap(text)),
            _ if row("Stock") => Some(self.swap(text)),
            _ if field == "appointment_id" || row("Appointments") => Some(self.swap_digits(text)),
            _ if field == "user_id" && is_health_id(text) || row("HealthData") => {
                Some(self.swap_digits(text))
            }
            "phone" => Some(self.swap_phone(text)),
            _ => None,
        }
    }

    /// The ways in which users misspell a password.
    fn add_spellings(&self, text: &str, ordinary: &BTreeSet<&str>, lexicon: &mut Lexicon) {
        let joined: String = text.chars().filter(|c| c.is_alphanumeric()).collect();
        let ways = [text.to_ascii_lowercase(), text.to_ascii_uppercase(), joined];
        for way in ways.iter().filter(|way| !ordinary.contains(way.as_str())) {
            lexicon.add(way, &self.swap(way));
        }
    }
}

/// Whether a text is an id of health data: `H-4821`.
fn is_health_id(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once('-').is_some_and(|(letter, number)| letter.len() == 1 && digits(number))
}
