//! Properties of any sequence of calls with any arguments: no panics, deterministic results, and
//! failed calls change nothing.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use apis::effect::effect;
use apis::store::TableName;
use apis::{Api, Kind, World, registry};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

static WORLD: LazyLock<World> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dataset/databases");
    let mut world = World::empty(314);
    for name in TableName::ALL {
        let file = format!("{}.json", name.as_str());
        if let Ok(text) = fs::read_to_string(folder.join(&file)) {
            world.load_table(*name, &file, &serde_json::from_str(&text).unwrap()).unwrap();
        }
    }
    world
});

/// Texts that occur in the databases, so that calls get past the first check.
static TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut texts = Vec::new();
    for name in TableName::ALL {
        if let Value::Object(rows) = WORLD.table(*name) {
            for (key, row) in rows.iter().take(12) {
                texts.push(key.clone());
                collect(row, &mut texts);
            }
        }
    }
    texts
});

fn collect(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(fields) => fields.values().for_each(|field| collect(field, texts)),
        other => texts.push(other.to_string()),
    }
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => any::<prop::sample::Index>().prop_map(|index| index.get(&TEXTS).clone()),
        1 => "\\PC{0,24}",
        1 => Just(String::new()),
        1 => "[\\[\\]{}'\",:0-9a-c -]{0,24}",
        1 => (1..12_u32, 1..28_u32, 0..24_u32)
            .prop_map(|(month, day, hour)| format!("2024-{month:02}-{day:02} {hour:02}:15:00")),
    ]
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        4 => any_text().prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<f64>().prop_map(|number| json!(number)),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(Value::Null),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec(("[a-z]{1,8}", inner), 0..3)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

/// A value that usually fits the kind.
fn fitting(kind: Kind, text: String, number: i64, any: Value) -> Value {
    match kind {
        Kind::Text => Value::from(text),
        Kind::Integer => json!(number % 5000),
        Kind::Number => json!(number as f64 / 7.0),
        Kind::Boolean => json!(number % 2 == 0),
        Kind::Date => {
            json!(format!("2024-{:02}-{:02}", number.rem_euclid(12) + 1, number.rem_euclid(28) + 1))
        }
        Kind::MonthDay => {
            json!(format!("{:02}-{:02}", number.rem_euclid(12) + 1, number.rem_euclid(28) + 1))
        }
        Kind::DateTime => json!(format!("2024-05-{:02} 09:30", number.rem_euclid(28) + 1)),
        Kind::TextList | Kind::UntypedTextList => json!([text]),
        Kind::RecordList(fields) => {
            let record: Map<String, Value> =
                fields.iter().map(|field| ((*field).to_owned(), json!(text))).collect();
            json!([record, any])
        }
    }
}

/// An API with arguments: most fit, some are arbitrary, some are absent.
fn any_call() -> impl Strategy<Value = (&'static Api, Map<String, Value>)> {
    let slot = (any_text(), any::<i64>(), any_value(), 0..8_u8);
    (any::<prop::sample::Index>(), prop::collection::vec(slot, 8), any::<u8>()).prop_map(
        |(index, slots, stray)| {
            let pool: Vec<&'static Api> = registry::all().collect();
            let api = *index.get(&pool);
            let mut arguments = Map::new();
            for (param, (text, number, value, choice)) in api.params.iter().zip(slots) {
                let value = match choice {
                    0 => continue,
                    1 => value,
                    _ => fitting(param.kind, text, number, value),
                };
                arguments.insert(param.name.to_owned(), value);
            }
            if stray == 0 {
                arguments.insert("stray".to_owned(), json!(1));
            }
            (api, arguments)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sequences_are_safe_and_repeatable(calls in prop::collection::vec(any_call(), 1..16)) {
        let (mut first, mut second) = (WORLD.clone(), WORLD.clone());
        for (api, arguments) in &calls {
            let before = first.clone();
            let result = api.call(arguments, &mut first);
            prop_assert_eq!(&result, &api.call(arguments, &mut second), "{} is not repeatable", api.name);
            prop_assert!(result.output.is_some() != result.exception.is_some(), "{:?}", result);
            let changes = first.changes_since(&before);
            if result.exception.is_some() {
                prop_assert!(changes.is_empty(), "{} failed and changed {:?}", api.name, changes);
            }
            prop_assert!(changes.iter().all(|change| api.writes.contains(&change.table)));
        }
        prop_assert_eq!(first.digest(), second.digest());
    }

    #[test]
    fn a_failed_call_keeps_the_digest(call in any_call()) {
        let mut world = WORLD.clone();
        let (api, arguments) = call;
        let result = api.call(&arguments, &mut world);
        if result.exception.is_some() {
            prop_assert_eq!(world.digest(), WORLD.digest());
        }
    }

    #[test]
    fn the_gold_call_counts_as_itself(call in any_call()) {
        let (api, arguments) = call;
        let Ok(read) = api.read(&arguments) else { return Ok(()) };
        for (name, value) in &read {
            let rule = api.param(name).map(|param| param.rule);
            prop_assert!(rule.is_some_and(|rule| rule.same(value, value)), "{} {name}", api.name);
        }
        prop_assert_eq!(effect(api, &read, &WORLD), effect(api, &arguments, &WORLD));
    }
}

#[test]
fn most_drawn_calls_get_past_the_arguments() {
    // If no arguments parsed, the properties above would hold vacuously.
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut world = WORLD.clone();
    let (mut readable, mut succeeded) = (0, 0);
    for _ in 0..2000 {
        let (api, arguments) = any_call().new_tree(&mut runner).unwrap().current();
        readable += usize::from(api.read(&arguments).is_ok());
        succeeded += usize::from(api.call(&arguments, &mut world).exception.is_none());
    }
    assert!(readable > 800 && succeeded > 50, "{readable} readable, {succeeded} succeeded");
}
