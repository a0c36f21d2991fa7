//! Round-trips the repository's sample set, and the released training rows if available, through
//! the original's formats.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use dataset::Ability;
use generator::export::instructions::{InstructionRow, Templates, rows};
use generator::export::{Format, pack, recipe};
use generator::import::released;
use generator::set::TrainingSet;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The sample set of the repository.
fn sample() -> TrainingSet {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../dataset/training");
    let mut files = Vec::new();
    for part in ["domains", "rejected"] {
        for entry in fs::read_dir(folder.join(part)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            files.push((format!("{part}/{name}"), fs::read_to_string(&path).unwrap()));
        }
    }
    TrainingSet::read(files.iter().map(|(path, text)| (path.as_str(), text.as_str()))).unwrap()
}

/// The released rows, if available.
fn released_rows() -> Option<Vec<InstructionRow>> {
    let file = "apibank/test-data/lv3-train-head.json";
    let file = fixtures::shared(file, "the test on released training rows")?;
    Some(serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap())
}

#[test]
fn released_rows_round_trip_in_the_same_shape() {
    let Some(rows) = released_rows() else { return };
    assert_eq!(rows.len(), 120);
    let dialogues = released::read(&rows).unwrap();
    let written: Vec<InstructionRow> = dialogues.iter().flat_map(released::write).collect();
    assert_eq!(written.len(), rows.len());
    let mut same = 0;
    for (number, (before, after)) in rows.iter().zip(&written).enumerate() {
        assert_eq!(after.instruction, before.instruction, "row {number}");
        let lines = |row: &InstructionRow| -> Vec<String> {
            // By line: the search, the user's text with the time, each call up to its result.
            let shape = |(at, line): (usize, &str)| match line.split_once("]->") {
                Some((call, _)) if at > 1 => call.replace(['\'', '"'], ""),
                _ => line.to_owned(),
            };
            row.input.split('\n').enumerate().map(shape).collect()
        };
        assert_eq!(lines(after), lines(before), "row {number}");
        assert_eq!(
            after.output.replace(['\'', '"'], ""),
            before.output.replace(['\'', '"'], ""),
            "row {number}"
        );
        same += usize::from(before == after);
    }
    println!("{} dialogues; {same} of {} rows byte-identical", dialogues.len(), rows.len());
    assert!(same >= 80, "{same}");
    // Written rows parse to the same dialogues, results included.
    assert_eq!(released::read(&written).unwrap(), dialogues);
}

#[test]
fn a_row_of_another_shape_is_an_error_with_its_number() {
    let row = |input: &str, output: &str| InstructionRow {
        instruction: String::new(),
        input: input.to_owned(),
        output: output.to_owned(),
    };
    for (row, part) in [
        (row("{}\nNobody: x\nGenerate API Request: ", "API-Request: [A()]"), "User:"),
        (row("{}\nUser: x\nAPI-Request: A()\nGenerate API Request: ", "API-Request: [A()]"), "->"),
        (row("{}\nUser: x\nGenerate API Request: ", "I do not know"), "in the output"),
        (row("oops\nUser: x\nGenerate API Request: ", "API-Request: [A()]"), "first line"),
    ] {
        let error = released::read(&[row]).unwrap_err().to_string();
        assert!(error.starts_with("row 0") && error.contains(part), "{error}");
    }
}

#[test]
fn own_plans_are_exported_in_the_released_shape() {
    let set = sample();
    let mut plans = 0;
    for (domain, item) in set.items().filter(|(_, item)| item.ability == Ability::Plan) {
        let rows = rows(item, &domain.apis, Templates::own());
        assert_eq!(rows.len(), item.calls().count());
        let [read] = &released::read(&rows).unwrap()[..] else { panic!("{} is one", item.id) };
        assert_eq!(read.item.time, item.time);
        let calls = |item: &generator::Item| -> Vec<_> {
            item.calls().map(|call| (call.api_name.clone(), call.param_dict.clone())).collect()
        };
        assert_eq!(calls(&read.item), calls(item), "{}", item.id);
        assert_eq!(released::write(read), rows, "{}", item.id);
        plans += 1;
    }
    assert!(plans > 0);
}

