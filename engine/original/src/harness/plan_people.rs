//! People, accounts, meetings and films: planning APIs, each with its own table.

use super::checks::{
    CheckFault, Gold, assert_name, named_all_equal, same_result, subscript,
    words_overlap_rest_equal,
};
use super::manager::{Api, Args, Fault, Kind, Response, Shape, World, list_mut, req, text};
use super::python::Py;
use super::strptime::{DATE_TIME, strptime};
use super::tables::Table;
use super::text::{repr, strip};
use std::sync::Arc;

const MEETINGS: Table = Table::Planning("AddMeeting");
const PROFILES: Table = Table::Planning("PersonalInfoUpdate");
const MEETING_FIELDS: [&str; 5] =
    ["meeting_topic", "start_time", "end_time", "location", "attendees"];

pub(super) const APIS: &[Api] = &[
    Api {
        name: "AccountInfo",
        shape: Shape::Full,
        params: &[text("username"), text("password")],
        call: |w, a| Ok(account(w, Table::Planning("AccountInfo"), a)?.1.clone()),
        check: named_all_equal,
    },
    Api {
        name: "PersonalInfoUpdate",
        shape: Shape::Full,
        params: &[text("username"), text("password"), text("address")],
        call: update_profile,
        check: |r, g| {
            assert_name(r, g)?;
            Ok(r.input == *g.get("input")? && r.output == *g.get("output")?)
        },
    },
    Api {
        name: "AddMeeting",
        shape: Shape::Full,
        params: &[
            text("meeting_topic"),
            text("start_time"),
            text("end_time"),
            text("location"),
            text("attendees"),
        ],
        call: add_meeting,
        check: |r, g| words_overlap_rest_equal(r, g, "meeting_topic"),
    },
    Api {
        name: "QueryMeeting",
        shape: Shape::Full,
        params: &[text("user_name")],
        call: |w, a| wrapped(w, "QueryMeeting", a.text("user_name"), "meetings"),
        check: named_all_equal,
    },
    Api {
        name: "EmailReminder",
        shape: Shape::Full,
        params: &[text("content"), text("time"), text("location"), text("recipient")],
        call: remind,
        check: check_reminder,
    },
    Api {
        name: "OrganizationMembers",
        shape: Shape::Full,
        params: &[text("organization")],
        call: |w, a| wrapped(w, "OrganizationMembers", a.text("organization"), "members"),
        check: named_all_equal,
    },
    Api {
        name: "TravelStatus",
        shape: Shape::Full,
        params: &[text("member_name")],
        call: |w, a| by_key(w, "TravelStatus", a.text("member_name")),
        check: named_all_equal,
    },
    Api {
        name: "UserMoviePreferences",
        shape: Shape::Full,
        params: &[text("user_name")],
        call: |w, a| wrapped(w, "UserMoviePreferences", a.text("user_name"), "preferences"),
        check: named_all_equal,
    },
    Api {
        name: "UserWatchedMovies",
        shape: Shape::Full,
        params: &[text("user_name")],
        call: |w, a| {
            let films = w.read(Table::Planning("UserWatchedMovies")).get(a.text("user_name"));
            Ok(films.ok_or("User not found.")?.clone())
        },
        check: named_all_equal,
    },
    Api {
        name: "MovieRecommendations",
        shape: Shape::Full,
        params: &[text("preferences")],
        call: recommend,
        check: named_all_equal,
    },
    Api {
        name: "UserPosts",
        shape: Shape::Full,
        params: &[req("user_id", Kind::Int)],
        call: user_posts,
        check: named_all_equal,
    },
    Api {
        name: "LikeCount",
        shape: Shape::Full,
        params: &[req("post_id", Kind::Int)],
        call: like_count,
        check: named_all_equal,
    },
];

/// A row by key; the error for an unknown key is the message of Python's `KeyError`.
pub(super) fn by_key(w: &World<'_>, api: &'static str, key: &str) -> Result<Py, Fault> {
    Ok(w.read(Table::Planning(api)).get(key).ok_or_else(|| repr(key))?.clone())
}

/// [`by_key`], wrapped in a dict with one field.
fn wrapped(w: &World<'_>, api: &'static str, key: &str, field: &str) -> Result<Py, Fault> {
    Ok(Py::dict([(field, by_key(w, api, key)?)]))
}

/// Index and details of an account in a list of `[[username, password], details]`.
fn account<'a>(w: &'a World<'_>, table: Table, a: &Args) -> Result<(usize, &'a Py), Fault> {
    let key = Py::list([a.value("username"), a.value("password")]);
    let mut pairs = w.read(table).items().iter().enumerate();
    pairs
        .find(|(_, pair)| pair.items().first() == Some(&key))
        .and_then(|(at, pair)| Some((at, pair.items().get(1)?)))
        .ok_or_else(|| "User not found.".into())
}

fn update_profile(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let (at, details) = account(w, PROFILES, a)?;
    let mut details = details.as_dict().cloned().unwrap_or_default();
    details.insert("address".into(), a.value("address"));
    let pair = list_mut(w.write(PROFILES)).and_then(|pairs| pairs.get_mut(at));
    if let Some(slot) = pair.and_then(list_mut).and_then(|pair| pair.get_mut(1)) {
        *slot = Py::Dict(Arc::new(details));
    }
    Ok(Py::dict([("status", Py::text("success"))]))
}

fn add_meeting(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    strptime(a.text("start_time"), DATE_TIME)?;
    strptime(a.text("end_time"), DATE_TIME)?;
    if strip(a.text("meeting_topic")).is_empty() {
        return Err("Meeting Topic should not be null".into());
    }
    if let Some(meetings) = list_mut(w.write(MEETINGS)) {
        meetings.push(Py::Dict(Arc::new(a.row(MEETING_FIELDS))));
    }
    Ok(Py::text("success"))
}

fn remind(_: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    strptime(a.text("time"), DATE_TIME)?;
    if strip(a.text("content")).is_empty() {
        return Err("Content should not be empty".into());
    }
    Ok(Py::text("success"))
}

/// Compares everything except the content.
fn check_reminder(r: &Response, g: &Gold) -> Result<bool, CheckFault> {
    assert_name(r, g)?;
    let without_content = |input: &Py| {
        subscript(input, "content")?;
        let mut fields = input.as_dict().cloned().unwrap_or_default();
        fields.shift_remove("content");
        Ok(fields)
    };
    let (ours, gold) = (without_content(&r.input)?, without_content(g.get("input")?)?);
    Ok(ours == gold && same_result(r, g)?)
}

/// Preferences always arrive as a string, which is iterated by character: the first character that
/// is not a genre raises.
fn recommend(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let mut films = Vec::new();
    for c in a.text("preferences").chars() {
        let kind = c.to_string();
        films.extend_from_slice(by_key(w, "MovieRecommendations", &kind)?.items());
    }
    Ok(Py::dict([("recommended_movies", Py::list(films))]))
}

fn user_posts(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let id = a.int("user_id").to_string();
    let posts = w.read(Table::Planning("UserPosts")).get(&id).ok_or(id.as_str())?;
    Ok(Py::dict([("post_ids", posts.clone())]))
}

fn like_count(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let id = a.int("post_id").to_string();
    let likes = w.read(Table::Planning("LikeCount")).get(&id);
    let likes = likes.ok_or_else(|| format!("Post with ID {id} does not exist."))?;
    Ok(Py::dict([("like_count", likes.clone())]))
}
