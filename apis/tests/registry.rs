//! The registry is complete and documented, and its APIs match their descriptors.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use apis::store::{ChangeKind, TableName};
use apis::{Api, Suite, World, registry, search};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn every() -> Vec<&'static Api> {
    registry::all().chain([&search::DIALOGUE, &search::PLANNING]).collect()
}

fn world() -> World {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dataset/databases");
    let mut world = World::empty(314);
    world.today = "2024-05-15".parse().unwrap();
    for name in TableName::ALL {
        let file = format!("{}.json", name.as_str());
        if let Ok(text) = fs::read_to_string(folder.join(&file)) {
            world.load_table(*name, &file, &serde_json::from_str(&text).unwrap()).unwrap();
        }
    }
    world
}

fn sources() -> Vec<PathBuf> {
    let domains = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/domains");
    let mut files = Vec::new();
    for domain in fs::read_dir(domains).unwrap().map(|entry| entry.unwrap().path()) {
        if !domain.is_dir() {
            continue;
        }
        let entries = fs::read_dir(domain).unwrap().map(|entry| entry.unwrap().path());
        files.extend(
            entries.filter(|file| fs::read_to_string(file).unwrap().contains(": Api = Api {")),
        );
    }
    files
}

#[test]
fn the_pool_is_the_papers() {
    assert_eq!(registry::pool(Suite::Dialogue).count(), 52);
    assert_eq!(registry::pool(Suite::Planning).count(), 21);
    let keys: BTreeSet<_> = every().iter().map(|api| (api.suite, api.name)).collect();
    assert_eq!(keys.len(), every().len(), "suite and name identify an API");
    for shared in ["Calculator", "AddMeeting", "QueryMeeting"] {
        assert!(registry::find(Suite::Dialogue, shared).is_some(), "{shared}");
        assert!(registry::find(Suite::Planning, shared).is_some(), "{shared}");
    }
}

#[test]
fn suites_and_tables_are_named_as_in_json() {
    Suite::ALL.iter().for_each(|suite| assert_eq!(json!(suite), suite.as_str()));
    TableName::ALL.iter().for_each(|table| assert_eq!(json!(table), table.as_str()));
}

#[test]
fn tables_that_number_their_rows_are_known() {
    let mut found = BTreeSet::new();
    for api in every() {
        for example in api.examples.iter().filter(|example| example.succeeds) {
            let arguments: Value = serde_json::from_str(example.arguments).unwrap();
            let (before, mut after) = (world(), world());
            api.call(arguments.as_object().unwrap(), &mut after);
            for change in after.changes_since(&before) {
                let table = before.table(change.table);
                let keys = table.as_object().unwrap().keys();
                let last = keys.filter_map(|key| key.parse::<u64>().ok()).max().unwrap_or(0);
                let is_new = matches!(change.kind, ChangeKind::Inserted { .. });
                if is_new && change.key == (last + 1).to_string() {
                    found.insert(change.table);
                }
            }
        }
    }
    let known: BTreeSet<_> =
        TableName::ALL.iter().copied().filter(|name| name.numbers_rows()).collect();
    assert_eq!(found, known);
}

#[test]
fn every_file_is_listed() {
    let listed: BTreeSet<String> =
        registry::all().map(|api| apis::describe::split_name(api.name).replace(' ', "_")).collect();
    let files = sources();
    for file in &files {
        let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
        let name = stem.strip_prefix("planning_").unwrap_or(&stem);
        assert!(listed.contains(name), "{} is not in its domain's APIS", file.display());
    }
    // Calculator has one file for both suites.
    assert_eq!(files.len() + 1, registry::all().count());
}

/// Whether a file is an unfinished scaffold from `cargo xtask new api`.
fn is_scaffold(file: &Path) -> bool {
    fs::read_to_string(file).unwrap().contains("TODO")
}

#[test]
fn no_api_is_a_scaffold() {
    let scaffold = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/domains/scaffold.rs");
    assert!(is_scaffold(&scaffold), "the template marks its gaps with TODO");
    for file in sources() {
        assert!(!is_scaffold(&file), "{}: replace every TODO", file.display());
    }
}

