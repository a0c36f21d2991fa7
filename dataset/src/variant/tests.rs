//! Variants as a whole, on the built-in pack.

use super::*;
use crate::builtin;
use apis::TableName;
use std::collections::BTreeSet;
use std::path::Path;
use std::{env, fs};

/// The seeds that every run tests.
const SEEDS: [u32; 3] = [1, 7, u32::MAX];

#[test]
fn a_seed_always_gives_the_same_files() {
    let (one, two) = (Variant::draw(7).unwrap().pack, Variant::draw(7).unwrap().pack);
    assert_eq!(one.digest, two.digest);
    assert_ne!(one.digest, Variant::draw(8).unwrap().pack.digest);
    assert_eq!(one.source().variant, Some(7));
    // A changed digest makes records of this variant unreadable for the new version: raise the
    // pack's version, too.
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/variant-7.sha256");
    if env::var_os("UPDATE").is_some() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, format!("{}\n", one.digest)).unwrap();
    }
    let pinned = fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(pinned.trim(), one.digest, "run with UPDATE=1 if the pack has changed");
}

/// The data sheet says what to look for.
#[test]
fn the_canary_stands_in_the_pack_its_variants_and_the_data_sheet() {
    let canary = builtin().unwrap().manifest.canary.unwrap();
    assert_eq!(Variant::draw(7).unwrap().pack.manifest.canary.as_deref(), Some(canary.as_str()));
    let id = canary.split(' ').next_back().unwrap();
    assert!(include_str!("../../README.md").contains(id));
}

#[test]
fn every_dialogue_and_row_is_there() {
    let original = builtin().unwrap();
    for seed in SEEDS {
        let pack = Variant::draw(seed).unwrap().pack;
        let ids = |pack: &Pack| -> Vec<String> {
            pack.dialogues.iter().chain(&pack.hard).map(|dialogue| dialogue.id.clone()).collect()
        };
        assert_eq!(ids(&pack), ids(&original));
        for table in TableName::ALL {
            assert_eq!(pack.world.rows(*table), original.world.rows(*table), "{seed}: {table:?}");
        }
    }
}

#[test]
fn facts_and_calendar_stay() {
    let original = builtin().unwrap();
    for seed in SEEDS {
        let pack = Variant::draw(seed).unwrap().pack;
        for table in [TableName::History, TableName::Wiki, TableName::Dictionary] {
            assert_eq!(pack.world.table(table), original.world.table(table), "{seed}: {table:?}");
        }
        let (old, new) = (original.manifest.today.0, pack.manifest.today.0);
        assert_eq!((old.weekday(), old.days_in_year()), (new.weekday(), new.days_in_year()));
        assert!(new.year() > old.year());
    }
}

#[test]
fn places_are_others_with_the_weather_of_the_old_ones() {
    let original = builtin().unwrap();
    let weather = |pack: &Pack, city: &str| -> Value {
        let point = |row: &Value| (row["latitude"].clone(), row["longitude"].clone());
        let here = point(&pack.world.table(TableName::Place)[city]);
        let Value::Object(rows) = pack.world.table(TableName::Weather) else { panic!("rows") };
        let row = rows.values().find(|row| point(row) == here).unwrap();
        json!([row["temperature"], row["humidity"], row["description"]])
    };
    let corpus = Corpus::read(FILES).unwrap();
    for seed in SEEDS {
        let pack = Variant::draw(seed).unwrap().pack;
        let places = Places::draw(&corpus, seed);
        assert!(places.pairs().count() >= 30, "{seed}");
        for (old, new) in places.pairs() {
            assert!(pack.world.table(TableName::Place).get(old).is_none(), "{seed}: {old}");
            assert_eq!(weather(&original, old), weather(&pack, new), "{seed}: {old} {new}");
        }
    }
}

#[test]
fn people_and_credentials_are_others() {
    let original = builtin().unwrap();
    let rows = |pack: &Pack, table| -> Vec<(String, Value)> {
        let Value::Object(rows) = pack.world.table(table) else { panic!("rows") };
        rows.into_iter().collect()
    };
    for seed in SEEDS {
        let pack = Variant::draw(seed).unwrap().pack;
        let keys = |pack: &Pack, table| -> BTreeSet<String> {
            rows(pack, table).into_iter().map(|(key, _)| key).collect()
        };
        for table in [TableName::Profile, TableName::Account] {
            assert!(keys(&original, table).is_disjoint(&keys(&pack, table)), "{seed}: {table:?}");
        }
        let texts = |pack: &Pack, field: &str| -> BTreeSet<String> {
            let rows = rows(pack, TableName::Account);
            rows.iter().filter_map(|(_, row)| row.get(field)?.as_str().map(str::to_owned)).collect()
        };
        for field in ["password", "token", "email"] {
            let (old, new) = (texts(&original, field), texts(&pack, field));
            assert!(old.is_disjoint(&new) && old.len() == new.len(), "{seed}: {field}");
        }
    }
}

