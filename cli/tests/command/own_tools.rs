//! Packs of own tools: a public OpenAPI document becomes a pack, logs become tasks, and what is wrong
//! is refused with the remedy.

use crate::support::{api_bank, folder, python_package, text};
use dataset::tools::{ToolsFile, example};
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
