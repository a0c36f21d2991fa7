//! The pack's files have the shapes of the original benchmark's, so that its Python harness can read
//! them: the same keys with the same JSON types in every line.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// JSON types by path of keys; the items of a list share one path.
type Shape = BTreeMap<String, BTreeSet<&'static str>>;

/// Paths whose contents depend on the API.
const FREE: [&str; 6] =
    [".param_dict", ".result.input", ".result.output", ".input", ".output.input", ".output.output"];

fn shape(value: &Value, path: &str, into: &mut Shape) {
    let name = match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "list",
        Value::Object(_) => "record",
    };
    into.entry(path.to_owned()).or_default().insert(name);
    if FREE.iter().any(|free| path.ends_with(free)) {
        return;
    }
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                shape(value, &format!("{path}.{key}"), into);
            }
        }
        Value::Array(items) => {
            items.iter().for_each(|item| shape(item, &format!("{path}[]"), into))
        }
        _ => {}
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// The shape of each role's line over all dialogue files of a folder.
fn lines(folder: &Path) -> BTreeMap<String, Shape> {
    let mut shapes: BTreeMap<String, Shape> = BTreeMap::new();
    for file in files(folder) {
        for line in std::fs::read_to_string(&file).unwrap().lines().filter(|it| !it.is_empty()) {
            let value: Value = serde_json::from_str(line).unwrap();
            let role = value["role"].as_str().unwrap().to_owned();
            shape(&value, "", shapes.entry(role).or_default());
        }
    }
    shapes
}

/// Keys that the original does not have, with all that is below them.
const OWN: [&str; 6] = ["expect", "alternatives", "accept", "after", "forbid", "tell"];

/// The original's folder, if available.
fn original() -> Option<PathBuf> {
    fixtures::shared("apibank", "the comparison with the original's shapes")
}

/// Asserts that both have the same keys, and ours only JSON types that theirs has.
fn compare(ours: &Shape, theirs: &Shape, what: &str) {
    let mut theirs = theirs.clone();
    for (path, types) in &mut theirs {
        // The original's dialogues have no failed call; its tools return the reason as a string.
        if path.ends_with(".exception") {
            types.insert("string");
        }
    }
    for (path, types) in &theirs {
        let have = ours.get(path).unwrap_or_else(|| panic!("{what}: we lack {path}"));
        let free = FREE.iter().any(|free| path.ends_with(free));
        assert!(free || types.is_superset(have), "{what} {path}: {have:?}, there {types:?}");
    }
    // The original's programs ignore the mark of lines where no call is right, and what is declared.
    let key = |part: &str| OWN.contains(&part.trim_end_matches("[]"));
    let own = |path: &str| path.split('.').any(key);
    for path in ours.keys().filter(|path| !own(path)) {
        assert!(theirs.contains_key(path), "{what}: the original has no {path}");
    }
}

#[test]
fn lines_of_dialogues_have_the_originals_shape() {
    let Some(original) = original() else { return };
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("dialogues");
    for (folder, theirs) in [("call", "level-1-given-desc"), ("retrieve", "level-2-toolsearcher")] {
        let theirs = lines(&original.join("lv1-lv2-samples").join(theirs));
        let ours = lines(&own.join(folder));
        assert_eq!(ours.keys().collect::<Vec<_>>(), theirs.keys().collect::<Vec<_>>());
        for (role, shape) in &ours {
            compare(shape, &theirs[role], &format!("{folder} {role}"));
        }
    }
}

#[test]
fn plans_have_the_originals_shape() {
    let Some(original) = original() else { return };
    let text = std::fs::read_to_string(original.join("test-data/level-3.json")).unwrap();
    let mut theirs = Shape::new();
    for plan in serde_json::from_str::<Vec<Value>>(&text).unwrap() {
        shape(&plan, "", &mut theirs);
    }
    let mut ours = Shape::new();
    for file in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("dialogues/plan")) {
        let plan = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        shape(&plan, "", &mut ours);
    }
    compare(&ours, &theirs, "plan");
}
