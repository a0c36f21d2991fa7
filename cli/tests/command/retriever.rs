//! `retriever`, and runs with `--retriever`.

use crate::support::{api_bank, folder, read_record, searchable, small_run, text};
use record::Retriever;
use serde_json::{Map, Value, json};
use std::fs;
use std::path::Path;

/// API Search's own model in the layout of sentence-transformers.
fn model_folder(folder: &Path) -> Option<String> {
    let files = fixtures::search_files("a model of the user's")?;
    let model = folder.join("my-model");
    fs::create_dir_all(model.join("1_Pooling")).unwrap();
    fs::copy(files.join("model.onnx"), model.join("model.onnx")).unwrap();
    let vocabulary = fs::read_to_string(files.join("vocab.txt")).unwrap();
    let pieces = vocabulary.lines().enumerate();
    let vocab: Map<String, Value> =
        pieces.map(|(id, piece)| (piece.to_owned(), id.into())).collect();
    let tokenizer = json!({
        "normalizer": {"type": "BertNormalizer", "lowercase": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "BertProcessing",
            "cls": ["[CLS]", vocab["[CLS]"]],
            "sep": ["[SEP]", vocab["[SEP]"]],
        },
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": vocab,
        },
    });
    fs::write(model.join("tokenizer.json"), tokenizer.to_string()).unwrap();
    let pooling = r#"{"pooling_mode_mean_tokens": true, "pooling_mode_cls_token": false}"#;
    fs::write(model.join("1_Pooling/config.json"), pooling).unwrap();
    Some(model.to_str().unwrap().to_owned())
}

#[test]
fn a_table_and_json_have_the_same_figures() {
    let arguments =
        ["retriever", "--retriever", "bm25", "--retriever", "oracle", "--retriever", "random"];
    let more = ["--queries", "gold", "--corpus", "distractors:50", "--compare", "--misses", "3"];
    let arguments = [&arguments[..], &more].concat();
    let shown = api_bank(&arguments, "");
    assert_eq!(shown.status.code(), Some(0), "{}", text(&shown.stderr));
    let table = text(&shown.stdout);
    let json = api_bank(&[&arguments[..], &["--json"]].concat(), "");
    let found: Value = serde_json::from_slice(&json.stdout).unwrap();
    let recall = |at: usize| found["runs"][at]["rows"][0]["estimates"][0]["mean"].as_f64().unwrap();
    assert!((recall(1) - 1.0).abs() < 1e-9, "the oracle misses nothing");
    assert!(recall(0) > 0.5 && recall(2) < 0.2, "{} {}", recall(0), recall(2));
    assert!(table.contains(&format!("{:.1} (", 100.0 * recall(0))), "{table}");
    assert_eq!(found["runs"][0]["tools"], 120);
    assert_eq!(found["runs"][2]["misses"].as_array().map(Vec::len), Some(3));
    assert_eq!(found["compared"][0]["second"], "oracle");
    assert!(table.contains("bm25 and oracle") && table.contains("Misses of random"), "{table}");
}

