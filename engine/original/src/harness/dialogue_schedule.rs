//! Agenda, alarms and reminders: rows of a user, found by content or time.

use super::checks::{
    CheckFault, Gold, all_equal, assert_name, same_input, same_result, words_overlap,
};
use super::dialogue_account::user;
use super::manager::{Api, Args, Fault, Response, Shape, World, int_key, text};
use super::python::Py;
use super::strptime::{DATE_TIME, strptime};
use super::tables::Table;
use super::text::strip;
use std::sync::Arc;

const AGENDA: Table = Table::Database("Agenda");
const ALARM: Table = Table::Database("Alarm");
const REMINDER: Table = Table::Database("Reminder");

const AGENDA_PARAMS: &[super::manager::Param] =
    &[text("token"), text("content"), text("time"), text("location")];
const REMINDER_PARAMS: &[super::manager::Param] = &[text("token"), text("content"), text("time")];
const ALARM_PARAMS: &[super::manager::Param] = &[text("token"), text("time")];

pub(super) const APIS: &[Api] = &[
    Api {
        name: "AddAgenda",
        shape: Shape::Full,
        params: AGENDA_PARAMS,
        call: add_agenda,
        check: |r, g| assert_name(r, g).and_then(|()| check_agenda(r, g)),
    },
    Api {
        name: "DeleteAgenda",
        shape: Shape::Full,
        params: AGENDA_PARAMS,
        call: delete_agenda,
        check: check_delete,
    },
    Api {
        name: "ModifyAgenda",
        shape: Shape::Full,
        params: AGENDA_PARAMS,
        call: modify_agenda,
        check: check_agenda,
    },
    Api {
        name: "QueryAgenda",
        shape: Shape::Full,
        params: AGENDA_PARAMS,
        call: query_agenda,
        check: check_agenda,
    },
    Api {
        name: "AddAlarm",
        shape: Shape::Full,
        params: ALARM_PARAMS,
        call: add_alarm,
        check: all_equal,
    },
    Api {
        name: "DeleteAlarm",
        shape: Shape::Full,
        params: ALARM_PARAMS,
        call: delete_alarm,
        check: all_equal,
    },
    Api {
        name: "ModifyAlarm",
        shape: Shape::Full,
        params: &[text("token"), text("from_time"), text("to_time")],
        call: modify_alarm,
        check: all_equal,
    },
    Api {
        name: "QueryAlarm",
        shape: Shape::Full,
        params: ALARM_PARAMS,
        call: query_alarm,
        check: all_equal,
    },
    Api {
        name: "AddReminder",
        shape: Shape::Full,
        params: REMINDER_PARAMS,
        call: add_reminder,
        check: |r, g| assert_name(r, g).and_then(|()| check_reminder(r, g)),
    },
    Api {
        name: "DeleteReminder",
        shape: Shape::Full,
        params: REMINDER_PARAMS,
        call: delete_reminder,
        check: check_delete,
    },
    Api {
        name: "ModifyReminder",
        shape: Shape::Full,
        params: REMINDER_PARAMS,
        call: modify_reminder,
        check: |r, g| assert_name(r, g).and_then(|()| check_reminder(r, g)),
    },
    Api {
        name: "QueryReminder",
        shape: Shape::Full,
        params: REMINDER_PARAMS,
        call: query_reminder,
        check: check_reminder,
    },
];

fn success() -> Py {
    Py::text("success")
}

/// Compares the content's words (with case), time, location and result; ignores the token.
fn check_agenda(r: &Response, g: &Gold) -> Result<bool, CheckFault> {
    Ok(words_overlap(r, g, "content", str::to_owned)?
        && same_input(r, g, "time")?
        && same_input(r, g, "location")?
        && same_result(r, g)?)
}

/// Compares the content's words (ignoring case), time and result; ignores the token.
fn check_reminder(r: &Response, g: &Gold) -> Result<bool, CheckFault> {
    Ok(words_overlap(r, g, "content", str::to_lowercase)?
        && same_input(r, g, "time")?
        && same_result(r, g)?)
}

/// Compares two successes by time only, everything else by result only. DeleteMeeting uses it too,
/// although its input has no time.
pub(super) fn check_delete(r: &Response, g: &Gold) -> Result<bool, CheckFault> {
    let success = success();
    if r.output == success && *g.get("output")? == success {
        return same_input(r, g, "time");
    }
    same_result(r, g)
}

/// The key of the user's first row that matches at least one of two fields.
pub(super) fn first_match(
    w: &World<'_>,
    table: Table,
    username: &str,
    fields: [(&str, &str); 2],
) -> Option<Arc<str>> {
    let fits = |row: &Py| {
        row.field("username") == username
            && fields.iter().any(|(name, value)| row.field(name) == *value)
    };
    w.rows(table).find(|(_, row)| fits(row)).map(|(key, _)| Arc::clone(key))
}

fn check_time(time: &str) -> Result<(), Fault> {
    strptime(time, DATE_TIME)?;
    Ok(())
}

fn check_content(args: &Args) -> Result<(), Fault> {
    if strip(args.text("content")).is_empty() {
        return Err("Content should not be null".into());
    }
    Ok(())
}

/// A row of the named arguments and the user's name.
fn row_of(args: &Args, fields: &[&str], username: &str) -> Py {
    let mut row = args.row(fields.iter().copied());
    row.insert("username".into(), Py::text(username));
    Py::Dict(Arc::new(row))
}

