//! Loops over the members of organizations.

use crate::Error;
use crate::draft::{Draft, Found, Meeting, Need, span_words};
use crate::english::{clock, list};
use crate::names::Kind;
use crate::rows::Doing;
use serde_json::json;

/// An organization of `size` members of whom `chosen` do one thing, in the order of its list.
fn roster(
    draft: &mut Draft<'_>,
    size: usize,
    chosen: usize,
    doing: Doing,
) -> Result<(String, Vec<String>, Vec<String>), Error> {
    let (organization, members) = draft.organization(size)?;
    let places = draft.distinct(chosen, 0, size - 1);
    for (at, member) in members.iter().enumerate() {
        let own = if places.contains(&at) {
            doing
        } else {
            let others: Vec<Doing> = Doing::ALL.into_iter().filter(|it| *it != doing).collect();
            // Travellers are rare elsewhere, because each takes a city's name.
            let other = others[draft.random.below(others.len())];
            if other == Doing::Travelling && at % 3 > 0 { Doing::ALL[2] } else { other }
        };
        let own = if own == doing && !places.contains(&at) { Doing::Leave } else { own };
        draft.status(member, own)?;
    }
    let chosen = places.iter().filter_map(|at| members.get(*at).cloned()).collect();
    Ok((organization, members, chosen))
}

/// Reads the members and what each of them is doing.
fn read_roster(draft: &mut Draft<'_>, organization: &str, members: &[String]) -> Result<(), Error> {
    draft.call("OrganizationMembers", json!({"organization": organization}), Need::Value)?;
    for member in members {
        draft.call("TravelStatus", json!({"member_name": member}), Need::Choice)?;
    }
    Ok(())
}

/// Reminders to those `travelling` of `size` members who travel.
pub(super) fn rollcall_mail(
    draft: &mut Draft<'_>,
    size: usize,
    travelling: usize,
) -> Result<(), Error> {
    let (organization, members, away) = roster(draft, size, travelling, Doing::Travelling)?;
    let password = draft.accounts(&members)?;
    let content = draft.title()?;
    let (day, when) = draft.when();
    let (start, _) = draft.span();
    let (place, place_words) = draft.place_to_meet()?;
    let time = clock(start);
    let slots = [
        ("organization", organization.as_str()),
        ("content", &content),
        ("when", &when),
        ("time", &time),
        ("place", &place_words),
        ("password", &password),
    ];
    draft.say("rollcall_mail", &slots)?;
    read_roster(draft, &organization, &members)?;
    for member in &away {
        let recipient = draft.email(member, &password)?;
        draft.remind(&content, &day.at(start), &place, &recipient)?;
    }
    Ok(())
}

/// A meeting of those `chosen` of `size` members who all do the same.
pub(super) fn rollcall_meet(
    draft: &mut Draft<'_>,
    size: usize,
    chosen: usize,
) -> Result<(), Error> {
    let doing = Doing::ALL[draft.random.below(Doing::ALL.len())];
    let (organization, members, guests) = roster(draft, size, chosen, doing)?;
    let title = draft.title()?;
    let (day, when) = draft.when();
    let (start, minutes) = draft.span();
    let (place, place_words) = draft.place_to_meet()?;
    let span = span_words(start, minutes);
    let [_, doing] = doing.words();
    let slots = [
        ("organization", organization.as_str()),
        ("title", &title),
        ("when", &when),
        ("span", &span),
        ("place", &place_words),
        ("doing", doing),
    ];
    draft.say("rollcall_meet", &slots)?;
    read_roster(draft, &organization, &members)?;
    let title = title.as_str();
    draft.add_meeting(&Meeting { title, day, start, minutes, place: &place, guests: &guests })
}

/// A meeting of the `both` people who belong to two organizations of `size` members.
pub(super) fn overlap(draft: &mut Draft<'_>, size: usize, both: usize) -> Result<(), Error> {
    two_lists(draft, size, both, true)
}

/// A meeting of the `alone` people of one organization who don't belong to another one.
pub(super) fn only_first(draft: &mut Draft<'_>, size: usize, alone: usize) -> Result<(), Error> {
    two_lists(draft, size, alone, false)
}

fn two_lists(
    draft: &mut Draft<'_>,
    size: usize,
    chosen: usize,
    overlap: bool,
) -> Result<(), Error> {
    let (first, members) = draft.organization(size)?;
    let places = draft.distinct(chosen, 0, size - 1);
    let in_second = |at: usize| places.contains(&at) == overlap;
    let mut others: Vec<String> =
        (0..size).filter(|at| in_second(*at)).map(|at| members[at].clone()).collect();
    // Look-alikes of the members who are in one organization alone.
    let alone: Vec<String> =
        (0..size).filter(|at| !in_second(*at)).map(|at| members[at].clone()).collect();
    for person in alone.iter().take(3) {
        let near =
            if person.contains(". ") { draft.name(Kind::Person)? } else { draft.namesake(person) };
        if !members.contains(&near) {
            others.push(near);
        }
    }
    draft.shuffle(&mut others);
    let second = draft.organization_of(&others)?;
    let guests: Vec<String> = places.iter().map(|at| members[*at].clone()).collect();
    let title = draft.title()?;
    let (day, when) = draft.when();
    let (start, minutes) = draft.span();
    let (place, place_words) = draft.place_to_meet()?;
    let span = span_words(start, minutes);
    let slots = [
        ("first", first.as_str()),
        ("second", &second),
        ("title", &title),
        ("when", &when),
        ("span", &span),
        ("place", &place_words),
    ];
    draft.say(if overlap { "overlap" } else { "only_first" }, &slots)?;
    for (organization, need) in [(&first, Need::Value), (&second, Need::Choice)] {
        draft.call("OrganizationMembers", json!({"organization": organization}), need)?;
    }
    let title = title.as_str();
    draft.add_meeting(&Meeting { title, day, start, minutes, place: &place, guests: &guests })
}

/// The cities that `count` people travel to, told.
pub(super) fn whereabouts(draft: &mut Draft<'_>, count: usize, _: usize) -> Result<(), Error> {
    let people = draft.people(count)?;
    let mut cities = Vec::new();
    for person in &people {
        cities.push(draft.status(person, Doing::Travelling)?);
    }
    let key = if count == 1 { "whereabouts_one" } else { "whereabouts" };
    draft.say(key, &[("people", &list(&people))])?;
    for person in &people {
        draft.call("TravelStatus", json!({"member_name": person}), Need::Value)?;
    }
    draft.tell.extend(cities.iter().cloned());
    let (person, city) = (people[0].clone(), cities[0].clone());
    draft.publish(Found::City(city), "known_city", &[("person", &person)])
}
