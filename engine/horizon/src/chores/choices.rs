//! Choices with one best answer.

use crate::Error;
use crate::chores::travel::locate;
use crate::draft::{Draft, Found, Meeting, Need, span_words};
use crate::english::{Day, clock, list};
use crate::names::Kind;
use crate::rows::Doing;
use serde_json::json;

/// A meeting in the warmest of `count` cities; with `dry`, of those without rain.
pub(super) fn warmest(draft: &mut Draft<'_>, count: usize, dry: usize) -> Result<(), Error> {
    let mut heats = draft.distinct(count, 60, 330);
    // With rain excluded, it rains where it is warmest, so that the rule decides.
    let best = heats[count - 1 - dry];
    let warmest = heats[count - 1];
    draft.shuffle(&mut heats);
    let mut cities = Vec::new();
    let mut place = String::new();
    for heat in heats {
        let city = draft.name(Kind::City)?;
        let point = draft.place(&city);
        let wet = dry == 1 && (heat == warmest || (heat != best && draft.random.below(3) == 0));
        let wanted = if wet { "wet" } else { "dry" };
        let skies: Vec<&str> = draft
            .names
            .parts
            .sky
            .iter()
            .filter(|it| it[1] == wanted)
            .map(|it| it[0].as_str())
            .collect();
        let sky = skies[draft.random.below(skies.len())];
        draft.weather(&point, i32::try_from(heat).unwrap_or_default(), sky);
        if heat == best {
            place.clone_from(&city);
        }
        cities.push(city);
    }
    let title = draft.title()?;
    let (day, when) = draft.when();
    let (start, minutes) = draft.span();
    let (people, guests) = draft.guests(2)?;
    let slots = [
        ("cities", list(&cities)),
        ("title", title.clone()),
        ("when", when),
        ("span", span_words(start, minutes)),
        ("guests", guests),
    ];
    let slots: Vec<(&str, &str)> = slots.iter().map(|(slot, it)| (*slot, it.as_str())).collect();
    draft.say(if dry == 1 { "warmest_dry" } else { "warmest" }, &slots)?;
    for city in &cities {
        let point = locate(draft, city)?;
        let at = json!({"latitude": point.latitude, "longitude": point.longitude});
        draft.call("GetWeatherForCoordinates", at, Need::Choice)?;
    }
    let name = title.as_str();
    draft.add_meeting(&Meeting {
        title: name,
        day,
        start,
        minutes,
        place: &place,
        guests: &people,
    })?;
    draft.publish(Found::Place(place), "known_place_title", &[("title", name)])
}

/// Whether a day may be chosen under a rule: any day, no weekend, or neither weekend nor Monday.
fn legal(day: Day, rule: usize) -> bool {
    let weekend = ["Saturday", "Sunday"].contains(&day.weekday());
    rule == 0 || !(weekend || rule == 2 && day.weekday() == "Monday")
}

/// Fills calendars so that on every legal day from `first` on, `busy` or more of the members are
/// busy, except on `free`, when fewer are.
fn fill(
    draft: &mut Draft<'_>,
    members: &[String],
    (first, free): (Day, Day),
    (rule, busy): (usize, usize),
) -> Result<(), Error> {
    let mut days: Vec<Vec<Day>> = members.iter().map(|_| Vec::new()).collect();
    let mut on = |draft: &mut Draft<'_>, day: Day, count: usize| {
        for at in draft.distinct(count, 0, members.len() - 1) {
            days[at].push(day);
        }
    };
    for day in (first.0..free.0).map(Day).filter(|day| legal(*day, rule)) {
        on(draft, day, busy);
    }
    on(draft, free, busy - 1);
    for (at, own) in days.iter_mut().enumerate() {
        // Everybody has a later meeting, so that no calendar is empty.
        own.push(free.plus(1 + at % 9));
        let mut entries = Vec::new();
        for day in own.iter() {
            entries.push(draft.entry(&members[at], *day)?);
        }
        draft.calendar(&members[at], entries, false)?;
    }
    Ok(())
}

/// The first day from one drawn, some legal days later.
fn search_window(draft: &mut Draft<'_>, rule: usize) -> (Day, Day) {
    let first = draft.day();
    let mut free = first.plus(draft.between(3, 6));
    while !legal(free, rule) {
        free = free.plus(1);
    }
    (first, free)
}

