//! Chores with events: time-outs, busy services, queued changes, bookings by others.

use crate::Error;
use crate::chores::choices::meet_all;
use crate::draft::{Draft, Found, Meeting, Need};
use crate::english::{Day, list};
use crate::rows::Entry;
use apis::Arguments;
use apis::store::{CalendarMeeting, Event, Reply};
use serde_json::{Map, Value, json};

const BUSY: &str = "The service is busy. Nothing was done. Try again.";
const TIMED_OUT: &str = "The booking system did not answer in time. It is not known whether the \
                         meeting was booked.";
const STILL_QUEUED: &str =
    "The last change of this account is still queued. The account says what became of it.";

/// The arguments that trigger an event.
fn with<const N: usize>(arguments: [(&str, &str); N]) -> Arguments {
    arguments.into_iter().map(|(name, value)| (name.to_owned(), Value::from(value))).collect()
}

/// Makes the first such call fail.
pub(super) fn busy<const N: usize>(
    draft: &mut Draft<'_>,
    api: &'static str,
    arguments: [(&str, &str); N],
) {
    let reply = Reply::Error(BUSY.to_owned());
    draft.world.script.add(Event { reply, ..Event::new(api, with(arguments)) });
}

/// Outcomes in random order. The last one is bad, so that every check of an outcome is followed by a call.
fn outcomes(draft: &mut Draft<'_>, good: usize, bad: usize) -> Vec<bool> {
    let mut outcomes = [vec![true; good], vec![false; bad.saturating_sub(1)]].concat();
    draft.shuffle(&mut outcomes);
    outcomes.push(false);
    outcomes
}

/// Books `done + lost` meetings. The first attempt at each times out. `done` attempts took effect all the
/// same, as the guests' calendars show.
pub(super) fn unsure(draft: &mut Draft<'_>, done: usize, lost: usize) -> Result<(), Error> {
    let outcomes = outcomes(draft, done, lost);
    let (mut meetings, mut wishes) = (Vec::new(), Vec::new());
    for _ in &outcomes {
        let guests = draft.people(2)?;
        for guest in &guests {
            let day = draft.day();
            let entry = draft.entry(guest, day)?;
            draft.calendar(guest, vec![entry], false)?;
        }
        draft.set("guests", list(&guests));
        let meeting = Meeting { guests, ..draft.meeting()? };
        wishes.push(draft.phrase("one_of_several")?);
        meetings.push(meeting);
    }
    draft.set("meetings", wishes.join("; "));
    draft.say("unsure")?;
    for (meeting, done) in meetings.iter().zip(outcomes) {
        time_out(draft, meeting, done)?;
        let need = if done { Need::Write } else { Need::Vain };
        draft.fail("AddMeeting", meeting.arguments(), need)?;
        draft.query_meetings(&meeting.guests[0], Need::Choice)?;
        if !done {
            draft.add_meeting(meeting)?;
        }
    }
    Ok(())
}

/// Makes the first booking of a meeting time out. The guests' calendars show the booking that took effect.
fn time_out(draft: &mut Draft<'_>, meeting: &Meeting, done: bool) -> Result<(), Error> {
    let entry = Entry {
        title: meeting.title.clone(),
        day: meeting.day,
        start: meeting.start,
        place: meeting.place.clone(),
        guests: meeting.guests.clone(),
    };
    let row = draft.calendar_row(&entry)?;
    let rows = |row: &CalendarMeeting| -> Vec<(String, CalendarMeeting)> {
        meeting.guests.iter().map(|guest| (guest.clone(), row.clone())).collect()
    };
    let event = Event::new("AddMeeting", with([("meeting_topic", meeting.title.as_str())]));
    let first = draft.world.script.add(Event {
        takes_effect: done,
        reply: Reply::Error(TIMED_OUT.to_owned()),
        entries: if done { rows(&row) } else { Vec::new() },
        ..event.clone()
    });
    if !done {
        let entries = rows(&row);
        let after = Some(first);
        draft.world.script.add(Event { after, takes_effect: true, entries, ..event });
    }
    Ok(())
}

/// Sends a reminder to `count` addresses. The first attempt fails for `failing` of them.
pub(super) fn notice_busy(
    draft: &mut Draft<'_>,
    count: usize,
    failing: usize,
) -> Result<(), Error> {
    let reminder = draft.reminder()?;
    let addresses = draft.addresses(count)?;
    draft.set("recipients", list(&addresses));
    draft.say("notice")?;
    let places = draft.distinct(failing, 0, count - 1);
    for (at, address) in addresses.iter().enumerate() {
        if places.contains(&at) {
            let content = reminder.content.as_str();
            busy(draft, "EmailReminder", [("content", content), ("recipient", address)]);
            draft.fail("EmailReminder", reminder.arguments(address), Need::Vain)?;
        }
        draft.remind(&reminder, address)?;
    }
    Ok(())
}

