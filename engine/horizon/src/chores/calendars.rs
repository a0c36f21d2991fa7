//! Meetings and reminders: booked outright, or after one that stands in a calendar.

use crate::Error;
use crate::draft::{Draft, Found, Meeting, Need, span_words, text};
use crate::english::{Day, clock, list};
use crate::names::Kind;
use crate::rows::Entry;
use serde_json::json;

/// A meeting with `guests` guests, all of it stated.
pub(super) fn book(draft: &mut Draft<'_>, guests: usize, _: usize) -> Result<(), Error> {
    let title = draft.title()?;
    let (day, when) = draft.when();
    let (start, minutes) = draft.span();
    let (place, place_words) = draft.place_to_meet()?;
    let (people, guests) = draft.guests(guests)?;
    let span = span_words(start, minutes);
    let slots = [
        ("title", title.as_str()),
        ("when", &when),
        ("span", &span),
        ("place", &place_words),
        ("guests", &guests),
    ];
    draft.say("book", &slots)?;
    let title = title.as_str();
    draft.add_meeting(&Meeting { title, day, start, minutes, place: &place, guests: &people })
}

/// A meeting whose time and place the requirement corrects.
pub(super) fn correct(draft: &mut Draft<'_>, guests: usize, _: usize) -> Result<(), Error> {
    let title = draft.title()?;
    let (day, when) = draft.when();
    let (start, minutes) = draft.span();
    let wrong = span_words(start + 15 * draft.between(2, 8), minutes);
    let span = span_words(start, minutes);
    let (place, place_words) = draft.place_to_meet()?;
    let wrong_place = draft.name(Kind::Venue)?;
    let (people, guests) = draft.guests(guests)?;
    let slots = [
        ("title", title.as_str()),
        ("when", &when),
        ("span", &span),
        ("place", &place_words),
        ("guests", &guests),
        ("wrong", &wrong),
        ("wrong_place", &wrong_place),
    ];
    draft.say("correct", &slots)?;
    let title = title.as_str();
    draft.add_meeting(&Meeting { title, day, start, minutes, place: &place, guests: &people })
}

/// Reminders to `count` stated addresses.
pub(super) fn notice(draft: &mut Draft<'_>, count: usize, _: usize) -> Result<(), Error> {
    let content = draft.title()?;
    let (day, when) = draft.when();
    let (start, _) = draft.span();
    let (place, place_words) = draft.place_to_meet()?;
    let people = draft.people(count)?;
    let mut addresses = Vec::new();
    for person in &people {
        let mailbox = person.to_lowercase().replace(". ", ".").replace(' ', ".");
        addresses.push(format!("{mailbox}{}@mail.example", draft.between(10, 99)));
    }
    let (recipients, time) = (list(&addresses), clock(start));
    let slots = [
        ("content", content.as_str()),
        ("when", &when),
        ("time", &time),
        ("place", &place_words),
        ("recipients", &recipients),
    ];
    draft.say("notice", &slots)?;
    for address in &addresses {
        draft.remind(&content, &day.at(start), &place, address)?;
    }
    Ok(())
}

/// A person with a calendar of so many meetings, and the one asked for, which `others` attend, too.
fn owner(
    draft: &mut Draft<'_>,
    meetings: usize,
    others: &[String],
) -> Result<(String, Entry), Error> {
    let owner = draft.name(Kind::Person)?;
    let days = draft.distinct(meetings, 9, 150);
    let mut entries = Vec::new();
    for day in days {
        entries.push(draft.entry(&owner, Day(day))?);
    }
    draft.shuffle(&mut entries);
    entries[0].guests.extend(others.iter().cloned());
    let wanted = entries[0].clone();
    draft.calendar(&owner, entries, true)?;
    Ok((owner, wanted))
}

