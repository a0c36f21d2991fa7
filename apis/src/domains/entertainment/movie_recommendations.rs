//! MovieRecommendations: films of given genres.
//!
//! A film in several of the genres is recommended once.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{TableName, World};
use serde_json::{Value, json};

pub const API: Api = Api {
    name: "MovieRecommendations",
    suite: Suite::Planning,
    domain: Domain::Entertainment,
    description: "Recommends films to watch next: suggests movies that belong to the given \
                  favourite genres.",
    hints: &[
        "recommend a movie",
        "what should I watch tonight",
        "suggest films by genre",
        "good comedies or thrillers",
        "ideas for movie night",
        "find a film I might enjoy",
        "movie suggestions for somebody like me",
    ],
    params: Args::PARAMS,
    returns: &[Field {
        name: "recommended_movies",
        label: "list",
        description: "The titles, genre by genre.",
    }],
    reads: &[TableName::Genre],
    writes: &[],
    errors: &["The list is empty, or a genre in it is.", "A genre is unknown."],
    examples: &[
        Example { arguments: r#"{"preferences": ["Comedy", "Drama"]}"#, succeeds: true },
        Example { arguments: r#"{"preferences": ["Comedy", "Laundry"]}"#, succeeds: false },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The genres, for example ['Comedy', 'Drama'].
        #[rule(Set)]
        #[kind(UntypedTextList)]
        preferences: Vec<String>,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    if args.preferences.is_empty() {
        return Err(ApiError::Empty { parameter: "preferences" });
    }
    let mut titles: Vec<&String> = Vec::new();
    for preference in &args.preferences {
        let genre = filled("preferences", preference)?;
        let films = super::row_named(&world.genre, genre)
            .ok_or_else(|| ApiError::not_found("genre", genre))?;
        for film in films {
            if !titles.contains(&film) {
                titles.push(film);
            }
        }
    }
    Ok(json!({ "recommended_movies": titles }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};

    #[test]
    fn gives_the_films_of_each_genre_once() {
        let mut world = world();
        let titles =
            output(&API, json!({"preferences": "['comedy', 'Drama', 'Comedy']"}), &mut world);
        let both =
            [world.genre.get("Comedy").unwrap().clone(), world.genre.get("Drama").unwrap().clone()];
        assert_eq!(titles, json!({"recommended_movies": both.concat()}));
    }

    #[test]
    fn refuses_empty_lists_and_unknown_genres() {
        let mut world = world();
        let mut message = |list: Value| exception(&API, json!({"preferences": list}), &mut world);
        assert_eq!(message(json!(["Laundry"])), "There is no genre \"Laundry\".");
        assert_eq!(message(json!([])), "preferences must not be empty.");
        assert_eq!(message(json!([" "])), "preferences must not be empty.");
    }

    #[test]
    fn genres_match_in_any_order() {
        let gold = json!({"preferences": ["Comedy", "Drama"]});
        assert!(same(&API, gold.clone(), json!({"preferences": "drama, comedy"})));
        assert!(!same(&API, gold, json!({"preferences": ["Comedy"]})));
    }
}
