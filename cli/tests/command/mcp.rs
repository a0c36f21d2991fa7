//! Plays dialogues over the Model Context Protocol with its Python SDK.
//!
//! `cargo xtask test` downloads the SDK and sets `API_BANK_MCP` to its folder.

use crate::support::{api_bank, read_record, searchable, text};
use exchange::EpisodeEnd;
use record::{Model, Record};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Plays a script of `[tool, arguments]` pairs, and prints what the server offered and answered.
const CLIENT: &str = "\
import asyncio, json, os, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
script = json.loads(sys.argv[1])
parameters = StdioServerParameters(command=sys.argv[2], args=sys.argv[3:], env=dict(os.environ))
async def main():
    seen, changes = [], []
    async def heard(message):
        changes.append(type(message).__name__)
    async with stdio_client(parameters) as (read, write):
        async with ClientSession(read, write, message_handler=heard) as session:
            started = await session.initialize()
            prompt = await session.get_prompt('task')
            before = await session.list_tools()
            for name, arguments in script:
                result = await session.call_tool(name, arguments)
                seen.append([bool(result.is_error), result.content[0].text])
            after = await session.list_tools()
    print(json.dumps({
        'instructions': started.instructions,
        'prompt': [message.content.text for message in prompt.messages],
        'before': [[tool.name, tool.description, tool.input_schema] for tool in before.tools],
        'after': [tool.name for tool in after.tools],
        'seen': seen,
        'changes': changes,
    }))
asyncio.run(main())
";

/// The client's folder, if the test can run.
fn client() -> Option<OsString> {
    let found = std::env::var_os("API_BANK_MCP");
    if found.is_none() {
        const ADVICE: &str = "an MCP client plays a dialogue: run `cargo xtask test`";
        assert!(!fixtures::is_ci(), "{ADVICE}");
        eprintln!("SKIPPED: {ADVICE}");
    }
    found.filter(|_| searchable("playing a dialogue over MCP"))
}

fn play(client: &OsString, script: &Value, dialogue: &str, out: &Path) -> Value {
    play_with(client, script, dialogue, out, &[])
}

