//! The shipped worker through its own messages, beside onnxruntime-web in a worker of its own.

use anyhow::{Context, Result, ensure};
use dataset::Ability;
use engine::{
    baseline::Baseline, protocol::samples, record::Model, retrieval::WordPiece, runner::RunSettings,
};
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

/// How often each side is started, the first time not counted.
const STARTS: usize = 8;
/// How often all phrases are searched.
const ROUNDS: usize = 2;
/// Phrases that one script searches: scripts may not take long.
const TOGETHER: usize = 48;
/// Tokens of the phrases, start and end included.
const TOKENS: std::ops::RangeInclusive<usize> = 4..=16;
/// How often all gold calls are judged: most of the time goes into the searches among them.
const AUDITS: usize = 3;
/// How often the gold is replayed.
const REPEATS: usize = 7;
/// The same text gives the same vector on both sides but for what coarser weights change.
const SAME_WORK: f64 = 0.98;

/// Measures search, start, memory, scoring and the gold replay.
pub async fn measure(figures: &mut Figures) -> Result<()> {
    let stage = Stage::start().await?;
    stage.open_bench().await?;
    let version: String = stage.script("return navigator.userAgent").await?;
    let version = version.split_whitespace().find(|word| word.starts_with("Chrome/"));
    let version = version.unwrap_or_default().replace("Chrome/", "");
    figures.versions.insert("Chromium, headless".to_owned(), version);
    starts(&stage, figures).await?;
    searches(&stage, figures).await?;
    memory(&stage, figures).await?;
    scores(&stage, figures).await?;
    replays(&stage, figures).await?;
    stage.browser.quit().await;
    Ok(())
}

/// From a fresh worker to one that can search.
async fn starts(stage: &Stage, figures: &mut Figures) -> Result<()> {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..STARTS {
        let mut sides = vec!["ours", "theirs"];
        if round % 2 == 1 {
            sides.reverse();
        }
        for side in sides {
            if side == "theirs" && !stage.has_peer {
                continue;
            }
            let took: f64 = stage.call("start", &[json!(side), stage.peer_files()]).await?;
            // The first time fills the caches: bytes, compiled code, weights.
            if round > 0 {
                if side == "ours" { ours.push(took) } else { theirs.push(took) }
            }
        }
    }
    let note = format!(
        "medians of {} starts in turns, from the worker's script to ready, weights, scripts and \
         compiled code cached; ours includes the pack, theirs takes its weights from the Cache API",
        ours.len()
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

/// Interleaved searches of the phrases that the project measures its search with.
async fn searches(stage: &Stage, figures: &mut Figures) -> Result<()> {
    let vocabulary = String::from_utf8(stage.file("vocab-")?)?;
    let tokenizer = WordPiece::new(&vocabulary)?;
    let mut phrases = phrases()?;
    phrases.retain(|(_, phrase)| TOKENS.contains(&tokenizer.encode(phrase).len()));
    let encoder = stage.search()?;
    let mut pairs = Vec::new();
    for round in 0..ROUNDS {
        for part in phrases.chunks(TOGETHER) {
            let given = part.iter().map(|(suite, phrase)| {
                // A blank more at the end: the same tokens, and no answer from the query cache.
                let text = format!("{phrase}{}", " ".repeat(round));
                json!({ "suite": suite, "text": text, "tokens": tokenizer.encode(phrase) })
            });
            let given: Vec<Value> = given.collect();
            let found: Vec<Pair> =
                stage.call("searches", &[json!(given), json!(stage.has_peer)]).await?;
            for (pair, (_, phrase)) in found.iter().zip(part).take(2) {
                same_work(encoder.encoder().encode(phrase)?, pair, phrase)?;
            }
            // The first pairs pay for code that is compiled on its first use.
            pairs.extend(found.into_iter().skip(if pairs.is_empty() { 4 } else { 0 }));
        }
    }
    let ours: Vec<f64> = pairs.iter().map(|pair| pair.ours).collect();
    let theirs: Vec<f64> = pairs.iter().filter_map(|pair| pair.theirs).collect();
    let ratios: Vec<f64> = pairs.iter().filter_map(|pair| Some(pair.ours / pair.theirs?)).collect();
    let note = format!(
        "medians of {} interleaved pairs, {} phrases of {} to {} tokens, median ratio of a pair \
         {:.3}; both by message to a worker and back, ours with tokenizing and ranking, theirs with \
         neither",
        pairs.len(),
        phrases.len(),
        TOKENS.start(),
        TOKENS.end(),
        median(&ratios)
    );
    figures.add("search", pair(&ours, &theirs, note));
    Ok(())
}

/// Both sides have to have embedded the same text by the same model.
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
    /// How many gold calls were done, and when that was known.
    marks: Vec<(usize, f64)>,
    ended: f64,
}

/// Gold calls through every profile, as the page's gold audit does it. Call dialogues come first
/// and are measured alone: the others search.
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

/// What a run came to, times in milliseconds.
#[derive(Debug, Deserialize)]
pub struct Ran {
    /// How it ended.
    pub status: String,
    /// Samples that came.
    pub samples: usize,
    /// From the command to the end.
    pub from_command: f64,
    /// From the first word of the run to the end.
    pub from_start: f64,
}

async fn replays(stage: &Stage, figures: &mut Figures) -> Result<()> {
    let settings = RunSettings::new(Model::Builtin { name: Baseline::GoldReplay });
    let settings = serde_json::to_value(settings)?;
    let mut took = Vec::new();
    let mut samples = 0;
    for _ in 0..REPEATS {
        let ran: Ran = stage.call("run", std::slice::from_ref(&settings)).await?;
        ensure!(ran.status == "finished", "the gold replay ended as {}", ran.status);
        samples = ran.samples;
        took.push(ran.from_command / 1e3);
    }
    let dialogues = dataset::builtin()?.dialogues.len();
    let note = format!(
        "median of {REPEATS} runs of {dialogues} dialogues by the shipped worker, {samples} samples \
         each kept in IndexedDB and told to a page that only counts them; mean {:.2} s",
        mean(&took)
    );
    figures.add("replay", Figure::new(median(&took), note));
    Ok(())
}

/// The medians of both sides.
fn pair(ours: &[f64], theirs: &[f64], note: String) -> Figure {
    let peer = (!theirs.is_empty()).then(|| median(theirs));
    Figure { ours: median(ours), peer, note }
}

/// Suite and text of the phrases that people would search the project's APIs with.
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
