//! Tasks for a user's own tools: written for every tool and kind, checked, continued.

use std::collections::{BTreeMap, BTreeSet};

use dataset::own_tools::{OwnDialogue, ToolsFile, checks, example};
use exchange::Answer;
use generator::own::{self, Outcome, TaskKind, TaskSettings, Writer, Written};
use generator::{Agent, Budget, Code, End, Limit, Machine, Next};
use provider::Failure;
use scripted_endpoint::{Agents, Fault};
use serde_json::{Value, json};

use crate::{Words, prompt};

/// The example's tools, without its tasks.
fn tools() -> ToolsFile {
    ToolsFile { dialogues: Vec::new(), ..ToolsFile::read(example::PACK).unwrap() }
}

fn settings(count: usize) -> TaskSettings {
    TaskSettings { count, budget: Budget::default(), seed: 1, tries: 3 }
}

fn run(writer: &mut Writer, agents: &mut Agents) -> (Vec<Written>, End) {
    let mut all = Vec::new();
    loop {
        match writer.next_step() {
            Next::Ask(job) => {
                let text = agents.answer(&prompt(&job.ask)).expect("a question for an agent");
                let answer = Ok(Answer { text, ..Answer::default() });
                all.push(writer.take(job.id, answer, 1, &Words).unwrap());
            }
            Next::Wait => panic!("nothing is open"),
            Next::End(end) => return (all, end),
        }
    }
}

fn called(task: &OwnDialogue) -> BTreeSet<&str> {
    task.turns.iter().filter_map(|turn| turn["api_name"].as_str()).collect()
}

#[test]
fn every_tool_gets_tasks_of_several_kinds_that_pass_every_check() {
    let mut writer = Writer::new(tools(), settings(48), &Words).unwrap();
    let (written, end) = run(&mut writer, &mut Agents::default());
    assert_eq!(end, End::Finished { given_up: 0 });
    // A scripted message that resembles another is written anew.
    assert_eq!(writer.accepted(), 48);
    assert!((3 * 48..3 * 50).contains(&writer.spent().requests), "{:?}", writer.spent());
    let file = writer.file();
    assert!(file.dialogues.iter().all(|dialogue| dialogue.draft));
    let set = file.toolset();
    let dialogues = file.read_dialogues(&set).unwrap();
    assert_eq!(checks::check(&dialogues, &set, &file.today.to_string()), []);
    for task in &file.dialogues {
        assert!((1..=3).contains(&task.near.len()), "{task:?}");
        assert!(task.near.iter().all(|name| !called(task).contains(name.as_str())), "{task:?}");
    }
    let mut kinds: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for one in written.iter().filter(|step| matches!(step.outcome, Outcome::Accepted { .. })) {
        kinds.entry(&one.tool).or_default().insert(one.kind.as_str());
    }
    assert_eq!(kinds.len(), file.tools.len());
    assert!(kinds.values().all(|kinds| kinds.len() == TaskKind::ALL.len()), "{kinds:?}");
    let asks = |task: &&OwnDialogue| task.turns.iter().any(|turn| turn["expect"] == "no_call");
    assert_eq!(file.dialogues.iter().filter(asks).count(), 12);
    // What a pack takes, it can run.
    let accepted = file.dialogues.iter().map(|it| OwnDialogue { draft: false, ..it.clone() });
    let pack = ToolsFile { dialogues: accepted.collect(), ..file.clone() }.into_pack().unwrap();
    assert_eq!(pack.dialogues.len(), 48);
}

/// Each fault once: it has its reason, and the task is written anew.
#[test]
fn what_is_wrong_is_rejected_with_its_reason() {
    let faults = BTreeMap::from([
        ((Agent::Query, 7), Fault::Repeat),
        ((Agent::Query, 3), Fault::Refusal),
        ((Agent::Calls, 0), Fault::Ungrounded),
        ((Agent::Calls, 3), Fault::WrongApi),
        ((Agent::Calls, 6), Fault::BrokenJson),
        ((Agent::Calls, 9), Fault::OtherShape),
        ((Agent::Tester, 2), Fault::Rejects),
    ]);
    let mut agents = Agents::new(faults, String::new());
    let mut writer =
        Writer::new(tools(), TaskSettings { tries: 6, ..settings(24) }, &Words).unwrap();
    let (written, end) = run(&mut writer, &mut agents);
    assert_eq!((end, writer.accepted()), (End::Finished { given_up: 0 }, 24));
    let mut codes: BTreeMap<Code, usize> = BTreeMap::new();
    for one in &written {
        if let Outcome::Rejected { reasons } = &one.outcome {
            *codes.entry(reasons[0].code).or_default() += 1;
        }
    }
    let once =
        [Code::Refused, Code::NoJson, Code::WrongShape, Code::NearDuplicate, Code::ApiAuthenticity];
    for code in once {
        assert_eq!(codes.get(&code), Some(&1), "{code:?}: {codes:?}");
    }
    assert_eq!(codes.get(&Code::FailsCheck), Some(&2), "{codes:?}");
    let names: Vec<String> = written
        .iter()
        .filter_map(|one| match &one.outcome {
            Outcome::Rejected { reasons } => Some(reasons[0].detail.clone()),
            _ => None,
        })
        .collect();
    assert!(names.iter().any(|name| name.contains("open_pod_bay_doors")), "{names:?}");
    assert!(names.iter().any(|name| name.contains("Rumpelstiltskin")), "{names:?}");
}

