//! Chores with meetings and reminders, fully specified or based on an existing meeting.

use crate::Error;
use crate::draft::{Draft, Found, Meeting, Need, Reminder, span_words, text};
use crate::english::{Day, list};
use crate::names::Kind;
use crate::rows::Entry;

/// Books a fully specified meeting.
pub(super) fn book(draft: &mut Draft<'_>, guests: usize, _: usize) -> Result<(), Error> {
    let mut meeting = draft.meeting()?;
    meeting.guests = draft.guests(guests)?;
    draft.say("book")?;
    draft.add_meeting(&meeting)
}

/// Books a meeting whose time and place the requirement corrects.
pub(super) fn correct(draft: &mut Draft<'_>, guests: usize, _: usize) -> Result<(), Error> {
    let title = draft.title()?;
    let day = draft.when();
    let (start, minutes) = draft.span();
    let wrong = start + 15 * draft.between(2, 8);
    draft.set("wrong", span_words(wrong, minutes));
    let place = draft.place_to_meet()?;
    let wrong_place = draft.name(Kind::Venue)?;
    draft.set("wrong_place", wrong_place);
    let guests = draft.guests(guests)?;
    draft.say("correct")?;
    draft.add_meeting(&Meeting { title, day, start, minutes, place, guests })
}

/// Sends a reminder to `count` addresses that the requirement lists.
pub(super) fn notice(draft: &mut Draft<'_>, count: usize, _: usize) -> Result<(), Error> {
    let reminder = draft.reminder()?;
    let addresses = draft.addresses(count)?;
    draft.set("recipients", list(&addresses));
    draft.say("notice")?;
    addresses.iter().try_for_each(|address| draft.remind(&reminder, address))
}

/// Adds a calendar of `meetings` meetings. Returns its owner and the meeting asked for, whose attendees
/// include `others`.
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
    draft.set("person", owner.as_str());
    Ok((owner, wanted))
}

/// Reports the day and place of one of `meetings` meetings.
pub(super) fn when_is(draft: &mut Draft<'_>, meetings: usize, _: usize) -> Result<(), Error> {
    let (owner, wanted) = owner(draft, meetings, &[])?;
    draft.set("title", wanted.title);
    draft.say("when_is")?;
    draft.query_meetings(&owner, Need::Value)?;
    draft.tell.push(wanted.day.fact());
    draft.tell.push(wanted.place.clone());
    draft.publish(Found::Day(wanted.day), "known_day_calendar")?;
    draft.publish(Found::Place(wanted.place), "known_place_calendar")
}

/// Reminds the `guests` other attendees of an existing meeting.
pub(super) fn pass_on(draft: &mut Draft<'_>, meetings: usize, guests: usize) -> Result<(), Error> {
    let others = draft.people(guests)?;
    let (owner, Entry { title, day, start, place, .. }) = owner(draft, meetings, &others)?;
    let password = draft.accounts(&others)?;
    let content = draft.content()?;
    draft.set("title", title);
    draft.say("pass_on")?;
    draft.query_meetings(&owner, Need::Value)?;
    let reminder = Reminder { content, day, start, place };
    for other in &others {
        let recipient = draft.email(other, &password)?;
        draft.remind(&reminder, &recipient)?;
    }
    draft.publish(Found::Day(day), "known_day_calendar")?;
    draft.publish(Found::Place(reminder.place), "known_place_calendar")
}

/// Books a follow-up a week after an existing meeting, with the same attendees.
pub(super) fn follow_up(
    draft: &mut Draft<'_>,
    meetings: usize,
    guests: usize,
) -> Result<(), Error> {
    let others = draft.people(guests)?;
    let (owner, old) = owner(draft, meetings, &others)?;
    let title = draft.title()?;
    let minutes = 15 * draft.between(2, 6);
    draft.set("old", old.title);
    draft.set("minutes", minutes.to_string());
    draft.say("follow_up")?;
    draft.query_meetings(&owner, Need::Value)?;
    let Entry { start, place, guests, .. } = old;
    let meeting = Meeting { title, day: old.day.plus(7), start, minutes, place, guests };
    draft.add_meeting(&meeting)?;
    draft.publish(Found::Day(meeting.day), "known_day_title")?;
    draft.publish(Found::Place(meeting.place), "known_place_title")
}

/// Reports how many meetings an organization's `size` members have in a month.
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
    draft.set("month", name);
    draft.say("head_count")?;
    draft.query_members(&organization, Need::Value)?;
    let mut total = 0;
    for member in &members {
        let found = draft.query_meetings(member, Need::Choice)?;
        let meetings = found["meetings"].as_array().map(Vec::as_slice).unwrap_or_default();
        total += meetings
            .iter()
            .filter(|meeting| text(meeting, "meeting_time").starts_with(prefix))
            .count();
    }
    draft.tell_number(total);
    Ok(())
}