/// The highest numeric key of a table plus one.
pub(super) fn next_key(w: &World<'_>, table: Table) -> Arc<str> {
    let highest = w.rows(table).filter_map(|(key, _)| key.parse::<u64>().ok()).max();
    (highest.unwrap_or(0) + 1).to_string().into()
}

/// Inserts a row under the number of rows plus one, as an integer key. After a deletion this can
/// replace a row added earlier, but never a loaded one, whose key is a string.
fn insert_by_count(w: &mut World<'_>, table: Table, row: Py) {
    let key = int_key(w.rows(table).count() + 1);
    w.put(table, key, row);
}

fn add_agenda(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    check_time(a.text("time"))?;
    check_content(a)?;
    let username = user(w, a)?;
    insert_by_count(w, AGENDA, row_of(a, &["content", "time", "location"], &username));
    Ok(success())
}

/// The user and the key of their agenda item, if any. Validates the time only if given.
fn agenda_item(w: &World<'_>, a: &Args) -> Result<(String, Option<Arc<str>>), Fault> {
    let (content, time) = (a.text("content"), a.text("time"));
    if !time.is_empty() {
        check_time(time)?;
    }
    let username = user(w, a)?;
    let found = first_match(w, AGENDA, &username, [("content", content), ("time", time)]);
    Ok((username, found))
}

/// The error of an agenda call that finds nothing; `None` if neither field is given.
fn no_item(a: &Args, what: &str) -> Option<Fault> {
    let (content, time) = (a.text("content"), a.text("time"));
    if !content.is_empty() {
        Some(format!("You have no {what} about {content}").into())
    } else if !time.is_empty() {
        Some(format!("You have no {what} at time : {time}").into())
    } else {
        None
    }
}

fn delete_agenda(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    match agenda_item(w, a)?.1 {
        Some(key) => {
            w.remove(AGENDA, &key);
        }
        None => no_item(a, "meeting").map_or(Ok(()), Err)?,
    }
    Ok(success())
}

fn modify_agenda(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    match agenda_item(w, a)? {
        (username, Some(key)) => {
            w.put(AGENDA, key, row_of(a, &["content", "time", "location"], &username));
        }
        (_, None) => no_item(a, "agenda").map_or(Ok(()), Err)?,
    }
    Ok(success())
}

fn query_agenda(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let found = agenda_item(w, a)?.1.and_then(|key| w.read(AGENDA).get(&key));
    found.cloned().ok_or_else(|| no_item(a, "agenda").unwrap_or_else(|| "Error".into()))
}

/// The key of the user's alarm at a time.
fn alarm_at(w: &World<'_>, username: &str, time: &str) -> Option<Arc<str>> {
    first_match(w, ALARM, username, [("time", time), ("time", time)])
}

fn add_alarm(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    check_time(a.text("time"))?;
    let username = user(w, a)?;
    insert_by_count(w, ALARM, row_of(a, &["time"], &username));
    Ok(success())
}

/// The key of the alarm that a call names.
fn named_alarm(w: &World<'_>, a: &Args) -> Result<Arc<str>, Fault> {
    let time = a.text("time");
    check_time(time)?;
    let username = user(w, a)?;
    alarm_at(w, &username, time)
        .ok_or_else(|| format!("You have no alarm clock at time : {time}").into())
}

fn delete_alarm(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let key = named_alarm(w, a)?;
    w.remove(ALARM, &key);
    Ok(success())
}

fn query_alarm(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let key = named_alarm(w, a)?;
    Ok(w.read(ALARM).get(&key).cloned().unwrap_or(Py::None))
}

fn modify_alarm(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let (from, to) = (a.text("from_time"), a.text("to_time"));
    check_time(from)?;
    check_time(to)?;
    let username = user(w, a)?;
    let key = alarm_at(w, &username, from)
        .ok_or_else(|| format!("You have no agenda at time : {from}"))?;
    let row = Py::dict([("time", Py::text(to)), ("username", Py::text(&username))]);
    w.put(ALARM, key, row);
    Ok(success())
}

fn add_reminder(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    check_time(a.text("time"))?;
    check_content(a)?;
    let username = user(w, a)?;
    let key = next_key(w, REMINDER);
    w.put(REMINDER, key, row_of(a, &["content", "time"], &username));
    Ok(success())
}

/// The user and the key of their reminder with the call's content or time.
fn named_reminder(w: &World<'_>, a: &Args) -> Result<(String, Arc<str>), Fault> {
    let (content, time) = (a.text("content"), a.text("time"));
    check_time(time)?;
    check_content(a)?;
    let username = user(w, a)?;
    let found = first_match(w, REMINDER, &username, [("content", content), ("time", time)]);
    let key = found.ok_or_else(|| {
        Fault::from(format!("You have no reminder about {content} or at time : {time}"))
    })?;
    Ok((username, key))
}

fn delete_reminder(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let (_, key) = named_reminder(w, a)?;
    w.remove(REMINDER, &key);
    Ok(success())
}

fn modify_reminder(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let (username, key) = named_reminder(w, a)?;
    w.put(REMINDER, key, row_of(a, &["content", "time"], &username));
    Ok(success())
}

fn query_reminder(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let (_, key) = named_reminder(w, a)?;
    Ok(w.read(REMINDER).get(&key).cloned().unwrap_or(Py::None))
}
