//! What holds of all tasks of a seed.

use crate::draft::{Block, Gold, Need};
use crate::names::{Kind, Names, Parts};
use crate::sentences::Sentences;
use crate::task::{Task, of_tier};
use crate::{Error, task};
use apis::store::unordered;
use apis::{Suite, TableName, World, registry};
use dataset::horizon::{LEVELS, TASKS};
use dataset::{Dialogue, RecordedCall, TaskId, Tier, Turn};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

fn base() -> World {
    dataset::builtin().unwrap().world
}

fn tasks(seed: u32, base: &World) -> Vec<Task> {
    Tier::ALL.iter().flat_map(|tier| of_tier(seed, *tier, base).unwrap()).collect()
}

/// The databases with the rows of one task.
fn world_of(task: &Task, base: &World) -> World {
    let mut world = base.clone();
    task::add_rows(&task.world, &mut world).unwrap();
    world
}

/// Runs calls; the results and what they change.
fn run<'a>(
    calls: impl IntoIterator<Item = &'a RecordedCall>,
    fresh: &World,
) -> (Vec<apis::ApiResult>, Vec<String>) {
    let mut world = fresh.clone();
    let results = calls
        .into_iter()
        .map(|call| {
            let api = registry::find(Suite::Planning, &call.api_name).unwrap();
            api.call(&call.param_dict, &mut world)
        })
        .collect();
    (results, unordered(&world.changes_since(fresh)))
}

fn requirement(dialogue: &Dialogue) -> &str {
    match &dialogue.turns[0] {
        Turn::User { text } => text,
        other => panic!("{other:?}"),
    }
}

fn tell(dialogue: &Dialogue) -> &[String] {
    match dialogue.turns.last() {
        Some(Turn::Assistant { tell, .. }) => tell,
        other => panic!("{other:?}"),
    }
}

fn gold(task: &Task) -> Vec<&Gold> {
    task.blocks.iter().flat_map(|block| &block.calls).collect()
}

fn digest(seed: u32) -> String {
    crate::tasks(seed, dataset::builtin().unwrap()).unwrap().pack.digest
}

/// The databases with the rows of all tasks; an error if two tasks share a key.
fn merged(seed: u32, base: &World) -> Result<World, Error> {
    let mut world = base.clone();
    tasks(seed, base).iter().try_for_each(|task| task::add_rows(&task.world, &mut world))?;
    Ok(world)
}

#[test]
fn a_seed_gives_the_same_bytes_and_another_seed_others() {
    let base = base();
    let one = digest(1);
    assert_eq!(one, digest(1));
    let pinned = concat!(env!("CARGO_MANIFEST_DIR"), "/data/seed-1.sha256");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(pinned, format!("{one}\n")).unwrap();
    }
    let known = std::fs::read_to_string(pinned).unwrap();
    assert_eq!(one, known.trim(), "the tasks of seed 1 changed; if meant, rerun with UPDATE=1");
    let texts = |seed| -> BTreeSet<String> {
        tasks(seed, &base).iter().map(|task| requirement(&task.dialogue).to_owned()).collect()
    };
    assert!(texts(1).is_disjoint(&texts(2)));
}

#[test]
fn gold_calls_are_as_many_as_the_level_and_replay() {
    let base = base();
    for seed in 1..=5 {
        let tasks = tasks(seed, &base);
        assert_eq!(tasks.len(), Tier::ALL.len() * LEVELS.len() * TASKS);
        for task in tasks.iter().filter(|task| seed == 1 || task.id.level <= 64) {
            replays(&task.dialogue, &world_of(task, &base));
        }
    }
}

fn replays(dialogue: &Dialogue, world: &World) {
    let id = TaskId::parse(&dialogue.id).unwrap();
    let calls: Vec<&RecordedCall> = dialogue.calls().collect();
    assert_eq!(calls.len(), usize::from(id.level), "{id}");
    let (results, changes) = run(calls.iter().copied(), world);
    for (result, call) in results.iter().zip(&calls) {
        assert_eq!(result, &call.result, "{id}");
        assert!(result.exception.is_none() || id.tier == Tier::Interference, "{id}");
    }
    assert!(!changes.is_empty() || !tell(dialogue).is_empty(), "{id}");
}

/// Another value of the same type.
fn another(value: &Value) -> Value {
    match value {
        Value::String(text) if text.len() == 19 && text.starts_with("2024-") => {
            json!(format!("{}59:59", &text[..14]))
        }
        Value::String(text) if text.contains('@') => json!(format!("x{text}")),
        Value::String(text) => json!(format!("{text} x")),
        Value::Array(items) => json!([items.as_slice(), &[json!("Nobody Atall")]].concat()),
        other => panic!("no write has an argument {other}"),
    }
}

