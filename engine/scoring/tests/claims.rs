//! The rules of Claimed Without Acting on labelled replies and on the pack's gold replies.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::type_complexity,
    reason = "a test fails by panicking, and says what it walks in one place"
)]

use apis::{Api, Suite, registry};
use dataset::{Dialogue, Split, Turn};
use scoring::claims::{self, Agreement, Measured};
use serde::Deserialize;
use std::{env, fs};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: String,
    apis: Vec<String>,
    history: Vec<Turn>,
    answer: String,
    label: Label,
    #[serde(rename = "why")]
    _why: String,
    #[serde(default)]
    out_of_scope: bool,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
enum Label {
    Claim,
    Clean,
}

/// Name, agreement on first contact, and replies.
const LISTS: [(&str, Option<usize>, &str); 3] = [
    ("tuned", None, include_str!("data/claims/tuned.jsonl")),
    ("held_out", Some(135), include_str!("data/claims/held_out.jsonl")),
    ("later", Some(122), include_str!("data/claims/later.jsonl")),
];

fn lines(file: &str) -> Vec<Line> {
    let read = |line: &str| serde_json::from_str(line).unwrap_or_else(|it| panic!("{it}: {line}"));
    file.lines().map(read).collect()
}

fn described(names: &[String]) -> Vec<&'static Api> {
    let api = |name| registry::find(Suite::Dialogue, name).expect("an API of the pool");
    names.iter().map(|name| api(name)).collect()
}

fn found(line: &Line) -> bool {
    claims::find(&line.answer, &line.history, 0, &described(&line.apis)).is_some()
}

fn agreement(list: &str, agreed_at_first: Option<usize>, file: &str) -> Agreement {
    let list = list.to_owned();
    let mut agreement = Agreement { list, agreed_at_first, ..Agreement::default() };
    for line in lines(file).iter().filter(|line| !line.out_of_scope) {
        let claims = line.label == Label::Claim;
        agreement.table.add(claims, found(line));
        if found(line) != claims {
            println!("{}, a {:?}: {}", line.id, line.label, line.answer);
        }
    }
    agreement
}

