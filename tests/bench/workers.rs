//! The shipped worker, driven by its messages, against onnxruntime-web in a separate worker.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use dataset::Ability;
use exchange::protocol::samples;
use record::{Baseline, Model, RunSettings};
use retrieval::WordPiece;
use serde::Deserialize;
use serde_json::{Value, json};
use xtask::bench::{
    Figure, Figures,
    goals::{ORIGINAL_CALLS, ORIGINAL_SECONDS},
};

use crate::{
    numbers::{mean, median},
    stage::Stage,
};

/// Starts per side; the first one is not counted.
const STARTS: usize = 8;
/// Rounds over all phrases.
const ROUNDS: usize = 4;
/// Phrases per length.
const EACH: usize = 16;
/// Phrases per script, because scripts have a time limit.
const TOGETHER: usize = 48;
/// Warm-up searches, which are not counted.
const WARM: usize = 40;
/// Token counts of the phrases, including start and end tokens.
const TOKENS: std::ops::RangeInclusive<usize> = 4..=16;
/// Audits of all gold calls; most of their time is spent on searches.
const AUDITS: usize = 3;
/// Gold replays.
const REPEATS: usize = 7;
/// Fresh workers for the replays.
const FRESH: usize = 3;
/// Minimum cosine between the two sides' vectors of the same text: only quantization may differ.
const SAME_WORK: f64 = 0.98;

/// Measures search, start, memory, scoring and the gold replay.
pub async fn measure(figures: &mut Figures) -> Result<()> {
    let stage = Stage::beside_peer().await?;
    stage.open_bench().await?;
    // The user agent has only the major version.
    let version: String = stage
        .resolve(
            "const done = arguments[arguments.length - 1];
             navigator.userAgentData.getHighEntropyValues(['uaFullVersion'])
               .then((all) => done({ value: all.uaFullVersion }), (error) => done({ failed: String(error) }))",
        )
        .await?;
    figures.versions.insert("Chromium, headless".to_owned(), version);
    starts(&stage, figures).await?;
    searches(&stage, figures).await?;
    memory(&stage, figures).await?;
    scores(&stage, figures).await?;
    replays(&stage, figures).await?;
    stage.browser.quit().await;
    Ok(())
}

/// A worker's startup times, in milliseconds.
#[derive(Debug, Deserialize)]
pub struct Started {
    /// Until it reports that it can search.
    took: f64,
    /// Until it has answered a search sent at that point.
    #[serde(default)]
    searched: Option<f64>,
    /// Until it has the pack, too.
    #[serde(default)]
    whole: Option<f64>,
    /// The peer's session creation, included in that.
    #[serde(default)]
    session: Option<f64>,
}

/// From creating the worker until it can search.
async fn starts(stage: &Stage, figures: &mut Figures) -> Result<()> {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let [mut searched, mut wholes, mut sessions] = [(); 3].map(|()| Vec::new());
    for round in 0..STARTS {
        let mut sides = vec!["ours", "theirs"];
        if round % 2 == 1 {
            sides.reverse();
        }
        for side in sides {
            if side == "theirs" && !stage.has_peer {
                continue;
            }
            let started: Started = stage.call("start", &[json!(side), stage.peer_files()]).await?;
            // The first start fills the caches: bytes, compiled code, weights.
            if round > 0 {
                if side == "ours" {
                    ours.push(started.took)
                } else {
                    theirs.push(started.took)
                }
                searched.extend(started.searched);
                wholes.extend(started.whole);
                sessions.extend(started.session);
            }
        }
    }
    let note = format!(
        "medians of {} starts in turns, from the worker's script until it says that it can search, \
         weights, scripts and compiled code cached; ours has answered a first search after {:.0} ms and \
         read the pack as well after {:.0} ms; theirs takes its weights from the Cache API, {:.0} ms of \
         it for the session alone",
        ours.len(),
        median(&searched),
        median(&wholes),
        median(&sessions)
    );
    figures.add("ready", pair(&ours, &theirs, note));
    Ok(())
}

#[derive(Debug, Deserialize)]
struct Pair {
    ours: f64,
    #[serde(default)]
    theirs: Option<f64>,
    #[serde(default)]
    vector: Vec<f32>,
}

