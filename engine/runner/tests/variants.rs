//! Variants of the built-in pack: most dialogues are sound in each, and a run on one verifies.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

#[allow(dead_code, unused_imports, reason = "runs without settings of its own")]
mod support;

use apis::store::hex;
use apis::{TableName, World};
use dataset::{Dialogue, Edition, Pack, RecordedCall, Split, Turn, Variant, builtin};
use record::{Baseline, Limits, Model, RunSettings, Subset};
use runner::variant::{Settled, Unsound, settled};
use runner::verify;
use serde_json::json;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;
use std::{env, fs};

/// The seeds that every run tests, from 1; `API_BANK_VARIANTS` is another number.
const SEEDS: u32 = 10;
/// The fewest dialogues of the standard split that each variant has, of 314.
const FEWEST: usize = 250;

#[test]
fn most_dialogues_are_sound_in_every_variant() {
    let seeds = env::var("API_BANK_VARIANTS").map_or(SEEDS, |it| it.parse().unwrap());
    let original = builtin().unwrap();
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    let (mut standard, mut hard) = (Vec::new(), Vec::new());
    for seed in 1..=seeds {
        let variant = Variant::draw(seed).unwrap();
        let world = variant.pack.world.clone();
        let Settled { pack, left_out } = settled(variant, &original, &world);
        for (id, reason) in left_out {
            *reasons.entry(format!("{id}: {reason:?}")).or_default() += 1;
        }
        standard.push(pack.dialogues.len());
        hard.push(pack.hard.len());
    }
    let range = |counts: &[usize]| (counts.iter().min().copied(), counts.iter().max().copied());
    println!("{seeds} seeds: {:?} and hard {:?}", range(&standard), range(&hard));
    println!("{reasons:#?}");
    assert!(standard.iter().all(|count| *count >= FEWEST), "{standard:?} {reasons:#?}");
}

#[test]
fn a_run_on_a_variant_verifies_without_naming_it() {
    let bench = support::bench();
    let variant = bench.edition(Edition::Variant(7)).unwrap();
    assert_eq!(variant.pack.source(), bench.edition(Edition::Variant(7)).unwrap().pack.source());
    for split in [Split::Standard, Split::Hard] {
        let model = Model::Builtin { name: Baseline::GoldReplay };
        let subset = Subset::PerAbility(20);
        let settings = RunSettings { split, subset, ..RunSettings::new(model) };
        let record = support::run(&variant, &settings);
        assert_eq!(record.pack.variant, Some(7));
        let all = record.summary.rows.last().unwrap();
        assert!(all.calls.n > 0 && all.calls.right == all.calls.n, "{all:?}");
        let text = record.to_json().unwrap();
        let found = verify(|| Ok(text.as_bytes()), &bench, &Limits::PAGE, |_, _| {}).unwrap();
        assert!(found.holds(), "{:#?}", found.differences);
    }
}

/// A variant, settled, with its world.
fn draw(seed: u32, original: &Pack) -> (Settled, World) {
    let variant = Variant::draw(seed).unwrap();
    let world = variant.pack.world.clone();
    (settled(variant, original, &world), world)
}

/// Variant 7, drawn once for all tests.
fn seven() -> &'static (Settled, World) {
    static SEVEN: OnceLock<(Settled, World)> = OnceLock::new();
    SEVEN.get_or_init(|| draw(7, &builtin().unwrap()))
}

#[test]
fn the_dialogues_with_other_places_are_counted() {
    let original = builtin().unwrap();
    let (Settled { pack, .. }, world) = seven();
    let (old, new) = (original.world.table(TableName::Place), world.table(TableName::Place));
    let cities = old.as_object().unwrap().keys().filter(|name| !name.contains(", "));
    let moved: Vec<&String> = cities.filter(|name| new.get(name).is_none()).collect();
    let text = |dialogue: &Dialogue| -> String {
        let turns =
            dialogue.turns.iter().filter(|turn| !turn.as_call().is_some_and(|it| it.is_search()));
        turns.map(|turn| json!(turn).to_string()).collect()
    };
    let words = |dialogue: &Dialogue| text(dialogue).replace(|c: char| !c.is_alphanumeric(), " ");
    let has = |dialogue: &Dialogue| {
        let words = words(dialogue);
        moved.iter().any(|city| words.contains(&format!(" {city} ")))
    };
    let names = |dialogues: &[Dialogue]| dialogues.iter().filter(|dialogue| has(dialogue)).count();
    assert_eq!((names(&pack.dialogues), names(&pack.hard)), (0, 0));
    assert_eq!((moved.len(), names(&original.dialogues), names(&original.hard)), (35, 15, 3));
}

