//! Replays the dialogues of `dataset/` on its databases: `bless` writes the results into the
//! files, `check` compares and then measures the whole pack. `cargo xtask dataset` runs it
//! (`xtask/src/search.rs`).

mod declarations;

use anyhow::{Context, Result, bail};
use apis::search::{self, SearchResults};
use clap::Parser;
use dataset::checks::{Section, report};
use dataset::searches::{self, Searched};
use dataset::{Ability, Dialogue, HARD_INDEX, Hard, Pack, Split};
use declarations::{draft::drafted, proof};
use retrieval::{Encoder, Index, Search};
use runner::benchmark::Benchmark;
use scoring::gold;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Debug, Parser)]
struct Task {
    /// Write the results instead of comparing them.
    #[arg(long)]
    bless: bool,
    /// The folder of the dataset.
    dataset: PathBuf,
    /// The search model.
    model: PathBuf,
    /// The vocabulary, one word piece a line.
    vocab: PathBuf,
    /// Only dialogues whose id contains this.
    filter: Option<String>,
}

/// The dialogues of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum List {
    Of(Ability),
    Hard,
}

impl List {
    const ALL: [List; 4] =
        [List::Of(Ability::Call), List::Of(Ability::Retrieve), List::Of(Ability::Plan), List::Hard];

    fn folder(self) -> String {
        match self {
            List::Of(ability) => format!("dialogues/{}", ability.as_str()),
            List::Hard => Split::Hard.as_str().to_owned(),
        }
    }
}

fn main() -> Result<()> {
    let task = Task::parse();
    let root = task.dataset.as_path();
    let bench = bench(root, &task)?;
    // Dialogue files record one result per search, as in the original.
    let one = bench.returning(SearchResults::One);
    let index: BTreeMap<String, Hard> = serde_json::from_str(&read(&root.join(HARD_INDEX))?)?;
    let mut wrong = 0;
    let mut seen = 0;
    for list in List::ALL {
        for file in files(&root.join(list.folder()))? {
            if list == List::Hard && file.ends_with(HARD_INDEX) {
                continue;
            }
            if task.filter.as_ref().is_some_and(|part| !file.to_string_lossy().contains(part)) {
                continue;
            }
            seen += 1;
            let text = read(&file)?;
            let dialogue = draft(&file, list, &text)
                .with_context(|| format!("{} cannot be read", file.display()))?;
            let dialogue = preceded(root, dialogue, &index)?;
            let replayed = one.replayed(&dialogue);
            for (index, (before, after)) in dialogue.turns.iter().zip(&replayed.turns).enumerate() {
                if before != after {
                    wrong += usize::from(!task.bless);
                    if let Some(call) = after.as_call() {
                        let result = shown(&json!(call.result));
                        println!(
                            "{} turn {index}: {} now gives {result}",
                            dialogue.id, call.api_name
                        );
                    }
                }
            }
            if task.bless {
                fs::write(&file, drafted(&replayed, &bench.world).to_file())
                    .with_context(|| format!("can't write {}", file.display()))?;
            }
        }
    }
    if let (0, Some(filter)) = (seen, &task.filter) {
        bail!("no file of a dialogue holds {filter:?} in its path: check the slug");
    }
    println!("{seen} dialogues replayed");
    if wrong > 0 {
        bail!(
            "{wrong} results differ from the recorded ones: correct them, or accept the new ones with `cargo xtask dataset bless`"
        );
    }
    if task.bless || task.filter.is_none() {
        check_searches(root, &bench, task.bless)?;
    }
    if task.bless {
        return Ok(());
    }
    if let Some(filter) = &task.filter {
        return prove_declared(root, &bench, filter);
    }
    prove(root, &one, &bench)
}

/// Compares or writes the search results of all dialogues.
fn check_searches(root: &Path, bench: &Benchmark, bless: bool) -> Result<()> {
    let pack = whole_pack(root)?;
    let mut lines = String::new();
    for (suite, keywords) in searches::of(pack.dialogues.iter().chain(&pack.hard)) {
        let count = SearchResults::default().count();
        let apis = bench.world.search.best(suite, &keywords, count);
        let apis = apis.map_err(anyhow::Error::msg)?;
        lines.push_str(&serde_json::to_string(&Searched { suite, keywords, apis })?);
        lines.push('\n');
    }
    let file = root.join(searches::FILE);
    if bless {
        return fs::write(&file, lines).with_context(|| format!("can't write {}", file.display()));
    }
    if read(&file)? != lines {
        bail!(
            "{} is not what searches return: write it anew with `cargo xtask dataset bless`",
            file.display()
        );
    }
    Ok(())
}

/// Measures the whole pack and prints every figure with its bound.
fn prove(root: &Path, bench: &Benchmark, searching: &Benchmark) -> Result<()> {
    let pack = whole_pack(root)?;
    let replay =
        |title, dialogues: &[Dialogue]| gold::replay(dialogues, &bench.world).section(title);
    let mut sections =
        vec![replay("Gold", &pack.dialogues), replay("Gold of the hard split", &pack.hard)];
    for (title, split) in
        [("Declarations", &pack.dialogues), ("Declarations of the hard split", &pack.hard)]
    {
        let all = pack.dialogues.iter().chain(&pack.hard);
        sections.push(proof::prove(split, all, &searching.world).section(title));
    }
    sections.extend(report::report(&pack));
    sections.push(errata(root)?);
    for section in &sections {
        print(section);
    }
    let figures: Vec<_> = sections.iter().flat_map(|section| &section.figures).collect();
    let broken = figures.iter().filter(|figure| !figure.holds()).count();
    let bounded = figures.iter().filter(|it| it.bound != dataset::checks::Bound::Free).count();
    if broken > 0 {
        bail!("{broken} of {bounded} bounds are broken: see the lines marked with ✗");
    }
    println!("\nall {bounded} bounds hold");
    Ok(())
}

