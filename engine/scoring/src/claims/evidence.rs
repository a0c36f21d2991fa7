//! Checks claims against the calls of the history.

use super::clauses::Clause;
use super::deeds::{ApiDeeds, Deeds, nouns, singular};
use super::verbs::{self, Kind};
use super::{Past, Telling, Told, told_by_user};
use apis::text::words::{contains, is_content, words};
use apis::{Api, Suite, registry};
use dataset::{RecordedCall, Turn};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Whether the calls of the history, or what the user has told, back the claim.
pub(super) fn backs(past: Past<'_>, clause: &Clause, told: Told) -> bool {
    let history = past.own;
    let calls = || history.iter().filter_map(Turn::as_call);
    let named = Deeds::nouns(clause.words.iter().map(String::as_str));
    match (told.telling, told.kind) {
        (Telling::LookUp, _) => past.all.iter().filter_map(Turn::as_call).any(is_look_up),
        (Telling::Issued, _) => is_said(past.all, clause),
        (Telling::Handled, _) => is_completed(history, clause, |call| !is_look_up(call)),
        (Telling::Completion, _) => is_completed(history, clause, |_| true),
        (telling, None) => {
            let last = history.iter().rposition(|turn| matches!(turn, Turn::User { .. }));
            let recent = history[last.unwrap_or(0)..].iter().filter_map(Turn::as_call);
            let changed = recent.into_iter().any(|call| succeeded(call) && !is_look_up(call));
            let shown = telling == Telling::State
                && clause.numbers().next().is_some()
                && calls().any(|call| read(call, &[]));
            let told = telling == Telling::State && told_by_user::reports_change(history, clause);
            told || ((changed || shown) && has_numbers(history, clause))
        }
        (telling, Some(Kind::Login)) => {
            calls().any(|call| succeeded(call) && call.api_name == "GetUserToken")
                || (telling == Telling::State && told_by_user::is_logged_in(history))
        }
        (telling, Some(kind)) => {
            let state = matches!(telling, Telling::State | Telling::Plan);
            let named = if telling == Telling::Plan { Vec::new() } else { named };
            let reported = || told_by_user::reports(history, &clause.words, kind, &named);
            // "It is set for six" and "I set it for six" may tell of an earlier dialogue.
            let earlier = (state || is_simple_past(clause)) && !is_new(clause);
            let past = if earlier { Past { own: past.all, ..past } } else { past };
            let was = telling != Telling::Act;
            let attempted = || is_attempt(clause) && !failed(history).is_empty();
            did(past, clause, kind, &named)
                || attempted()
                || (state && holds(past, clause, kind, &named))
                || (was && kind == Kind::Create && is_taken(history, clause))
                || (telling == Telling::Event && reported())
        }
    }
}

/// Whether a call was refused because somebody else has what the clause names: "it's booked from 5 to
/// 9 September", with the dates of the refusal.
fn is_taken(history: &[Turn], clause: &Clause) -> bool {
    let has = |list: &[&str]| clause.words.iter().any(|word| list.contains(&word.as_str()));
    let others = has(&["already", "fully", "others"]);
    let refusals =
        history.iter().filter_map(Turn::as_call).filter_map(|it| it.result.exception.as_deref());
    !has(&["you", "your", "yours"])
        && refusals.filter(|text| text.contains(" taken ")).any(|text| {
            let known: Vec<u64> = numbers(text).collect();
            clause.numbers().all(|number| known.contains(&number))
                && (others || clause.numbers().next().is_some())
        })
}

/// "I submitted the request, but it was refused": an attempt, which any call backs.
fn is_attempt(clause: &Clause) -> bool {
    let words = &clause.words;
    words.iter().any(|word| matches!(word.as_str(), "requested" | "submitted" | "tried"))
}

/// "I booked it for 31 May": the simple past of the speaker's deed, with its numbers.
fn is_simple_past(clause: &Clause) -> bool {
    let speaks =
        |pair: &[String]| matches!(pair[0].as_str(), "i" | "we") && verbs::past(&pair[1]).is_some();
    clause.numbers().next().is_some() && clause.words.windows(2).any(speaks)
}

/// Whether a state is told as new: "it rings at six now", "it's changed again".
fn is_new(clause: &Clause) -> bool {
    clause.words.iter().any(|word| word == "now" || word == "again")
}

