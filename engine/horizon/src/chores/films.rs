//! Films that suit somebody's taste and have not been seen.

use crate::Error;
use crate::draft::{Draft, Meeting, Need, span_words};
use crate::english::list;
use crate::names::Kind;
use serde_json::json;

/// A new genre with so many films.
fn genre(draft: &mut Draft<'_>, films: usize) -> Result<(String, Vec<String>), Error> {
    let name = draft.name(Kind::Genre)?;
    let films: Vec<String> =
        (0..films).map(|_| draft.name(Kind::Film)).collect::<Result<_, _>>()?;
    draft.world.genre.insert(name.as_str(), films.clone());
    Ok((name, films))
}

/// A person with a favourite genre and a second one; returns the films of the favourite.
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

/// For each of `count` people a meeting that has the one film left to see as title.
pub(super) fn film(draft: &mut Draft<'_>, count: usize, _: usize) -> Result<(), Error> {
    let people = draft.people(count)?;
    let (day, when) = draft.when();
    let (start, minutes) = draft.span();
    let (place, place_words) = draft.place_to_meet()?;
    let (names, span) = (list(&people), span_words(start, minutes));
    let slots =
        [("people", names.as_str()), ("when", &when), ("span", &span), ("place", &place_words)];
    draft.say(if count == 1 { "film_one" } else { "film" }, &slots)?;
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
        let guests = [person.clone()];
        draft.add_meeting(&Meeting {
            title: &title,
            day,
            start,
            minutes,
            place: &place,
            guests: &guests,
        })?;
    }
    Ok(())
}

/// A meeting that has as title the one film of the host's favourite genre that none of `count` people
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
    let (day, when) = draft.when();
    let (start, minutes) = draft.span();
    let (place, place_words) = draft.place_to_meet()?;
    let (names, span) = (list(&people), span_words(start, minutes));
    let slots = [
        ("host", people[0].as_str()),
        ("people", &names),
        ("when", &when),
        ("span", &span),
        ("place", &place_words),
    ];
    draft.say("film_for_all", &slots)?;
    draft.call("UserMoviePreferences", json!({"user_name": people[0]}), Need::Value)?;
    draft.call("MovieRecommendations", json!({"preferences": [favourite]}), Need::Value)?;
    for person in &people {
        draft.call("UserWatchedMovies", json!({"user_name": person}), Need::Choice)?;
    }
    let title = title.as_str();
    draft.add_meeting(&Meeting { title, day, start, minutes, place: &place, guests: &people })
}
