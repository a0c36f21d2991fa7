//! UserWatchedMovies: the films that a user has seen.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{TableName, World};
use serde_json::{Value, json};

pub const API: Api = Api {
    name: "UserWatchedMovies",
    suite: Suite::Planning,
    domain: Domain::Entertainment,
    description: "Lists the movies that a user has already seen: the viewing history of films.",
    hints: &[
        "which movies have I already seen",
        "viewing history",
        "list of films someone has watched",
        "avoid recommending a film twice",
        "what did she watch before",
        "movies watched by a user",
    ],
    params: Args::PARAMS,
    returns: &[Field {
        name: "watched_movies",
        label: "list",
        description: "The titles; the list itself is the output.",
    }],
    reads: &[TableName::WatchedMovies],
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
    let watched = super::row_named(&world.watched_movies, name)
        .ok_or_else(|| ApiError::not_found("user called", name))?;
    Ok(json!(watched))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};

    #[test]
    fn gives_the_titles_as_a_list() {
        let mut world = world();
        let watched = output(&API, json!({"user_name": " mira okafor"}), &mut world);
        assert_eq!(watched, json!(world.watched_movies.get("Mira Okafor").unwrap()));
        let films: Vec<&String> = world.genre.iter().flat_map(|(_, films)| films).collect();
        let mut seen = world.watched_movies.iter().flat_map(|(_, films)| films);
        assert!(seen.all(|film| films.contains(&film)));
    }

    #[test]
    fn refuses_a_stranger() {
        let mut world = world();
        let message = exception(&API, json!({"user_name": "Nobody Atall"}), &mut world);
        assert_eq!(message, "There is no user called \"Nobody Atall\".");
        exception(&API, json!({"user_name": ""}), &mut world);
    }

    #[test]
    fn another_name_is_another_user() {
        let gold = json!({"user_name": "Tomás Herrera"});
        assert!(same(&API, gold.clone(), json!({"user_name": "TOMÁS HERRERA"})));
        assert!(!same(&API, gold, json!({"user_name": "Mira Okafor"})));
    }
}
