//! Replaces many old values by new ones in one pass over a text.

use crate::dialogue::{Dialogue, Turn};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Replacements. At each position the longest old value that occurs there as whole
/// words is replaced; replacements are not looked at again.
#[derive(Debug, Clone, Default)]
pub struct Lexicon {
    /// The pairs by the old value's first word (or first character, if that is none), the longest
    /// first.
    by_start: BTreeMap<String, Vec<(String, String)>>,
}

impl Lexicon {
    /// Adds a pair. An old value keeps the first new value that it gets.
    pub fn add(&mut self, old: &str, new: &str) {
        if old.is_empty() {
            return;
        }
        let pairs = self.by_start.entry(start(old).to_owned()).or_default();
        if pairs.iter().all(|(known, _)| known != old) {
            pairs.push((old.to_owned(), new.to_owned()));
            pairs.sort_by_key(|(old, _)| std::cmp::Reverse(old.len()));
        }
    }

    /// Whether it replaces nothing.
    pub fn is_empty(&self) -> bool {
        self.by_start.is_empty()
    }

    /// The pairs.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.by_start.values().flatten().map(|(old, new)| (old.as_str(), new.as_str()))
    }

    /// The text with every old value replaced.
    pub fn rewrite(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let word = start(rest);
            match self.standing_at(text, at, word) {
                Some((old, new)) => {
                    out.push_str(new);
                    at += old.len();
                }
                None => {
                    out.push_str(word);
                    at += word.len();
                }
            }
        }
        out
    }

    /// The value with every old value replaced, in keys and strings.
    pub fn rewrite_value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.rewrite(text)),
            Value::Array(items) => items.iter().map(|item| self.rewrite_value(item)).collect(),
            Value::Object(fields) => Value::Object(self.rewrite_fields(fields)),
            other => other.clone(),
        }
    }

    /// As [`Lexicon::rewrite_value`], for the fields of an object.
    pub fn rewrite_fields(&self, fields: &Map<String, Value>) -> Map<String, Value> {
        let pair = |(key, value): (&String, &Value)| (self.rewrite(key), self.rewrite_value(value));
        fields.iter().map(pair).collect()
    }

    /// The dialogue with every old value replaced, in utterances, calls and results. An old value may
    /// be a number there.
    pub fn rewrite_dialogue(&self, dialogue: &Dialogue) -> Dialogue {
        let rewritten = |turn: &Turn| {
            let mut value = self.rewrite_value(&json!(turn));
            self.rewrite_numbers(&mut value);
            serde_json::from_value(value).unwrap_or_else(|_| turn.clone())
        };
        Dialogue { turns: dialogue.turns.iter().map(rewritten).collect(), ..dialogue.clone() }
    }

    fn rewrite_numbers(&self, value: &mut Value) {
        match value {
            Value::Number(number) => {
                if let Ok(new) = self.rewrite(&number.to_string()).parse() {
                    *number = new;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.rewrite_numbers(item)),
            Value::Object(fields) => {
                fields.values_mut().for_each(|field| self.rewrite_numbers(field));
            }
            _ => {}
        }
    }

    /// The pair whose old value stands at a place, whose next word is `word`.
    fn standing_at(&self, text: &str, at: usize, word: &str) -> Option<(&str, &str)> {
        let pairs = self.by_start.get(word)?;
        let (before, rest) = (text.get(..at)?, text.get(at..)?);
        let fits = |(old, _): &&(String, String)| {
            rest.strip_prefix(old.as_str()).is_some_and(|after| {
                is_end(old, after) && !(is_digits(old) && is_part_of_number(before, after))
            })
        };
        pairs.iter().find(fits).map(|(old, new)| (old.as_str(), new.as_str()))
    }
}

/// The first word of a text, or its first character if that belongs to no word.
fn start(text: &str) -> &str {
    let word = text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len());
    let end = if word > 0 { word } else { text.chars().next().map_or(0, char::len_utf8) };
    text.get(..end).unwrap_or_default()
}

/// Whether the word that `old` ends with also ends in the text.
fn is_end(old: &str, after: &str) -> bool {
    !old.ends_with(char::is_alphanumeric) || !after.starts_with(char::is_alphanumeric)
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether digits go on beyond a point or comma: the 2022 of 108.2022 is no year.
fn is_part_of_number(before: &str, after: &str) -> bool {
    let digit = |c: char| c.is_ascii_digit();
    before.strip_suffix(['.', ',']).is_some_and(|rest| rest.ends_with(digit))
        || after.strip_prefix(['.', ',']).is_some_and(|rest| rest.starts_with(digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lexicon(pairs: &[(&str, &str)]) -> Lexicon {
        let mut lexicon = Lexicon::default();
        pairs.iter().for_each(|(old, new)| lexicon.add(old, new));
        lexicon
    }

    #[test]
    fn whole_words_are_replaced_and_the_longest_first() {
        let lexicon = lexicon(&[
            ("Mira", "Helga"),
            ("mira.okafor", "helga.vogel"),
            ("mira.okafor@post", "helga.vogel@post"),
            ("+46 31", "+46 13"),
            ("2024", "2052"),
        ]);
        let cases = [
            ("Mira's friend, Miranda; Mira.", "Helga's friend, Miranda; Helga."),
            ("mira.okafor@post, mira.okafor!", "helga.vogel@post, helga.vogel!"),
            ("Call +46 31 or +46 310.", "Call +46 13 or +46 310."),
            ("2024-05-15, in 2024.", "2052-05-15, in 2052."),
            ("108.2024 and 2024,5 of x2024", "108.2024 and 2024,5 of x2024"),
            ("", ""),
            ("Åsa – 你好", "Åsa – 你好"),
        ];
        for (old, new) in cases {
            assert_eq!(lexicon.rewrite(old), new);
        }
    }

    #[test]
    fn replacements_are_simultaneous() {
        let lexicon = lexicon(&[("a", "b"), ("b", "a"), ("a", "c")]);
        assert_eq!(lexicon.rewrite("a b a"), "b a b");
    }

    #[test]
    fn keys_and_strings_of_json_are_replaced() {
        let lexicon = lexicon(&[("Mira", "Helga"), ("7", "8")]);
        let old = json!({"Mira": ["Mira", 7, {"x": "7"}]});
        assert_eq!(lexicon.rewrite_value(&old), json!({"Helga": ["Helga", 7, {"x": "8"}]}));
    }
}
