//! Untrusted input can't control the terminal or write outside its folder.

use crate::support::{api_bank, folder, searchable, text};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

fn file_of_the_project(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)).unwrap()
}

#[test]
fn a_terminal_is_shown_nothing_that_it_obeys() {
    const TITLE: &str = "\u{1b}]0;owned\u{7}\u{9b}2J\u{202e}";
    let folder = folder("terminal");
    let mut record: Value =
        serde_json::from_str(&file_of_the_project("engine/record/tests/data/record_v1.json"))
            .unwrap();
    record["pack"]["name"] = json!(TITLE);
    record["samples"][0]["outcome"] =
        json!({"status": "failed", "class": "infrastructure", "message": TITLE});
    let path = folder.join("r.json");
    fs::write(&path, record.to_string()).unwrap();
    let report = api_bank(&["report", path.to_str().unwrap()], "");
    let unreadable = folder.join("n.json");
    fs::write(
        &unreadable,
        json!({"schema": TITLE, "schema_version": 1, "samples": []}).to_string(),
    )
    .unwrap();
    let refused = api_bank(&["report", unreadable.to_str().unwrap()], "");
    for printed in [&report.stdout, &report.stderr, &refused.stderr] {
        let text = String::from_utf8(printed.clone()).unwrap();
        assert!(text.contains("\\u{1b}]0;owned\\u{7}\\u{9b}2J\\u{202e}"), "{text:?}");
        let obeyed = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!text.contains(obeyed), "{text:?}");
    }
}

#[test]
fn a_pack_is_written_into_its_folder_whatever_its_dialogues_are_called() {
    let folder = folder("pack-names");
    let (set, out) = (folder.join("set"), folder.join("a/b/out"));
    fs::create_dir_all(set.join("domains")).unwrap();
    let names =
        fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../dataset/training/domains"));
    let names = names.unwrap().map(|entry| entry.unwrap().file_name());
    // A domain with one dialogue, in a separate file.
    let mut domains = names.map(|name| {
        let path = format!("dataset/training/domains/{}", name.to_str().unwrap());
        serde_json::from_str::<Value>(&file_of_the_project(&path)).unwrap()
    });
    let mut domain = domains
        .find(|domain| {
            domain["dialogues"].as_array().unwrap().iter().any(|it| it["ability"] == "call")
        })
        .unwrap();
    let dialogues = domain["dialogues"].as_array().unwrap();
    let dialogue = dialogues.iter().find(|dialogue| dialogue["ability"] == "call").unwrap().clone();
    let ids = ["../../x", "/tmp/api-bank-x", "..\\..\\x", "nul", "a\u{0}b", "..", "x", "X", "x"];
    let named = ids.map(|id| {
        let mut dialogue = dialogue.clone();
        dialogue["id"] = json!(id);
        dialogue
    });
    domain["dialogues"] = json!(named);
    fs::write(set.join("domains/d.json"), domain.to_string()).unwrap();
    let (set, to) = (set.to_str().unwrap(), out.to_str().unwrap());
    let written = api_bank(&["training", "export", set, "--format", "pack", "--out", to], "");
    assert_eq!(written.status.code(), Some(0), "{}", String::from_utf8_lossy(&written.stderr));
    let dialogues = fs::read_dir(out.join("lv1-lv2-samples/level-1-given-desc")).unwrap();
    assert_eq!(dialogues.count(), ids.len(), "a dialogue is lost or elsewhere");
    let beside = fs::read_dir(folder.join("a/b")).unwrap().count();
    assert_eq!((beside, fs::read_dir(folder.join("a")).unwrap().count()), (1, 1));
}