fn play_with(
    client: &OsString,
    script: &Value,
    dialogue: &str,
    out: &Path,
    more: &[&str],
) -> Value {
    let output = Command::new("python3")
        .args(["-c", CLIENT, &script.to_string(), env!("CARGO_BIN_EXE_api-bank")])
        .args(["mcp", "--dialogue", dialogue, "--out", out.to_str().unwrap()])
        .args(more)
        .env("PYTHONPATH", client)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A gold dialogue as calls and replies, each call through `call`.
fn gold(dialogue: &dataset::Dialogue, call: impl Fn(&str, Value) -> Value) -> Value {
    let step = |turn: &dataset::Turn| match turn {
        dataset::Turn::User { .. } => None,
        dataset::Turn::Api(it) => Some(call(&it.api_name, json!(it.param_dict))),
        dataset::Turn::Assistant { text, .. } => Some(json!(["reply", {"text": text}])),
    };
    json!(dialogue.turns.iter().filter_map(step).collect::<Vec<_>>())
}

fn verified(record: &Path) {
    let output = api_bank(&["verify", record.to_str().unwrap()], "");
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
}

fn only_episode(record: &Record) -> &record::EpisodeRecord {
    assert_eq!(record.samples.len(), 1);
    record.samples[0].episode.as_ref().unwrap()
}

#[test]
fn a_gold_dialogue_played_over_mcp_is_correct_and_verifies() {
    let Some(client) = client() else { return };
    let pack = dataset::builtin().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let of = |ability| pack.dialogues.iter().find(|dialogue| dialogue.ability == ability).unwrap();

    let call = of(dataset::Ability::Call);
    let out = folder.path().join("call.json");
    let script = gold(call, |name, arguments| json!([name, arguments]));
    let transcript = play(&client, &script, &call.id, &out);
    let record = read_record(&out);
    assert!(record.samples[0].verdicts.as_ref().unwrap().execution.correct, "{transcript}");
    assert_eq!(only_episode(&record).ended, EpisodeEnd::ScriptDone);
    let Model::Agent(agent) = &record.model else { panic!("{:?}", record.model) };
    assert!(!agent.name.is_empty() && !agent.version.is_empty(), "{agent:?}");
    let last = transcript["seen"].as_array().unwrap().last().unwrap();
    assert!(last[1].as_str().unwrap().contains("over"), "{transcript}");
    // The same instructions and schemas as for native tool calls.
    let messages = &record.samples[0].messages;
    assert!(
        transcript["instructions"].as_str().unwrap().starts_with(&*messages[0].content),
        "{transcript}"
    );
    assert_eq!(transcript["prompt"][0], transcript["instructions"]);
    assert_eq!(transcript["prompt"][1], *messages[1].content);
    let api = apis::search::find(call.ability.suite(), &record.samples[0].tools[0]).unwrap();
    let offered = json!([api.name, api.description, api.schema()]);
    assert!(transcript["before"].as_array().unwrap().contains(&offered), "{transcript}");
    verified(&out);
}

#[test]
fn a_horizon_task_is_offered_with_all_its_tools() {
    let Some(client) = client() else { return };
    let tasks = horizon::tasks(3, dataset::builtin().unwrap()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let task = tasks.pack.dialogue("horizon/interference-006-2").unwrap();
    let out = folder.path().join("task.json");
    let script = gold(task, |name, arguments| json!([name, arguments]));
    let transcript = play_with(&client, &script, &task.id, &out, &["--seed", "3"]);
    let record = read_record(&out);
    assert!(record.samples[0].verdicts.as_ref().unwrap().execution.correct, "{transcript}");
    let offered: Vec<&str> =
        transcript["before"].as_array().unwrap().iter().filter_map(|it| it[0].as_str()).collect();
    assert_eq!(
        offered.len(),
        2 + apis::registry::pool(apis::Suite::Planning).count(),
        "{offered:?}"
    );
    verified(&out);
}

#[test]
fn found_tools_are_announced_and_callable_without_a_new_list() {
    let Some(client) = client() else { return };
    let pack = dataset::builtin().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let plan = pack.dialogues.iter().find(|it| it.ability == dataset::Ability::Plan).unwrap();
    let out = folder.path().join("plan.json");
    let script = gold(plan, |name, arguments| match name {
        "ToolSearcher" => json!([name, arguments]),
        _ => json!(["call_tool", {"name": name, "arguments": arguments}]),
    });
    let transcript = play(&client, &script, &plan.id, &out);
    assert!(transcript["changes"].to_string().contains("ToolListChanged"), "{transcript}");
    let (before, after) =
        (transcript["before"].as_array().unwrap(), transcript["after"].as_array().unwrap());
    assert!(after.len() > before.len(), "{transcript}");
    let record = read_record(&out);
    assert!(record.samples[0].verdicts.as_ref().unwrap().execution.correct, "{transcript}");
    verified(&out);
}

#[test]
fn searches_are_answered_by_the_named_retriever() {
    let Some(client) = client() else { return };
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("oracle.json");
    let script = json!([["ToolSearcher", {"keywords": "book a hotel"}]]);
    let more = ["--retriever", "oracle"];
    play_with(&client, &script, "retrieve/hives-report", &out, &more);
    let record = read_record(&out);
    assert_eq!(record.search.retriever, Some(record::Retriever::Oracle));
    let found = only_episode(&record).steps[0].calls[0].effect.result.output.clone();
    assert_eq!(found.unwrap()[0]["name"], "SendEmail", "the oracle's answer, not the keywords'");
    verified(&out);
}

#[test]
fn an_agent_that_leaves_is_judged_by_what_it_did() {
    let Some(client) = client() else { return };
    let pack = dataset::builtin().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let call = pack.dialogues.iter().find(|it| it.ability == dataset::Ability::Call).unwrap();
    let out = folder.path().join("left.json");
    let script = json!([["task", {}], ["NoSuchTool", {}], ["reply", {}], ["task", {}]]);
    let transcript = play(&client, &script, &call.id, &out);
    let seen = transcript["seen"].as_array().unwrap();
    assert_eq!((&seen[1][0], &seen[2][0]), (&json!(true), &json!(true)), "{transcript}");
    assert!(seen[1][1].as_str().unwrap().contains("There is no tool NoSuchTool"), "{transcript}");
    assert_eq!(seen[0], seen[3], "the task can be read again");
    let record = read_record(&out);
    assert_eq!(only_episode(&record).ended, EpisodeEnd::Left);
    assert_eq!(only_episode(&record).steps.len(), 1, "a reply without text is no step");
    assert!(!record.samples[0].verdicts.as_ref().unwrap().execution.correct);
    verified(&out);

    let nothing = folder.path().join("nothing.json");
    play(&client, &json!([["task", {}]]), &call.id, &nothing);
    assert!(!nothing.exists(), "there is nothing to judge");
}

#[test]
fn wrong_arguments_name_the_option() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("r.json");
    let out = out.to_str().unwrap();
    let error = |arguments: &[&str]| {
        let output = api_bank(&[&["mcp"], arguments].concat(), "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        text(&output.stderr)
    };
    assert!(error(&["--dialogue", "x", "--out", "-"]).contains("--out"));
    if searchable("an unknown dialogue") {
        assert!(error(&["--dialogue", "no/such", "--out", out]).contains("--dialogue: expected"));
    }
    fs::write(out, "x").unwrap();
    assert!(error(&["--ability", "call", "--out", out]).contains("--force"));
}