#[test]
fn levels_one_and_two_have_the_shape_of_the_released_prompts() {
    let set = sample();
    for (domain, item) in set.items().filter(|(_, item)| item.ability != Ability::Plan) {
        let rows = rows(item, &domain.apis, Templates::own());
        assert!(rows.len() > item.calls().count(), "{}: calls and at least a reply", item.id);
        for row in &rows {
            let (_, described) = row.instruction.split_once("\nAPI descriptions:\n").unwrap();
            for line in described.lines() {
                let api: Value = serde_json::from_str(line).unwrap();
                assert!(api["input_parameters"].is_object(), "{line}");
            }
            let searches = described.contains("ToolSearcher");
            assert_eq!(searches, item.ability == Ability::Retrieve, "{}", item.id);
            assert!(row.input.starts_with("User: "), "{}", row.input);
            let call = row.input.ends_with("\nGenerate API Request:\n");
            assert!(call || row.input.ends_with("\nGenerate AI Response:\n"), "{}", row.input);
            assert_eq!(row.output.starts_with("API-Request: ["), call, "{}", row.output);
        }
    }
}

#[test]
fn chats_pair_calls_with_results_and_declare_called_tools() {
    let set = sample();
    let chats = Format::Chat.file(&set).unwrap();
    assert_eq!(chats.lines().count(), set.items().count());
    for line in chats.lines() {
        let chat: Value = serde_json::from_str(line).unwrap();
        let tools: Vec<&str> = chat["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["function"]["name"].as_str().unwrap())
            .collect();
        let messages = chat["messages"].as_array().unwrap();
        for (at, message) in messages.iter().enumerate() {
            let Some(call) = message.get("tool_calls").map(|calls| &calls[0]) else { continue };
            assert!(tools.contains(&call["function"]["name"].as_str().unwrap()), "{line}");
            let arguments = call["function"]["arguments"].as_str().unwrap();
            assert!(serde_json::from_str::<Value>(arguments).unwrap().is_object());
            assert_eq!(messages[at + 1]["tool_call_id"], call["id"]);
            assert_eq!(messages[at + 1]["role"], "tool");
        }
        assert_eq!(messages.last().unwrap()["role"], "assistant");
    }
    let file: Vec<InstructionRow> =
        serde_json::from_str(&Format::Instructions.file(&set).unwrap()).unwrap();
    assert!(file.len() > set.items().count());
}

#[test]
fn an_exported_pack_is_imported_without_loss() {
    let set = sample();
    let files = pack::files(&set);
    let (original, report) =
        dataset::import::import(files.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    assert_eq!(report.problems, []);
    assert_eq!(original.dialogues.len() + original.plans.len(), set.items().count());
    let described: usize = original.pools.values().map(|pool| pool.len()).sum();
    let apis: usize = set.domains.values().map(|domain| domain.apis.len()).sum();
    assert!(described >= apis, "{described} of {apis}");
    for (domain, item) in set.items().filter(|(_, item)| item.ability == Ability::Plan) {
        let dialogue = item.dialogue(&domain.apis);
        assert!(
            original.plans.iter().any(|plan| plan.dialogue.turns == dialogue.turns),
            "{}",
            item.id
        );
    }
}

#[test]
fn rejected_dialogues_are_exported_on_request() {
    let set = sample();
    let accepted = set.items().count();
    let ids = |set: &TrainingSet| -> Vec<String> {
        set.rejected.values().flat_map(|it| &it.rejected).map(|it| it.dialogue.id.clone()).collect()
    };
    let refused = ids(&set);
    assert!(refused.len() > 100, "{}", refused.len());
    let whole = set.with_rejected();
    assert!(ids(&whole).is_empty());
    assert_eq!(whole.items().count(), accepted + refused.len());
    let prompts = Format::Prompts { described: None, seed: 1 }.file(&whole).unwrap();
    let steps: Vec<Value> = prompts.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    let exported = |id: &String| {
        steps.iter().any(|step| step["dialogue"].as_str().is_some_and(|name| name.ends_with(id)))
    };
    assert!(refused.iter().all(exported));
}

#[test]
fn the_recipe_has_the_settings_of_the_paper() {
    let recipe = recipe::axolotl("chat.jsonl");
    let number = |key: &str| -> f64 {
        let line = recipe.lines().find_map(|line| line.strip_prefix(key)).expect(key);
        line.trim().parse().unwrap()
    };
    assert_eq!(number("num_epochs:"), 3.0);
    assert_eq!(number("learning_rate:"), 2e-5);
    assert_eq!(number("micro_batch_size:") * number("gradient_accumulation_steps:"), 256.0);
    assert!(recipe.contains("path: chat.jsonl"));
}
