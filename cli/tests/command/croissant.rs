//! The pack's metadata in Croissant's format, `dataset/croissant.json`: compares what is derived from
//! the pack, and reads all records with Croissant's own library.
//!
//! Version, citation, checksums, counts and the fields of arguments are derived, and `UPDATE=1`
//! rewrites them; everything else is written by hand. `cargo xtask test` downloads the library and
//! sets `API_BANK_MLCROISSANT` to its folder.

use crate::support::{python_package, text};
use dataset::{Ability, Dialogue, Language, Pack, RecordedCall};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A record set's identifier, its name in the data sheet, and its dialogues.
type Set<'a> = (&'static str, &'static str, Vec<&'a Dialogue>);

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../dataset")
}

fn sets(pack: &Pack) -> [Set<'_>; 4] {
    let of = |ability: Ability| {
        let dialogues = pack.dialogues.iter().filter(|it| it.ability == ability).collect();
        (ability.as_str(), ability.title(), dialogues)
    };
    let [call, retrieve, plan] = Ability::ALL.map(of);
    [call, retrieve, plan, ("hard", "hard", pack.hard.iter().collect())]
}

#[test]
fn the_metadata_is_that_of_the_pack() {
    let file = folder().join("croissant.json");
    let written = fs::read_to_string(&file).unwrap();
    let mut metadata = serde_json::from_str(&written).unwrap();
    derive(&mut metadata, &dataset::builtin().unwrap());
    let derived = format!("{}\n", layout(&metadata, 0));
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&file, derived).unwrap();
        return;
    }
    let pairs = written.lines().zip(derived.lines());
    let differing = pairs.enumerate().find(|(_, (written, derived))| written != derived);
    if let Some((index, (written, derived))) = differing {
        panic!(
            "dataset/croissant.json, line {}: run with UPDATE=1 after a change of the pack\nis {}\nnot {}",
            index + 1,
            written.trim(),
            derived.trim()
        );
    }
    assert_eq!(written.len(), derived.len(), "dataset/croissant.json: run with UPDATE=1");
}

/// Replaces what is derived from the pack.
fn derive(metadata: &mut Value, pack: &Pack) {
    let version = &pack.manifest.version;
    if metadata["version"] != version.as_str() {
        metadata["version"] = json!(version);
        // A version is published on the day when its number comes into this file.
        let now = jiff::Timestamp::now().to_string();
        metadata["datePublished"] = json!(now.split_once('T').unwrap().0);
    }
    let year = &metadata["datePublished"].as_str().unwrap()[..4];
    metadata["citeAs"] = json!(format!(
        "@misc{{api-bank-browser, title = {{{}}}, author = {{{{{}}}}}, year = {{{year}}}, \
         version = {{{version}}}, note = {{Digest {}. Task, APIs and metrics are those of API-Bank: \
         Li et al., EMNLP 2023, arXiv 2304.08244}}}}",
        metadata["name"].as_str().unwrap(),
        metadata["creator"]["name"].as_str().unwrap(),
        pack.digest,
    ));
    for resource in list(&mut metadata["distribution"]) {
        // Sets of files have neither URL nor checksum.
        if let Some(url) = resource["contentUrl"].as_str() {
            let bytes = fs::read(folder().join(url)).unwrap();
            resource["contentSize"] = json!(format!("{} B", bytes.len()));
            resource["sha256"] = json!(xtask::digest::hex(&bytes));
        }
    }
    for (id, title, dialogues) in sets(pack) {
        let set = with_id(&mut metadata["recordSet"], id);
        let calls: Vec<&RecordedCall> = dialogues.iter().flat_map(|it| it.calls()).collect();
        let (n, arguments) = (dialogues.len(), calls.iter().map(|call| &call.param_dict));
        if id == "plan" {
            let calls = calls.len();
            set["description"] = json!(format!("The {n} {title} dialogues, with {calls} calls."));
            let apis = with_id(&mut set["field"], "plan/apis");
            let source = apis["source"].clone();
            let fields = list(&mut apis["subField"]);
            // The first one, the name, is written by hand.
            fields.truncate(1);
            fields.extend(Arguments { source, root: "$.input.", listed: true }.fields(
                "plan/apis/input",
                &[],
                arguments,
            ));
        } else {
            let turns: usize = dialogues.iter().map(|dialogue| dialogue.own_turns().len()).sum();
            set["description"] =
                json!(format!("The {turns} utterances and calls of {n} {title} dialogues."));
            let params = format!("{id}/param_dict");
            let source = json!({
                "fileSet": {"@id": format!("{id}-files")},
                "extract": {"column": "param_dict"},
            });
            let fields =
                Arguments { source, root: "$.", listed: false }.fields(&params, &[], arguments);
            with_id(&mut set["field"], &params)["subField"] = fields.into();
        }
    }
    let translations = translations();
    let (languages, n) = (translations.len(), translations[0].1.len());
    with_id(&mut metadata["recordSet"], "languages")["description"] = json!(format!(
        "The words of user and assistant of {n} dialogues in {languages} languages."
    ));
}

