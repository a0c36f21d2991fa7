//! Translate: a phrase or sentence in another language, from recorded translations.
//!
//! Lookup ignores case and outer punctuation. Languages are English names or ISO 639-1
//! codes. The source language defaults to any, the target language to English.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::languages;
use crate::store::{TableName, World};
use serde_json::Value;

/// The default target language.
const DEFAULT_TARGET: &str = "en";

pub const API: Api = Api {
    name: "Translate",
    suite: Suite::Dialogue,
    domain: Domain::Information,
    description: "Translates a phrase or sentence into another language, such as French, \
                  Spanish or Japanese.",
    hints: &[
        "translate this sentence",
        "how do you say it in Spanish",
        "put a text into German",
        "what is this in English",
        "convert a phrase to another language",
        "language translation",
        "from English into Italian",
        "say this in another language",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "translated_text", label: "str", description: "The translation." }],
    reads: &[TableName::Translation],
    writes: &[],
    errors: &[
        "The text is empty.",
        "A language is not known.",
        "No translation of the text into the language is recorded.",
    ],
    examples: &[
        Example {
            arguments: r#"{"src": "Where is the train station?", "tgt_lang": "French"}"#,
            succeeds: true,
        },
        Example { arguments: r#"{"src": "Good morning", "tgt_lang": "Klingon"}"#, succeeds: false },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The text to translate.
        #[rule(Key)]
        src: String,
        /// The language of the text, as a name or code; found out when left out.
        #[rule(Language)]
        src_lang: Option<String>,
        /// The language to translate into, as a name or code; English when left out.
        #[rule(Language)]
        tgt_lang: Option<String>,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let src = filled("src", &args.src)?;
    let src_lang = args.src_lang.as_deref().map(|lang| code("src_lang", lang)).transpose()?;
    let tgt_lang =
        args.tgt_lang.as_deref().map_or(Ok(DEFAULT_TARGET), |lang| code("tgt_lang", lang))?;
    if src_lang == Some(tgt_lang) {
        return Ok(Value::from(src));
    }
    let wanted = plain(src);
    let found = world.translation.find(|row| {
        row.tgt_lang == tgt_lang
            && src_lang.is_none_or(|lang| row.src_lang == lang)
            && plain(&row.src) == wanted
    });
    found.map(|(_, row)| Value::from(row.text.as_str())).ok_or_else(|| {
        ApiError::Refused(format!(
            "There is no translation of {src:?} into {}.",
            languages::name(tgt_lang)
        ))
    })
}

fn code(parameter: &'static str, language: &str) -> Result<&'static str, ApiError> {
    languages::code(filled(parameter, language)?)
        .ok_or_else(|| ApiError::invalid(parameter, format!("{language:?} is no known language")))
}

/// Short forms, and what they stand for.
const SHORT_FORMS: [(&str, &str); 7] = [
    ("can't", "can not"),
    ("cannot", "can not"),
    ("won't", "will not"),
    ("n't", " not"),
    ("'m", " am"),
    ("'re", " are"),
    ("'ll", " will"),
];

/// The lookup key: lower case, without outer punctuation and short forms.
fn plain(text: &str) -> String {
    let text = text
        .trim_matches(|c: char| c.is_whitespace() || ".,;:!?¿¡…。！？،؟\"'“”".contains(c))
        .to_lowercase()
        .replace('’', "'");
    SHORT_FORMS.iter().fold(text, |text, (short, long)| text.replace(short, long))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use serde_json::json;

    #[test]
    fn translates_by_name_or_code_in_any_case() {
        let mut world = world();
        for language in ["French", "FR", " french ", "fr-CA"] {
            let call = json!({"src": "where is the train station", "tgt_lang": language});
            assert_eq!(output(&API, call, &mut world), "Où est la gare ?");
        }
    }

    #[test]
    fn short_forms_are_the_same_text() {
        let [short, long] = [
            "I’m lost, we'll be late and I can't wait",
            "I am lost, we will be late and I cannot wait.",
        ];
        assert_eq!(plain(short), plain(long));
        assert_ne!(plain("I can wait"), plain("I can't wait"));
    }

    #[test]
    fn english_is_the_default() {
        let mut world = world();
        let call = json!({"src": "Où est la gare ?"});
        assert_eq!(output(&API, call, &mut world), "Where is the train station?");
        let call = json!({"src": "Any words at all", "src_lang": "en"});
        assert_eq!(output(&API, call, &mut world), "Any words at all");
    }

    #[test]
    fn every_recorded_language_is_known_and_every_row_is_found() {
        let mut world = world();
        for (key, row) in world.clone().translation.iter() {
            let call = json!({"src": row.src, "src_lang": row.src_lang, "tgt_lang": row.tgt_lang});
            assert_eq!(output(&API, call, &mut world), row.text.as_str(), "row {key}");
        }
    }

    #[test]
    fn refuses_unknown_languages_and_texts() {
        let mut world = world();
        let call = json!({"src": "Good morning", "tgt_lang": "Klingon"});
        assert!(exception(&API, call, &mut world).contains("\"Klingon\" is no known language"));
        let call = json!({"src": "The zeppelin hums in G minor", "tgt_lang": "es"});
        let message = exception(&API, call, &mut world);
        assert!(message.ends_with("into Spanish."), "{message}");
        exception(&API, json!({"src": " "}), &mut world);
    }

    #[test]
    fn the_language_may_be_written_otherwise_but_not_be_another() {
        let gold = json!({"src": "Good morning", "tgt_lang": "French"});
        assert!(same(&API, gold.clone(), json!({"src": "good morning ", "tgt_lang": "fr"})));
        assert!(!same(&API, gold, json!({"src": "Good morning", "tgt_lang": "de"})));
    }
}
