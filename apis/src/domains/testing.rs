//! Helpers for the tests of APIs. They use the project's databases.

use crate::api::{Api, ApiResult};
use crate::arguments::Arguments;
use crate::effect;
use crate::store::{Change, TableName, World};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::OnceLock;

/// A fresh world with the project's databases.
pub fn world() -> World {
    static WORLD: OnceLock<World> = OnceLock::new();
    WORLD.get_or_init(load).clone()
}

fn load() -> World {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dataset/databases");
    let mut world = World::empty(1);
    for name in TableName::ALL {
        let file = format!("{}.json", name.as_str());
        let Ok(text) = std::fs::read_to_string(folder.join(&file)) else { continue };
        let json: Value = serde_json::from_str(&text).expect("the database is JSON");
        world.load_table(*name, &file, &json).expect("the database has its table's shape");
    }
    world
}

/// Calls an API on `world`. Panics if the call depends on a table that the API does not declare in
/// `reads`.
pub fn call(api: &Api, arguments: Value, world: &mut World) -> ApiResult {
    let arguments = arguments.as_object().expect("arguments are an object");
    let declared = run(api, arguments, &with_only(api.reads, world));
    assert_eq!(run(api, arguments, world), declared, "{} reads an undeclared table", api.name);
    api.call(arguments, world)
}

/// The result and changes of a call on a copy of `world`.
fn run(api: &Api, arguments: &Arguments, world: &World) -> (ApiResult, Vec<Change>) {
    let mut after = world.clone();
    (api.call(arguments, &mut after), after.changes_since(world))
}

/// A copy of `world` in which all tables but these are empty.
fn with_only(names: &[TableName], world: &World) -> World {
    let mut copy = world.clone();
    for name in TableName::ALL.iter().filter(|name| !names.contains(name)) {
        copy.load_table(*name, "empty", &json!({})).expect("a table can be empty");
    }
    copy
}

/// The output of a call. Panics if the call fails.
pub fn output(api: &Api, arguments: Value, world: &mut World) -> Value {
    let result = call(api, arguments, world);
    assert_eq!(result.exception, None, "{} should succeed", api.name);
    result.output.expect("a call without exception has an output")
}

/// The message of a failed call. Panics if the call succeeds or changes the world.
pub fn exception(api: &Api, arguments: Value, world: &mut World) -> String {
    let before = world.clone();
    let result = call(api, arguments, world);
    assert_eq!(result.output, None, "{} should fail", api.name);
    assert_eq!(world.changes_since(&before), [], "a failed call changes nothing");
    result.exception.expect("a call without output has an exception")
}

/// Whether a call counts as the gold one by the types of its arguments; a parameter that one of them leaves
/// out makes no difference if both then do the same.
pub fn same(api: &Api, gold: Value, predicted: Value) -> bool {
    let read = |it: &Value| api.read(it.as_object().expect("arguments are an object"));
    let (gold, Ok(predicted)) = (read(&gold).expect("the gold call"), read(&predicted)) else {
        return false;
    };
    let mut aligned = predicted.clone();
    for param in api.params {
        match (gold.get(param.name), predicted.get(param.name)) {
            (Some(gold), Some(own)) if param.rule.same(gold, own) => {
                aligned.insert(param.name.to_owned(), gold.clone());
            }
            (Some(_), Some(_)) => return false,
            _ => {}
        }
    }
    let run = |it: &Arguments| effect::effect(api, it, &world());
    let (due, own) = (run(&gold), run(&aligned));
    due.result.same_outcome(&own.result) && due.changes == own.changes
}

/// Whether two calls return and change the same, whatever their arguments are.
pub fn does_the_same(api: &Api, one: Value, other: Value) -> bool {
    let run =
        |it: Value| effect::effect(api, it.as_object().expect("arguments are an object"), &world());
    let (one, other) = (run(one), run(other));
    one.result.exception.is_none()
        && one.result.output == other.result.output
        && one.changes == other.changes
}
