//! Packs of own tools: a public OpenAPI document becomes a pack, logs become tasks, and what is wrong
//! is refused with the remedy.

use crate::server::Server;
use crate::support::{api_bank, folder, python_package, text};
use dataset::own_tools::{ToolsFile, example};
use serde_json::json;
use std::fs;
use std::path::Path;

#[test]
fn a_public_openapi_document_becomes_a_pack() {
    let Some(packages) = python_package("API_BANK_INSPECT_AI") else { return };
    let document = Path::new(&packages).join("inspect_ai/_view/inspect-openapi.json");
    let out = folder("own-tools-public").join("pack.json");
    let done = api_bank(
        &["tools", "check", document.to_str().unwrap(), "--out", out.to_str().unwrap()],
        "",
    );
    assert!(done.status.success(), "{}", text(&done.stderr));
    let pack = ToolsFile::read(&fs::read_to_string(&out).unwrap()).unwrap();
    assert!(pack.tools.len() > 20, "{} tools", pack.tools.len());
    assert!(pack.tools.iter().any(|tool| tool.params().count() > 0), "no tool has a parameter");
    assert!(text(&done.stdout).contains("tokens of a prompt"));
}

#[test]
fn logs_become_tasks_and_a_changed_pack_is_refused() {
    let folder = folder("own-tools");
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    fs::write(path("shop.json"), example::PACK).unwrap();
    let log = r#"[{"role": "user", "content": "Where is KX-9?"}, {"role": "assistant", "tool_calls": [
        {"id": "a", "function": {"name": "track_parcel", "arguments": "{\"tracking_number\": \"KX-8\"}"}}]},
        {"role": "tool", "tool_call_id": "a", "content": "{}"}, {"role": "assistant", "content": "There."}]"#;
    fs::write(path("log.jsonl"), log.replace('\n', "")).unwrap();
    let mine = path("mine.json");
    let (shop, log) = (path("shop.json"), path("log.jsonl"));
    let done = api_bank(&["tools", "add", &shop, &log, "--written-by", "m", "--out", &mine], "");
    assert!(done.status.success(), "{}", text(&done.stderr));
    let done = api_bank(&["tools", "check", &mine], "");
    assert_eq!(done.status.code(), Some(4));
    assert!(text(&done.stdout).contains("tools/log-1, turn 1: track_parcel: `tracking_number`"));

    let changed = example::PACK.replace("at most ten", "at most five");
    let (other, out) = (path("changed.json"), path("r.json"));
    fs::write(&other, changed).unwrap();
    let run = ["run", "--model", "gold-replay", "--out", &out, "--pack"];
    let done = api_bank(&[&run[..], &[&other]].concat(), "");
    assert_eq!(done.status.code(), Some(1));
    assert!(
        text(&done.stderr).contains("digest: is not that of this file"),
        "{}",
        text(&done.stderr)
    );
    let done = api_bank(&[&run[..], &[&shop, "--protocol", "agent"]].concat(), "");
    assert_eq!(done.status.code(), Some(2));
    assert!(text(&done.stderr).contains("bracket, tools and all-tools"), "{}", text(&done.stderr));
}