#[test]
fn a_seed_always_gives_the_same_dialogues() {
    let digest = |Settled { pack, .. }: &Settled| {
        let files = pack.dialogues.iter().chain(&pack.hard).map(|it| it.id.clone() + &it.to_file());
        hex(&Sha256::digest(files.collect::<String>()))
    };
    let found = digest(&seven().0);
    assert_eq!(found, digest(&draw(7, &builtin().unwrap()).0));
    // A changed digest makes records of this variant unreadable for the new version.
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/variant-7.sha256");
    if env::var_os("UPDATE").is_some() {
        fs::write(&file, format!("{found}\n")).unwrap();
    }
    let pinned = fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(pinned.trim(), found, "run with UPDATE=1 if the pack or what is drawn has changed");
}

/// Replays the gold of every dialogue with values that an API derives.
#[test]
fn gold_answers_with_derived_values_are_right() {
    let bench = support::bench();
    for seed in [1, 7] {
        let plain = Variant::draw(seed).unwrap().pack;
        let variant = bench.edition(Edition::Variant(seed)).unwrap();
        for split in [Split::Standard, Split::Hard] {
            let own = |it: &&Dialogue| plain.dialogue(&it.id).unwrap().turns != it.turns;
            let own = variant.pack.split(split).iter().filter(own);
            let subset = Subset::Dialogues(own.map(|dialogue| dialogue.id.clone()).collect());
            let model = Model::Builtin { name: Baseline::GoldReplay };
            let settings = RunSettings { split, subset, ..RunSettings::new(model) };
            let record = support::run(&variant, &settings);
            let all = record.summary.rows.last().unwrap();
            assert!(all.calls.n > 0 && all.calls.right == all.calls.n, "{seed}: {all:?}");
        }
    }
}

#[test]
fn other_data_have_no_variants() {
    let bench = support::bench();
    assert_eq!(bench.edition(Edition::Original).unwrap().pack.digest, bench.pack.digest);
    let variant = bench.edition(Edition::Variant(7)).unwrap();
    let again = variant.edition(Edition::Variant(7)).unwrap();
    assert!(std::sync::Arc::ptr_eq(&variant.pack, &again.pack), "drawn twice");
}

#[test]
fn unsound_dialogues_are_left_out_with_the_reason() {
    let original = builtin().unwrap();
    let mut variant = Variant::draw(7).unwrap();
    let world = variant.pack.world.clone();
    let mut calling: Vec<&mut Dialogue> =
        variant.pack.dialogues.iter_mut().filter(|it| it.turns[1].as_call().is_some()).collect();
    let Turn::Api(call) = &mut calling[0].turns[1] else { panic!("a call") };
    call.result.output = Some("something else".into());
    calling[1].turns[0] = Turn::User { text: "You know what I want.".to_owned() };
    calling[2].turns.push(Turn::User { text: "Greetings to Mira Okafor!".to_owned() });
    let ids: Vec<String> = calling.iter().take(3).map(|dialogue| dialogue.id.clone()).collect();
    let Settled { pack, left_out, .. } = settled(variant, &original, &world);
    let reason = |id: &String| left_out.iter().find(|(it, _)| it == id).map(|(_, why)| why);
    assert!(ids.iter().all(|id| pack.dialogue(id).is_none()));
    assert_eq!(reason(&ids[0]), Some(&Unsound::Result(1)));
    assert!(matches!(reason(&ids[1]), Some(Unsound::Ungrounded(_))), "{:?}", reason(&ids[1]));
    assert_eq!(reason(&ids[2]), Some(&Unsound::Remainder("mira".to_owned())));
}

#[test]
fn what_an_api_derives_is_told() {
    let original = builtin().unwrap();
    let Settled { pack, .. } = &seven().0;
    let registers = |it: &&RecordedCall| it.api_name == "ForgotPassword";
    let codes = |pack: &Pack, id: &str| -> Vec<String> {
        let dialogue = pack.dialogue(id).unwrap();
        let results = dialogue.calls().filter(registers).filter_map(|it| it.result.output.clone());
        results.map(|output| output.to_string()).filter(|text| text.len() >= 6).collect()
    };
    let resets: Vec<&Dialogue> =
        pack.dialogues.iter().filter(|it| it.calls().any(|call| registers(&call))).collect();
    assert!(!resets.is_empty());
    assert!(resets.iter().any(|reset| codes(pack, &reset.id) != codes(&original, &reset.id)));
}