#[test]
fn names_are_one_to_one_and_keep_their_gender() {
    let female: BTreeSet<&str> = names::FEMALE.split_whitespace().collect();
    let male: BTreeSet<&str> = names::MALE.split_whitespace().collect();
    let corpus = Corpus::read(FILES).unwrap();
    let people = People::draw(&corpus, 7);
    let new: BTreeSet<String> = people.pairs().map(|(_, new)| fold(new)).collect();
    assert_eq!(new.len(), people.pairs().count());
    let new_of = |name: &str| people.pairs().find(|(old, _)| *old == name).unwrap().1;
    for (name, list) in [("mira", &female), ("tomas", &male), ("jonas", &male), ("lucia", &female)]
    {
        assert!(list.contains(new_of(name)), "{name}: {}", new_of(name));
    }
}

#[test]
fn the_lists_are_long_and_have_no_name_of_the_pack() {
    let corpus = Corpus::read(FILES).unwrap();
    let mut taken = BTreeSet::new();
    corpus.each(&mut |found| {
        taken.extend(found.text.split(|c: char| !c.is_alphabetic()).map(fold));
    });
    let first = [names::FEMALE, names::MALE, names::EITHER].join(" ");
    for (list, least) in [(first.as_str(), 150), (names::LAST, 150), (names::PROPER, 100)] {
        let names: BTreeSet<String> = list.split_whitespace().map(fold).collect();
        assert_eq!(names.len(), list.split_whitespace().count(), "a name stands twice");
        assert!(names.difference(&taken).count() >= least);
    }
}

/// A name of unknown gender gets one that either gender has; a listed one keeps its pronouns right.
#[test]
fn the_gender_of_every_name_in_the_databases_is_listed() {
    let listed: BTreeSet<String> = [names::KNOWN_FEMALE, names::KNOWN_MALE]
        .iter()
        .flat_map(|list| list.split_whitespace().map(fold))
        .collect();
    let pack = builtin().unwrap();
    let Value::Object(rows) = pack.world.table(TableName::Profile) else { panic!("rows") };
    for name in rows.keys() {
        let first = name.split(' ').next().unwrap();
        assert!(listed.contains(&fold(first)), "add {first} to KNOWN_FEMALE or KNOWN_MALE");
    }
}

#[test]
fn a_call_dialogue_is_drawn_throughout() {
    let files = [
        ("manifest.json", r#"{"name": "n", "version": "1", "today": "2024-05-15", "seed": 1}"#),
        (
            "databases/Account.json",
            r#"{"mira.okafor": {"password": "Tamarind-42", "token": "a1b2c3d4", "email": "mira.o@post.example"}}"#,
        ),
        ("databases/Profile.json", r#"{"Mira Okafor": {"phone": "+234 1 555 0142"}}"#),
        ("databases/Wiki.json", r#"{"x": {"summary": "Mira Nair was born in 1957."}}"#),
    ];
    let corpus = Corpus::read(&files).unwrap();
    let manifest = Pack::manifest_of(&files).unwrap();
    let Drawn { lexicon, people, .. } = Drawn::new(&corpus, manifest, 3);
    let new = |name: &str| people.pairs().find(|(old, _)| *old == name).unwrap().1.to_owned();
    let (first, last) = (new("mira"), new("okafor"));
    let (user, short) = (format!("{}.{}", fold(&first), fold(&last)), fold(&first));
    let said = "Mira Okafor’s login is mira.okafor, tamarind-42, on 2024-05-16 or in May 2023.";
    let rewritten = lexicon.rewrite(said);
    assert!(rewritten.starts_with(&format!("{first} {last}’s login is {user}, ")), "{rewritten}");
    assert!(!rewritten.contains("tamarind") && !rewritten.contains("202"), "{rewritten}");
    let mail = lexicon.rewrite("mira.o@post.example");
    let initial = fold(&last).chars().next().unwrap();
    assert_eq!(mail, format!("{short}.{initial}@post.example"));
    assert_eq!(lexicon.rewrite("Mira Nair was born in 1957."), "Mira Nair was born in 1957.");
    let phone = lexicon.rewrite("+234 1 555 0142");
    assert!(phone.starts_with("+234 1 555 0") && phone != "+234 1 555 0142", "{phone}");
}
