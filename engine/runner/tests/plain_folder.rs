//! Importing the original's repository, with tables and descriptions only in Python files,
//! reproduces the original evaluator's verdicts on its own gold.
//!
//! The original's Python files are not available to the test. It generates files with the same
//! tables and descriptions in the same forms: class attributes, `self` attributes in branches,
//! tuples, numeric keys, `datetime` values, adjacent string literals.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its data has failed")]

use apis::Suite;
use dataset::Ability;
use dataset::import::{Errata, import};
use retrieval::Encoder;
use runner::benchmark::Benchmark;
use scoring::Profile;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;

const TOP: &str = "DAMO-ConvAI-main/api-bank";

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Collects the files below a folder, except the tables made for this project.
fn files(top: &Path, folder: &Path, into: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(top, &path, into);
        } else if !path.ends_with("planning-tables.json") {
            let name = path.strip_prefix(top).unwrap().to_string_lossy();
            into.push((format!("{TOP}/{name}"), fs::read_to_string(&path).unwrap()));
        }
    }
}

/// A value as a Python literal. Most tables store timestamps as strings; `moments` keeps them as
/// `datetime` values.
fn python(value: &Value, moments: bool) -> String {
    let many = |items: Vec<String>| items.join(", ");
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(yes) => if *yes { "True" } else { "False" }.to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) if text.get(4..5) == Some("-") && text.get(13..14) == Some(":") => {
            let parts = text.split(['-', ' ', ':']).map(|part| part.trim_start_matches('0'));
            let parts = parts.map(|part| if part.is_empty() { "0" } else { part }.to_owned());
            let moment = format!("datetime.datetime({})", many(parts.collect()));
            if moments { moment } else { moment + ".strftime('%Y-%m-%d %H:%M:%S')" }
        }
        Value::String(text) => format!("{text:?}"),
        Value::Array(items) if items.len() == 2 => {
            format!("({})", many(items.iter().map(|item| python(item, moments)).collect()))
        }
        Value::Array(items) => {
            format!("[{}]", many(items.iter().map(|item| python(item, moments)).collect()))
        }
        Value::Object(fields) => {
            let mut text = "{\n".to_owned();
            for (key, value) in fields {
                let key = match key.as_str() {
                    "Infinity" => "float('inf')".to_owned(),
                    key if key.parse::<u32>().is_ok() => key.to_owned(),
                    key => format!("'{key}'"),
                };
                writeln!(text, "                {key}: {},  # a row", python(value, moments))
                    .unwrap();
            }
            text + "            }"
        }
    }
}

/// A Python file with the class of an API.
fn class(tool: &Value, tables: Option<&Value>) -> String {
    let name = tool["name"].as_str().unwrap();
    let letters = name.chars().map(|c| if c.is_uppercase() { 2 } else { 1 }).sum::<usize>() - 1;
    let description: Vec<char> =
        tool["search_text"].as_str().unwrap().chars().skip(letters).collect();
    let (start, end) = description.split_at(description.len() / 2);
    let text = |part: &[char]| format!("{:?}", part.iter().collect::<String>());
    let mut source = format!(
        "from apis.api import API\nimport datetime\n\nclass {name}(API):\n    description = {} \\\n        \
         {}\n    input_parameters = {}\n    output_parameters = {}\n\n    def __init__(self, given=None):\n",
        text(start),
        text(end),
        python(&tool["input_parameters"], false),
        python(&tool["output_parameters"], false),
    );
    for (attribute, table) in tables.and_then(Value::as_object).into_iter().flatten() {
        let table = python(table, matches!(name, "FlightSearch" | "HotelAvailability"));
        writeln!(source, "        if given is not None:\n            self.{attribute} = given")
            .unwrap();
        writeln!(source, "        else:\n            self.{attribute} = {table}").unwrap();
    }
    source + "        self.name = type(self).__name__\n"
}

/// The numbers of gold calls that the original's evaluator scores and accepts, by ability.
fn recorded(verdicts: &Path) -> BTreeMap<Ability, (usize, usize)> {
    let mut counts = BTreeMap::new();
    for line in fs::read_to_string(verdicts).unwrap().lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        if row["kind"] == "gold" {
            let level = row["level"].as_u64().unwrap() as usize;
            let (n, right) = counts.entry(Ability::ALL[level - 1]).or_insert((0, 0));
            *n += 1;
            *right += usize::from(row["correct"] == true);
        }
    }
    counts
}

#[test]
fn the_repositorys_folder_gives_what_the_original_says_of_its_gold() {
    let what = "the original from its plain folder";
    let (Some(data), Some(parity)) =
        (fixtures::shared("apibank", what), fixtures::shared("parity", what))
    else {
        return;
    };
    let Some(search) = fixtures::search_files(what) else { return };
    let mut folder = Vec::new();
    files(&data, &data, &mut folder);
    let (tables, pools) =
        (json(&data.join("planning-tables.json")), json(&parity.join("pools.json")));
    for (suite, name) in [(Suite::Dialogue, "apis"), (Suite::Planning, "lv3_apis")] {
        for tool in pools[suite.as_str()].as_array().unwrap() {
            let api = tool["name"].as_str().unwrap();
            let tables = (suite == Suite::Planning).then(|| &tables[api]);
            folder.push((format!("{TOP}/{name}/{api}.py"), class(tool, tables)));
        }
    }
    let (original, report) = import(folder.iter().map(|(path, text)| (&**path, &**text)));
    assert_eq!((&report.problems[..], &report.missing[..]), (&[][..], &[][..]));
    // The evaluator's own texts, so that the ranked embeddings are the original's.
    let pools = original.pools.values().flat_map(|pool| pool.values());
    assert!(pools.into_iter().all(|tool| tool.origin == dataset::import::Origin::Released));
    assert_eq!(original.described, 73);

    let read = |file: &str| fs::read(search.join(file)).unwrap();
    let vocabulary = String::from_utf8(read("vocab.txt")).unwrap();
    let encoder = Arc::new(Encoder::load(&read("model.onnx"), &vocabulary).unwrap());
    let (pack, damaged) = original::pack(original, &Errata::builtin().unwrap());
    assert_eq!(damaged, []);
    let audit = runner::audit(&Benchmark::imported(pack, encoder), |_, _| {});
    let recorded = recorded(&parity.join("verdicts.jsonl"));
    assert_eq!((audit.rows.len(), recorded.len()), (3, 3));
    for row in &audit.rows {
        let count = |profile| row.profiles.iter().find(|it| it.profile == profile).unwrap();
        let original = count(Profile::Original);
        assert_eq!((original.n, original.right), recorded[&row.ability], "{:?}", row.ability);
        let execution = count(Profile::Execution);
        assert_eq!(execution.right, execution.n, "{:?}: {:?}", row.ability, audit.failures);
        assert_eq!(execution.n + row.excluded, original.n);
    }
    assert!(audit.rows.iter().map(|row| row.excluded).sum::<usize>() <= 10);
}