#[test]
fn errors_name_the_file() {
    if !searchable("errors that name the file") {
        return;
    }
    let folder = folder("names");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    fs::write(path("rows.json"), r#"[{"instruction": "i", "input": "x", "output": "y"}]"#).unwrap();
    fs::create_dir_all(folder.join("set/domains")).unwrap();
    fs::write(path("set/domains/d.json"), "{}").unwrap();
    fs::write(path("bad.json"), "{").unwrap();
    let (rows, set, bad, none) =
        (path("rows.json"), path("set"), path("bad.json"), path("no/file.json"));
    let model = ["run", "--model", "keyword-baseline"];
    for (arguments, file) in [
        (vec!["training", "export", &rows, "--format", "chat", "--out", "-"], &rows),
        (vec!["training", "stats", &set], &set),
        (vec!["report", &bad], &bad),
        (vec!["merge", &bad, "--out", "-"], &bad),
        (vec!["export", &none, "--format", "csv", "--out", "-"], &none),
        (vec!["run", "--resume", &bad], &bad),
        (vec!["run", "--resume", &none], &none),
        ([&model[..], &["--prompts", &none, "--out", "-"]].concat(), &none),
        ([&model[..], &["--out", &none]].concat(), &none),
        (vec!["rouge", &none], &none),
        (vec!["audit", "--pack", &none], &none),
    ] {
        let output = api_bank(&arguments, "");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_ne!(output.status.code(), Some(0), "{arguments:?}");
        assert!(stderr.contains(file.as_str()), "{arguments:?}: {stderr}");
    }
    assert!(!folder.join("no").exists());
}

#[test]
fn files_of_the_original_are_taken_together() {
    let folder = folder("several");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    fs::create_dir_all(folder.join("lv3_apis")).unwrap();
    fs::write(
        path("lv3_apis/like_count.py"),
        "class LikeCount(API):\n    description = 'Counts.'\n    input_parameters = {}\n    \
         output_parameters = {}\n    def __init__(self):\n        self.database = {2: 25}\n",
    )
    .unwrap();
    let plan = json!([{"requirement": "Likes?", "response": "25.", "apis": [{
        "api_name": "LikeCount",
        "input": {"post_id": 2},
        "output": {"api_name": "LikeCount", "input": {"post_id": 2}, "output": {"like_count": 25}, "exception": null},
    }]}]);
    fs::write(path("level-3.json"), plan.to_string()).unwrap();
    fs::write(path("broken.py"), "class UserPosts(API):\n    description = 'open\n").unwrap();
    let (plan, table, broken) = (path("level-3.json"), path("lv3_apis"), path("broken.py"));
    let packs = ["--pack", &plan, "--pack", &table, "--pack", &broken];
    let output = api_bank(&[&["stats", "--json"], &packs[..]].concat(), "");
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{stderr}");
    assert!(stderr.contains("broken.py, line 2: expected the end of the quoted text"), "{stderr}");
    assert!(stderr.contains("lv3_apis: no class"), "the table was read: {stderr}");
    assert!(!stderr.contains("no Plan+Retrieve+Call"), "{stderr}");
}

#[test]
fn a_named_protocol_says_what_it_leaves_out() {
    let model = ["run", "--model", "gold-replay", "--out", "/no/such/folder/r.json", "--published"];
    let stderr = |name: &str| {
        String::from_utf8(api_bank(&[&model[..], &[name]].concat(), "").stderr).unwrap()
    };
    assert!(
        stderr("first-step").contains("Left out: Every later call"),
        "{}",
        stderr("first-step")
    );
    assert!(stderr("first-step").contains("--profile exact"));
    assert!(stderr("newest").contains("possible values: paper, first-step, step-replay"));
}

/// A folder from a stranger: a pipe that nobody fills, a file without an end, links that lead out.
#[cfg(unix)]
#[test]
fn a_pack_is_read_from_regular_files_of_its_folder_alone() {
    use std::os::unix::fs::symlink;
    let folder = folder("pack-of-pipes");
    let samples = folder.join("pack/lv1-lv2-samples/level-1-given-desc");
    fs::create_dir_all(&samples).unwrap();
    let secret = folder.join("secret.jsonl");
    fs::write(&secret, "{\"role\": \"User\", \"text\": \"the-secret\"}\n").unwrap();
    symlink(&secret, samples.join("Out-level-1-1.jsonl")).unwrap();
    symlink("/dev/zero", samples.join("Zero-level-1-1.jsonl")).unwrap();
    symlink("..", samples.join("up")).unwrap();
    let pipe = samples.join("Pipe-level-1-1.jsonl");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let output = api_bank(&["stats", "--pack", folder.join("pack").to_str().unwrap()], "");
    let printed = text(&output.stdout) + &text(&output.stderr);
    assert_ne!(output.status.code(), Some(0), "{printed}");
    for name in ["Out", "Zero", "Pipe"] {
        let line = printed.lines().find(|line| line.contains(&format!("{name}-level-1-1.jsonl")));
        assert!(line.is_some_and(|line| line.contains("regular file inside")), "{name}: {printed}");
    }
    assert!(!printed.contains("the-secret"), "{printed}");
}

#[test]
fn a_workflow_is_told_nothing_that_it_obeys() {
    let name = "::add-mask::a\n::error::owned\n```\n##[error]b\u{2028}::warning::c";
    let folder = folder("workflow");
    let record = file_of_the_project("engine/record/tests/data/record_v1.json");
    let mut record: Value = serde_json::from_str(&record).unwrap();
    record["model"] = json!({"provider": "endpoint", "model": name, "base_url": "http://h/v1"});
    record["pack"]["name"] = json!(name);
    record["dropped_parameters"] = json!([name]);
    record["samples"][0]["outcome"] =
        json!({"status": "failed", "class": "infrastructure", "message": name});
    let path = folder.join("r.json");
    fs::write(&path, record.to_string()).unwrap();
    let path = path.to_str().unwrap();
    for arguments in
        [&["report", path][..], &["compare", path, path], &["merge", path, "--out", "-"]]
    {
        let output = api_bank(arguments, "");
        let printed = match arguments[0] {
            // The record itself goes to standard output.
            "merge" => text(&output.stderr),
            _ => text(&output.stdout) + &text(&output.stderr),
        };
        assert!(printed.contains("add-mask"), "{arguments:?}: {printed}");
        for line in printed.lines() {
            let begin = line.trim_start();
            let obeyed = begin.starts_with("::") || begin.starts_with("```");
            assert!(!obeyed && !line.contains("##["), "{arguments:?}: {line}");
        }
    }
}