/// The translations: language and lines of their files.
fn translations() -> Vec<(&'static str, Vec<Value>)> {
    let lines = |language: Language| {
        let file = folder().join(format!("languages/{}.jsonl", language.as_str()));
        let text = fs::read_to_string(file).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        (language.as_str(), lines)
    };
    Language::ALL.into_iter().map(lines).collect()
}

fn list(value: &mut Value) -> &mut Vec<Value> {
    value.as_array_mut().unwrap()
}

fn with_id<'a>(values: &'a mut Value, id: &str) -> &'a mut Value {
    let found = list(values).iter_mut().find(|entry| entry["@id"] == id);
    assert!(found.is_some(), "dataset/croissant.json: nothing has the @id {id}");
    found.unwrap()
}

/// Where the arguments of calls are. Croissant has no type for objects of any shape, and its
/// library can't turn them into text, so each argument is a separate field.
struct Arguments {
    /// The file set, and what to extract from it.
    source: Value,
    /// The start of the JSON paths.
    root: &'static str,
    /// Whether a record has a list of calls.
    listed: bool,
}

impl Arguments {
    /// The fields of all keys that occur in objects, found under a path of keys.
    fn fields<'a>(
        &self,
        id: &str,
        path: &[&str],
        objects: impl Iterator<Item = &'a Map<String, Value>>,
    ) -> Vec<Value> {
        let mut values: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
        for (key, value) in objects.flatten() {
            values.entry(key).or_default().push(value);
        }
        let field = |(name, values): (&str, Vec<&'a Value>)| {
            self.field(&format!("{id}/{name}"), &[path, &[name]].concat(), &values)
        };
        values.into_iter().filter_map(field).collect()
    }

    fn field(&self, id: &str, path: &[&str], values: &[&Value]) -> Option<Value> {
        let mut field = json!({"@type": "cr:Field", "@id": id, "name": path.last().unwrap()});
        let items: Vec<&Value> = values.iter().filter_map(|it| it.as_array()).flatten().collect();
        let is_list = values.iter().any(|value| value.is_array());
        if is_list {
            field["isArray"] = json!(true);
        }
        if items.iter().any(|item| item.is_object()) {
            // The library doesn't read lists of objects within lists.
            if self.listed {
                return None;
            }
            let objects = items.iter().filter_map(|item| item.as_object());
            field["subField"] = self.fields(id, path, objects).into();
            return Some(field);
        }
        field["dataType"] = json!(data_type(if is_list { &items } else { values }));
        let mut steps = path.iter().enumerate().map(|(depth, key)| {
            let root = if depth == 0 { self.root } else { "$." };
            json!({"jsonPath": format!("{root}{key}")})
        });
        field["source"] = self.source.clone();
        field["source"]["transform"] =
            if path.len() == 1 { steps.next().unwrap() } else { steps.collect() };
        Some(field)
    }
}

/// The narrowest type of all values.
fn data_type(values: &[&Value]) -> &'static str {
    let all = |is: fn(&Value) -> bool| values.iter().all(|value| is(value));
    if all(Value::is_boolean) {
        "sc:Boolean"
    } else if all(Value::is_i64) {
        "sc:Integer"
    } else if all(Value::is_number) {
        "sc:Float"
    } else {
        "sc:Text"
    }
}

/// Formats the JSON with one line per short value, and per field that has no sub-fields.
fn layout(value: &Value, depth: usize) -> String {
    let line = value.to_string();
    let is_leaf = value["@type"] == "cr:Field" && value.get("subField").is_none();
    let (brackets, parts): (_, Vec<String>) = match value {
        _ if is_leaf || line.len() <= 100 => return line,
        Value::Object(entries) => {
            let entry = |(key, value)| format!("{}: {}", json!(key), layout(value, depth + 1));
            (["{", "}"], entries.iter().map(entry).collect())
        }
        Value::Array(items) => {
            (["[", "]"], items.iter().map(|item| layout(item, depth + 1)).collect())
        }
        _ => return line,
    };
    let [indent, outer] = [depth + 1, depth].map(|spaces| format!("\n{}", " ".repeat(spaces)));
    let [open, close] = brackets;
    format!("{open}{indent}{}{outer}{close}", parts.join(&format!(",{indent}")))
}

/// Prints a dataset's standard, the issues found in it, and the records of each record set, with
/// their fields nested as their identifiers are. The library fails on a file without a field's
/// column, such as `expect`, unless a join (of `role` with `roles`) makes it read all files at once.
const READER: &str = "\
import json, sys
import mlcroissant
def plain(value, above):
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list):
        return [plain(item, above) for item in value]
    if not isinstance(value, dict):
        return value
    row = {}
    for key, item in value.items():
        *outer, name = key.removeprefix(above + '/').split('/')
        place = row
        for part in outer:
            place = place.setdefault(part, {})
        item = plain(item, key)
        place[name] = {**place.get(name, {}), **item} if isinstance(item, dict) else item
    return row