/// Reads the calendars of an organization's members, then books a meeting of all.
fn meet_all(
    draft: &mut Draft<'_>,
    organization: &str,
    members: &[String],
    first: Day,
    free: Day,
    key: &str,
) -> Result<(), Error> {
    let title = draft.title()?;
    let (start, minutes) = draft.span();
    let (place, place_words) = draft.place_to_meet()?;
    let slots = [
        ("organization", organization.to_owned()),
        ("title", title.clone()),
        ("day", first.words()),
        ("span", span_words(start, minutes)),
        ("place", place_words),
    ];
    let slots: Vec<(&str, &str)> = slots.iter().map(|(slot, it)| (*slot, it.as_str())).collect();
    draft.say(key, &slots)?;
    draft.call("OrganizationMembers", json!({"organization": organization}), Need::Value)?;
    for member in members {
        draft.call("QueryMeeting", json!({"user_name": member}), Need::Choice)?;
    }
    let name = title.as_str();
    let meeting =
        Meeting { title: name, day: free, start, minutes, place: &place, guests: members };
    draft.add_meeting(&meeting)?;
    draft.publish(Found::Day(free), "known_day_title", &[("title", name)])
}

/// A meeting of an organization's `size` members on the first legal day on which nobody has one.
pub(super) fn free_day(draft: &mut Draft<'_>, size: usize, rule: usize) -> Result<(), Error> {
    let (organization, members) = draft.organization(size)?;
    let (first, free) = search_window(draft, rule);
    fill(draft, &members, (first, free), (rule, 1))?;
    let key = ["free_day", "free_day_week", "free_day_no_monday"][rule];
    meet_all(draft, &organization, &members, first, free, key)
}

/// The same, but one of them may have a meeting.
pub(super) fn quorum(draft: &mut Draft<'_>, size: usize, rule: usize) -> Result<(), Error> {
    let (organization, members) = draft.organization(size)?;
    let (first, free) = search_window(draft, rule);
    fill(draft, &members, (first, free), (rule, 2))?;
    meet_all(draft, &organization, &members, first, free, ["quorum", "quorum_week"][rule])
}

/// A meeting at the first full hour of a day that is free for `count` people.
pub(super) fn free_hour(draft: &mut Draft<'_>, count: usize, _: usize) -> Result<(), Error> {
    let people = draft.people(count)?;
    let day = draft.day();
    let free = draft.between(11, 15);
    let mut hours: Vec<Vec<usize>> = people.iter().map(|_| Vec::new()).collect();
    for hour in (9..free).chain([free + 1]) {
        let at = draft.random.below(count);
        hours[at].push(hour);
    }
    for (person, hours) in people.iter().zip(hours) {
        let mut entries = vec![draft.entry(person, day.plus(1))?];
        for hour in hours {
            entries.push(crate::rows::Entry { start: 60 * hour, ..draft.entry(person, day)? });
        }
        draft.calendar(person, entries, false)?;
    }
    let title = draft.title()?;
    let (place, place_words) = draft.place_to_meet()?;
    let (names, words) = (list(&people), day.words());
    let slots =
        [("people", names.as_str()), ("day", &words), ("title", &title), ("place", &place_words)];
    draft.say("free_hour", &slots)?;
    for person in &people {
        draft.call("QueryMeeting", json!({"user_name": person}), Need::Choice)?;
    }
    let (title, start) = (title.as_str(), 60 * free);
    draft.add_meeting(&Meeting { title, day, start, minutes: 60, place: &place, guests: &people })
}

/// The first day without a meeting of one person with `meetings` meetings, told.
pub(super) fn gap(draft: &mut Draft<'_>, meetings: usize, _: usize) -> Result<(), Error> {
    let person = draft.name(Kind::Person)?;
    let first = draft.day();
    let busy = draft.between(2, meetings - 1);
    let free = first.plus(busy);
    let mut entries = Vec::new();
    for at in 0..meetings {
        let day = if at < busy { first.plus(at) } else { free.plus(at - busy + 1) };
        entries.push(draft.entry(&person, day)?);
    }
    draft.calendar(&person, entries, false)?;
    let words = first.words();
    let slots = [("person", person.as_str()), ("day", &words)];
    draft.say("gap", &slots)?;
    draft.call("QueryMeeting", json!({"user_name": person}), Need::Choice)?;
    draft.tell.push(free.fact());
    draft.publish(Found::Day(free), "known_day_gap", &slots)
}

