//! The `original` profile against the original evaluator.
//!
//! `data/original_quirks.jsonl` always runs: tiny databases with verdicts derived by hand. Recorded
//! verdicts and ROUGE-L scores need `../shared`. A row whose search was not recorded needs the
//! model (`cargo xtask model`), unless every possible search result gives the same verdict.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "the suite reports its own time"
)]
#![expect(clippy::unwrap_used, reason = "a test that cannot read its data has failed")]

#[allow(dead_code, clippy::expect_used, reason = "shared with the search tests")]
#[path = "../../retrieval/tests/retrieval_support/mod.rs"]
mod retrieval_support;

use original::harness::{GoldCall, Label, Original, Pools, Suite, ToolRanker, Verdict};
use retrieval::{Index, Search};
use scoring::rouge::{RougeError, rouge_l_dialogue, rouge_l_plan};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Known differences: row name (see [`Row::name`]) and reason. A row that starts to agree fails the
/// test.
const KNOWN_DIFFERENCES: &[(&str, &str)] = &[];

/// The original's time for the 399 samples of level 1, in seconds.
const ORIGINAL_SECONDS: f64 = 10.0;

/// A recorded verdict.
#[derive(Debug, Deserialize)]
struct Row {
    level: u8,
    #[serde(default)]
    file: String,
    sample_id: usize,
    #[serde(default)]
    api_id: usize,
    kind: String,
    prediction: String,
    correct: bool,
    category: String,
    #[serde(default)]
    crash: bool,
}

impl Row {
    fn suite(&self) -> Suite {
        suite(self.level)
    }

    fn name(&self) -> String {
        let Self { level, file, sample_id, api_id, kind, .. } = self;
        match level {
            3 => format!("3/{sample_id}/{api_id}/{kind}"),
            _ => format!("{level}/{file}/{sample_id}/{kind}"),
        }
    }

    /// The original has no labels at level 3; the recording uses those of levels 1 and 2.
    fn agrees(&self, verdict: &Verdict) -> bool {
        verdict.correct == self.correct
            && verdict.crash == self.crash
            && verdict.label.as_str() == self.category
    }
}

fn suite(level: u8) -> Suite {
    if level == 3 { Suite::Planning } else { Suite::Dialogue }
}

fn lines<T: DeserializeOwned>(path: &Path) -> Vec<T> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn json<T: DeserializeOwned>(path: &Path) -> T {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// The files of a folder by name.
fn files(folder: &Path) -> impl Iterator<Item = (String, PathBuf)> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), path))
}

/// The original's data: the evaluator and the gold call of every sample.
struct Pack {
    original: Original,
    pools: Pools,
    dialogues: BTreeMap<(u8, String), Vec<Json>>,
    plans: Vec<Json>,
}

impl Pack {
    fn load(shared: &Path) -> Self {
        let data = shared.join("apibank");
        let databases = files(&data.join("init_database"))
            .map(|(name, path)| (name.trim_end_matches(".json").to_owned(), json(&path)))
            .collect();
        let mut dialogues = BTreeMap::new();
        for (level, folder) in [(1, "level-1-given-desc"), (2, "level-2-toolsearcher")] {
            for (name, path) in files(&data.join("lv1-lv2-samples").join(folder)) {
                dialogues.insert((level, name), samples(&lines(&path)));
            }
        }
        let pools: Pools = json(&shared.join("parity/pools.json"));
        let planning = json(&data.join("planning-tables.json"));
        let original = Original::new(&databases, &planning, &pools);
        Self { original, pools, dialogues, plans: json(&data.join("test-data/level-3.json")) }
    }

    fn gold(&self, row: &Row) -> GoldCall {
        let gold = match row.level {
            3 => &self.plans[row.sample_id]["apis"][row.api_id],
            level => &self.dialogues[&(level, row.file.clone())][row.sample_id],
        };
        GoldCall::deserialize(gold).unwrap()
    }

    fn tools(&self, suite: Suite) -> impl Iterator<Item = &str> {
        let pool = match suite {
            Suite::Dialogue => &self.pools.dialogue,
            Suite::Planning => &self.pools.planning,
        };
        pool.iter().map(|tool| tool.name.as_str())
    }
}

/// The samples of a dialogue: every API line, and the line after it.
fn samples(dialogue: &[Json]) -> Vec<Json> {
    let apis = (0..dialogue.len()).filter(|&at| dialogue[at]["role"] == "API");
    apis.flat_map(|at| [at, at + 1]).filter_map(|at| dialogue.get(at).cloned()).collect()
}

fn judge(
    original: &Original,
    suite: Suite,
    gold: &GoldCall,
    prediction: &str,
    ranker: &dyn ToolRanker,
) -> Verdict {
    match suite {
        Suite::Dialogue => original.judge_dialogue(gold, prediction, ranker),
        Suite::Planning => original.judge_plan(gold, prediction, ranker),
    }
}