/// Interleaved searches, equally many of each length: the phrases of the project's search
/// evaluation, or pairs of them for longer lengths.
async fn searches(stage: &Stage, figures: &mut Figures) -> Result<()> {
    let vocabulary = String::from_utf8(stage.file("vocab", "txt")?)?;
    let tokenizer = WordPiece::new(&vocabulary)?;
    let phrases = of_all_lengths(&phrases()?, |text| tokenizer.encode(text).len());
    ensure!(phrases.len() == TOKENS.count() * EACH, "there are only {} phrases", phrases.len());
    let encoder = stage.search()?;
    let mut pairs: Vec<(usize, Pair)> = Vec::new();
    for round in 0..ROUNDS {
        for part in phrases.chunks(TOGETHER) {
            let tokens: Vec<Vec<u32>> =
                part.iter().map(|(_, phrase)| tokenizer.encode(phrase)).collect();
            let given = part.iter().zip(&tokens).map(|((suite, phrase), tokens)| {
                // An extra trailing space: the same tokens, but a miss in the query cache.
                let text = format!("{phrase}{}", " ".repeat(round));
                json!({ "suite": suite, "text": text, "tokens": tokens })
            });
            let given: Vec<Value> = given.collect();
            let found: Vec<Pair> =
                stage.call("searches", &[json!(given), json!(stage.has_peer)]).await?;
            for (pair, (_, phrase)) in found.iter().zip(part).take(2) {
                same_work(encoder.encoder().encode(phrase)?, pair, phrase)?;
            }
            let found = tokens.iter().map(Vec::len).zip(found);
            // The first pairs include compiling code on first use.
            pairs.extend(found.skip(if pairs.is_empty() { WARM } else { 0 }));
        }
    }
    let classes = Classes::of(&pairs);
    let ratios: Vec<f64> =
        pairs.iter().filter_map(|(_, pair)| Some(pair.ours / pair.theirs?)).collect();
    let note = format!(
        "{} interleaved pairs, {EACH} phrases of every length: the mean of the medians of all lengths; \
         median ratio of a pair {:.3}; both by message to a worker and back, ours with tokenizing and \
         ranking, theirs with neither; tokens, ours and theirs in ms: {classes}",
        pairs.len(),
        median(&ratios)
    );
    let peer = stage.has_peer.then(|| classes.mean(1));
    figures.add("search", Figure { ours: classes.mean(0), peer, note });
    Ok(())
}

/// Search times by phrase length, which determines most of the time.
struct Classes(BTreeMap<usize, [f64; 2]>);

impl Classes {
    fn of(pairs: &[(usize, Pair)]) -> Self {
        let mut classes: BTreeMap<usize, [Vec<f64>; 2]> = BTreeMap::new();
        for (tokens, pair) in pairs {
            let [ours, theirs] = classes.entry(*tokens).or_default();
            ours.push(pair.ours);
            theirs.extend(pair.theirs);
        }
        let medians =
            classes.into_iter().map(|(tokens, both)| (tokens, both.map(|times| median(&times))));
        Classes(medians.collect())
    }

    /// One side's mean over all lengths.
    fn mean(&self, side: usize) -> f64 {
        mean(&self.0.values().map(|both| both[side]).collect::<Vec<_>>())
    }
}

impl std::fmt::Display for Classes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (at, (tokens, [ours, theirs])) in self.0.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{tokens}: {ours:.1} and {theirs:.1}")?;
        }
        Ok(())
    }
}

/// Checks that both sides embedded the same text with the same model.
fn same_work(ours: Vec<f32>, pair: &Pair, phrase: &str) -> Result<()> {
    if pair.vector.is_empty() {
        return Ok(());
    }
    let dot = |a: &[f32], b: &[f32]| -> f64 {
        a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    };
    let length = dot(&pair.vector, &pair.vector).sqrt();
    let cosine = dot(&ours, &pair.vector) / length;
    ensure!(cosine > SAME_WORK, "{phrase:?}: the peer's vector has a cosine of {cosine} with ours");
    Ok(())
}

async fn memory(stage: &Stage, figures: &mut Figures) -> Result<()> {
    let ours: f64 = stage.call("memory", &[json!("ours")]).await?;
    let mut theirs = Vec::new();
    if stage.has_peer {
        theirs.push(stage.call::<f64>("memory", &[json!("theirs")]).await? / 1e6);
    }
    let note = "the worker's WebAssembly memory after all searches; ours holds the pack as well";
    figures.add("search-memory", pair(&[ours / 1e6], &theirs, note.to_owned()));
    Ok(())
}

#[derive(Debug, Deserialize)]
struct Audit {
    /// How many gold calls were done, and when that was reported.
    marks: Vec<(usize, f64)>,
    ended: f64,
}