/// Answers the next question of a writer with a single task.
fn step(writer: &mut Writer, answer: impl FnOnce(&str) -> String) -> (String, Outcome) {
    let Next::Ask(job) = writer.next_step() else { panic!("no question") };
    let asked = prompt(&job.ask);
    let answer = Ok(Answer { text: answer(&asked), ..Answer::default() });
    (asked, writer.take(job.id, answer, 1, &Words).unwrap().outcome)
}

#[test]
fn retries_include_the_reasons_of_the_rejection() {
    let faults = [0, 1].map(|nth| ((Agent::Calls, nth), Fault::Ungrounded));
    let mut agents = Agents::new(BTreeMap::from(faults), String::new());
    let mut writer =
        Writer::new(tools(), TaskSettings { tries: 6, ..settings(1) }, &Words).unwrap();
    let mut next = || step(&mut writer, |asked| agents.answer(asked).unwrap()).0;
    let wrong = "does not follow";
    let (message, calls) = (next(), next());
    assert!(!message.contains(wrong) && !calls.contains(wrong), "{calls}");
    // The same message once more, then another one; each prompt says why.
    let said = calls.lines().last().unwrap().to_owned();
    let again = next();
    assert!(again.contains(wrong) && again.ends_with(&said), "{again}");
    let anew = next();
    assert!(
        anew.contains("first message") && anew.contains(&said) && anew.contains(wrong),
        "{anew}"
    );
    let calls = next();
    assert!(!calls.contains(wrong) && !calls.ends_with(&said), "{calls}");
}

#[test]
fn identical_tools_get_no_tasks() {
    let mut file = tools();
    let mut twin = file.tools[0].clone();
    twin.name = "find_products".to_owned();
    file.tools.push(twin);
    let count = file.tools.len();
    let mut writer = Writer::new(file, settings(2 * count), &Words).unwrap();
    let (written, _) = run(&mut writer, &mut Agents::default());
    let about: BTreeSet<&str> = written.iter().map(|one| one.tool.as_str()).collect();
    assert_eq!(about.len(), count - 2);
    assert!(!about.contains("search_products") && !about.contains("find_products"), "{about:?}");
}

