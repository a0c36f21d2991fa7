//! Samples imported from the data hub's files are sent with the files' instruction and input,
//! byte-identical.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its data has failed")]

use dataset::import::{Errata, import};
use dataset::{Pack, Split};
use exchange::protocol::{Prompts, Protocol, ask, samples_of};
use provider::{Endpoint, WireFormat};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// The hub files under test. The level 3 file with examples has the same steps.
const FILES: [&str; 5] = [
    "level-1-api.json",
    "level-1-response.json",
    "level-2-api.json",
    "level-2-response.json",
    "level-3-batch-inf.json",
];

type Prompt = (String, String);

fn pack(files: &[(&str, String)]) -> Pack {
    let (original, report) = import(files.iter().map(|(path, text)| (*path, text.as_str())));
    assert!(report.problems.is_empty(), "{report:?}");
    original::pack(original, &Errata::builtin().unwrap()).0
}

/// The prompts in the request bodies, with their counts.
fn sent(pack: &Pack) -> BTreeMap<Prompt, usize> {
    let endpoint = Endpoint {
        format: WireFormat::ChatCompletions,
        base_url: "http://localhost/v1".to_owned(),
        ..Endpoint::default()
    };
    let prompts = Prompts::builtin(Protocol::Bracket);
    let mut sent = BTreeMap::new();
    for sample in samples_of(pack, Split::Standard) {
        let ask = ask(Protocol::Bracket, prompts, &sample, &pack.world);
        let request = endpoint.request(&ask, None, &BTreeSet::new()).unwrap().request;
        let body = request.body.unwrap();
        let body: Value = serde_json::from_str(&body).unwrap();
        let said = |at: usize| body["messages"][at]["content"].as_str().unwrap().to_owned();
        assert_eq!(body["messages"].as_array().unwrap().len(), 2);
        *sent.entry((said(0), said(1))).or_default() += 1;
    }
    sent
}

fn prompt(row: &Value) -> Prompt {
    let text = |name: &str| row[name].as_str().unwrap().to_owned();
    (text("instruction"), text("input"))
}

#[test]
fn a_prompt_is_sent_unchanged() {
    // Whitespace and characters that a parser might normalize.
    let row = json!({
        "file": "Calculator-level-1-1.jsonl",
        "id": 0,
        "instruction": "\n Calculate  \u{201c}it\u{201d}:\t\r\n[ApiName(key='value')]\n\n",
        "input": "User: (5+6)*3 \u{e4}\u{308}\\n?\nGenerate API Request:\n",
        "expected_output": "API-Request: [Calculator(formula='(5+6)*3')]",
    });
    let pack = pack(&[("level-1-api.json", json!([row]).to_string())]);
    assert_eq!(sent(&pack), BTreeMap::from([(prompt(&row), 1)]));
}

#[test]
fn every_released_prompt_is_sent_unchanged() {
    let what = "the released prompts, byte for byte";
    let Some(folder) = fixtures::shared("apibank/test-data", what) else { return };
    for name in FILES {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        let rows: Vec<Value> = serde_json::from_str(&text).unwrap();
        let mut released = BTreeMap::new();
        for row in &rows {
            *released.entry(prompt(row)).or_insert(0) += 1;
        }
        let sent = sent(&pack(&[(name, text)]));
        let missing = released.iter().filter(|(prompt, _)| !sent.contains_key(*prompt)).count();
        let strange = sent.iter().filter(|(prompt, _)| !released.contains_key(*prompt)).count();
        println!(
            "{name}: {} rows, {} of them different, sent {}",
            rows.len(),
            released.len(),
            sent.len()
        );
        assert_eq!((missing, strange), (0, 0), "{name}");
    }
}
