//! Chores that pick a film to somebody's taste that they have not seen.

use crate::Error;
use crate::draft::{Draft, Meeting, Need};
use crate::english::list;
use crate::names::Kind;
use serde_json::json;

/// Adds a genre with `films` films.
fn genre(draft: &mut Draft<'_>, films: usize) -> Result<(String, Vec<String>), Error> {
    let name = draft.name(Kind::Genre)?;
    let films: Vec<String> =
        (0..films).map(|_| draft.name(Kind::Film)).collect::<Result<_, _>>()?;
    draft.world.genre.insert(name.as_str(), films.clone());
    Ok((name, films))
}

/// Sets a person's two favourite genres. Returns the first and its films.
fn viewer(
    draft: &mut Draft<'_>,
    person: &str,
    films: usize,
) -> Result<(String, Vec<String>), Error> {
    let (favourite, films) = genre(draft, films)?;
    let (second, _) = genre(draft, 2)?;
    draft.world.movie_preferences.insert(person, vec![favourite.clone(), second]);
    Ok((favourite, films))
}

/// Books a meeting for each of `count` people, titled with the one film they have not seen.
pub(super) fn film(draft: &mut Draft<'_>, count: usize, _: usize) -> Result<(), Error> {
    let people = draft.people(count)?;
    let day = draft.when();
    let (start, minutes) = draft.span();
    let place = draft.place_to_meet()?;
    draft.set("people", list(&people));
    draft.say(if count == 1 { "film_one" } else { "film" })?;
    for person in &people {
        let size = draft.between(3, 5);
        let (favourite, mut films) = viewer(draft, person, size)?;
        draft.shuffle(&mut films);
        let title = films.pop().unwrap_or_default();
        films.push(draft.name(Kind::Film)?);
        draft.world.watched_movies.insert(person.as_str(), films);
        draft.call("UserMoviePreferences", json!({"user_name": person}), Need::Value)?;
        draft.call("MovieRecommendations", json!({"preferences": [favourite]}), Need::Value)?;
        draft.call("UserWatchedMovies", json!({"user_name": person}), Need::Choice)?;
        let (place, guests) = (place.clone(), vec![person.clone()]);
        draft.add_meeting(&Meeting { title, day, start, minutes, place, guests })?;
    }
    Ok(())
}

/// Books a meeting titled with the one film of the host's favourite genre that none of `count` people
/// has seen.
pub(super) fn film_for_all(draft: &mut Draft<'_>, count: usize, _: usize) -> Result<(), Error> {
    let people = draft.people(count)?;
    let (favourite, mut films) = viewer(draft, &people[0], count + 1)?;
    draft.shuffle(&mut films);
    let title = films.pop().unwrap_or_default();
    // Each has seen one of the films that nobody else has seen: all have to be asked.
    for (person, film) in people.iter().zip(films) {
        let other = draft.name(Kind::Film)?;
        draft.world.watched_movies.insert(person.as_str(), vec![other, film]);
    }
    let day = draft.when();
    let (start, minutes) = draft.span();
    let place = draft.place_to_meet()?;
    draft.set("host", people[0].as_str());
    draft.set("people", list(&people));
    draft.say("film_for_all")?;
    draft.call("UserMoviePreferences", json!({"user_name": people[0]}), Need::Value)?;
    draft.call("MovieRecommendations", json!({"preferences": [favourite]}), Need::Value)?;
    for person in &people {
        draft.call("UserWatchedMovies", json!({"user_name": person}), Need::Choice)?;
    }
    draft.add_meeting(&Meeting { title, day, start, minutes, place, guests: people })
}
