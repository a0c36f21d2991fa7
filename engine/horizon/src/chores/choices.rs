//! Chores with one best choice.

use crate::Error;
use crate::chores::travel::locate;
use crate::draft::{Draft, Found, Meeting, Need, Reminder};
use crate::english::{Day, list};
use crate::names::Kind;
use crate::rows::{Doing, Entry};
use serde_json::json;

/// Books a meeting in the warmest of `count` cities; with `dry`, in the warmest one without rain.
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
            .filter(|sky| sky[1] == wanted)
            .map(|sky| sky[0].as_str())
            .collect();
        let sky = skies[draft.random.below(skies.len())];
        draft.weather(&point, i32::try_from(heat).unwrap_or_default(), sky);
        if heat == best {
            place.clone_from(&city);
        }
        cities.push(city);
    }
    let title = draft.title()?;
    let day = draft.when();
    let (start, minutes) = draft.span();
    let guests = draft.guests(2)?;
    draft.set("cities", list(&cities));
    draft.say(if dry == 1 { "warmest_dry" } else { "warmest" })?;
    for city in &cities {
        let point = locate(draft, city)?;
        let at = json!({"latitude": point.latitude, "longitude": point.longitude});
        draft.call("GetWeatherForCoordinates", at, Need::Choice)?;
    }
    let meeting = Meeting { title, day, start, minutes, place, guests };
    draft.add_meeting(&meeting)?;
    draft.publish(Found::Place(meeting.place), "known_place_title")
}

/// Whether a rule allows a day. Rule 0 allows all, 1 excludes weekends, 2 also Mondays.
fn legal(day: Day, rule: usize) -> bool {
    let weekend = ["Saturday", "Sunday"].contains(&day.weekday());
    rule == 0 || !(weekend || rule == 2 && day.weekday() == "Monday")
}

/// Fills calendars so that `busy` or more members are busy on every legal day from `first` to `free`,
/// and fewer on `free`.
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

/// Draws the first day of a search and the legal day that it finds.
fn search_window(draft: &mut Draft<'_>, rule: usize) -> (Day, Day) {
    let first = draft.day();
    let mut free = first.plus(draft.between(3, 6));
    while !legal(free, rule) {
        free = free.plus(1);
    }
    (first, free)
}

/// Reads the calendars of an organization's members. Returns the meeting to book for all of them.
pub(super) fn meet_all(
    draft: &mut Draft<'_>,
    organization: &str,
    members: Vec<String>,
    (first, free): (Day, Day),
    key: &str,
) -> Result<Meeting, Error> {
    let title = draft.title()?;
    let (start, minutes) = draft.span();
    let place = draft.place_to_meet()?;
    draft.set("day", first.words());
    draft.say(key)?;
    draft.query_members(organization, Need::Value)?;
    for member in &members {
        draft.query_meetings(member, Need::Choice)?;
    }
    Ok(Meeting { title, day: free, start, minutes, place, guests: members })
}

/// Books a meeting of an organization's `size` members on the first legal day when all are free.
pub(super) fn free_day(draft: &mut Draft<'_>, size: usize, rule: usize) -> Result<(), Error> {
    let key = ["free_day", "free_day_week", "free_day_no_monday"][rule];
    first_legal(draft, size, (rule, 1), key)
}

/// Books a meeting of an organization's `size` members on the first legal day when at most one is busy.
pub(super) fn quorum(draft: &mut Draft<'_>, size: usize, rule: usize) -> Result<(), Error> {
    first_legal(draft, size, (rule, 2), ["quorum", "quorum_week"][rule])
}

/// Books a meeting on the first legal day when fewer than `busy` members are busy.
fn first_legal(
    draft: &mut Draft<'_>,
    size: usize,
    (rule, busy): (usize, usize),
    key: &str,
) -> Result<(), Error> {
    let (organization, members) = draft.organization(size)?;
    let window = search_window(draft, rule);
    fill(draft, &members, window, (rule, busy))?;
    let meeting = meet_all(draft, &organization, members, window, key)?;
    draft.add_meeting(&meeting)?;
    draft.publish(Found::Day(meeting.day), "known_day_title")
}

/// Books a meeting at the first full hour when all of `count` people are free.
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
            entries.push(Entry { start: 60 * hour, ..draft.entry(person, day)? });
        }
        draft.calendar(person, entries, false)?;
    }
    let title = draft.title()?;
    let place = draft.place_to_meet()?;
    draft.set("people", list(&people));
    draft.set("day", day.words());
    draft.say("free_hour")?;
    for person in &people {
        draft.query_meetings(person, Need::Choice)?;
    }
    let (start, minutes) = (60 * free, 60);
    draft.add_meeting(&Meeting { title, day, start, minutes, place, guests: people })
}

/// Reports the first day without a meeting in a calendar of `meetings` meetings.
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
    draft.set("person", person.as_str());
    draft.set("day", first.words());
    draft.say("gap")?;
    draft.query_meetings(&person, Need::Choice)?;
    draft.tell.push(free.fact());
    draft.publish(Found::Day(free), "known_day_gap")
}

/// Reminds the person who was chosen.
fn assign(
    draft: &mut Draft<'_>,
    winner: &str,
    password: &str,
    reminder: &Reminder,
) -> Result<(), Error> {
    let recipient = draft.email(winner, password)?;
    draft.remind(reminder, &recipient)?;
    draft.publish(Found::Person(winner.to_owned()), "known_person")
}

/// Reminds the one of `size` members with the fewest meetings.
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
    let reminder = draft.reminder()?;
    draft.say("lightest")?;
    draft.query_members(&organization, Need::Value)?;
    for member in &members {
        draft.query_meetings(member, Need::Choice)?;
    }
    assign(draft, &members[winner], &password, &reminder)
}

/// Reminds the one of `count` people whose newest post has the most likes.
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
    let reminder = draft.reminder()?;
    draft.set("people", list(&named));
    draft.say("most_liked")?;
    for (user, post) in &users {
        draft.call("UserPosts", json!({"user_id": user}), Need::Value)?;
        draft.call("LikeCount", json!({"post_id": post}), Need::Choice)?;
    }
    assign(draft, &people[best], &password, &reminder)
}

/// Books a meeting with the first person on a list who works in the office: number `asked`, with
/// `spare` more behind.
pub(super) fn substitute(draft: &mut Draft<'_>, asked: usize, spare: usize) -> Result<(), Error> {
    let people = draft.people(asked + spare)?;
    for (at, person) in people.iter().enumerate() {
        let absent = [Doing::Travelling, Doing::Home, Doing::Leave][draft.random.below(3)];
        let present = at + 1 == asked || (at >= asked && draft.random.below(2) == 0);
        draft.status(person, if present { Doing::Office } else { absent })?;
    }
    let mut meeting = draft.meeting()?;
    draft.set("people", people.join(", "));
    draft.say("substitute")?;
    for person in people.iter().take(asked) {
        draft.query_status(person, Need::Choice)?;
    }
    let winner = people[asked - 1].clone();
    meeting.guests.push(winner.clone());
    draft.add_meeting(&meeting)?;
    draft.publish(Found::Person(winner), "known_person_meets")
}
