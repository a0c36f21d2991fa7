//! The architecture's layers: a crate may depend only on crates of lower floors.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use serde_json::Value;
use std::{collections::BTreeMap, path::Path, process::Command};

/// Each crate's floor, as in ARCHITECTURE.md.
const FLOORS: [(&str, u8); 21] = [
    ("apis", 1),
    ("fixtures", 1),
    ("gguf", 1),
    ("kernels", 1),
    ("quantize", 1),
    ("xtask", 2),
    ("dataset", 2),
    ("exchange", 3),
    ("horizon", 3),
    ("retrieval", 3),
    ("provider", 4),
    ("scoring", 4),
    ("original", 5),
    ("ranking", 5),
    ("record", 5),
    ("generator", 6),
    ("runner", 6),
    ("makers", 7),
    ("cli", 7),
    ("api-bank-web", 7),
    ("browser-tests", 7),
];

/// The workspace's crates with their dependencies on each other, without dev-dependencies; optional
/// ones only if `optional`.
fn dependencies(optional: bool) -> BTreeMap<String, Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(root)
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let counts = |it: &&Value| {
        it["path"].is_string() && it["kind"] != "dev" && (optional || it["optional"] == false)
    };
    let packages = metadata["packages"].as_array().expect("packages");
    packages
        .iter()
        .map(|package| {
            let needed = package["dependencies"].as_array().expect("dependencies").iter();
            let names = needed.filter(counts).map(|package| text(&package["name"])).collect();
            (text(&package["name"]), names)
        })
        .collect()
}

#[test]
fn crates_depend_only_on_lower_floors() {
    let floors = BTreeMap::from(FLOORS);
    let floor = |name: &str| *floors.get(name).unwrap_or_else(|| panic!("{name} has no floor"));
    let dependencies = dependencies(true);
    assert_eq!(dependencies.len(), FLOORS.len());
    for (name, needed) in &dependencies {
        for other in needed {
            let (above, below) = (floor(name), floor(other));
            assert!(below < above, "{name} (floor {above}) depends on {other} (floor {below})");
        }
    }
}

/// The page must not link the search model's runtime: only its worker needs that.
#[test]
fn the_page_links_no_model_runtime() {
    let dependencies = dependencies(false);
    let mut linked = Vec::new();
    let mut left = vec!["api-bank-web".to_owned()];
    while let Some(name) = left.pop() {
        if !linked.contains(&name) {
            left.extend(dependencies.get(&name).into_iter().flatten().cloned());
            linked.push(name);
        }
    }
    assert!(linked.iter().any(|name| name == "record"), "{linked:?}");
    for heavy in ["retrieval", "ranking", "runner", "original", "kernels"] {
        assert!(!linked.iter().any(|name| name == heavy), "the page links {heavy}");
    }
}