/// Leaves out, doubles and changes every `step`th write: each must end in another state. Returns the
/// number of changed arguments.
fn mutants(task: &Task, step: usize) -> usize {
    let fresh = task.world.clone();
    let calls: Vec<RecordedCall> = task.dialogue.calls().cloned().collect();
    let (_, wanted) = run(&calls, &fresh);
    let gold = gold(task);
    let writes = gold.iter().enumerate().filter(|it| it.1.need == Need::Write);
    let mut mutants = 0;
    for (at, gold) in writes.step_by(step) {
        let mut without = calls.clone();
        without.remove(at);
        assert_ne!(run(&without, &fresh).1, wanted, "{} without call {at}", task.id);
        let mut twice = calls.clone();
        twice.insert(at, calls[at].clone());
        let doubled = run(&twice, &fresh).1;
        assert_eq!(doubled == wanted, gold.call.api_name == "PersonalInfoUpdate", "{}", task.id);
        for (param, value) in &gold.call.param_dict {
            let mut changed = calls.clone();
            changed[at].param_dict.insert(param.clone(), another(value));
            assert_ne!(run(&changed, &fresh).1, wanted, "{} call {at}: {param}", task.id);
            mutants += 1;
        }
    }
    mutants
}

#[test]
fn every_write_counts_and_so_does_every_argument_of_it() {
    let base = base();
    let tasks = tasks(1, &base);
    let short = tasks.iter().filter(|task| task.id.level <= 16);
    let mutated: usize = short.map(|task| mutants(task, 1)).sum();
    assert!(mutated > 500, "{mutated}");
    // A mutant of a long task takes as long as its calls: some writes of one task per level and tier.
    let long = tasks.iter().filter(|task| task.id.level > 16 && task.id.number == 1);
    let mutated: Vec<usize> = long.map(|it| mutants(it, usize::from(it.id.level / 8))).collect();
    assert!(mutated.len() == 24 && mutated.iter().sum::<usize>() > 150, "{mutated:?}");
}

/// The texts and numbers of a value.
fn leaves(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Number(number) => found.push(number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| leaves(item, found)),
        Value::Object(fields) => fields.values().for_each(|item| leaves(item, found)),
        _ => {}
    }
}

#[test]
fn every_read_is_needed() {
    let base = base();
    for task in &tasks(1, &base) {
        let text = requirement(&task.dialogue);
        let gold = gold(task);
        let facts = tell(&task.dialogue).join("\n").to_lowercase();
        let mut seen = BTreeSet::new();
        for (at, one) in gold.iter().enumerate() {
            let call = &one.call;
            if one.need == Need::Vain {
                continue;
            }
            let writes = one.need == Need::Write;
            let api = registry::find(Suite::Planning, &call.api_name).unwrap();
            assert_eq!(writes, registry::acts(api));
            if writes {
                continue;
            }
            let made = (&call.api_name, json!([call.param_dict, call.result]).to_string());
            assert!(seen.insert(made), "{}: call {at} is made twice", task.id);
            let later: Vec<String> = gold[at + 1..]
                .iter()
                .flat_map(|step| {
                    let mut found = Vec::new();
                    leaves(&Value::Object(step.call.param_dict.clone()), &mut found);
                    found
                })
                .collect();
            let mut found = Vec::new();
            leaves(call.result.output.as_ref().unwrap(), &mut found);
            // Clothes come from a fixed list, and a user knows the places that a task names.
            let new = |leaf: &&String| !text.contains(leaf.as_str());
            let used = |leaf: &String| {
                later.iter().any(|value| {
                    value == leaf
                        || value.ends_with(leaf.as_str())
                        || (value.len() > 9 && leaf.contains(&value[..10]))
                }) || facts.contains(&leaf.trim_end_matches(".0").to_lowercase())
                    || leaf.split_whitespace().any(|word| {
                        facts.contains(&word.to_lowercase()) || later.iter().any(|it| it == word)
                    })
            };
            let values: Vec<&String> = found.iter().filter(new).collect();
            match one.need {
                Need::Value => assert!(
                    values.iter().any(|leaf| used(leaf)),
                    "{}: call {at} {} gives nothing that is used: {found:?}",
                    task.id,
                    call.api_name
                ),
                _ => {
                    assert!(later.len() + facts.len() > 0, "{}: nothing follows call {at}", task.id)
                }
            }
        }
    }
}

/// The blocks in another order that respects what they take from each other: always the last one that
/// can come next.
fn reordered(blocks: &[Block]) -> Vec<&Block> {
    let mut left: Vec<usize> = (0..blocks.len()).collect();
    let mut order = Vec::new();
    while !left.is_empty() {
        let ready = |at: &usize| blocks[*at].after.iter().all(|turn| order.contains(turn));
        let next = left.iter().rposition(ready).unwrap();
        order.push(left.remove(next));
    }
    order.into_iter().map(|at| &blocks[at]).collect()
}

