//! Searches with one and with five results, and look-ups beside the due call.

use super::*;
use apis::search::{ApiSearch, SearchHandle};
use exchange::call;
use serde_json::json;
use std::sync::Arc;

/// Finds Wiki, then Dictionary, for any keywords except `nothing`.
struct Two;

impl ApiSearch for Two {
    fn best(&self, _: Suite, keywords: &str, k: usize) -> Result<Vec<String>, String> {
        let names = if keywords == "nothing" { vec![] } else { vec!["Wiki", "Dictionary"] };
        Ok(names.into_iter().take(k).map(str::to_owned).collect())
    }
}

fn verdicts(results: SearchResults, needed: &str, answer: &str) -> Judgement {
    let mut world = World::empty(1);
    world.search = SearchHandle::new(Arc::new(Two), results);
    let gold: RecordedCall = serde_json::from_value(json!({
        "api_name": TOOL_SEARCHER,
        "param_dict": {"keywords": "gold words"},
        "result": {"api_name": TOOL_SEARCHER, "input": {}, "output": {"name": needed},
            "exception": null},
    }))
    .unwrap();
    judge(Suite::Dialogue, &gold, call::parse(answer).as_ref(), &world)
}

fn check(results: SearchResults, needed: &str, answer: &str, right: [bool; 3]) {
    let judged = verdicts(results, needed, answer);
    let found = [judged.execution.correct, judged.exact.correct, judged.f1.correct];
    assert_eq!(found, right, "{results:?} {needed} {answer}: {:?}", judged.execution);
}

#[test]
fn a_search_for_several_is_right_when_the_needed_api_is_among_them() {
    use SearchResults::Five;
    let other = "[ToolSearcher(keywords='other words')]";
    for needed in ["Wiki", "Dictionary"] {
        check(Five, needed, other, [true; 3]);
    }
    check(Five, "Translate", other, [false; 3]);
    check(Five, "Wiki", "[ToolSearcher(keywords='nothing')]", [false; 3]);
    check(Five, "Wiki", "[ToolSearcher(words='other')]", [false; 3]);
    check(Five, "Wiki", "[Wiki(keyword='other')]", [false; 3]);
    check(Five, "Wiki", "no call", [false; 3]);
    let missing = verdicts(Five, "Wiki", "[ToolSearcher()]").execution.error_class;
    assert_eq!(missing, Some(ErrorClass::MissingInputParameters));
    let missed = verdicts(Five, "Translate", other).execution;
    assert_eq!(missed.error_class, Some(ErrorClass::FailedApiRetrieval));
    assert!(missed.explanation.contains("returns Wiki and Dictionary"), "{missed:?}");
}

#[test]
fn keywords_are_no_arguments_of_a_search_for_several() {
    let counts = |answer: &str| {
        let overlap = verdicts(SearchResults::Five, "Wiki", answer).overlap;
        let of = |it: f1::Overlap| [it.shared, it.gold, it.predicted];
        (of(overlap.name), of(overlap.arguments))
    };
    assert_eq!(counts("[ToolSearcher(keywords='other')]"), ([1, 1, 1], [0, 0, 0]));
    assert_eq!(counts("[ToolSearcher(keywords='other', n=1)]"), ([1, 1, 1], [0, 0, 1]));
    assert_eq!(counts("[Wiki(keyword='other')]"), ([0, 1, 1], [0, 0, 1]));
    assert_eq!(counts("no call"), ([0, 1, 0], [0, 0, 0]));
}

#[test]
fn a_search_for_one_is_compared_as_in_the_paper() {
    use SearchResults::One;
    check(One, "Wiki", "[ToolSearcher(keywords='gold words')]", [true; 3]);
    check(One, "Wiki", "[ToolSearcher(keywords='other words')]", [true, false, false]);
    check(One, "Wiki", "[ToolSearcher(keywords='nothing')]", [false; 3]);
}

#[test]
fn look_ups_are_harmless_before_the_due_call() {
    use exchange::protocol::{SampleKind, world_at};
    let pack = dataset::builtin().unwrap();
    let dialogue = pack.dialogue("call/two-clashing-entries").unwrap();
    let sample = Sample::new(dialogue, 4, SampleKind::Call);
    let gold = sample.gold_call().unwrap();
    let due = call::format(&gold.api_name, &gold.param_dict);
    let wrong = due.replace("2024-06-14", "2024-06-15");
    let judged = |calls: &[&str]| {
        let (first, further) = call::parse_all(&calls.join("\n")).unwrap();
        let world = world_at(&sample, &pack.world);
        judge_step(&sample, gold, Ok(&first), &further, &world).execution.correct
    };
    let look_up = "[GetToday()]";
    assert!(judged(&[&due, look_up]));
    assert!(judged(&[look_up, &due]));
    assert!(judged(&[look_up, look_up, &due, look_up]));
    assert!(!judged(&[look_up]), "nothing is done");
    assert!(!judged(&[look_up, &wrong]));
    assert!(!judged(&[&wrong, &due]), "a guess before the due call");
    assert!(!judged(&["[DeleteAccount(token='gwxopssguu221itr8d')]", &due]));
}