/// The day and place of one of `meetings` meetings, told.
pub(super) fn when_is(draft: &mut Draft<'_>, meetings: usize, _: usize) -> Result<(), Error> {
    let (owner, wanted) = owner(draft, meetings, &[])?;
    let slots = [("title", wanted.title.as_str()), ("person", &owner)];
    draft.say("when_is", &slots)?;
    draft.call("QueryMeeting", json!({"user_name": owner}), Need::Value)?;
    draft.tell.push(wanted.day.fact());
    draft.tell.push(wanted.place.clone());
    draft.publish(Found::Day(wanted.day), "known_day_calendar", &slots)?;
    draft.publish(Found::Place(wanted.place), "known_place_calendar", &slots)
}

/// Reminders to the `guests` others who attend a meeting that stands in a calendar.
pub(super) fn pass_on(draft: &mut Draft<'_>, meetings: usize, guests: usize) -> Result<(), Error> {
    let others = draft.people(guests)?;
    let (owner, wanted) = owner(draft, meetings, &others)?;
    let password = draft.accounts(&others)?;
    let content = draft.title()?;
    let slots = [
        ("title", wanted.title.as_str()),
        ("person", &owner),
        ("content", &content),
        ("password", &password),
    ];
    draft.say("pass_on", &slots)?;
    draft.call("QueryMeeting", json!({"user_name": owner}), Need::Value)?;
    for other in &others {
        let recipient = draft.email(other, &password)?;
        draft.remind(&content, &wanted.day.at(wanted.start), &wanted.place, &recipient)?;
    }
    draft.publish(Found::Day(wanted.day), "known_day_calendar", &slots[..2])?;
    draft.publish(Found::Place(wanted.place), "known_place_calendar", &slots[..2])
}

/// A meeting a week after one that stands in a calendar, with its `guests` other attendees.
pub(super) fn follow_up(
    draft: &mut Draft<'_>,
    meetings: usize,
    guests: usize,
) -> Result<(), Error> {
    let others = draft.people(guests)?;
    let (owner, wanted) = owner(draft, meetings, &others)?;
    let title = draft.title()?;
    let minutes = 15 * draft.between(2, 6);
    let slots = [
        ("old", wanted.title.as_str()),
        ("person", &owner),
        ("title", &title),
        ("minutes", &minutes.to_string()),
    ];
    draft.say("follow_up", &slots)?;
    draft.call("QueryMeeting", json!({"user_name": owner}), Need::Value)?;
    draft.add_meeting(&Meeting {
        title: &title,
        day: wanted.day.plus(7),
        start: wanted.start,
        minutes,
        place: &wanted.place,
        guests: &wanted.guests,
    })?;
    let named = [("title", title.as_str())];
    draft.publish(Found::Day(wanted.day.plus(7)), "known_day_title", &named)?;
    draft.publish(Found::Place(wanted.place), "known_place_title", &named)
}

/// How many meetings the `size` members of an organization have in a month, told.
pub(super) fn head_count(draft: &mut Draft<'_>, size: usize, _: usize) -> Result<(), Error> {
    let (organization, members) = draft.organization(size)?;
    let month = draft.between(0, 4);
    let (name, prefix) = [
        ("June", "2024-06"),
        ("July", "2024-07"),
        ("August", "2024-08"),
        ("September", "2024-09"),
        ("October", "2024-10"),
    ][month];
    for member in &members {
        let rows = draft.between(1, 3);
        let days = draft.distinct(rows, 30 * month, 30 * month + 50);
        let mut entries = Vec::new();
        for day in days {
            entries.push(draft.entry(member, Day(day))?);
        }
        draft.calendar(member, entries, true)?;
    }
    draft.say("head_count", &[("organization", &organization), ("month", name)])?;
    draft.call("OrganizationMembers", json!({"organization": organization}), Need::Value)?;
    let mut total = 0;
    for member in &members {
        let found = draft.call("QueryMeeting", json!({"user_name": member}), Need::Choice)?;
        let meetings = found["meetings"].as_array().map(Vec::as_slice).unwrap_or_default();
        total += meetings
            .iter()
            .filter(|meeting| text(meeting, "meeting_time").starts_with(prefix))
            .count();
    }
    draft.tell_number(total);
    Ok(())
}