#[test]
fn independent_chores_may_come_in_another_order() {
    let base = base();
    let (mut moved, mut dependent) = (0, 0);
    for task in tasks(1, &base).iter().filter(|task| task.id.level <= 64) {
        let fresh = task.world.clone();
        let calls: Vec<&RecordedCall> = reordered(&task.blocks)
            .iter()
            .flat_map(|block| block.calls.iter().map(|gold| &gold.call))
            .collect();
        let (results, changes) = run(calls.iter().copied(), &fresh);
        assert_eq!(changes, run(task.dialogue.calls(), &fresh).1, "{}", task.id);
        assert!(results.iter().zip(&calls).all(|(result, call)| *result == call.result));
        moved += usize::from(calls.iter().zip(task.dialogue.calls()).any(|(a, b)| **a != *b));
        dependent += task.blocks.iter().filter(|block| !block.after.is_empty()).count();
    }
    assert!(
        moved > 150 && dependent > 50,
        "{moved} tasks have another order, {dependent} chores depend"
    );
}

#[test]
fn what_befalls_calls_is_in_the_tier_of_interference_alone() {
    let base = base();
    let (mut events, mut vain, mut used) = (0, 0, BTreeSet::new());
    for task in &tasks(1, &base) {
        let own = task.world.script.events().len();
        assert!(own == 0 || task.id.tier == Tier::Interference, "{}", task.id);
        events += usize::from(own > 0);
        used.extend(task.shape.iter().map(|(name, ..)| *name));
        for (at, gold) in gold(task).iter().enumerate().filter(|it| it.1.need == Need::Vain) {
            // A call that comes to nothing is still needed: without it, its repetition does.
            let mut calls: Vec<RecordedCall> = task.dialogue.calls().cloned().collect();
            let wanted = run(&calls, &task.world).1;
            calls.remove(at);
            let api = registry::find(Suite::Planning, &gold.call.api_name).unwrap();
            if registry::acts(api) {
                assert_ne!(run(&calls, &task.world).1, wanted, "{} without call {at}", task.id);
                vain += 1;
            }
        }
    }
    assert!(events > 60 && vain > 100, "{events} tasks with events, {vain} calls in vain");
    assert_eq!(used.len(), crate::chores::ALL.len(), "every chore is used: {used:?}");
}

#[test]
fn shapes_differ_and_openings_vary() {
    let base = base();
    let sentences = Sentences::read().unwrap();
    for seed in 1..=3 {
        let mut shapes = BTreeSet::new();
        let mut openings: BTreeMap<(Tier, &str), usize> = BTreeMap::new();
        for task in tasks(seed, &base) {
            assert_eq!(TaskId::parse(&task.dialogue.id), Some(task.id));
            assert!(shapes.insert((task.id.tier, task.shape.clone())), "{}", task.id);
            let text = requirement(&task.dialogue);
            let opening = sentences.openings.iter().find(|it| text.starts_with(it.as_str()));
            *openings.entry((task.id.tier, opening.unwrap())).or_default() += 1;
        }
        assert!(openings.values().all(|uses| *uses <= 3), "{openings:?}");
    }
}

#[test]
fn names_are_unique_within_a_seed() {
    let base = base();
    assert!(Names::fit(&Parts::read().unwrap()));
    for seed in 1..=3 {
        let world = merged(seed, &base).unwrap();
        assert!(world.profile.len() > base.profile.len() + 1000);
    }
    // A world that has a task's rows can't take them again.
    let world = merged(1, &base).unwrap();
    assert!(matches!(merged(1, &world), Err(Error::Taken(_))));
}

#[test]
fn no_name_can_be_one_of_the_built_in_databases() {
    let (base, parts) = (base(), Parts::read().unwrap());
    for (kind, tables) in [
        (
            Kind::Person,
            [TableName::Profile, TableName::Calendar, TableName::TravelStatus].as_slice(),
        ),
        (Kind::Person, &[TableName::MoviePreferences, TableName::WatchedMovies]),
        (Kind::City, &[TableName::Place]),
        (Kind::Organization, &[TableName::Organization]),
        (Kind::Genre, &[TableName::Genre]),
        (Kind::Occupation, &[TableName::Occupation]),
        (Kind::Restaurant, &[TableName::Restaurant]),
    ] {
        let names: BTreeSet<String> =
            Names::all(&parts, kind).iter().map(|name| name.to_lowercase()).collect();
        for table in tables {
            let rows = base.table(*table);
            let mut keys = rows.as_object().unwrap().keys();
            assert!(keys.len() > 0);
            assert_eq!(keys.find(|key| names.contains(&key.to_lowercase())), None, "{kind:?}");
        }
    }
}
