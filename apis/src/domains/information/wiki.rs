//! Wiki: the summary of an encyclopaedia article, from recorded articles.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{TableName, World};
use serde_json::{Value, json};

pub const API: Api = Api {
    name: "Wiki",
    suite: Suite::Dialogue,
    domain: Domain::Information,
    description: "Opens the encyclopedia article on a topic, place, animal or thing and gives \
                  its summary, as on Wikipedia.",
    hints: &[
        "look it up in an encyclopedia",
        "background on a person, place or thing",
        "who was this famous person",
        "general facts about a subject",
        "learn about an animal",
        "tell me about the history of a city",
        "overview of a topic",
        "what is a black hole",
        "encyclopedia entry about a topic",
        "explain a scientific concept",
    ],
    params: Args::PARAMS,
    returns: &[Field {
        name: "results",
        label: "dict",
        description: "A record with the article's url and summary.",
    }],
    reads: &[TableName::Wiki, TableName::Synonym],
    writes: &[],
    errors: &["The keyword is empty.", "The encyclopaedia has no such article."],
    examples: &[
        Example { arguments: r#"{"keyword": "Coral reef"}"#, succeeds: true },
        Example { arguments: r#"{"keyword": "Northern lights"}"#, succeeds: true },
        Example { arguments: r#"{"keyword": "my neighbour's bicycle"}"#, succeeds: false },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The title of the article, or another common name of its topic, for example Coral reef.
        #[rule(Key)]
        keyword: String,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let keyword = filled("keyword", &args.keyword)?;
    // Titles are often written as in a URL: Coral_reef.
    let title = keyword.replace('_', " ").to_lowercase();
    let article = world
        .by_name_or_synonym(TableName::Wiki, &world.wiki, &title, |key| key == title.trim())
        .ok_or_else(|| ApiError::not_found("article about", keyword))?;
    Ok(json!({ "url": article.url, "summary": article.summary }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};

    #[test]
    fn gives_address_and_summary_however_the_title_is_written() {
        let mut world = world();
        let article = output(&API, json!({"keyword": "Coral_Reef"}), &mut world);
        assert_eq!(article, output(&API, json!({"keyword": " coral reef "}), &mut world));
        assert_eq!(article, output(&API, json!({"keyword": "Coral reefs"}), &mut world));
        assert!(article["summary"].as_str().unwrap().contains("polyps"));
        assert!(article["url"].as_str().unwrap().contains(".example/"));
    }

    #[test]
    fn refuses_what_has_no_article() {
        let message = exception(&API, json!({"keyword": "Gizmotron"}), &mut world());
        assert_eq!(message, "There is no article about \"Gizmotron\".");
        exception(&API, json!({"keyword": "  "}), &mut world());
        exception(&API, json!({"keyword": "_"}), &mut world());
    }

    #[test]
    fn another_article_is_another_call() {
        let gold = json!({"keyword": "coral reef"});
        assert!(same(&API, gold.clone(), json!({"keyword": "Coral Reef"})));
        assert!(same(&API, gold.clone(), json!({"keyword": "Coral_reef"})));
        assert!(!same(&API, gold, json!({"keyword": "photosynthesis"})));
    }
}
