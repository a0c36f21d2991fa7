//! Music, films, social posts.
//!
//! Film lists go by a user's full name, posts by a user number. In the project's
//! databases the numbers follow the accounts: 1001 is the first user.

use crate::api::Api;
use crate::store::Table;

mod like_count;
mod movie_recommendations;
mod play_music;
mod user_movie_preferences;
mod user_posts;
mod user_watched_movies;

pub const APIS: &[&Api] = &[
    &play_music::API,
    &user_posts::API,
    &like_count::API,
    &user_movie_preferences::API,
    &user_watched_movies::API,
    &movie_recommendations::API,
];

/// The row under a name in any case: of a person, of a genre.
fn row_named<'t, R>(table: &'t Table<R>, name: &str) -> Option<&'t R> {
    let folded = name.trim().to_lowercase();
    table
        .get(name)
        .or_else(|| table.iter().find(|(key, _)| key.to_lowercase() == folded).map(|(_, row)| row))
}
