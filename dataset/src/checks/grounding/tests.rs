//! Grounding on the project's own pack and on planted arguments.

use super::*;
use crate::ability::Ability;

const YEAR: i16 = 2024;

#[test]
fn every_gold_argument_of_the_pack_is_grounded() {
    let pack = crate::builtin().unwrap();
    let all = pack.dialogues.iter().flat_map(|dialogue| arguments(dialogue, YEAR));
    let missing: Vec<Argument> = all.filter(|argument| argument.ground.is_none()).collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn most_arguments_of_other_dialogues_are_caught() {
    let pack = crate::builtin().unwrap();
    for seed in [1, 314, 2024] {
        let caught = shuffled(&pack.dialogues, YEAR, seed);
        println!("seed {seed}: {} of {} caught", caught.caught, caught.planted);
        assert!(caught.planted > 1000 && caught.share() > 0.9, "{caught:?}");
    }
}

/// The rules that ground the arguments of a call after one utterance.
fn after(said: &str, api: &str, arguments_json: &str) -> Vec<Option<Ground>> {
    let call = serde_json::json!({"role": "API", "api_name": api,
        "param_dict": serde_json::from_str::<Value>(arguments_json).unwrap(),
        "result": {"api_name": api, "input": null, "output": null, "exception": null}});
    let user = serde_json::json!({"role": "User", "text": said});
    let dialogue = Dialogue::read_lines("x.jsonl", Ability::Call, &format!("{user}\n{call}"));
    arguments(&dialogue.unwrap(), YEAR).into_iter().map(|argument| argument.ground).collect()
}

#[test]
fn each_rule_accepts_its_cases_and_rejects_similar_ones() {
    use Ground::*;
    for (said, api, call, grounds) in [
        (
            "Log me in: ana, Pass_1",
            "GetUserToken",
            r#"{"username": "ana", "password": "Pass_1"}"#,
            vec![Some(Said), Some(Said)],
        ),
        // Secrets must match verbatim, and not inside a longer word.
        (
            "Log me in: anabel, pass_1",
            "GetUserToken",
            r#"{"username": "ana", "password": "Pass_1"}"#,
            vec![None, None],
        ),
        (
            "Stock CINDR on the third of May",
            "QueryStock",
            r#"{"stock_code": "CINDR", "date": "2024-05-03"}"#,
            vec![Some(Said), Some(Moment)],
        ),
        (
            "Stock CINDR on the third of May",
            "QueryStock",
            r#"{"stock_code": "CINDA", "date": "2024-05-04"}"#,
            vec![None, None],
        ),
        (
            "A week after 3 May",
            "QueryStock",
            r#"{"date": "2024-05-10"}"#,
            vec![Some(MomentArithmetic)],
        ),
        ("A week after 3 May", "QueryStock", r#"{"date": "2024-05-11"}"#, vec![None]),
        (
            "The Friday after 14 May 2024",
            "QueryStock",
            r#"{"date": "2024-05-17"}"#,
            vec![Some(MomentArithmetic)],
        ),
        ("The Friday after 14 May 2024", "QueryStock", r#"{"date": "2024-05-18"}"#, vec![None]),
        // "Tomorrow" needs a reference date.
        ("What is it tomorrow?", "QueryStock", r#"{"date": "2024-05-16"}"#, vec![None]),
        (
            "Wake me on 20 May at ten to five",
            "AddAlarm",
            r#"{"time": "2024-05-20 04:50:00"}"#,
            vec![Some(Moment)],
        ),
        (
            "Wake me on 20 May at ten to five",
            "AddAlarm",
            r#"{"time": "2024-05-20 05:10:00"}"#,
            vec![None],
        ),
        (
            "Sauna on at seven, 20 May, in the evening",
            "TimedSwitch",
            r#"{"name": "Sauna", "time": "2024-05-20 19:00:00", "on": true}"#,
            vec![Some(Said), Some(Moment), Some(Switch)],
        ),
        (
            "Sauna at seven, 20 May",
            "TimedSwitch",
            r#"{"time": "2024-05-20 19:00:00", "on": false}"#,
            vec![None, None],
        ),
        ("46 jars at 7.50", "Calculator", r#"{"formula": "46 * 7.50"}"#, vec![Some(Calculation)]),
        ("46 jars at 7.50", "Calculator", r#"{"formula": "46 * 8.50"}"#, vec![None]),
        (
            "Add eight percent to 200",
            "Calculator",
            r#"{"formula": "200 * 1.08"}"#,
            vec![Some(Calculation)],
        ),
        (
            "My wife and I",
            "BookHotel",
            r#"{"adult_count": 2, "child_count": 0}"#,
            vec![Some(Counted), Some(Absent)],
        ),
        (
            "My wife and I, and our son",
            "BookHotel",
            r#"{"adult_count": 4, "child_count": 0}"#,
            vec![None, None],
        ),
        (
            "Which cafés translate menus?",
            "SearchEngine",
            r#"{"keyword": "café menu translation"}"#,
            vec![Some(Words)],
        ),
        (
            "Which cafés translate menus?",
            "SearchEngine",
            r#"{"keyword": "restaurant menu"}"#,
            vec![None],
        ),
        (
            "I forgot it",
            "ForgotPassword",
            r#"{"status": "Forgot Password"}"#,
            vec![Some(Documented)],
        ),
        ("I forgot it", "ForgotPassword", r#"{"status": "Lost Password"}"#, vec![None]),
    ] {
        assert_eq!(after(said, api, call), grounds, "{said} {call}");
    }
}

#[test]
fn keywords_must_describe_the_api_that_is_called() {
    let search = |keywords: &str, later: &str| {
        let found = serde_json::json!({"name": "AddAlarm"});
        let file = [
            serde_json::json!({"role": "User", "text": "Wake me"}),
            serde_json::json!({"role": "API", "api_name": "ToolSearcher",
                "param_dict": {"keywords": keywords},
                "result": {"api_name": "ToolSearcher", "input": null, "output": found, "exception": null}}),
            serde_json::json!({"role": "API", "api_name": later, "param_dict": {},
                "result": {"api_name": later, "input": null, "output": null, "exception": null}}),
        ];
        let lines: Vec<String> = file.iter().map(ToString::to_string).collect();
        let dialogue = Dialogue::read_lines("x.jsonl", Ability::Retrieve, &lines.join("\n"));
        arguments(&dialogue.unwrap(), YEAR)[0].ground
    };
    assert_eq!(search("set an alarm", "AddAlarm"), Some(Ground::Search));
    assert_eq!(search("set an alarm", "AddAgenda"), None);
    assert_eq!(search("translate a poem", "AddAlarm"), None);
}