#[test]
fn every_file_tests_success_error_and_match_rule() {
    for file in sources() {
        let text = fs::read_to_string(&file).unwrap();
        let tests = text.split("mod tests").nth(1).unwrap_or_default();
        for verb in ["output(", "exception(", "same("] {
            // An API that cannot fail on readable arguments is tested on unreadable ones.
            assert!(tests.contains(verb), "{} has no test with {verb}", file.display());
        }
    }
}

#[test]
fn everything_is_documented() {
    for api in every() {
        let name = api.name;
        let words = api.description.split_whitespace().count();
        assert!((5..=40).contains(&words), "{name}: {words} words of description");
        assert!(!api.returns.is_empty(), "{name} returns something");
        assert!(!api.errors.is_empty(), "{name} can fail");
        for sentence in api
            .params
            .iter()
            .map(|param| param.description)
            .chain(api.errors.iter().copied())
            .chain([api.description])
        {
            assert!(sentence.ends_with('.'), "{name}: {sentence:?}");
        }
    }
}

#[test]
fn every_example_does_as_it_says() {
    for api in registry::all() {
        assert!(api.examples.iter().any(|example| example.succeeds), "{} succeeds", api.name);
        assert!(api.examples.iter().any(|example| !example.succeeds), "{} fails", api.name);
        for example in api.examples {
            let arguments: Value = serde_json::from_str(example.arguments).unwrap();
            let before = world();
            let mut after = before.clone();
            let result = api.call(arguments.as_object().unwrap(), &mut after);
            assert_eq!(result.exception.is_none(), example.succeeds, "{}: {result:?}", api.name);
            assert_ne!(result.output.is_some(), result.exception.is_some(), "{}", api.name);
            for change in after.changes_since(&before) {
                assert!(
                    api.writes.contains(&change.table),
                    "{} changes {:?}, which it does not declare",
                    api.name,
                    change.table
                );
            }
        }
    }
}

#[test]
fn declared_writes_happen() {
    let silent: Vec<&str> = registry::all()
        .filter(|api| !api.writes.is_empty())
        .filter(|api| {
            !api.examples.iter().filter(|example| example.succeeds).any(|example| {
                let arguments: Value = serde_json::from_str(example.arguments).unwrap();
                let before = world();
                let mut after = before.clone();
                api.call(arguments.as_object().unwrap(), &mut after);
                !after.changes_since(&before).is_empty()
            })
        })
        .map(|api| api.name)
        .collect();
    assert_eq!(silent, Vec::<&str>::new(), "declare writes but no example changes anything");
}

#[test]
fn declared_reads_happen() {
    let world = world();
    let outcome = |api: &Api, arguments: &str, mut world: World| {
        let arguments: Value = serde_json::from_str(arguments).unwrap();
        api.call(arguments.as_object().unwrap(), &mut world)
    };
    for api in registry::all() {
        // Written tables are read for the next key or the row to change.
        for table in api.reads.iter().filter(|table| !api.writes.contains(table)) {
            let mut without = world.clone();
            without.load_table(*table, "empty", &json!({})).unwrap();
            let read = api.examples.iter().any(|example| {
                outcome(api, example.arguments, world.clone())
                    != outcome(api, example.arguments, without.clone())
            });
            assert!(read, "{} declares {table:?} as read, but no example needs it", api.name);
        }
    }
}

#[test]
fn schemas_and_prompts_name_every_parameter() {
    for api in every() {
        let prompt = api.prompt_json();
        let schema = api.schema();
        for param in api.params {
            assert_eq!(prompt["input_parameters"][param.name]["type"], param.kind.label());
            assert!(schema["properties"][param.name]["type"].is_string(), "{}", api.name);
        }
        assert_eq!(prompt["name"], api.name);
    }
}

#[test]
fn the_databases_load_in_full() {
    let world = world();
    for (name, at_least) in [
        (TableName::Account, 40),
        (TableName::Agenda, 40),
        (TableName::Alarm, 40),
        (TableName::Appointments, 40),
        (TableName::Bank, 40),
        (TableName::Hotel, 40),
        (TableName::Meeting, 40),
        (TableName::Reminder, 40),
        (TableName::Flight, 40),
        (TableName::Wiki, 40),
        (TableName::Symptom, 25),
    ] {
        assert!(world.rows(name) >= at_least, "{name:?} has {} rows", world.rows(name));
    }
}
