//! Quality of API Search over the built-in pool, with the search model that the site ships.
//! Queries: phrases by API, the gold keywords of the dialogues, three paraphrases of each, and
//! held-out phrases written from the dialogues alone. All were written before any search was run,
//! and none equals a hint.
//!
//! Compares the figures with `docs/search-quality.md`; `UPDATE=1 cargo test -p runner --test
//! search_quality` rewrites them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use apis::search;
use apis::search::SearchResults;
use apis::{Suite, registry};
use dataset::{Ability, Dialogue, RecordedCall, Turn};
use retrieval::{Encoder, Index, Search};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
struct Phrase {
    suite: String,
    api: String,
    phrase: String,
}

/// Paraphrases of the keywords of a gold search.
#[derive(Deserialize)]
struct Paraphrased {
    sample: String,
    api: String,
    phrases: Vec<String>,
}

/// A gold search.
struct GoldSearch {
    sample: String,
    ability: Ability,
    keywords: String,
    /// The API that the dialogue calls afterwards.
    api: String,
}

/// A held-out phrase for a gold search.
#[derive(Deserialize)]
struct HeldOut {
    sample: String,
    api: String,
    phrase: String,
}

/// How often the needed API is the best match, and how often it is among the results.
#[derive(Default)]
struct Tally {
    n: usize,
    top1: usize,
    top5: usize,
}

/// The table of figures.
const FIGURES: &str = "../../docs/search-quality.md";

fn phrases() -> Vec<Phrase> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../dataset/search/phrases");
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
        .iter()
        .flat_map(|file| {
            let text = fs::read_to_string(file).unwrap();
            let lines: Vec<Phrase> =
                text.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
            lines
        })
        .collect()
}

/// Search over the whole pool; `None` without the model files.
fn search() -> Option<Search> {
    let files = fixtures::search_files("the test on the quality of API Search")?;
    let vocab = fs::read_to_string(files.join("vocab.txt")).unwrap();
    let encoder = Encoder::load(&fs::read(files.join("model.onnx")).unwrap(), &vocab).unwrap();
    let texts = search::texts();
    let index = Index::build(&encoder, texts.iter().map(|(s, n, t)| (*s, *n, t.as_str()))).unwrap();
    Some(Search::new(encoder, index.rounded()).unwrap())
}

/// The gold searches of the Retrieve and Plan dialogues.
fn gold_searches() -> Vec<GoldSearch> {
    let pack = dataset::builtin().unwrap();
    let mut searches = Vec::new();
    for dialogue in &pack.dialogues {
        for (turn, said) in dialogue.turns.iter().enumerate() {
            let Some(call) = said.as_call().filter(|call| call.is_search()) else {
                continue;
            };
            searches.push(GoldSearch {
                sample: format!("{}#{turn}", dialogue.id),
                ability: dialogue.ability,
                keywords: call.param_dict["keywords"].as_str().unwrap().to_owned(),
                api: called_after(dialogue, turn),
            });
        }
    }
    searches
}

/// The API called after a search, ignoring a login in between.
fn called_after(dialogue: &Dialogue, turn: usize) -> String {
    let found = found(dialogue.turns[turn].as_call().unwrap());
    let later = dialogue.turns[turn + 1..].iter().filter_map(Turn::as_call);
    let mut called = later.filter(|call| found.contains(&call.api_name));
    let last = |call: &&RecordedCall| found.last() == Some(&call.api_name);
    let next = called.find(last).map(|call| call.api_name.clone());
    next.unwrap_or_else(|| panic!("{}: what turn {turn} finds is never called", dialogue.id))
}

fn found(call: &RecordedCall) -> Vec<String> {
    let name = |tool: &Value| tool["name"].as_str().unwrap().to_owned();
    match call.result.output.as_ref().unwrap() {
        Value::Array(tools) => tools.iter().map(name).collect(),
        tool => vec![name(tool)],
    }
}

fn paraphrases() -> Vec<Paraphrased> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../dataset/search/paraphrases.jsonl");
    let text = fs::read_to_string(file).unwrap();
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

fn held_out() -> Vec<HeldOut> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../dataset/search/held-out.jsonl");
    let text = fs::read_to_string(file).unwrap();
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// Counts a phrase, and prints the results if they lack the needed API.
fn count(search: &mut Search, tally: &mut Tally, suite: &str, phrase: &str, api: &str) {
    let five = SearchResults::default().count();
    let hits = search.search(suite, phrase, five).unwrap();
    let rank = hits.iter().position(|hit| hit.name == api);
    tally.n += 1;
    tally.top1 += usize::from(rank == Some(0));
    tally.top5 += usize::from(rank.is_some());
    if rank.is_none() {
        let names: Vec<&str> = hits.iter().map(|hit| hit.name.as_str()).collect();
        println!("{suite} {phrase:?}: {names:?} lack {api}");
    }
}

/// Counts every phrase, by list and ability.
fn measure(search: &mut Search) -> BTreeMap<(List, Ability), Tally> {
    let mut tallies: BTreeMap<(List, Ability), Tally> = BTreeMap::new();
    let mut add = |list, ability: Ability, phrase: &str, api: &str| {
        let tally = tallies.entry((list, ability)).or_default();
        count(search, tally, ability.suite().as_str(), phrase, api);
    };
    let gold = gold_searches();
    let ability: BTreeMap<&str, Ability> =
        gold.iter().map(|gold| (gold.sample.as_str(), gold.ability)).collect();
    for search in &gold {
        add(List::Gold, search.ability, &search.keywords, &search.api);
    }
    for Paraphrased { sample, api, phrases } in paraphrases() {
        for phrase in &phrases {
            add(List::Paraphrases, ability[sample.as_str()], phrase, &api);
        }
    }
    for HeldOut { sample, api, phrase } in held_out() {
        add(List::HeldOut, ability[sample.as_str()], &phrase, &api);
    }
    for Phrase { suite, api, phrase } in phrases() {
        let planning = suite == Suite::Planning.as_str();
        let ability = if planning { Ability::Plan } else { Ability::Retrieve };
        add(List::Phrases, ability, &phrase, &api);
    }
    tallies
}