#[test]
fn own_tools_and_queries_are_read_and_errors_name_the_field() {
    let folder = folder("retriever-files");
    let (tools, queries) = (folder.join("tools.json"), folder.join("queries.jsonl"));
    fs::write(
        &tools,
        r#"{"tools": [{"name": "get_weather", "description": "Tells the weather."},
            {"name": "send_mail", "description": "Sends a letter."}]}"#,
    )
    .unwrap();
    let row = r#"{"id": "1", "query": "will the weather hold", "labels": ["get_weather"]}"#;
    let other = r#"{"id": "2", "query": "x", "labels": ["another_tool"]}"#;
    fs::write(&queries, format!("{row}\n{other}\n")).unwrap();
    let (tools, queries) = (tools.to_str().unwrap(), queries.to_str().unwrap());
    let run = |tools: &str, queries: &str| {
        let words = ["retriever", "--retriever", "bm25", "--corpus", tools, "--queries", queries];
        api_bank(&[&words[..], &["--json"]].concat(), "")
    };
    let found = run(tools, queries);
    assert!(text(&found.stderr).contains("1 queries need no tool of it"));
    let found: Value = serde_json::from_slice(&found.stdout).unwrap();
    assert_eq!(found["runs"][0]["rows"][0]["estimates"][0]["mean"], 1.0);
    let none = run(tools, "gold");
    assert_eq!(none.status.code(), Some(2));
    assert!(text(&none.stderr).contains("give its queries in a file"));
    fs::write(queries, r#"{"id": "1", "query": 3}"#).unwrap();
    let bad = text(&run(tools, queries).stderr);
    assert!(bad.contains("line 1: query: expected a text, found 3"), "{bad}");
    fs::write(tools, r#"[{"name": 1}]"#).unwrap();
    let bad = text(&run(tools, queries).stderr);
    assert!(bad.contains("tools[0].name: expected a text"), "{bad}");
    let missing = text(&run("no-such-file", "gold").stderr);
    assert!(missing.contains("distractors:COUNT or a file"), "{missing}");
    let many = text(&run("distractors:99999", "gold").stderr);
    assert!(many.contains("expected at most"), "{many}");
}

#[test]
fn a_run_says_what_answered_its_searches() {
    if !searchable("a run with a retriever") {
        return;
    }
    let folder = folder("retriever-run");
    let (plain, bm25) = (folder.join("builtin.json"), folder.join("bm25.json"));
    small_run(&plain, &[]);
    let out = small_run(&bm25, &["--retriever", "bm25"]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    assert_eq!(read_record(&plain).search.retriever, None);
    assert_eq!(read_record(&bm25).search.retriever, Some(Retriever::BM25));
    let verified = api_bank(&["verify", bm25.to_str().unwrap()], "");
    assert_eq!(verified.status.code(), Some(0), "{}", text(&verified.stdout));
    assert!(text(&verified.stdout).contains("The retriever bm25 answered the searches."));
    let compared = api_bank(&["compare", plain.to_str().unwrap(), bm25.to_str().unwrap()], "");
    let compared = text(&compared.stdout);
    assert!(compared.contains("The retriever differs: builtin and bm25."), "{compared}");
    let random = small_run(&folder.join("random.json"), &["--retriever", "random"]);
    assert_eq!(random.status.code(), Some(2), "{}", text(&random.stderr));
}

#[test]
fn samples_and_judge_search_with_the_named_retriever() {
    if !searchable("judging answers with a retriever") {
        return;
    }
    let run = |command: &str, retriever: &str, input: &str| {
        let words = [command, "--abilities", "retrieve", "--subset", "retrieve/hives-report"];
        let out = api_bank(&[&words[..], &["--retriever", retriever]].concat(), input);
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        let lines = text(&out.stdout).lines().map(str::to_owned).collect::<Vec<_>>();
        lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>()
    };
    let samples = run("samples", "bm25", "");
    let given = json!({"id": samples[0]["id"], "text": "[ToolSearcher(keywords='book a hotel')]"});
    let correct = |retriever: &str| {
        run("judge", retriever, &given.to_string())[0]["verdicts"]["execution"]["correct"].clone()
    };
    assert_eq!(correct("oracle"), true, "it finds the needed API whatever the keywords");
    assert_eq!(correct("bm25"), false);
    let words = ["judge", "--retriever", "random"];
    assert_eq!(api_bank(&words, "").status.code(), Some(2));
}

#[test]
fn a_record_of_a_users_model_is_verified_with_its_files() {
    let folder = folder("retriever-model");
    let Some(model) = model_folder(&folder) else { return };
    let out = folder.join("record.json");
    let ran = small_run(&out, &["--retriever", &model, "--abilities", "retrieve"]);
    assert_eq!(ran.status.code(), Some(0), "{}", text(&ran.stderr));
    let record = read_record(&out);
    let Some(Retriever::Model(own)) = &record.search.retriever else {
        panic!("{:?}", record.search.retriever)
    };
    assert_eq!((own.name.as_str(), own.pooling.as_str()), ("my-model", "mean"));
    assert_eq!(record.search.digest, own.digest);
    let out = out.to_str().unwrap();
    let without = api_bank(&["verify", out], "");
    assert_eq!(without.status.code(), Some(1));
    assert!(text(&without.stderr).contains("--retriever DIR"), "{}", text(&without.stderr));
    let with = api_bank(&["verify", out, "--retriever", &model], "");
    assert_eq!(with.status.code(), Some(0), "{}{}", text(&with.stdout), text(&with.stderr));
    let empty = folder.join("empty");
    fs::create_dir(&empty).unwrap();
    let none = small_run(&folder.join("x.json"), &["--retriever", empty.to_str().unwrap()]);
    assert!(text(&none.stderr).contains("a folder with model.onnx"), "{}", text(&none.stderr));
    fs::write(Path::new(&model).join("1_Pooling/config.json"), "{}").unwrap();
    let bad = small_run(&folder.join("x.json"), &["--retriever", &model]);
    let bad = text(&bad.stderr);
    assert!(bad.contains("1_Pooling/config.json: pooling_mode: expected either"), "{bad}");
}