dataset = mlcroissant.Dataset(sys.argv[1])
context = dataset.metadata.ctx
print(json.dumps({
    'standard': context.conforms_to.value,
    'issues': context.issues.report(),
    'version': dataset.metadata.version,
    'records': {
        it.id: [plain(record, it.id) for record in dataset.records(it.id)]
        for it in dataset.metadata.record_sets
    },
}))
";

#[test]
fn croissants_own_library_reads_every_record() {
    let Some(package) = python_package("API_BANK_MLCROISSANT") else { return };
    let file = folder().canonicalize().unwrap().join("croissant.json");
    let output = Command::new("python3")
        .args(["-c", READER])
        .arg(&file)
        .env("PYTHONPATH", package)
        .output()
        .unwrap();
    let remarks = text(&output.stderr);
    assert!(output.status.success() && !remarks.contains("WARNING"), "{remarks}");
    let read: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(read["standard"], "http://mlcommons.org/croissant/1.1");
    assert_eq!(read["issues"], "");
    let pack = dataset::builtin().unwrap();
    assert_eq!(read["version"], pack.manifest.version.as_str());
    let records = read["records"].as_object().unwrap();
    assert_eq!(records["roles"].as_array().unwrap().len(), 3);
    assert_eq!(records.len(), 2 + sets(&pack).len());
    let mut expected: Vec<Value> = Vec::new();
    for (language, lines) in translations() {
        expected.extend(lines.into_iter().map(|mut line| {
            line["language"] = json!(language);
            line
        }));
    }
    let mut found = records["languages"].as_array().unwrap().clone();
    for rows in [&mut found, &mut expected] {
        rows.sort_by_key(|row| [&row["language"], &row["dialogue"]].map(ToString::to_string));
    }
    assert_eq!(found, expected);
    for (id, _, dialogues) in sets(&pack) {
        let mut found: Vec<Value> =
            records[id].as_array().unwrap().iter().filter_map(stated).collect();
        let row = |it: &&Dialogue| if id == "plan" { vec![plan_row(it)] } else { turn_rows(it) };
        let rows: Vec<Value> = dialogues.iter().flat_map(row).collect();
        let mut expected: Vec<Value> = rows.iter().filter_map(stated).collect();
        assert_eq!(found.len(), expected.len(), "{id}");
        // Files and identifiers sort differently where one name starts with another.
        for rows in [&mut found, &mut expected] {
            rows.sort_by_key(|row| row["dialogue"].as_str().unwrap().to_owned());
        }
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found, expected, "{id}");
        }
    }
}

/// The name of a dialogue's file.
fn name(dialogue: &Dialogue) -> &str {
    dialogue.id.split_once('/').unwrap().1
}

/// Fields of turns that have any shape, and so no field of the metadata: results, alternatives, and
/// what the dialogue declares.
const UNSTATED: [&str; 6] = ["result", "alternatives", "accept", "after", "forbid", "tell"];

fn turn_rows(dialogue: &Dialogue) -> Vec<Value> {
    let row = |(index, turn)| {
        let mut row = json!(turn);
        let fields = row.as_object_mut().unwrap();
        fields.retain(|key, _| !UNSTATED.contains(&key.as_str()));
        fields.insert("dialogue".to_owned(), json!(name(dialogue)));
        fields.insert("turn".to_owned(), json!(index));
        row
    };
    dialogue.own_turns().iter().enumerate().map(row).collect()
}

fn plan_row(dialogue: &Dialogue) -> Value {
    let call = |it: &RecordedCall| {
        let mut input = it.param_dict.clone();
        let has_object =
            |value: &Value| value.as_array().is_some_and(|it| it.iter().any(Value::is_object));
        input.retain(|_, value| !has_object(value));
        json!({"api_name": it.api_name, "input": input})
    };
    json!({
        "dialogue": name(dialogue),
        "requirement": json!(dialogue.turns.first())["text"],
        "response": json!(dialogue.turns.last())["text"],
        "apis": dialogue.calls().map(call).collect::<Vec<_>>(),
    })
}

/// What a value states: records have every field, many of them empty, and whole numbers may be
/// floats.
fn stated(value: &Value) -> Option<Value> {
    match value {
        Value::Null => None,
        Value::Number(number) => Some(json!(number.as_f64())),
        Value::Array(items) => {
            Some(items.iter().filter_map(stated).collect()).filter(|it: &Value| *it != json!([]))
        }
        Value::Object(fields) => {
            let kept = fields.iter().filter_map(|(key, it)| Some((key.clone(), stated(it)?)));
            Some(kept.collect()).filter(|it: &Value| *it != json!({}))
        }
        _ => Some(value.clone()),
    }
}