/// API Search from recorded results, with the model, if available, for other queries.
struct Ranker {
    recorded: BTreeMap<(Suite, String), Option<String>>,
    model: Option<Box<dyn ToolRanker>>,
    /// Whether a query had neither a recorded result nor a model.
    missed: RefCell<bool>,
}

impl Ranker {
    fn load(shared: &Path) -> Self {
        #[derive(Deserialize)]
        struct Search {
            level: u8,
            query: String,
            top1: String,
        }
        let rows: Vec<Search> = lines(&shared.join("parity/retrieval.jsonl"));
        let recorded = rows.into_iter().map(|row| ((suite(row.level), row.query), Some(row.top1)));
        Self { recorded: recorded.collect(), model: model(), missed: RefCell::default() }
    }

    /// A recording of a single query.
    fn fixed(suite: Suite, query: &str, found: Option<&str>) -> Self {
        let recorded = [((suite, query.to_owned()), found.map(str::to_owned))];
        Self { recorded: recorded.into(), model: None, missed: RefCell::default() }
    }
}

impl ToolRanker for Ranker {
    fn best(&self, suite: Suite, query: &str) -> Option<String> {
        match (self.recorded.get(&(suite, query.to_owned())), &self.model) {
            (Some(found), _) => found.clone(),
            (None, Some(model)) => model.best(suite, query),
            (None, None) => {
                *self.missed.borrow_mut() = true;
                None
            }
        }
    }
}

/// An API Search that always finds the same tool.
struct Always<'a>(Option<&'a str>);

impl ToolRanker for Always<'_> {
    fn best(&self, _: Suite, _: &str) -> Option<String> {
        self.0.map(str::to_owned)
    }
}

/// API Search with the published f32 model; `None` if it is not cached.
fn model() -> Option<Box<dyn ToolRanker>> {
    struct Model(RefCell<Search>);
    impl ToolRanker for Model {
        fn best(&self, suite: Suite, query: &str) -> Option<String> {
            let suite = if suite == Suite::Planning { "planning" } else { "dialogue" };
            let hits = self.0.borrow_mut().search(suite, query, 1).unwrap();
            hits.into_iter().next().map(|hit| hit.name)
        }
    }
    let encoder = retrieval_support::exact()?;
    let pools = retrieval_support::pools()?;
    let index = Index::build(&encoder, pools.iter().map(retrieval_support::Api::triple)).unwrap();
    Some(Box::new(Model(RefCell::new(Search::new(encoder, index).unwrap()))))
}

/// Judges a row; `None` if the verdict depends on an unanswered search.
fn judge_row(pack: &Pack, row: &Row, gold: &GoldCall, ranker: &Ranker) -> Option<Verdict> {
    let judge =
        |ranker: &dyn ToolRanker| judge(&pack.original, row.suite(), gold, &row.prediction, ranker);
    let verdict = judge(ranker);
    if !ranker.missed.take() {
        return Some(verdict);
    }
    let mut verdicts = pack.tools(row.suite()).map(|name| judge(&Always(Some(name))));
    let first = verdicts.next()?;
    verdicts.all(|other| other.label == first.label).then_some(first)
}

/// Numbers of agreeing, differing and open rows.
type Counts = [usize; 3];

/// The results of all rows.
#[derive(Default)]
struct Tally {
    per_level: BTreeMap<u8, Counts>,
    per_kind: BTreeMap<String, Counts>,
    problems: Vec<String>,
    open: Vec<String>,
}

impl Tally {
    fn add(&mut self, row: &Row, verdict: Option<&Verdict>) {
        let known = KNOWN_DIFFERENCES.iter().find(|(name, _)| *name == row.name());
        let outcome = match verdict {
            None => {
                self.open.push(row.name());
                2
            }
            Some(verdict) if row.agrees(verdict) => {
                let stale = known.map(|(name, why)| format!("{name} agrees now; it was: {why}"));
                self.problems.extend(stale);
                0
            }
            Some(verdict) => {
                if known.is_none() {
                    self.problems.push(format!(
                        "{}: {} in the original, {} here ({})\n    {}",
                        row.name(),
                        row.category,
                        verdict.label,
                        verdict.explanation,
                        row.prediction
                    ));
                }
                1
            }
        };
        self.per_level.entry(row.level).or_default()[outcome] += 1;
        self.per_kind.entry(row.kind.clone()).or_default()[outcome] += 1;
    }

    fn print(&self) {
        for (level, [agree, differ, open]) in &self.per_level {
            println!("level {level}: {agree} agree, {differ} differ, {open} open");
        }
        let (full, partial): (Vec<_>, Vec<_>) =
            self.per_kind.iter().partition(|(_, counts)| counts[1] + counts[2] == 0);
        println!("{} kinds agree on every row", full.len());
        for (kind, [agree, differ, open]) in partial {
            println!("  {kind}: {agree} agree, {differ} differ, {open} open");
        }
        if !self.open.is_empty() {
            let some: Vec<&str> = self.open.iter().take(8).map(String::as_str).collect();
            eprintln!(
                "NOT CHECKED: {} rows need API Search (`cargo xtask model`), among them {}",
                self.open.len(),
                some.join(", ")
            );
        }
    }
}

