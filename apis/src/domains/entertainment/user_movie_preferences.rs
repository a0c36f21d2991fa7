//! UserMoviePreferences: the genres of film that a user likes.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{TableName, World};
use serde_json::{Value, json};

pub const API: Api = Api {
    name: "UserMoviePreferences",
    suite: Suite::Planning,
    domain: Domain::Entertainment,
    description: "Looks up a user's taste in movies: the film genres that the user likes best.",
    hints: &[
        "find out someone's taste in films",
        "which genres do I prefer",
        "movie preferences of a user",
        "does she like horror or comedy",
        "a person's favourite genres",
        "the kinds of films someone likes best",
        "what is her taste in films",
        "genres that a viewer prefers",
    ],
    params: Args::PARAMS,
    returns: &[Field {
        name: "preferences",
        label: "list",
        description: "The genres, the favourite first.",
    }],
    reads: &[TableName::MoviePreferences],
    writes: &[],
    errors: &["The name is empty or unknown."],
    examples: &[
        Example { arguments: r#"{"user_name": "Mira Okafor"}"#, succeeds: true },
        Example { arguments: r#"{"user_name": "Nobody Atall"}"#, succeeds: false },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// Full name of the user.
        #[rule(Titled)]
        user_name: String,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let name = filled("user_name", &args.user_name)?;
    let preferences = super::row_named(&world.movie_preferences, name)
        .ok_or_else(|| ApiError::not_found("user called", name))?;
    Ok(json!({ "preferences": preferences }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};

    #[test]
    fn gives_genres_that_exist() {
        let mut world = world();
        let liked = output(&API, json!({"user_name": "INÊS CARVALHO "}), &mut world);
        assert_eq!(
            liked,
            json!({"preferences": world.movie_preferences.get("Inês Carvalho").unwrap()})
        );
        let mut genres = world.movie_preferences.iter().flat_map(|(_, genres)| genres);
        assert!(genres.all(|genre| world.genre.contains(genre)));
    }

    #[test]
    fn refuses_a_stranger() {
        let mut world = world();
        let message = exception(&API, json!({"user_name": "Nobody Atall"}), &mut world);
        assert_eq!(message, "There is no user called \"Nobody Atall\".");
        exception(&API, json!({"user_name": " "}), &mut world);
    }

    #[test]
    fn another_name_is_another_user() {
        let gold = json!({"user_name": "Mira Okafor"});
        assert!(same(&API, gold.clone(), json!({"user_name": "mira okafor"})));
        assert!(!same(&API, gold, json!({"user_name": "Priya Raman"})));
    }
}
