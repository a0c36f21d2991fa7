//! `docs/record.schema.json` matches the types, and records validate against it.
//!
//! `UPDATE=1 cargo test -p runner --features schema --test record_schema` rewrites the schema.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use dataset::Split;
use dataset::own_tools::{self, ToolsFile};
use exchange::protocol::Protocol;
use jsonschema::Validator;
use record::Baseline;
use record::{Model, Record, SCHEMA, SCHEMA_VERSION};
use record::{RunSettings, Subset};
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/record.schema.json");

/// The schema of records as written: fields that are always present are required.
fn derived() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<Record>().to_value();
    unlink(&mut schema);
    schema["title"] = json!("API-Bank run record");
    schema["properties"]["schema"]["const"] = json!(SCHEMA);
    schema["properties"]["schema_version"]["const"] = json!(SCHEMA_VERSION);
    schema
}

const TOOLS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/tools.schema.json");

/// The schema of packs of own tools as read.
fn tools_schema() -> Value {
    let settings = SchemaSettings::draft2020_12();
    let mut schema = settings.into_generator().into_root_schema_for::<ToolsFile>().to_value();
    unlink(&mut schema);
    schema["title"] = json!("API-Bank pack of own tools");
    schema["properties"]["schema"]["const"] = json!(own_tools::SCHEMA);
    schema["properties"]["schema_version"]["const"] = json!(own_tools::SCHEMA_VERSION);
    schema
}

#[test]
fn the_example_of_own_tools_is_valid_against_the_published_schema() {
    let derived = tools_schema();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(TOOLS, format!("{derived:#}\n")).unwrap();
    }
    let published: Value = serde_json::from_str(&std::fs::read_to_string(TOOLS).unwrap()).unwrap();
    assert_eq!(published, derived, "docs/tools.schema.json is not what the types say: UPDATE=1");
    let validator = jsonschema::validator_for(&published).unwrap();
    let mut example: Value = serde_json::from_str(own_tools::example::PACK).unwrap();
    assert!(validator.is_valid(&example));
    example["endpoint"] = json!("https://example.com");
    assert!(!validator.is_valid(&example));
}

/// Replaces intra-doc links by plain text.
fn unlink(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::String(text) if name == "description" => *text = unlinked(text),
                    _ => unlink(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(unlink),
        _ => {}
    }
}

/// [`Name`] and [`Name`](path) become `Name`.
fn unlinked(text: &str) -> String {
    let mut parts = text.split("[`");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once("`]").expect("a link that ends");
        let rest = match rest.strip_prefix('(') {
            Some(path) => path.split_once(')').expect("a path that ends").1,
            None => rest,
        };
        plain += &format!("`{name}`{rest}");
    }
    plain
}

fn published() -> Validator {
    let text = std::fs::read_to_string(FILE).expect("docs/record.schema.json");
    let schema = serde_json::from_str(&text).expect("the schema is JSON");
    jsonschema::draft202012::new(&schema).expect("a schema of draft 2020-12")
}

#[test]
fn the_published_schema_matches_the_types() {
    let derived = serde_json::to_string_pretty(&derived()).unwrap() + "\n";
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(FILE, derived).expect("the schema is written");
        return;
    }
    let published = std::fs::read_to_string(FILE).expect("docs/record.schema.json");
    assert!(published == derived, "the record's types changed: see the head of this file");
}

/// Small records of every protocol and split with the reference models.
fn records() -> Vec<Value> {
    let bench = support::bench();
    let mut records = Vec::new();
    for protocol in Protocol::ALL {
        for split in Split::ALL {
            for &name in Baseline::REFERENCE {
                let new = RunSettings::new(Model::Builtin { name });
                let settings =
                    RunSettings { protocol, split, subset: Subset::PerAbility(4), ..new };
                let record = support::run(&bench, &settings);
                records.push(serde_json::to_value(record).expect("a record is JSON"));
            }
        }
    }
    records
}

#[test]
fn records_validate_and_damaged_ones_do_not() {
    let schema = published();
    let records = records();
    for record in &records {
        let found: Vec<_> = schema.iter_errors(record).map(|error| error.to_string()).collect();
        assert!(found.is_empty(), "{}: {found:?}", record["protocol"]);
    }
    let good = records.first().expect("a record");
    let damages: [fn(&mut Value); 6] = [
        |record| record["schema"] = json!("another"),
        |record| record["schema_version"] = json!(3),
        |record| record["protocol"] = json!("telepathy"),
        |record| record["samples"][0]["attempts"] = json!("one"),
        |record| record["samples"][0]["rouge_l"] = json!("NaN"),
        |record| {
            record.as_object_mut().expect("an object").remove("digest");
        },
    ];
    for (index, damage) in damages.iter().enumerate() {
        let mut bad = good.clone();
        damage(&mut bad);
        assert!(!schema.is_valid(&bad), "damage {index} is not detected");
    }
}