/// The lists of phrases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum List {
    Gold,
    Paraphrases,
    HeldOut,
    Phrases,
}

impl List {
    const fn title(self) -> &'static str {
        match self {
            List::Gold => "gold keywords",
            List::Paraphrases => "paraphrases of the gold keywords",
            List::HeldOut => "held-out phrases",
            List::Phrases => "phrases by API",
        }
    }

    /// The minimum shares of phrases whose API is the best match, and among five.
    const fn least(self) -> (f64, f64) {
        match self {
            List::Gold => (1.0, 1.0),
            List::Paraphrases | List::HeldOut | List::Phrases => (0.85, 0.99),
        }
    }
}

/// The Markdown table, one row per list and ability.
fn table(tallies: &BTreeMap<(List, Ability), Tally>) -> String {
    let mut table = String::from("| phrases | ability | n | best match | among five |\n");
    table.push_str("|---|---|---|---|---|\n");
    for ((list, ability), Tally { n, top1, top5 }) in tallies {
        let share = |count: &usize| format!("{:.1} %", 100.0 * *count as f64 / *n as f64);
        let (list, ability) = (list.title(), ability.title());
        let (top1, top5) = (share(top1), share(top5));
        writeln!(table, "| {list} | {ability} | {n} | {top1} | {top5} |").unwrap();
    }
    table
}

#[test]
fn the_phrases_cover_the_pool() {
    let phrases = phrases();
    assert!(phrases.len() >= 300, "{} phrases", phrases.len());
    let names: BTreeSet<(&str, &str)> =
        search::texts().into_iter().map(|(suite, name, _)| (suite, name)).collect();
    for (suite, name) in &names {
        let n = phrases.iter().filter(|it| it.suite == *suite && it.api == *name).count();
        assert!(n >= 3, "{suite} {name} has {n} phrases");
    }
    for Phrase { suite, api, .. } in &phrases {
        assert!(
            names.contains(&(suite.as_str(), api.as_str())),
            "{suite} {api} is not in the pool"
        );
    }
}

#[test]
fn no_hint_is_a_phrase_that_is_measured() {
    let plain = |text: &str| -> String {
        let text = text.to_lowercase().replace('-', " ");
        text.chars().filter(|letter| letter.is_ascii_alphanumeric() || *letter == ' ').collect()
    };
    let mut measured: BTreeSet<String> = phrases().iter().map(|it| plain(&it.phrase)).collect();
    measured.extend(paraphrases().iter().flat_map(|it| &it.phrases).map(|phrase| plain(phrase)));
    measured.extend(held_out().iter().map(|phrase| plain(&phrase.phrase)));
    measured.extend(gold_searches().iter().map(|gold_search| plain(&gold_search.keywords)));
    for api in registry::all() {
        for hint in api.hints {
            assert!(!measured.contains(&plain(hint)), "{}: {hint:?} is measured", api.name);
        }
    }
}

#[test]
fn every_search_of_the_dialogues_has_three_paraphrases() {
    let known: BTreeMap<String, Paraphrased> =
        paraphrases().into_iter().map(|it| (it.sample.clone(), it)).collect();
    let gold = gold_searches();
    assert_eq!(known.len(), gold.len(), "one line per search");
    for GoldSearch { sample, api, keywords, .. } in &gold {
        let own = known.get(sample).unwrap_or_else(|| panic!("{sample} has no paraphrases"));
        assert_eq!(&own.api, api, "{sample}");
        assert_eq!(own.phrases.len(), 3, "{sample}");
        for phrase in &own.phrases {
            assert!(
                !phrase.eq_ignore_ascii_case(keywords),
                "{sample}: {phrase} is the gold phrase"
            );
        }
    }
}

#[test]
fn held_out_phrases_are_for_searches_of_the_dialogues() {
    let gold: BTreeMap<String, String> =
        gold_searches().into_iter().map(|search| (search.sample, search.api)).collect();
    let held_out = held_out();
    assert!(held_out.len() >= 200, "{} held-out phrases", held_out.len());
    for HeldOut { sample, api, phrase } in &held_out {
        assert_eq!(gold.get(sample), Some(api), "{sample}: {phrase}");
    }
}

#[test]
fn the_needed_api_is_among_five() {
    let Some(mut search) = search() else { return };
    let tallies = measure(&mut search);
    let table = table(&tallies);
    println!("{table}");
    for ((list, ability), tally) in &tallies {
        let share = |count: usize| count as f64 / tally.n as f64;
        let (best, five) = list.least();
        let what = format!("{}, {}", list.title(), ability.title());
        assert!(share(tally.top5) >= five, "{what}: among five is below {five}");
        assert!(share(tally.top1) >= best, "{what}: the best match is below {best}");
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(FIGURES);
    let text = fs::read_to_string(&file).unwrap();
    let start = text.find("| phrases |").expect("a table");
    let written = format!("{}{table}", &text[..start]);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&file, written).unwrap();
        return;
    }
    assert_eq!(
        text, written,
        "docs/search-quality.md: run with UPDATE=1 after a change of API Search"
    );
}
