//! Finds calls in other forms than `[Name(key='value')]`.
//!
//! A few generic readers cover the vendors' forms: a mark with a body (JSON, tags, a name before
//! JSON, Python), JSON without a mark, lines with keywords, and Python in another spelling. Text that
//! is no call must stay words: without a mark, JSON needs a name and arguments, and everything else
//! needs the name of a known API.

mod body;
mod json;
mod lines;
mod marks;
mod names;
mod spelling;
mod tags;

pub(super) use names::cleaned;
pub(super) use spelling::respelled;

use super::{Form, ParsedCall, Tier, parse_all};
use apis::Arguments;

/// Whether a name is that of an API.
pub type Known<'a> = &'a dyn Fn(&str) -> bool;

/// Calls in another form.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Foreign {
    pub form: Form,
    /// The first API, as far as it can be told.
    pub name: String,
    /// Empty if the calls can't be read.
    pub calls: Vec<ParsedCall>,
}

impl Foreign {
    fn read(form: Form, calls: Vec<ParsedCall>) -> Option<Self> {
        let name = calls.first()?.name.clone();
        Some(Foreign { form, name, calls })
    }
}

/// The first calls in another spelling: none are as written.
pub(super) fn respelled_calls(text: &str, known: Known<'_>) -> Option<Foreign> {
    respelled(text).into_iter().find_map(|(form, text)| {
        let calls = parse_all(&text).map(|(first, more)| [vec![first], more].concat());
        let calls = calls.ok().filter(|calls| calls.iter().any(|call| known(&call.name)));
        let found = calls.and_then(|calls| Foreign::read(form, calls));
        found.or_else(|| as_written(&text, known).map(|found| Foreign { form, ..found }))
    })
}

/// The first calls in another form.
pub(super) fn as_written(text: &str, known: Known<'_>) -> Option<Foreign> {
    marks::find(text, known)
        .or_else(|| Foreign::read(Form::Json, json::calls(text, known)))
        .or_else(|| lines::find(text, known))
        .or_else(|| Foreign::read(Form::Json, body::named(text, known, false)))
}

/// A call as JSON that breaks off or is malformed.
pub(super) fn broken(text: &str, known: Known<'_>) -> Option<Foreign> {
    let name = json::broken(text, known)?;
    Some(Foreign { form: Form::Json, name, calls: Vec::new() })
}

fn call(name: &str, arguments: Arguments, known: Known<'_>) -> ParsedCall {
    ParsedCall { name: cleaned(name, known), arguments, tier: Tier::Other }
}
