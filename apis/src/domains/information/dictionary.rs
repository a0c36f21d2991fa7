//! Dictionary: the meanings of an English word, from recorded entries.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{TableName, World};
use serde_json::{Value, json};

pub const API: Api = Api {
    name: "Dictionary",
    suite: Suite::Dialogue,
    domain: Domain::Information,
    description: "Defines an English word: its meaning, part of speech, synonyms and antonyms.",
    hints: &[
        "what does this word mean",
        "look up a definition",
        "synonyms of a word",
        "find the opposite of a word",
        "is it a noun or a verb",
        "meaning of an unfamiliar term",
        "English vocabulary",
        "what does frugal mean",
    ],
    params: Args::PARAMS,
    returns: &[Field {
        name: "meanings",
        label: "list",
        description: "Records with partOfSpeech, definitions (each a record with definition, \
                      synonyms, antonyms and perhaps an example), synonyms and antonyms.",
    }],
    reads: &[TableName::Dictionary],
    writes: &[],
    errors: &["The word is empty.", "The dictionary does not have the word."],
    examples: &[
        Example { arguments: r#"{"keyword": "serene"}"#, succeeds: true },
        Example { arguments: r#"{"keyword": "flibberwort"}"#, succeeds: false },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The word to define, in its base form.
        #[rule(Key)]
        keyword: String,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let keyword = filled("keyword", &args.keyword)?;
    let meanings = world
        .dictionary
        .get(&keyword.to_lowercase())
        .ok_or_else(|| ApiError::not_found("dictionary entry for", keyword))?;
    Ok(json!(meanings))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};

    #[test]
    fn gives_meanings_with_all_their_fields() {
        let meanings = output(&API, json!({"keyword": " Serene"}), &mut world());
        assert_eq!(meanings[0]["partOfSpeech"], "adjective");
        for field in ["definitions", "synonyms", "antonyms"] {
            assert!(meanings[0][field].is_array(), "{field}");
        }
    }

    #[test]
    fn refuses_an_unknown_word() {
        let message = exception(&API, json!({"keyword": "flibberwort"}), &mut world());
        assert_eq!(message, "There is no dictionary entry for \"flibberwort\".");
        exception(&API, json!({"keyword": " "}), &mut world());
    }

    #[test]
    fn the_word_matches_in_any_case_only() {
        let gold = json!({"keyword": "serene"});
        assert!(same(&API, gold.clone(), json!({"keyword": "SERENE"})));
        assert!(!same(&API, gold, json!({"keyword": "reluctant"})));
    }
}