/// Proves the declarations of the dialogues whose id contains a text.
fn prove_declared(root: &Path, bench: &Benchmark, filter: &str) -> Result<()> {
    let pack = whole_pack(root)?;
    let all = || pack.dialogues.iter().chain(&pack.hard);
    let some = all().filter(|entry| entry.id.contains(filter));
    let section = proof::prove(some, all(), &bench.world).section("Declarations");
    print(&section);
    match section.findings.len() {
        0 => Ok(()),
        count => bail!("{count} declarations do not hold: see the lines marked with ·"),
    }
}

fn print(section: &Section) {
    println!("\n{}", section.title);
    for line in &section.findings {
        println!("  · {line}");
    }
    for figure in &section.figures {
        let mark = if figure.holds() { ' ' } else { '✗' };
        let value = (figure.value * 1e4).round() / 1e4;
        println!("{mark} {:<58}{value:>10}   {}", figure.name, figure.bound);
    }
}

/// Counts and lists the corrections of the project's own pack.
fn errata(root: &Path) -> Result<Section> {
    let file = root.join("errata/own.json");
    let entries = dataset::errata::read(&read(&file)?)?;
    Ok(Section {
        title: "Errata",
        figures: vec![dataset::checks::Figure::count(
            "corrections since the first version",
            entries.len(),
            dataset::checks::Bound::Free,
        )],
        findings: entries.iter().map(ToString::to_string).collect(),
    })
}

/// Loads the whole pack from its files.
fn whole_pack(root: &Path) -> Result<Pack> {
    let mut texts = vec![("manifest.json".to_owned(), read(&root.join("manifest.json"))?)];
    let mut folders = vec!["databases".to_owned(), "hard".to_owned()];
    folders.extend(Ability::ALL.iter().map(|ability| format!("dialogues/{}", ability.as_str())));
    for folder in folders {
        for file in files(&root.join(&folder))? {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            texts.push((format!("{folder}/{name}"), read(&file)?));
        }
    }
    Ok(Pack::load(texts.iter().map(|(path, text)| (path.as_str(), text.as_str())))?)
}

/// Loads the pack without dialogues, and builds API Search over the pool.
fn bench(root: &Path, task: &Task) -> Result<Benchmark> {
    let mut texts = vec![("manifest.json".to_owned(), read(&root.join("manifest.json"))?)];
    for file in files(&root.join("databases"))? {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        texts.push((format!("databases/{name}"), read(&file)?));
    }
    let pack = Pack::load(texts.iter().map(|(path, text)| (path.as_str(), text.as_str())))?;
    let model =
        fs::read(&task.model).with_context(|| format!("can't read {}", task.model.display()))?;
    let encoder = Encoder::load(&model, &read(&task.vocab)?)?;
    let pool = search::texts();
    let index = Index::build(&encoder, pool.iter().map(|(s, n, t)| (*s, *n, t.as_str())))?;
    Ok(Benchmark::new(pack, Search::new(encoder, index.rounded())?))
}

fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).with_context(|| format!("can't read {}", file.display()))
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .with_context(|| format!("can't list {}", folder.display()))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|end| end == "json" || end == "jsonl"));
    files.sort();
    Ok(files)
}

/// Parses a dialogue whose results may be missing.
fn draft(file: &Path, list: List, text: &str) -> Result<Dialogue> {
    let empty =
        |name: &Value| json!({"api_name": name, "input": {}, "output": null, "exception": null});
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    if list == List::Of(Ability::Plan) {
        let mut plan: Value = serde_json::from_str(text)?;
        for call in plan["apis"].as_array_mut().into_iter().flatten() {
            if call.get("output").is_none() {
                call["output"] = empty(&call["api_name"]);
            }
        }
        return Ok(Dialogue::read_plan(&name, &plan.to_string())?);
    }
    let mut lines = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let mut turn: Value = serde_json::from_str(line).with_context(|| line.to_owned())?;
        if turn["role"] == "API" && turn.get("result").is_none() {
            turn["result"] = empty(&turn["api_name"]);
        }
        lines.push(turn.to_string());
    }
    let lines = lines.join("\n");
    Ok(match list {
        List::Of(ability) => Dialogue::read_lines(&name, ability, &lines)?,
        List::Hard => Dialogue::read_hard(&name, &lines)?,
    })
}

/// A dialogue of the hard split after those that its entry names; others unchanged.
fn preceded(root: &Path, dialogue: Dialogue, index: &BTreeMap<String, Hard>) -> Result<Dialogue> {
    let hard = dialogue.id.strip_prefix("hard/").and_then(|slug| index.get(slug));
    let earlier = hard.map_or(&[][..], |hard| &hard.earlier).iter().map(|id| {
        let file = root.join("dialogues").join(id).with_extension("jsonl");
        Ok(Dialogue::read_lines(&file.to_string_lossy(), Ability::Call, &read(&file)?)?)
    });
    Ok(dialogue.after(&earlier.collect::<Result<Vec<_>>>()?))
}

/// At most 300 characters of a value.
fn shown(value: &Value) -> String {
    value.to_string().chars().take(300).collect()
}
