//! API Search of both suites: finds the tool whose description is most similar to the keywords.

use super::checks::result_only;
use super::manager::{Api, Args, Fault, Shape, World, text};
use super::python::Py;

/// Returned before any tool that takes a token.
const TOKEN_SOURCE: &str = "GetUserToken";

pub(super) const TOOL_SEARCHER: Api = Api {
    name: "ToolSearcher",
    shape: Shape::Full,
    params: &[text("keywords")],
    call: search,
    check: result_only,
};

/// Returns one description; for a tool that takes a token, GetUserToken's (with its search text)
/// and the tool's.
fn search(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let found = w.search(a.text("keywords")).ok_or("'NoneType' object has no attribute 'pop'")?;
    let first = w.described(TOKEN_SOURCE).filter(|_| found.token);
    Ok(match first {
        Some(first) => Py::list([first.searched.clone(), found.plain.clone()]),
        None => found.plain.clone(),
    })
}

/// Rewrites keywords as the level-3 evaluator does before a search: `AddMeeting` becomes `Add
/// Meeting`.
pub(crate) fn space_capitals(keywords: &str) -> String {
    let mut out = String::with_capacity(keywords.len() + 8);
    for c in keywords.chars() {
        if c.is_ascii_uppercase() {
            out.push(' ');
        }
        out.push(c);
    }
    out.trim_start_matches(' ').to_owned()
}