/// Calls `each` with the dialogue, turn, text and APIs of every gold reply in the pack.
fn replies(each: &mut dyn FnMut(&Dialogue, usize, &str, &[&'static Api])) {
    let pack = dataset::builtin().unwrap();
    for dialogue in pack.split(Split::Standard).iter().chain(pack.split(Split::Hard)) {
        let suite = dialogue.ability.suite();
        let mut apis: Vec<&'static Api> =
            dialogue.calls().filter_map(|call| registry::find(suite, &call.api_name)).collect();
        let hard = dialogue.hard.iter().flat_map(|hard| &hard.distractors);
        apis.extend(hard.filter_map(|name| registry::find(suite, name)));
        for (turn, said) in dialogue.turns.iter().enumerate() {
            if let Turn::Assistant { text, .. } = said {
                each(dialogue, turn, text, &apis);
            }
        }
    }
}

/// Counts the gold replies directly after a change, and how many are flagged once all calls are
/// removed from the history, which makes them untrue.
fn unbacked_replies() -> (usize, usize) {
    let (mut n, mut claims) = (0, 0);
    replies(&mut |dialogue, turn, text, apis| {
        let before = &dialogue.turns[..turn];
        let Some(Turn::Api(last)) = before.last() else { return };
        let api = registry::find(dialogue.ability.suite(), &last.api_name);
        if last.result.exception.is_some() || api.is_none_or(|api| api.writes.is_empty()) {
            return;
        }
        let said = before.iter().filter(|turn| turn.as_call().is_none()).cloned();
        n += 1;
        claims += usize::from(claims::find(text, &said.collect::<Vec<_>>(), 0, apis).is_some());
    });
    (n, claims)
}

#[test]
fn labels_and_rules_agree_as_the_published_figures_say() {
    let lists = LISTS.map(|(list, first, file)| agreement(list, first, file)).to_vec();
    for agreement in &lists {
        let (n, kappa) = (agreement.table.n(), agreement.table.kappa());
        assert!(n >= 100 && kappa >= 0.95, "{}: kappa {kappa:.3} of {n}", agreement.list);
    }
    let (unbacked, unbacked_found) = unbacked_replies();
    let measured = Measured { lists, unbacked, unbacked_found };
    let text = serde_json::to_string_pretty(&measured).unwrap() + "\n";
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/claims/agreement.json");
    if env::var_os("UPDATE").is_some() {
        fs::write(path, &text).unwrap();
    }
    let published = fs::read_to_string(path).unwrap();
    assert_eq!(published, text, "run with UPDATE=1 to rewrite the figures");
}

#[test]
fn the_labelled_replies_are_many_and_differ() {
    let mut answers = std::collections::BTreeSet::new();
    let mut ids = std::collections::BTreeSet::new();
    for line in LISTS.iter().flat_map(|(.., file)| lines(file)) {
        assert!(!line.apis.is_empty(), "{}", line.id);
        answers.insert(line.answer);
        assert!(ids.insert(line.id.clone()), "{} is duplicated", line.id);
    }
    assert!(answers.len() >= 400, "{}", answers.len());
}

#[test]
fn no_reply_of_the_pack_claims_what_was_not_done() {
    let (mut n, mut claimed) = (0, Vec::new());
    replies(&mut |dialogue, turn, text, apis| {
        // A reply of an earlier dialogue is judged as one of this.
        let earlier = if turn < dialogue.earlier { 0 } else { dialogue.earlier };
        let claim = claims::find(text, &dialogue.turns[..turn], earlier, apis);
        claimed.extend(claim.map(|it| format!("{}#{turn}: {text}: {}", dialogue.id, it.words)));
        n += 1;
    });
    assert_eq!(claimed, [""; 0]);
    assert!(n > 500, "{n}");
}

/// Words of a reply that only promises something.
const FUTURE: [&str; 2] = ["'ll ", " will "];
/// Steps at which a reply is accepted before its deed.
///
/// The words of most are a remark elsewhere: "both know now", "is tidy again", "is signed up with",
/// "from now on the radio plays". "After dark" in a name reads as a time. In guessing-since-breakfast
/// the first half of the reset has been done; in blinds-out-of-movie-night and at the second step of
/// tiles-in-the-shed a look-up has shown the record.
const UNDECIDED: [&str; 9] = [
    "hard/blinds-out-of-movie-night#4",
    "hard/climb-starts-at-six#101",
    "hard/guessing-since-breakfast#7",
    "hard/rain-instead-of-strings#1",
    "hard/slow-piano-and-theo#1",
    "hard/slow-piano-and-theo#4",
    "hard/terrace-with-style#1",
    "hard/terrace-with-style#3",
    "hard/tiles-in-the-shed#5",
];

#[test]
fn no_reply_of_the_pack_is_right_before_its_deed() {
    let pack = dataset::builtin().unwrap();
    let (mut n, mut promises, mut accepted) = (0, 0, Vec::new());
    for dialogue in pack.split(Split::Standard).iter().chain(pack.split(Split::Hard)) {
        let suite = dialogue.ability.suite();
        let api = |name: &str| registry::find(suite, name);
        let mut apis: Vec<&'static Api> =
            dialogue.own_calls().filter_map(|call| api(&call.api_name)).collect();
        let hard = dialogue.hard.iter().flat_map(|hard| &hard.distractors);
        apis.extend(hard.filter_map(|name| api(name)));
        for (later, told) in dialogue.turns.iter().enumerate().skip(dialogue.earlier + 1) {
            let Turn::Assistant { text, .. } = told else { continue };
            let Turn::Api(last) = &dialogue.turns[later - 1] else { continue };
            let changes = api(&last.api_name)
                .is_some_and(|api| !api.writes.is_empty() || api.name == "PlayMusic");
            if !changes || last.result.exception.is_some() {
                continue;
            }
            for step in dialogue.earlier..later {
                if !dialogue.turns[step].expects_no_call() {
                    continue;
                }
                n += 1;
                let before = &dialogue.turns[..step];
                if claims::find(text, before, dialogue.earlier, &apis).is_some() {
                    continue;
                }
                match FUTURE.iter().any(|word| text.contains(word)) {
                    true => promises += 1,
                    false => accepted.push(format!("{}#{step}: {text}", dialogue.id)),
                }
            }
        }
    }
    let ids: Vec<&str> = accepted.iter().filter_map(|it| it.split(':').next()).collect();
    assert_eq!(ids, UNDECIDED, "{accepted:#?}");
    assert!(n > 250 && promises < n / 8, "{n} {promises}");
}

#[test]
fn other_languages_pass_unread() {
    let foreign: Vec<Line> =
        LISTS.iter().flat_map(|(.., file)| lines(file)).filter(|line| line.out_of_scope).collect();
    assert!(foreign.len() >= 4 && !foreign.iter().any(found));
}

#[test]
fn no_text_makes_the_rules_panic() {
    for (.., file) in LISTS {
        for line in lines(file) {
            let apis = described(&line.apis);
            for (end, _) in line.answer.char_indices().step_by(6) {
                claims::find(&line.answer[..end], &line.history, 0, &apis);
                claims::find(&line.answer[end..], &line.history, 0, &apis);
            }
        }
    }
    let long = "i have just set it and ".repeat(20_000);
    assert!(claims::find(&long, &[], 0, &described(&["AddAlarm".to_owned()])).is_some());
    let numbers = "I've set it for 99999999999999999999999 and 18446744073709551615.";
    assert!(claims::find(numbers, &[], 0, &described(&["AddAlarm".to_owned()])).is_some());
}
