//! Meetings of the dialogue suite: rows of a user, found by topic or start.
//!
//! Attendees are declared as a list but always arrive as a string, so a call with the gold's
//! attendees never equals the gold.

use super::checks::words_overlap_rest_equal;
use super::dialogue_account::user;
use super::dialogue_schedule::{check_delete, first_match, next_key};
use super::manager::{Api, Args, Fault, Param, Shape, World, text};
use super::python::Py;
use super::strptime::{DATE_TIME, strptime};
use super::tables::Table;
use super::text::strip;
use std::sync::Arc;

const MEETING: Table = Table::Database("Meeting");
/// The fields of a row except the user's name.
const FIELDS: [&str; 5] = ["meeting_topic", "start_time", "end_time", "location", "attendees"];
const PARAMS: &[Param] = &[
    text("token"),
    text("meeting_topic"),
    text("start_time"),
    text("end_time"),
    text("location"),
    text("attendees"),
];

pub(super) const APIS: &[Api] = &[
    Api {
        name: "AddMeeting",
        shape: Shape::Full,
        params: PARAMS,
        call: add_meeting,
        check: |r, g| words_overlap_rest_equal(r, g, "meeting_topic"),
    },
    Api {
        name: "DeleteMeeting",
        shape: Shape::Full,
        params: PARAMS,
        call: delete_meeting,
        check: check_delete,
    },
    Api {
        name: "ModifyMeeting",
        shape: Shape::Full,
        params: PARAMS,
        call: modify_meeting,
        check: |r, g| words_overlap_rest_equal(r, g, "meeting_topic"),
    },
    Api {
        name: "QueryMeeting",
        shape: Shape::Full,
        params: PARAMS,
        call: query_meeting,
        check: |r, g| words_overlap_rest_equal(r, g, "meeting_topic"),
    },
];

fn add_meeting(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    strptime(a.text("start_time"), DATE_TIME)?;
    strptime(a.text("end_time"), DATE_TIME)?;
    if strip(a.text("meeting_topic")).is_empty() {
        return Err("Meeting Topic should not be null".into());
    }
    let username = user(w, a)?;
    let key = next_key(w, MEETING);
    let mut row = a.row(FIELDS);
    row.insert("username".into(), Py::text(&username));
    w.put(MEETING, key, Py::Dict(Arc::new(row)));
    Ok(Py::text("success"))
}

/// The key of the meeting that a call names. Validates only the times that are given.
fn named_meeting(w: &World<'_>, a: &Args) -> Result<Arc<str>, Fault> {
    let (topic, start) = (a.text("meeting_topic"), a.text("start_time"));
    for time in [start, a.text("end_time")].into_iter().filter(|time| !time.is_empty()) {
        strptime(time, DATE_TIME)?;
    }
    if topic.is_empty() && start.is_empty() {
        return Err("Meeting Topic and start_time should not be null both".into());
    }
    let username = user(w, a)?;
    let found =
        first_match(w, MEETING, &username, [("meeting_topic", topic), ("start_time", start)]);
    found.ok_or_else(|| {
        if topic.is_empty() {
            format!("You have no meeting at time : {start}").into()
        } else {
            format!("You have no meeting about {topic}").into()
        }
    })
}

fn delete_meeting(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let key = named_meeting(w, a)?;
    w.remove(MEETING, &key);
    Ok(Py::text("success"))
}

/// Updates topic and times only, not location and attendees.
fn modify_meeting(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let key = named_meeting(w, a)?;
    for field in ["meeting_topic", "start_time", "end_time"] {
        w.set(MEETING, &key, field, a.value(field));
    }
    Ok(Py::text("success"))
}

fn query_meeting(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let key = named_meeting(w, a)?;
    Ok(w.read(MEETING).get(&key).cloned().unwrap_or(Py::None))
}
