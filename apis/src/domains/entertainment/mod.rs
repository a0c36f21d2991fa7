//! Music, films, social posts.
//!
//! Film lists are keyed by a user's full name, posts by a user number. In the project's
//! databases the numbers follow the order of the accounts, from 1001.

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

pub const PLAYER: &Api = &play_music::API;

/// The row of a person or a genre, in any case.
fn row_named<'t, R>(table: &'t Table<R>, name: &str) -> Option<&'t R> {
    let folded = name.trim().to_lowercase();
    table
        .get(name)
        .or_else(|| table.iter().find(|(key, _)| key.to_lowercase() == folded).map(|(_, row)| row))
}
