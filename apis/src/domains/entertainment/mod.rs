//! Music, films, social posts.
//!
//! Film lists go by a user's full name, posts by a user number. In the project's
//! databases the numbers follow the accounts: 1001 is the first user.

use crate::api::Api;
use crate::store::Table;

pub mod like_count;
pub mod movie_recommendations;
pub mod play_music;
pub mod user_movie_preferences;
pub mod user_posts;
pub mod user_watched_movies;

/// The APIs of this domain.
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
