//! Checks claims against the calls of the history.

use super::clauses::Clause;
use super::deeds::{ApiDeeds, Deeds, Kind, nouns, singular};
use super::{Telling, Told, told_by_user};
use apis::text::words::{is_content, words};
use apis::{Api, Suite, registry};
use dataset::{RecordedCall, Turn};
use serde_json::{Value, json};

/// Whether the calls of the history back the claim.
pub(super) fn backs(history: &[Turn], clause: &Clause, told: Told) -> bool {
    let calls = || history.iter().filter_map(Turn::as_call);
    let named = Deeds::nouns(clause.words.iter().map(String::as_str));
    match (told.telling, told.kind) {
        (Telling::LookUp, _) => calls().any(is_look_up),
        (Telling::Handled, _) => is_completed(history, clause, |call| !is_look_up(call)),
        (Telling::Completion, _) | (_, None) => is_completed(history, clause, |_| true),
        (telling, Some(Kind::Login)) => {
            calls().any(|call| call.result.exception.is_none() && call.api_name == "GetUserToken")
                || (telling == Telling::State && told_by_user::is_logged_in(history))
        }
        (telling, Some(kind)) => {
            let known = has_numbers(history, clause);
            let did = calls().filter(|call| known && does(call, kind, &named)).count();
            let exists = || {
                calls().any(|call| read(call, &named))
                    || told_by_user::backs(history, &clause.words, kind, &named)
            };
            // The first of two may have been there before.
            let enough = did > usize::from(is_further(clause)) || (did > 0 && exists());
            let reported = || told_by_user::reports(history, &clause.words, kind, &named);
            enough
                || (telling == Telling::State && exists())
                || (telling == Telling::Event && reported())
        }
    }
}

/// Whether a call that satisfies `is` has succeeded since the user's last turn. An earlier one counts
/// if the clause names what it was about: "Porto is done".
fn is_completed(history: &[Turn], clause: &Clause, is: impl Fn(&RecordedCall) -> bool) -> bool {
    let last = history.iter().rposition(|turn| matches!(turn, Turn::User { .. }));
    let said_last = last.and_then(|at| history.get(at)).map(content).unwrap_or_default();
    let named: Vec<&String> =
        clause.words.iter().filter(|word| !said_last.contains(word)).collect();
    history.iter().enumerate().any(|(at, turn)| {
        turn.as_call().is_some_and(|call| {
            call.result.exception.is_none()
                && is(call)
                && (last.is_none_or(|last| at > last) || is_about(&history[..=at], &named))
        })
    })
}

/// Whether one of the words occurs in the last of these turns, a call, or in the user's turn before.
fn is_about(until: &[Turn], named: &[&String]) -> bool {
    let asked = until.iter().rposition(|turn| matches!(turn, Turn::User { .. }));
    let turns = &until[asked.unwrap_or(0)..];
    turns.iter().flat_map(content).any(|word| named.contains(&&word))
}

/// The content words of a user's turn, or of a call's arguments.
fn content(turn: &Turn) -> Vec<String> {
    let text = match turn {
        Turn::User { text } => text.clone(),
        turn => turn.as_call().map(|call| json!(call.param_dict).to_string()).unwrap_or_default(),
    };
    words(&text).into_iter().filter(|word| is_content(word)).collect()
}

/// "a second one", "another": the claim needs two calls, or one and a record from before.
fn is_further(clause: &Clause) -> bool {
    clause.words.iter().any(|word| matches!(word.as_str(), "second" | "another" | "additional"))
}

fn is_look_up(call: &RecordedCall) -> bool {
    call.is_search() || apis_named(&call.api_name).any(|api| api.writes.is_empty())
}

fn apis_named(name: &str) -> impl Iterator<Item = &'static Api> {
    Suite::ALL.into_iter().filter_map(move |suite| registry::find(suite, name))
}

/// Whether a successful call performs this kind of action on a named record.
fn does(call: &RecordedCall, kind: Kind, named: &[&str]) -> bool {
    let is = |it: &&ApiDeeds| it.api.name == call.api_name;
    // Ignore nouns from the call's own values: a meeting called "Room plan" is no room.
    let values = words(&Value::Object(call.param_dict.clone()).to_string());
    let values: Vec<&str> = values.iter().map(|word| singular(word)).collect();
    let named: Vec<&str> = named.iter().copied().filter(|noun| !values.contains(noun)).collect();
    // A record moved to Friday is set for Friday.
    let fits = |it: &ApiDeeds| {
        it.kinds.contains(&kind) || (kind == Kind::Create && it.kinds.contains(&Kind::Change))
    };
    call.result.exception.is_none()
        && Deeds::changing()
            .iter()
            .filter(is)
            .any(|it| fits(it) && (named.is_empty() || it.is_named(&named)))
}

/// Whether a call read a named record, or was rejected because the state already holds.
fn read(call: &RecordedCall, named: &[&str]) -> bool {
    let already = call.result.exception.as_ref().map(|text| text.contains("already"));
    apis_named(&call.api_name).any(|api| {
        let of_record = || {
            let nouns = nouns(api);
            let told = words(&json!(call.result.output).to_string());
            let told = |noun: &str| told.iter().any(|word| singular(word) == noun);
            named.is_empty() || named.iter().any(|noun| nouns.contains(*noun) || told(noun))
        };
        match (api.writes.is_empty(), already) {
            (true, None) => is_read_of_changing(api) && of_record(),
            (false, Some(true)) => of_record(),
            _ => false,
        }
    })
}

/// Whether an API reads a table that another API writes.
fn is_read_of_changing(api: &Api) -> bool {
    let mut changing = Deeds::changing().iter();
    changing.any(|it| it.api.writes.iter().any(|table| api.reads.contains(table)))
}

/// Whether every number in the clause occurs in a call or result. An hour matches in 12-hour or
/// 24-hour notation.
fn has_numbers(history: &[Turn], clause: &Clause) -> bool {
    let calls = history.iter().filter_map(Turn::as_call);
    let known: Vec<u64> = calls
        .flat_map(|call| numbers(&json!([call.param_dict, call.result.output]).to_string()))
        .collect();
    let told = clause.words.iter().flat_map(|word| numbers(word));
    told.into_iter()
        .all(|number| known.contains(&number) || known.contains(&number.saturating_add(12)))
}

fn numbers(text: &str) -> Vec<u64> {
    let runs = text.split(|letter: char| !letter.is_ascii_digit());
    runs.filter_map(|run| run.parse().ok()).collect()
}
