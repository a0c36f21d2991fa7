//! Dialogues of the built-in pack in other languages: what user and assistant say is translated, APIs
//! and values stay. The same tasks, so that the gap between languages is a paired difference.
//!
//! `languages/<code>.jsonl` has a dialogue per line: `{"dialogue": "call/…", "texts": […]}`, the
//! utterances in order.

use crate::dialogue::{Dialogue, Turn};
use crate::error::PackError;
use crate::language::Language;
use crate::pack::Pack;
use apis::store::hex;
use serde::Deserialize;
use sha2::{Digest, Sha256};

const fn file(language: Language) -> (&'static str, &'static str) {
    match language {
        Language::Chinese => ("languages/zh.jsonl", include_str!("../languages/zh.jsonl")),
        Language::Spanish => ("languages/es.jsonl", include_str!("../languages/es.jsonl")),
        Language::German => ("languages/de.jsonl", include_str!("../languages/de.jsonl")),
        Language::Arabic => ("languages/ar.jsonl", include_str!("../languages/ar.jsonl")),
        Language::Hindi => ("languages/hi.jsonl", include_str!("../languages/hi.jsonl")),
    }
}

/// A dialogue's utterances in another language.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Translated {
    dialogue: String,
    texts: Vec<String>,
}

/// The translated dialogues of the built-in pack, with its databases. There is no hard split.
///
/// # Errors
/// A line without its dialogue, or with another number of utterances: never for the embedded files.
pub(crate) fn pack(language: Language) -> Result<Pack, PackError> {
    let original = crate::builtin()?;
    let (file, text) = file(language);
    let mut dialogues = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let wrong = |reason| PackError::Json { file: file.to_owned(), line: index + 1, reason };
        let translated: Translated =
            serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
        let dialogue = original.dialogue(&translated.dialogue);
        let dialogue = dialogue.and_then(|dialogue| spoken(dialogue, translated.texts));
        let message = || format!("{} has other utterances", translated.dialogue);
        dialogues.push(dialogue.ok_or_else(|| wrong(message()))?);
    }
    dialogues.sort_by(|a, b| (a.ability, &a.id).cmp(&(b.ability, &b.id)));
    let mut hash = Sha256::new();
    hash.update(&original.digest);
    hash.update(text);
    let mut manifest = original.manifest;
    manifest.language = Some(language);
    let digest = hex(&hash.finalize());
    Ok(Pack { manifest, dialogues, hard: Vec::new(), digest, ..original })
}

/// The dialogue with other utterances; `None` if their number differs.
fn spoken(dialogue: &Dialogue, texts: Vec<String>) -> Option<Dialogue> {
    let mut dialogue = dialogue.clone();
    let mut texts = texts.into_iter();
    for turn in &mut dialogue.turns {
        if let Turn::User { text } | Turn::Assistant { text, .. } = turn {
            *text = texts.next()?;
        }
    }
    texts.next().is_none().then_some(dialogue)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ability;
    use serde_json::Value;
    use std::collections::BTreeSet;

    fn texts(dialogue: &Dialogue) -> Vec<&str> {
        let text = |turn| match turn {
            &Turn::User { ref text } | &Turn::Assistant { ref text, .. } => Some(text.as_str()),
            Turn::Api(_) => None,
        };
        dialogue.turns.iter().filter_map(text).collect()
    }

    fn pairs(language: Language) -> Vec<(Dialogue, Dialogue)> {
        let original = crate::builtin().unwrap();
        let translated = pack(language).unwrap().dialogues;
        translated.into_iter().map(|it| (original.dialogue(&it.id).unwrap().clone(), it)).collect()
    }

    #[test]
    fn every_language_has_the_same_sixty_dialogues() {
        let ids = |language| -> Vec<String> {
            pairs(language).into_iter().map(|(_, it)| it.id).collect()
        };
        let first = ids(Language::Chinese);
        for language in Language::ALL {
            assert_eq!(ids(language), first, "{}", language.title());
            assert_eq!(serde_json::json!(language), language.as_str());
        }
        let pack = pack(Language::German).unwrap();
        let of = |ability| pack.dialogues.iter().filter(|it| it.ability == ability).count();
        assert_eq!(Ability::ALL.map(of), [30, 15, 15]);
    }

    /// Strings and numbers in a value.
    fn leaves(value: &Value, found: &mut BTreeSet<String>) {
        match value {
            Value::String(text) => drop(found.insert(text.to_lowercase())),
            Value::Number(number) => drop(found.insert(number.to_string())),
            Value::Array(items) => items.iter().for_each(|item| leaves(item, found)),
            Value::Object(fields) => fields.values().for_each(|field| leaves(field, found)),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn stands_alone(text: &str, part: &str) -> bool {
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        text.match_indices(part).any(|(at, found)| {
            !is_word(text[..at].chars().next_back())
                && !is_word(text[at + found.len()..].chars().next())
        })
    }

    fn digits(text: &str) -> Vec<&str> {
        text.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty()).collect()
    }

    #[test]
    fn values_of_calls_and_numbers_stand_in_every_translation() {
        for language in Language::ALL {
            for (original, translated) in pairs(language) {
                let mut values = BTreeSet::new();
                let calls = original.calls().filter(|call| !call.is_search());
                calls.flat_map(|it| it.param_dict.values()).for_each(|it| leaves(it, &mut values));
                for (english, other) in texts(&original).iter().zip(texts(&translated)) {
                    assert_ne!(*english, other, "{}", original.id);
                    let (english, other) = (english.to_lowercase(), other.to_lowercase());
                    let stated = values.iter().filter(|value| stands_alone(&english, value));
                    let lost: Vec<_> = stated.filter(|it| !other.contains(it.as_str())).collect();
                    assert!(lost.is_empty(), "{} {}: {lost:?}", language.as_str(), original.id);
                    let mut known = digits(&other);
                    for number in digits(&english).into_iter().filter(|digit| *digit != "00") {
                        let at = known.iter().position(|digit| *digit == number);
                        let at = at.unwrap_or_else(|| panic!("{}: {number}", original.id));
                        known.remove(at);
                    }
                }
            }
        }
    }

    #[test]
    fn a_line_must_fit_its_dialogue() {
        let dialogue = &crate::builtin().unwrap().dialogues[0];
        let count = texts(dialogue).len();
        assert!(spoken(dialogue, vec!["x".to_owned(); count]).is_some());
        assert!(spoken(dialogue, vec!["x".to_owned(); count + 1]).is_none());
        assert!(spoken(dialogue, vec!["x".to_owned(); count - 1]).is_none());
    }
}