/// Whether calls did what the clause tells.
fn did(past: Past<'_>, clause: &Clause, kind: Kind, named: &[&str]) -> bool {
    let calls = || past.own.iter().filter_map(Turn::as_call);
    if !has_numbers(past.own, clause)
        || !has_addresses(past.own, clause)
        || (matches!(kind, Kind::Create | Kind::Send) && !has_names(past.own, clause))
    {
        return false;
    }
    let failed = verbs_of(failed(past.own).into_iter());
    let done = verbs_of(calls().filter(|call| succeeded(call)));
    // "Booked" is told of the booking that failed, not of an alarm that was set.
    let of_failed = |verb: &&str| failed.contains(*verb) && !done.contains(*verb);
    if clause.words.iter().filter_map(|word| verbs::base_of(word)).any(|verb| of_failed(&verb)) {
        return false;
    }
    let did = calls()
        .filter(|call| does(call, kind, named) && is_about_numbers(call, kind, clause))
        .count();
    let has = |list: &[&str]| clause.words.iter().any(|word| list.contains(&word.as_str()));
    // "As well" claims a second deed, unless the user said it.
    let changes = calls().filter(|call| succeeded(call) && !is_look_up(call)).count();
    let more = has(&["too"]) || clause.text().ends_with(" as well");
    let wished = ["also", "too", "well"].iter().any(|word| told_by_user::says(past.own, word));
    if more && !wished && changes < 2 {
        return false;
    }
    // The first of two may have been there before.
    let further = has(&["second", "another", "additional", "other"]);
    did > usize::from(further) || (did > 0 && holds(past, clause, kind, named))
}

/// Whether a state is known: a look-up showed it, or the user reported it.
fn holds(past: Past<'_>, clause: &Clause, kind: Kind, named: &[&str]) -> bool {
    let history = past.own;
    let calls = || history.iter().filter_map(Turn::as_call);
    let numbers = has_numbers(history, clause);
    let seen = match kind {
        // A record that can be looked up is still there.
        Kind::Remove => calls().any(|call| missed(call, named) || refused_as_done(call, named)),
        Kind::Change => {
            let moved = numbers && clause.numbers().next().is_some();
            calls().any(|call| refused_as_done(call, named) || (moved && read(call, named)))
        }
        // No look-up shows these.
        Kind::Send | Kind::Inform | Kind::Play | Kind::Outside => {
            calls().any(|call| refused_as_done(call, named))
        }
        _ => calls().any(|call| refused_as_done(call, named) || (numbers && read(call, named))),
    };
    let said =
        |word: &str| clause.words.iter().any(|it| it == word) && told_by_user::says(past.own, word);
    seen || said("way")
        || said("playing")
        || told_by_user::backs(past.own, &clause.words, kind, named)
}

/// Whether a call that satisfies `is` has succeeded since the user's last turn, and none failed for
/// good but what the clause doesn't name: "the agenda is done, the hotel isn't". An earlier one counts
/// if the clause names what it was about: "Porto is done".
fn is_completed(history: &[Turn], clause: &Clause, is: impl Fn(&RecordedCall) -> bool) -> bool {
    let last = history.iter().rposition(|turn| matches!(turn, Turn::User { .. }));
    let said_last = last.and_then(|at| history.get(at)).map(content).unwrap_or_default();
    let named: Vec<&String> =
        clause.words.iter().filter(|word| !said_last.contains(word)).collect();
    let failed = failed(&history[last.unwrap_or(0)..]);
    let nouns = Deeds::nouns(clause.words.iter().map(String::as_str));
    let names = |call: &RecordedCall| {
        let mut deeds = Deeds::changing().iter().filter(|it| it.api.name == call.api_name);
        deeds.any(|it| it.is_named(&nouns))
    };
    history.iter().enumerate().any(|(at, turn)| {
        turn.as_call().is_some_and(|call| {
            let named_alone = || names(call) && !failed.iter().any(|it| names(it));
            let recent = last.is_none_or(|last| at > last) && (failed.is_empty() || named_alone());
            succeeded(call) && is(call) && (recent || is_about(&history[..=at], &named))
        })
    })
}