/// Changes the addresses of `accepted + refused` people. Every change is queued. The accounts tell which
/// were refused.
pub(super) fn queued(draft: &mut Draft<'_>, accepted: usize, refused: usize) -> Result<(), Error> {
    let people = draft.people(accepted + refused)?;
    let password = draft.accounts(&people)?;
    let mut homes = Vec::new();
    for _ in &people {
        homes.push(draft.address()?);
    }
    let moves = people.iter().zip(&homes).map(|(person, home)| format!("{person} to \"{home}\""));
    let moves: Vec<String> = moves.collect();
    draft.set("moves", moves.join("; "));
    draft.say("queued")?;
    let outcomes = outcomes(draft, accepted, refused);
    for ((person, address), is_accepted) in people.iter().zip(&homes).zip(outcomes) {
        queue(draft, person, is_accepted);
        let change = json!({"username": person, "password": password, "address": address});
        let need = if is_accepted { Need::Write } else { Need::Vain };
        draft.call("PersonalInfoUpdate", change.clone(), need)?;
        let account = json!({"username": person, "password": password});
        draft.call("AccountInfo", account, Need::Choice)?;
        if !is_accepted {
            draft.call("PersonalInfoUpdate", change, Need::Write)?;
        }
    }
    Ok(())
}

/// Queues the first change of an account. A second change is refused until the account has been read.
fn queue(draft: &mut Draft<'_>, person: &str, is_accepted: bool) {
    let script = &mut draft.world.script;
    let change = Event::new("PersonalInfoUpdate", with([("username", person)]));
    let queued = script.add(Event {
        takes_effect: is_accepted,
        reply: Reply::Output(json!({"status": "queued"})),
        ..change.clone()
    });
    let outcome = if is_accepted { "accepted" } else { "refused: submit it again" };
    let fields = Map::from_iter([("last_change".to_owned(), Value::from(outcome))]);
    let read = script.add(Event {
        after: Some(queued),
        takes_effect: true,
        reply: Reply::With(fields),
        ..Event::new("AccountInfo", with([("username", person)]))
    });
    script.add(Event {
        after: Some(queued),
        until: Some(read),
        again: true,
        reply: Reply::Error(STILL_QUEUED.to_owned()),
        ..change
    });
}

/// Books a meeting of an organization's `size` members on the first day when all are free. The first
/// attempt fails: meanwhile a member got other meetings on that day and the next.
pub(super) fn overtaken(draft: &mut Draft<'_>, size: usize, _: usize) -> Result<(), Error> {
    let (organization, members) = draft.organization(size)?;
    let first = draft.day();
    let free = first.plus(draft.between(2, 5));
    let mut days: Vec<Vec<Day>> = members.iter().map(|_| Vec::new()).collect();
    for day in (first.0..free.0).map(Day) {
        let busy = draft.random.below(size);
        days[busy].push(day);
    }
    for (at, member) in members.iter().enumerate() {
        days[at].push(free.plus(3 + at % 5));
        let mut entries = Vec::new();
        for day in &days[at] {
            entries.push(draft.entry(member, *day)?);
        }
        draft.calendar(member, entries, false)?;
    }
    let member = members[draft.random.below(size)].clone();
    let mut entries = Vec::new();
    for day in [free, free.plus(1)] {
        let entry = draft.entry(&member, day)?;
        entries.push((member.clone(), draft.calendar_row(&entry)?));
    }
    let meeting = meet_all(draft, &organization, members, (first, free), "overtaken")?;
    let start = free.at(meeting.start);
    let error = format!("Nothing was booked: the calendar of {member} has changed.");
    draft.world.script.add(Event {
        reply: Reply::Error(error),
        entries,
        ..Event::new(
            "AddMeeting",
            with([("meeting_topic", meeting.title.as_str()), ("start_time", start.as_str())]),
        )
    });
    draft.fail("AddMeeting", meeting.arguments(), Need::Vain)?;
    draft.query_meetings(&member, Need::Choice)?;
    let day = free.plus(2);
    draft.add_meeting(&Meeting { day, ..meeting })?;
    draft.publish(Found::Day(day), "known_day_title")
}