#[test]
fn recorded_verdicts() {
    let Some(shared) = fixtures::shared("", "the recorded verdicts of the original") else {
        return;
    };
    let pack = Pack::load(&shared);
    let ranker = Ranker::load(&shared);
    let rows: Vec<Row> = lines(&shared.join("parity/verdicts.jsonl"));
    let golds: Vec<GoldCall> = rows.iter().map(|row| pack.gold(row)).collect();
    let mut tally = Tally::default();
    for (row, gold) in rows.iter().zip(&golds) {
        tally.add(row, judge_row(&pack, row, gold, &ranker).as_ref());
    }
    tally.print();
    measure(&pack, &rows, &golds);
    assert!(rows.len() > 4000, "only {} rows", rows.len());
    assert!(tally.problems.is_empty(), "{}", tally.problems.join("\n"));
}

/// Prints the scoring time, without API Search.
fn measure(pack: &Pack, rows: &[Row], golds: &[GoldCall]) {
    let start = Instant::now();
    let mut correct = 0;
    for (row, gold) in rows.iter().zip(golds) {
        let ranker = Always(None);
        let verdict = judge(&pack.original, row.suite(), gold, &row.prediction, &ranker);
        correct += usize::from(verdict.correct);
    }
    let all: Duration = start.elapsed();
    assert!(correct > 0);
    let per_399 = all.as_secs_f64() * 399.0 / rows.len() as f64;
    println!(
        "{} rows in {:.1} ms: {:.2} ms for 399 rows, {:.0} times faster than {ORIGINAL_SECONDS} s",
        rows.len(),
        all.as_secs_f64() * 1e3,
        per_399 * 1e3,
        ORIGINAL_SECONDS / per_399
    );
}

#[test]
fn recorded_rouge() {
    #[derive(Deserialize)]
    struct Row {
        reference: String,
        hypothesis: String,
        score: Option<f64>,
        score_lv3: Option<f64>,
        error: Option<String>,
        error_lv3: Option<String>,
    }
    let Some(shared) = fixtures::shared("", "the recorded ROUGE-L scores of the original") else {
        return;
    };
    let rows: Vec<Row> = lines(&shared.join("parity/rouge.jsonl"));
    let same = |got: Result<f64, RougeError>, score: Option<f64>, error: Option<&str>| match got {
        Ok(got) => score.is_some_and(|score| (got - score).abs() < 1e-9),
        Err(got) => error == Some(got.to_string().as_str()),
    };
    for row in &rows {
        let Row { reference, hypothesis, .. } = row;
        let rounded = rouge_l_dialogue(reference, hypothesis);
        let plain = rouge_l_plan(reference, hypothesis);
        assert!(same(rounded, row.score, row.error.as_deref()), "{hypothesis:?}: {rounded:?}");
        assert!(same(plain, row.score_lv3, row.error_lv3.as_deref()), "{hypothesis:?}: {plain:?}");
    }
    println!("ROUGE-L: {} rows agree to 1e-9, errors included", rows.len());
    assert!(rows.len() > 150, "only {} rows", rows.len());
}

#[test]
fn quirks() {
    #[derive(Deserialize)]
    struct Data {
        databases: BTreeMap<String, Json>,
        planning: BTreeMap<String, Json>,
        pools: Pools,
    }
    #[derive(Deserialize)]
    struct Quirk {
        quirk: String,
        level: u8,
        gold: GoldCall,
        prediction: String,
        label: Label,
        #[serde(default)]
        search: Option<(String, Option<String>)>,
    }
    let text = include_str!("data/original_quirks.jsonl");
    let (data, rows) = text.split_once('\n').unwrap();
    let data: Data = serde_json::from_str(data).unwrap();
    let original = Original::new(&data.databases, &data.planning, &data.pools);
    let mut count = 0;
    for line in rows.lines() {
        let row: Quirk = serde_json::from_str(line).unwrap();
        let (query, found) = row.search.unwrap_or_default();
        let ranker = Ranker::fixed(suite(row.level), &query, found.as_deref());
        let verdict = judge(&original, suite(row.level), &row.gold, &row.prediction, &ranker);
        assert_eq!(verdict.label, row.label, "{}: {}", row.quirk, verdict.explanation);
        assert_eq!(verdict.correct, row.label == Label::Correct, "{}", row.quirk);
        assert!(!ranker.missed.take(), "{}: searched for another text", row.quirk);
        count += 1;
    }
    assert!(count >= 100, "only {count} quirks");
}