#[test]
fn the_next_prompt_includes_a_refusal() {
    let mut writer = Writer::new(tools(), settings(1), &Words).unwrap();
    step(&mut writer, |_| r#"{"refusal": "The tool has no parameters."}"#.to_owned());
    let (asked, _) = step(&mut writer, |_| r#"{"query": "Is there a tent?"}"#.to_owned());
    assert!(asked.contains("The tool has no parameters."), "{asked}");
}

#[test]
fn messages_of_no_call_tasks_count_as_existing() {
    let file = tools();
    let [task] = &file.tools[..1] else { panic!("no tool") };
    let task = OwnDialogue {
        id: "task-1".to_owned(),
        draft: true,
        near: vec![task.name.clone()],
        turns: vec![
            json!({"role": "User", "text": "Anything blue?"}),
            json!({"role": "AI", "text": "A tent, or a bag?", "expect": "no_call"}),
        ],
    };
    let file = ToolsFile { dialogues: vec![task], ..file };
    let mut writer = Writer::new(file, settings(1), &Words).unwrap();
    let (asked, _) = step(&mut writer, |_| r#"{"query": "Is there a tent?"}"#.to_owned());
    assert!(asked.ends_with("\nAnything blue?"), "{asked}");
}

/// A task whose kind or words are wrong, although its JSON is right.
#[test]
fn a_task_keeps_to_its_kind() {
    let answers = |query: &str, turns: &str| {
        let mut writer = Writer::new(tools(), settings(1), &Words).unwrap();
        let mut reasons = Vec::new();
        for text in [query, turns] {
            let Next::Ask(job) = writer.next_step() else { panic!("no question") };
            let answer = Ok(Answer { text: text.to_owned(), ..Answer::default() });
            match writer.take(job.id, answer, 1, &Words).unwrap().outcome {
                Outcome::Rejected { reasons: why } => reasons.extend(why),
                other => assert_eq!(other, Outcome::Passed),
            }
            if !reasons.is_empty() {
                break;
            }
        }
        reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let query = r#"{"query": "Find me a tent, please."}"#;
    let call = r#"{"role": "API", "api_name": "search_products", "param_dict": {"query": "tent"}, "output": {}}"#;
    let reply = r#"{"role": "AI", "text": "There is one."}"#;
    assert_eq!(answers(query, &format!(r#"{{"turns": [{call}, {reply}]}}"#)), "");
    for (query, turns, words) in [
        (r#"{"query": "Use search_products for tents."}"#, "", "names-api"),
        (r#"{"query": " "}"#, "", "query: expected a text"),
        (query, &*format!(r#"{{"turns": [{reply}]}}"#), "expected a call of search_products"),
        (query, &*format!(r#"{{"turns": [{call}]}}"#), "The assistant has to speak last"),
        (query, r#"{"turns": [{"role": "Cat"}]}"#, "turns[0]"),
        (
            query,
            r#"{"turns": [{"role": "API", "api_name": "search_products", "param_dict": {"query": "tent"}}, {"role": "AI", "text": "None."}]}"#,
            "either an output or an exception",
        ),
    ] {
        let found = answers(query, turns);
        assert!(found.contains(words), "{turns}: {found}");
    }
}

#[test]
fn a_writer_continues_with_the_tools_that_lack_tasks() {
    let mut first = Writer::new(tools(), settings(5), &Words).unwrap();
    let (_, end) = run(&mut first, &mut Agents::default());
    assert_eq!(end, End::Finished { given_up: 0 });
    let file = ToolsFile::read(&first.file().text()).unwrap();
    let before: BTreeSet<&str> = file.dialogues.iter().flat_map(called).collect();
    let mut second = Writer::new(file.clone(), settings(5), &Words).unwrap();
    // Messages that are there are not taken again.
    let (written, _) = run(&mut second, &mut Agents::default());
    let twins = written.iter().filter(|one| {
        matches!(&one.outcome, Outcome::Rejected { reasons } if reasons[0].code == Code::NearDuplicate)
    });
    assert!(twins.count() >= 5, "{written:?}");
    let tools: BTreeSet<&str> = written.iter().map(|one| one.tool.as_str()).collect();
    assert!(tools.is_disjoint(&before), "{tools:?} {before:?}");
    let ids: BTreeSet<&String> = second.file().dialogues.iter().map(|it| &it.id).collect();
    assert_eq!(ids.len(), second.file().dialogues.len());
    assert_eq!(second.file().dialogues.len(), 5 + second.accepted());
}

#[test]
fn limits_and_failures_end_it_and_lose_nothing() {
    let budget = Budget { requests: Some(7), ..Budget::default() };
    let mut writer = Writer::new(tools(), TaskSettings { budget, ..settings(24) }, &Words).unwrap();
    let (_, end) = run(&mut writer, &mut Agents::default());
    assert_eq!(end, End::Budget { limit: Limit::Requests });
    assert_eq!((writer.accepted(), writer.file().dialogues.len()), (2, 2));

    let mut writer = Writer::new(tools(), settings(24), &Words).unwrap();
    let mut failed = 0;
    let end = loop {
        match writer.next_step() {
            Next::Ask(job) => {
                failed += 1;
                let failure = Failure::infrastructure("HTTP 500");
                writer.take(job.id, Err(failure), 1, &Words).unwrap();
            }
            Next::Wait => panic!("nothing is open"),
            Next::End(end) => break end,
        }
    };
    assert_eq!((failed, end), (5, End::Stopped { message: "HTTP 500".to_owned() }));
}

#[test]
fn the_estimate_is_about_what_is_spent() {
    let mut writer = Writer::new(tools(), settings(48), &Words).unwrap();
    let estimate = own::estimate(writer.file(), 48);
    run(&mut writer, &mut Agents::default());
    let spent = writer.spent();
    assert_eq!(estimate.requests, 3 * 48);
    // The scripted answers are shorter than the example's, and one or two are rejected.
    let ratio = estimate.prompt_tokens as f64 / spent.prompt_tokens as f64;
    assert!((0.8..1.25).contains(&ratio), "{estimate:?} {spent:?}");
}

#[test]
fn prompts_have_every_slot_filled() {
    let mut writer = Writer::new(tools(), settings(1), &Words).unwrap();
    let mut agents = Agents::default();
    while let Next::Ask(job) = writer.next_step() {
        let text = prompt(&job.ask);
        for slot in [
            "{today}",
            "{rules}",
            "{tool}",
            "{tools}",
            "{others}",
            "{existing}",
            "{query}",
            "{rejected}",
        ] {
            assert!(!text.contains(slot), "{slot}: {text}");
        }
        assert_eq!(job.ask.schema.as_ref().map(|it| &it["type"]), Some(&Value::from("object")));
        let answer = Ok(Answer { text: agents.answer(&text).unwrap(), ..Answer::default() });
        writer.take(job.id, answer, 1, &Words).unwrap();
    }
}