/// The calls that failed, without those of an API that succeeded later.
fn failed(turns: &[Turn]) -> Vec<&RecordedCall> {
    let calls: Vec<&RecordedCall> = turns.iter().filter_map(Turn::as_call).collect();
    let is_for_good = |(at, call): &(usize, &&RecordedCall)| {
        let again = |it: &&RecordedCall| it.api_name == call.api_name && succeeded(it);
        !succeeded(call) && !calls[*at..].iter().any(again)
    };
    calls.iter().enumerate().filter(is_for_good).map(|(_, call)| *call).collect()
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

/// The verbs in the descriptions of the calls' APIs.
fn verbs_of<'a>(calls: impl Iterator<Item = &'a RecordedCall>) -> BTreeSet<&'static str> {
    let apis = calls.flat_map(|call| apis_named(&call.api_name));
    apis.flat_map(|api| words(api.description))
        .filter_map(|word| verbs::third_person(&word))
        .collect()
}

fn succeeded(call: &RecordedCall) -> bool {
    call.result.exception.is_none()
}

fn is_look_up(call: &RecordedCall) -> bool {
    call.is_search() || apis_named(&call.api_name).any(|api| !api.acts())
}

fn plays(call: &RecordedCall) -> bool {
    call.api_name == "PlayMusic"
}

fn apis_named(name: &str) -> impl Iterator<Item = &'static Api> {
    Suite::ALL.into_iter().filter_map(move |suite| registry::find(suite, name))
}

/// Whether a successful call performs this kind of action on a named record.
fn does(call: &RecordedCall, kind: Kind, named: &[&str]) -> bool {
    let is = |it: &&ApiDeeds| it.api.name == call.api_name;
    // Ignore nouns from the call's own values: a meeting called "Room plan" is no room.
    let values = words(&json!(call.param_dict.values().collect::<Vec<_>>()).to_string());
    let values: Vec<&str> = values.iter().map(|word| singular(word)).collect();
    let is_place = |noun: &str| matches!(noun, "agenda" | "calendar" | "diary" | "schedule");
    let only_place = named.iter().all(|noun| is_place(noun));
    let on_place = only_place && !named.is_empty();
    let named = named.iter().copied().filter(|noun| only_place || !is_place(noun));
    let named: Vec<&str> = named.filter(|noun| !values.contains(noun)).collect();
    let fits = |it: &ApiDeeds| match kind {
        // A record moved to Friday is set for Friday.
        Kind::Create => it.kinds.contains(&kind) || it.kinds.contains(&Kind::Change),
        // An agenda with a new entry is updated.
        Kind::Change if on_place => true,
        Kind::Inform => it.kinds.contains(&Kind::Send),
        // A timer starts a device, and without it the device stays off.
        Kind::Play => it.kinds.contains(&Kind::Switch),
        _ => it.kinds.contains(&kind),
    };
    // The first step of a reset only sends a code.
    let code = call.api_name == "ForgotPassword"
        && call.param_dict.get("status").is_some_and(|status| status == "Forgot Password");
    succeeded(call)
        && !(code && kind == Kind::Change)
        && (kind == Kind::Play && plays(call)
            || Deeds::changing()
                .iter()
                .filter(is)
                .any(|it| fits(it) && (named.is_empty() || it.is_named(&named))))
}

/// Whether a call read a named record.
fn read(call: &RecordedCall, named: &[&str]) -> bool {
    succeeded(call) && reads(call, named)
}

/// Whether a look-up found no such record.
fn missed(call: &RecordedCall, named: &[&str]) -> bool {
    let nothing = match &call.result.output {
        None | Some(Value::Null) => true,
        Some(Value::Array(found)) => found.is_empty(),
        Some(Value::Object(found)) => found.is_empty(),
        Some(Value::String(found)) => found.is_empty(),
        Some(_) => false,
    };
    nothing && reads(call, named)
}

/// Whether a call looks for a named record.
fn reads(call: &RecordedCall, named: &[&str]) -> bool {
    apis_named(&call.api_name).any(|api| {
        api.writes.is_empty() && is_read_of_changing(api) && is_of_record(api, call, named)
    })
}

/// Whether a change was rejected because the state already holds.
fn refused_as_done(call: &RecordedCall, named: &[&str]) -> bool {
    is_refused_as_done(call)
        && apis_named(&call.api_name)
            .any(|api| !api.writes.is_empty() && is_of_record(api, call, named))
}

fn is_refused_as_done(call: &RecordedCall) -> bool {
    call.result.exception.as_ref().is_some_and(|text| text.contains("already"))
}

