//! API Search of both suites: the tool whose description is nearest to the keywords.

use super::checks::result_only;
use super::manager::{Api, Args, Fault, Shape, World, text};
use super::python::Py;

/// The tool that is returned in front of one that takes a token.
const TOKEN_SOURCE: &str = "GetUserToken";

pub(super) const TOOL_SEARCHER: Api = Api {
    name: "ToolSearcher",
    shape: Shape::Full,
    params: &[text("keywords")],
    call: search,
    check: result_only,
};

/// One description, or that of GetUserToken (with the text it is searched by) and one that takes
/// a token.
fn search(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let found = w.search(a.text("keywords")).ok_or("'NoneType' object has no attribute 'pop'")?;
    let first = w.described(TOKEN_SOURCE).filter(|_| found.token);
    Ok(match first {
        Some(first) => Py::list([first.searched.clone(), found.plain.clone()]),
        None => found.plain.clone(),
    })
}

/// How the level-3 evaluator changes keywords before the search: `AddMeeting` to `Add Meeting`.
pub(super) fn space_capitals(keywords: &str) -> String {
    let mut out = String::with_capacity(keywords.len() + 8);
    for c in keywords.chars() {
        if c.is_ascii_uppercase() {
            out.push(' ');
        }
        out.push(c);
    }
    out.trim_start_matches(' ').to_owned()
}