/// A reminder to somebody chosen, whose account was added.
fn assign(
    draft: &mut Draft<'_>,
    winner: &str,
    password: &str,
    (content, day, start, place): (&str, Day, usize, &str),
) -> Result<(), Error> {
    let recipient = draft.email(winner, password)?;
    draft.remind(content, &day.at(start), place, &recipient)?;
    draft.publish(Found::Person(winner.to_owned()), "known_person", &[("title", content)])
}

/// A reminder to the member with the fewest meetings of `size` members.
pub(super) fn lightest(draft: &mut Draft<'_>, size: usize, _: usize) -> Result<(), Error> {
    let (organization, members) = draft.organization(size)?;
    let password = draft.accounts(&members)?;
    let winner = draft.random.below(size);
    let fewest = draft.between(1, 2);
    for (at, member) in members.iter().enumerate() {
        let more = if at == winner { 0 } else { draft.between(1, 3) };
        let days = draft.distinct(fewest + more, 9, 150);
        let mut entries = Vec::new();
        for day in days {
            entries.push(draft.entry(member, Day(day))?);
        }
        draft.calendar(member, entries, false)?;
    }
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
    draft.say("lightest", &slots)?;
    draft.call("OrganizationMembers", json!({"organization": organization}), Need::Value)?;
    for member in &members {
        draft.call("QueryMeeting", json!({"user_name": member}), Need::Choice)?;
    }
    assign(draft, &members[winner], &password, (&content, day, start, &place))
}

/// A reminder to the one of `count` people whose newest post has the most likes.
pub(super) fn most_liked(draft: &mut Draft<'_>, count: usize, _: usize) -> Result<(), Error> {
    let people = draft.people(count)?;
    let password = draft.accounts(&people)?;
    let mut newest = draft.distinct(count, 50, 500);
    draft.shuffle(&mut newest);
    let mut users = Vec::new();
    for likes in &newest {
        // Older posts may have more likes.
        let older = draft.between(1, 4);
        let mut all = draft.distinct(older, 10, 900);
        draft.shuffle(&mut all);
        all.push(*likes);
        let (user, posts) = draft.user(&all);
        users.push((user, posts[older]));
    }
    let best = newest.iter().enumerate().max_by_key(|(_, likes)| **likes).map_or(0, |(at, _)| at);
    let named: Vec<String> = people
        .iter()
        .zip(&users)
        .map(|(person, (user, _))| format!("{person} (user {user})"))
        .collect();
    let content = draft.title()?;
    let (day, when) = draft.when();
    let (start, _) = draft.span();
    let (place, place_words) = draft.place_to_meet()?;
    let (named, time) = (list(&named), clock(start));
    let slots = [
        ("people", named.as_str()),
        ("content", &content),
        ("when", &when),
        ("time", &time),
        ("place", &place_words),
        ("password", &password),
    ];
    draft.say("most_liked", &slots)?;
    for (user, post) in &users {
        draft.call("UserPosts", json!({"user_id": user}), Need::Value)?;
        draft.call("LikeCount", json!({"post_id": post}), Need::Choice)?;
    }
    assign(draft, &people[best], &password, (&content, day, start, &place))
}

/// A meeting with the first of a list who works in the office: `asked` are looked up, `spare` are not.
pub(super) fn substitute(draft: &mut Draft<'_>, asked: usize, spare: usize) -> Result<(), Error> {
    let people = draft.people(asked + spare)?;
    for (at, person) in people.iter().enumerate() {
        let absent = [Doing::Travelling, Doing::Home, Doing::Leave][draft.random.below(3)];
        let present = at + 1 == asked || (at >= asked && draft.random.below(2) == 0);
        draft.status(person, if present { Doing::Office } else { absent })?;
    }
    let title = draft.title()?;
    let (day, when) = draft.when();
    let (start, minutes) = draft.span();
    let (place, place_words) = draft.place_to_meet()?;
    let (names, span) = (people.join(", "), span_words(start, minutes));
    let slots = [
        ("people", names.as_str()),
        ("title", &title),
        ("when", &when),
        ("span", &span),
        ("place", &place_words),
    ];
    draft.say("substitute", &slots)?;
    for person in people.iter().take(asked) {
        draft.call("TravelStatus", json!({"member_name": person}), Need::Choice)?;
    }
    let (name, winner) = (title.as_str(), people[asked - 1].clone());
    let guests = [winner.clone()];
    draft.add_meeting(&Meeting {
        title: name,
        day,
        start,
        minutes,
        place: &place,
        guests: &guests,
    })?;
    draft.publish(Found::Person(winner), "known_person_meets", &[("title", name)])
}