/// Gold calls under every profile, as in the page's gold audit. Call dialogues come first and are
/// measured separately: the others search.
async fn scores(stage: &Stage, figures: &mut Figures) -> Result<()> {
    let pack = dataset::builtin()?;
    let all = samples(&pack);
    let calls: Vec<Ability> = all
        .iter()
        .filter(|sample| sample.gold_call().is_some())
        .map(|sample| sample.ability())
        .collect();
    let first = calls.iter().take_while(|ability| **ability == Ability::Call).count();
    let (mut each, mut whole) = (Vec::new(), Vec::new());
    for _ in 0..AUDITS {
        let audit: Audit = stage.call("audit", &[]).await?;
        let begun = audit.marks.first().context("no mark of the audit")?;
        let reached = audit.marks.iter().filter(|(done, _)| *done <= first);
        let last = reached.max_by_key(|(done, _)| *done).context("no mark of the Call items")?;
        ensure!(last.0 > begun.0, "the Call items of the pack do not come first");
        each.push((last.1 - begun.1) / (last.0 - begun.0) as f64);
        whole.push(audit.ended - begun.1);
    }
    let note = format!(
        "median of {AUDITS} gold audits by the shipped worker, {:.1} µs for each of the {first} gold \
         calls of the built-in pack's Call dialogues, scaled to 399; all {} gold calls, searches \
         included, take {:.0} ms",
        1e3 * median(&each),
        calls.len(),
        median(&whole)
    );
    let ours = median(&each) / 1e3 * ORIGINAL_CALLS;
    figures.add("score-browser", Figure::beside(ours, ORIGINAL_SECONDS, note));
    Ok(())
}

/// A run's result, times in milliseconds.
#[derive(Debug, Deserialize)]
pub struct Ran {
    /// The final status.
    pub status: String,
    /// Samples received.
    pub samples: usize,
    /// From the command to the end of the run.
    pub from_command: f64,
    /// From the run's first message to its end.
    pub from_start: f64,
}

async fn replays(stage: &Stage, figures: &mut Figures) -> Result<()> {
    let settings = RunSettings::new(Model::Builtin { name: Baseline::GoldReplay });
    let settings = serde_json::to_value(settings)?;
    let planned = samples(&dataset::builtin()?).len();
    let run = async || -> Result<f64> {
        let ran: Ran = stage.call("run", std::slice::from_ref(&settings)).await?;
        ensure!(ran.status == "finished", "the gold replay ended as {}", ran.status);
        ensure!(ran.samples == planned, "{} samples of {planned} came", ran.samples);
        Ok(ran.from_command / 1e3)
    };
    // A worker that has just started runs quickly compiled code and has an empty query cache.
    let mut first = Vec::new();
    for _ in 0..FRESH {
        stage.call::<Started>("start", &[json!("ours"), stage.peer_files()]).await?;
        first.push(run().await?);
    }
    let mut took = Vec::new();
    for _ in 0..REPEATS {
        took.push(run().await?);
    }
    let dialogues = dataset::builtin()?.dialogues.len();
    let note = format!(
        "median of {REPEATS} runs of {dialogues} dialogues by the shipped worker, {planned} samples each \
         kept in IndexedDB and told to a page that only counts them, searches known from a run before; \
         mean {:.2} s; the first run of a worker that is just ready takes {:.2} s",
        mean(&took),
        median(&first)
    );
    figures.add("replay", Figure::new(median(&took), note));
    Ok(())
}

/// The medians of both sides.
fn pair(ours: &[f64], theirs: &[f64], note: String) -> Figure {
    let peer = (!theirs.is_empty()).then(|| median(theirs));
    Figure { ours: median(ours), peer, note }
}

/// [`EACH`] phrases of every length in [`TOKENS`], interleaved, so that a disturbance does not
/// affect a single length.
fn of_all_lengths(
    phrases: &[(String, String)],
    tokens: impl Fn(&str) -> usize,
) -> Vec<(String, String)> {
    let mut lengths: BTreeMap<usize, Vec<(String, String)>> = BTreeMap::new();
    let mut take = |suite: &String, text: String| {
        let length = tokens(&text);
        let known = lengths.entry(length).or_default();
        if TOKENS.contains(&length) && known.len() < EACH && !known.iter().any(|it| it.1 == text) {
            known.push((suite.clone(), text));
        }
    };
    for (suite, phrase) in phrases {
        take(suite, phrase.clone());
    }
    for apart in 1..phrases.len() {
        for ((suite, one), (_, other)) in phrases.iter().zip(&phrases[apart..]) {
            take(suite, format!("{one} and {other}"));
        }
        // A pair is longer than either phrase: lengths still short of phrases stay short.
        if apart > EACH {
            break;
        }
    }
    (0..EACH).flat_map(|at| lengths.values().filter_map(move |all| all.get(at)).cloned()).collect()
}

/// Suite and text of realistic searches for the project's APIs.
fn phrases() -> Result<Vec<(String, String)>> {
    #[derive(Deserialize)]
    struct Phrase {
        suite: String,
        phrase: String,
    }
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../dataset/search/phrases");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).context("the folder of phrases")? {
        files.push(entry?.path());
    }
    files.sort();
    let mut all = Vec::new();
    for file in files {
        for line in std::fs::read_to_string(&file)?.lines() {
            let Phrase { suite, phrase } = serde_json::from_str(line)?;
            all.push((suite, phrase));
        }
    }
    Ok(all)
}