/// A model that refuses writes nothing, and says why; a draft runs once it is accepted.
#[test]
fn tasks_are_written_as_drafts_and_accepted_by_name() {
    let folder = folder("own-tools-written");
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let (shop, out) = (path("shop.json"), path("mine.json"));
    fs::write(&shop, example::PACK).unwrap();
    let refusal = json!({"choices": [{"message": {"content": "{\"refusal\": \"not today\"}"},
        "finish_reason": "stop"}], "usage": {"prompt_tokens": 9, "completion_tokens": 3}});
    let server = Server::start(
        "200 OK",
        "content-type: application/json\r\n".to_owned(),
        refusal.to_string(),
    );
    let write = |more: &[&str]| {
        let words =
            ["tools", "write", &shop, "--model", "m", "--tasks", "2", "--tries", "2", "--out"];
        let endpoint = [out.as_str(), "--endpoint", &server.url];
        api_bank(&[&words[..], &endpoint, more].concat(), "")
    };
    let done = write(&["--estimate"]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert!(text(&done.stderr).contains("2 tasks: 6 requests, about"), "{}", text(&done.stderr));
    assert_eq!(server.seen().len(), 0, "an estimate has sent something");
    let done = write(&[]);
    let said = text(&done.stderr);
    if said.contains("API Search") {
        return;
    }
    assert_eq!(done.status.code(), Some(3), "{said}");
    for words in ["refused: not today", "2 tasks were given up", "0 of 2 tasks written: 4 requests"]
    {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(!Path::new(&out).exists(), "a pack without a new task was written");

    let mut pack = ToolsFile::read(example::PACK).unwrap();
    pack.dialogues.iter_mut().for_each(|task| task.draft = true);
    pack.digest.clear();
    fs::write(&shop, pack.text()).unwrap();
    let done =
        api_bank(&["run", "--model", "gold-replay", "--out", &path("r.json"), "--pack", &shop], "");
    assert!(text(&done.stderr).contains("found only drafts"), "{}", text(&done.stderr));
    let done = api_bank(&["tools", "accept", &shop, "no-such", "--out", &out], "");
    assert_eq!(done.status.code(), Some(2));
    let first = pack.dialogues[0].id.clone();
    let done = api_bank(&["tools", "accept", &shop, &first, "--out", &out], "");
    assert!(done.status.success(), "{}", text(&done.stderr));
    let accepted = ToolsFile::read(&fs::read_to_string(&out).unwrap()).unwrap();
    let drafts = accepted.dialogues.iter().filter(|task| task.draft).count();
    assert_eq!(drafts, accepted.dialogues.len() - 1);
    let done = api_bank(&["audit", "--pack", &out], "");
    assert!(text(&done.stderr).contains("39 of 40 tasks are drafts"), "{}", text(&done.stderr));
    assert_eq!(accepted.into_pack().unwrap().dialogues.len(), 1);
}

/// The names of built-in APIs say nothing about a pack's tools.
#[test]
fn a_tool_with_the_name_of_a_built_in_api_is_the_packs_own() {
    if fixtures::search_files("packs of own tools").is_none() {
        return;
    }
    let folder = folder("own-tools-names");
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let names = [
        ("track_parcel", "AddAlarm"),
        ("get_order", "QueryStock"),
        ("check_stock", "PlayMusic"),
        ("contact_support", "GetUserToken"),
        ("list_orders", "GetToday"),
    ];
    let mut renamed = ToolsFile::read(example::PACK).unwrap();
    renamed.digest.clear();
    let renamed = names.iter().fold(renamed.text(), |text, (own, built_in)| {
        text.replace(&format!("\"{own}\""), &format!("\"{built_in}\""))
    });
    let mut file: serde_json::Value = serde_json::from_str(&renamed).unwrap();
    file["digest"] = json!("");
    fs::write(path("renamed.json"), file.to_string()).unwrap();
    fs::write(path("shop.json"), example::PACK).unwrap();
    for (model, protocol) in [
        ("gold-replay", "tools"),
        ("gold-replay", "bracket"),
        ("says-nothing", "tools"),
        ("claims-success", "bracket"),
    ] {
        let [own, built_in] = ["shop.json", "renamed.json"].map(|pack| {
            let (out, pack) = (path("r.json"), path(pack));
            let words = ["run", "--model", model, "--protocol", protocol, "--pack", &pack, "--out"];
            let done = api_bank(&[&words[..], &[&out, "--force"]].concat(), "");
            assert!(done.status.success(), "{}", text(&done.stderr));
            let record = record::Record::from_json(&fs::read_to_string(&out).unwrap()).unwrap();
            assert!(record.samples.len() > 40, "{} samples", record.samples.len());
            json!(record.summary.rows)
        });
        assert_eq!(own, built_in, "{model}, {protocol}");
    }
}
