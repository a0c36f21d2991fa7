//! Agendas, alarms, meetings, reminders; the members of organizations and their travel status.

use crate::api::Api;
use crate::error::ApiError;
use crate::store::{Table, World};
use crate::when::DateTime;

mod add_agenda;
mod add_alarm;
mod add_meeting;
mod add_reminder;
mod delete_agenda;
mod delete_alarm;
mod delete_meeting;
mod delete_reminder;
mod get_today;
mod modify_agenda;
mod modify_alarm;
mod modify_meeting;
mod modify_reminder;
mod organization_members;
mod planning_add_meeting;
mod planning_query_meeting;
mod query_agenda;
mod query_alarm;
mod query_meeting;
mod query_reminder;
mod travel_status;

pub const APIS: &[&Api] = &[
    &get_today::API,
    &add_agenda::API,
    &query_agenda::API,
    &modify_agenda::API,
    &delete_agenda::API,
    &add_alarm::API,
    &query_alarm::API,
    &modify_alarm::API,
    &delete_alarm::API,
    &add_meeting::API,
    &query_meeting::API,
    &modify_meeting::API,
    &delete_meeting::API,
    &add_reminder::API,
    &query_reminder::API,
    &modify_reminder::API,
    &delete_reminder::API,
    &planning_add_meeting::API,
    &planning_query_meeting::API,
    &organization_members::API,
    &travel_status::API,
];

pub const TODAY: &Api = &get_today::API;

/// Key of a user's alarm at a time.
fn alarm_of(world: &World, username: &str, time: DateTime) -> Option<String> {
    world
        .alarm
        .find(|alarm| alarm.username == username && alarm.time.moment() == time.moment())
        .map(|(key, _)| key.to_owned())
}

/// A user's row, with the text and the time that identify it in a call.
struct TimedRow<'a> {
    key: &'a str,
    text: &'a str,
    time: DateTime,
}

/// Key of the user's agenda entry that `content` and `time` refer to (see [`meant`]).
fn agenda_of(
    world: &World,
    username: &str,
    content: &str,
    time: DateTime,
) -> Result<String, ApiError> {
    let own = world.agenda.iter().filter(|(_, row)| row.username == username);
    let entries = own.map(|(key, row)| TimedRow { key, text: &row.content, time: row.time });
    meant("agenda entry", &entries.collect::<Vec<_>>(), content, time)
}

/// Key of the user's meeting that `topic` and `start` refer to (see [`meant`]).
fn meeting_of(
    world: &World,
    username: &str,
    topic: &str,
    start: DateTime,
) -> Result<String, ApiError> {
    let own = world.meeting.iter().filter(|(_, row)| row.username == username);
    let entries =
        own.map(|(key, row)| TimedRow { key, text: &row.meeting_topic, time: row.start_time });
    meant("meeting", &entries.collect::<Vec<_>>(), topic, start)
}

/// Key of the user's reminder that `content` and `time` refer to (see [`meant`]).
fn reminder_of(
    world: &World,
    username: &str,
    content: &str,
    time: DateTime,
) -> Result<String, ApiError> {
    let own = world.reminder.iter().filter(|(_, row)| row.username == username);
    let entries = own.map(|(key, row)| TimedRow { key, text: &row.content, time: row.time });
    meant("reminder", &entries.collect::<Vec<_>>(), content, time)
}

/// Key of the row that a text and a time refer to: the row with both; else the row
/// at the time; else the row with the text, in any case. The first of several wins.
///
/// # Errors
/// If the time fits one row and the text another: either choice could change or
/// delete the wrong row.
fn meant(
    what: &'static str,
    entries: &[TimedRow<'_>],
    text: &str,
    time: DateTime,
) -> Result<String, ApiError> {
    let at_time = |entry: &TimedRow<'_>| entry.time.moment() == time.moment();
    let has_text = |entry: &TimedRow<'_>| same_text(entry.text, text);
    let find = |passes: &dyn Fn(&TimedRow<'_>) -> bool| entries.iter().find(|entry| passes(entry));
    if let Some(entry) = find(&|entry| at_time(entry) && has_text(entry)) {
        return Ok(entry.key.to_owned());
    }
    match (find(&at_time), find(&has_text)) {
        (Some(by_time), Some(by_text)) => Err(ApiError::Refused(format!(
            "The {what} at {time} is {:?}, but {:?} is at {}: give the text or the time of just one.",
            by_time.text, by_text.text, by_text.time
        ))),
        (Some(entry), None) | (None, Some(entry)) => Ok(entry.key.to_owned()),
        (None, None) => Err(ApiError::Refused(format!(
            "There is no {what} {:?} and none at {time}.",
            text.trim()
        ))),
    }
}

/// Ignores case and outer blanks.
fn same_text(a: &str, b: &str) -> bool {
    a.trim().to_lowercase() == b.trim().to_lowercase()
}

/// The row with this key, in any case.
fn named<'a, R>(table: &'a Table<R>, name: &str) -> Option<&'a R> {
    table.iter().find(|(key, _)| same_text(key, name)).map(|(_, row)| row)
}

/// Trims names and drops blank ones.
fn tidy_names(names: &[String]) -> Vec<String> {
    names
        .iter()
        .map(|name| name.trim())
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

/// # Errors
/// If the span ends before it starts.
fn check_span(start: DateTime, end: DateTime) -> Result<(), ApiError> {
    if end.moment() < start.moment() {
        return Err(ApiError::invalid("end_time", format!("{end} is before the start at {start}")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str, time: &str) -> Result<String, ApiError> {
        let at = |time: &str| time.parse().unwrap();
        let entries = [
            TimedRow { key: "1", text: "Swim", time: at("2024-05-16 08:00") },
            TimedRow { key: "2", text: "Choir", time: at("2024-05-16 19:00") },
            TimedRow { key: "3", text: "Swim", time: at("2024-05-18 08:00") },
        ];
        meant("entry", &entries, text, at(time))
    }

    #[test]
    fn a_row_is_meant_by_both_then_by_time_then_by_text() {
        assert_eq!(key("swim ", "2024-05-18 08:00").as_deref(), Ok("3"));
        assert_eq!(key("singing", "2024-05-16 19:00").as_deref(), Ok("2"));
        assert_eq!(key("SWIM", "2024-06-01 08:00").as_deref(), Ok("1"));
        // A blank text matches no row.
        assert_eq!(key("", "2024-05-18 08:00").as_deref(), Ok("3"));
    }

    #[test]
    fn two_rows_or_none_are_refused() {
        let message = key("choir", "2024-05-18 08:00").unwrap_err().to_string();
        assert!(message.contains("\"Swim\"") && message.contains("\"Choir\""), "{message}");
        let message = key(" yoga", "2024-06-01 08:00").unwrap_err().to_string();
        assert_eq!(message, "There is no entry \"yoga\" and none at 2024-06-01 08:00:00.");
    }

    #[test]
    fn blank_names_are_dropped() {
        assert_eq!(tidy_names(&[" Ann ".to_owned(), "  ".to_owned()]), ["Ann"]);
    }
}
