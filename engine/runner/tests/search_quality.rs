//! API Search over the project's own pool, against the files that the site ships: phrases as people
//! put them, the gold keywords of the dialogues, and three other phrases for each of these searches.
//! All phrases were written before any search was run.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use apis::search;
use apis::search::TOOL_SEARCHER;
use dataset::{Ability, Dialogue, RecordedCall, Turn};
use retrieval::{Encoder, Index, Search};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
struct Phrase {
    suite: String,
    api: String,
    phrase: String,
}

/// Other keywords for a search of a dialogue.
#[derive(Deserialize)]
struct Paraphrased {
    sample: String,
    api: String,
    phrases: Vec<String>,
}

/// A search of a dialogue: its sample, suite, keywords, and the API that is called after it.
struct GoldSearch {
    sample: String,
    ability: Ability,
    keywords: String,
    api: String,
}

/// Ranks of the annotated APIs, from 1.
#[derive(Default)]
struct Tally {
    n: usize,
    top1: usize,
    top3: usize,
    reciprocal: f64,
}

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

/// The search over the whole pool; `None` without the files.
fn search() -> Option<Search> {
    let files = fixtures::search_files("the test on the quality of API Search")?;
    let vocab = fs::read_to_string(files.join("vocab.txt")).unwrap();
    let encoder = Encoder::load(&fs::read(files.join("model.onnx")).unwrap(), &vocab).unwrap();
    let texts = search::texts();
    let index = Index::build(&encoder, texts.iter().map(|(s, n, t)| (*s, *n, t.as_str()))).unwrap();
    Some(Search::new(encoder, index.rounded()).unwrap())
}

/// Every search of the Retrieve and Plan dialogues.
fn gold_searches() -> Vec<GoldSearch> {
    let pack = dataset::builtin().unwrap();
    let mut searches = Vec::new();
    for dialogue in &pack.dialogues {
        for (turn, said) in dialogue.turns.iter().enumerate() {
            let Some(call) = said.as_call().filter(|call| call.api_name == TOOL_SEARCHER) else {
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

/// The API that is called after a search; a login between the two is only the way there.
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

/// Counts a phrase; says which API came first where it is another than the annotated one.
fn count(search: &mut Search, tally: &mut Tally, suite: &str, phrase: &str, api: &str) {
    let hits = search.search(suite, phrase, usize::MAX).unwrap();
    let rank = hits.iter().position(|hit| hit.name == api).map(|index| index + 1);
    tally.n += 1;
    tally.top1 += usize::from(rank == Some(1));
    tally.top3 += usize::from(rank.is_some_and(|rank| rank <= 3));
    tally.reciprocal += rank.map_or(0.0, |rank| 1.0 / rank as f64);
    if rank != Some(1) {
        let first = hits.first().map_or("nothing", |hit| hit.name.as_str());
        println!("{suite} {phrase:?}: {first} before {api} ({rank:?})");
    }
}

fn print(title: &str, tally: &Tally) {
    let n = tally.n as f64;
    println!(
        "{title}: n {}, top-1 {:.3}, top-3 {:.3}, MRR {:.3}",
        tally.n,
        tally.top1 as f64 / n,
        tally.top3 as f64 / n,
        tally.reciprocal / n
    );
}

#[test]
fn the_phrases_cover_the_pool() {
    let phrases = phrases();
    assert!(phrases.len() >= 300, "{} phrases", phrases.len());
    for (suite, name, _) in search::texts() {
        let n = phrases.iter().filter(|phrase| phrase.suite == suite && phrase.api == name).count();
        assert!(n >= 3, "{suite} {name} has {n} phrases");
    }
    for phrase in &phrases {
        assert!(
            search::texts()
                .iter()
                .any(|(suite, name, _)| *suite == phrase.suite && *name == phrase.api),
            "{} {} is not in the pool",
            phrase.suite,
            phrase.api
        );
    }
}

#[test]
fn the_annotated_api_comes_first() {
    let Some(mut search) = search() else { return };
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for phrase in phrases() {
        let tally = tallies.entry(phrase.suite.clone()).or_default();
        count(&mut search, tally, &phrase.suite, &phrase.phrase, &phrase.api);
    }
    for (suite, tally) in &tallies {
        print(suite, tally);
    }
    for (suite, tally) in &tallies {
        let top1 = tally.top1 as f64 / tally.n as f64;
        assert!(top1 >= 0.95, "{suite}: top-1 is {top1:.3}, expected 0.95 or more");
    }
}

#[test]
fn every_search_of_the_dialogues_has_three_paraphrases() {
    let known: BTreeMap<String, Paraphrased> =
        paraphrases().into_iter().map(|it| (it.sample.clone(), it)).collect();
    let gold = gold_searches();
    assert_eq!(known.len(), gold.len(), "one line a search");
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
fn gold_keywords_always_find_their_api_and_paraphrases_mostly() {
    let Some(mut search) = search() else { return };
    let paraphrased: BTreeMap<String, Paraphrased> =
        paraphrases().into_iter().map(|it| (it.sample.clone(), it)).collect();
    let (mut gold, mut all) = (Tally::default(), Tally::default());
    let mut by_ability: BTreeMap<Ability, Tally> = BTreeMap::new();
    for GoldSearch { sample, ability, keywords, api } in gold_searches() {
        let suite = ability.suite().as_str();
        count(&mut search, &mut gold, suite, &keywords, &api);
        for phrase in &paraphrased[&sample].phrases {
            count(&mut search, by_ability.entry(ability).or_default(), suite, phrase, &api);
        }
    }
    print("gold keywords", &gold);
    for (ability, tally) in &by_ability {
        print(&format!("paraphrases, {}", ability.title()), tally);
        all.n += tally.n;
        all.top1 += tally.top1;
        all.top3 += tally.top3;
        all.reciprocal += tally.reciprocal;
    }
    print("paraphrases, all", &all);
    assert_eq!(gold.top1, gold.n, "gold keywords that find another API are listed above");
    let top1 = all.top1 as f64 / all.n as f64;
    assert!(top1 >= 0.9, "paraphrases: top-1 is {top1:.3}, expected 0.9 or more");
}