fn is_of_record(api: &Api, call: &RecordedCall, named: &[&str]) -> bool {
    let nouns = nouns(api);
    let told = words(&json!(call.result.output).to_string());
    let told = |noun: &str| told.iter().any(|word| singular(word) == noun);
    named.is_empty() || named.iter().any(|noun| nouns.contains(*noun) || told(noun))
}

/// Whether an API reads a table that another API writes.
fn is_read_of_changing(api: &Api) -> bool {
    let mut changing = Deeds::changing().iter();
    changing.any(|it| it.api.writes.iter().any(|table| api.reads.contains(table)))
}

/// Whether every number in the clause occurs in a call that was not rejected, or in its result.
fn has_numbers(history: &[Turn], clause: &Clause) -> bool {
    let calls = history.iter().filter_map(Turn::as_call);
    let calls = calls.filter(|call| succeeded(call) || is_refused_as_done(call));
    let known: Vec<u64> = calls.flat_map(numbers_of).collect();
    clause.numbers().all(|number| is_known(number, &known))
}

/// Whether every mail or web address in the clause occurs in a call.
fn has_addresses(history: &[Turn], clause: &Clause) -> bool {
    let calls = history.iter().filter_map(Turn::as_call);
    let known: Vec<String> =
        calls.map(|call| json!(call).to_string().to_lowercase().replace('-', "")).collect();
    let is_address = |word: &&String| {
        word.contains('@')
            || word
                .split_once('.')
                .is_some_and(|(_, end)| end.starts_with(|it: char| it.is_alphabetic()))
    };
    let mut addresses = clause.words.iter().filter(is_address);
    addresses.all(|word| known.iter().any(|call| call.contains(word.as_str())))
}

/// Whether every full name in the clause, such as a hotel's, that was said before occurs in a
/// successful call or in its result.
fn has_names(history: &[Turn], clause: &Clause) -> bool {
    let calls = history.iter().filter_map(Turn::as_call).filter(|call| succeeded(call));
    let known: Vec<Vec<String>> = calls
        .map(|call| words(&json!([call.param_dict, call.result.output]).to_string()))
        .collect();
    let said: BTreeSet<[String; 2]> = history.iter().flat_map(full_names).collect();
    let named = clause.words.windows(2).filter(|pair| said.iter().any(|name| name == pair));
    named.into_iter().all(|name| known.iter().any(|call| contains(call, name)))
}

/// Pairs of capitalised words that follow each other in an utterance, in lower case.
fn full_names(turn: &Turn) -> Vec<[String; 2]> {
    let (Turn::User { text } | Turn::Assistant { text, .. }) = turn else { return Vec::new() };
    let is_name = |word: &str| word.starts_with(char::is_uppercase) && word.len() > 1;
    let plain = |word: &str| words(word).concat();
    let said: Vec<&str> = text.split_whitespace().collect();
    let pairs = said.windows(2).filter(|pair| {
        is_name(pair[0]) && is_name(pair[1]) && pair[0].ends_with(char::is_alphanumeric)
    });
    pairs.map(|pair| [plain(pair[0]), plain(pair[1])]).collect()
}

/// Whether the clause has no number, or one of the call. A removal needs none: an id says enough.
fn is_about_numbers(call: &RecordedCall, kind: Kind, clause: &Clause) -> bool {
    let known = numbers_of(call);
    kind == Kind::Remove
        || clause.numbers().next().is_none()
        || clause.numbers().any(|number| is_known(number, &known))
}

/// An hour matches in 12-hour or 24-hour notation.
fn is_known(number: u64, known: &[u64]) -> bool {
    known.contains(&number) || known.contains(&number.saturating_add(12))
}

fn numbers_of(call: &RecordedCall) -> Vec<u64> {
    numbers(&json!([call.param_dict, call.result.output]).to_string()).collect()
}

/// Whether every number in the clause has been said or returned before.
fn is_said(history: &[Turn], clause: &Clause) -> bool {
    let known: Vec<u64> = history
        .iter()
        .flat_map(|turn| -> Vec<u64> {
            match turn {
                Turn::User { text } | Turn::Assistant { text, .. } => numbers(text).collect(),
                Turn::Api(call) => numbers(&json!(call).to_string()).collect(),
            }
        })
        .collect();
    clause.numbers().all(|number| known.contains(&number))
}

pub(super) fn numbers(text: &str) -> impl Iterator<Item = u64> + '_ {
    text.split(|letter: char| !letter.is_ascii_digit()).filter_map(|run| run.parse().ok())
}

#[cfg(test)]
mod tests;
