//! Runs the generator: stores every entry before the next request, and tells the page.

use super::Host;
use super::archive::{archive_of, file_of};
use super::ports::Browser;
use super::tell::Teller;
use crate::messages::MadeFile;
use crate::messages::generate::{
    File, Generate, GenerationProgress, ShowGeneration, Step, StepState, Tally,
};
use crate::platform::indexed_db::{ObjectStore, Store, StoredText};
use crate::platform::lock;
use dataset::Ability;
use generator::checks::Neighbours;
use generator::export::{Format, pack, recipe};
use generator::statistics::Statistics;
use generator::{
    Agent, Collector, FORMAT, Figures, JournalEntry, Outcome, Settings, State, Stop, generate,
    training_set,
};
use runner::benchmark::Benchmark;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Key of the stored generation; its entries are under it.
const KEY: &str = "current";
/// Minimum time between reports to the page, in milliseconds.
const REPORT_MS: f64 = 150.0;
/// Entries per event when a stored generation is shown.
const PAGE: usize = 200;

/// The Web Lock of the tab that runs a generation.
const LOCK: &str = "api-bank.generation";

const ELSEWHERE: &str =
    "Another tab of this browser is generating. Switch to that tab, or close it first.";
const NO_MODEL: &str = "API Search is not loaded; it is needed to detect near-duplicates.";

/// The stored header of a generation.
#[derive(Serialize, Deserialize)]
struct Head {
    format: String,
    settings: Settings,
    stop: Option<Stop>,
}

impl Host {
    /// Generates dialogues.
    ///
    /// # Errors
    /// Why it can't start, or what failed.
    pub(super) async fn generate(
        &self,
        request: Generate,
        page: Teller<Generate>,
    ) -> Result<Stop, String> {
        // Wait for the lock before checking anything: a run may start in between.
        let _lock = lock::take(LOCK).await.ok_or(ELSEWHERE)?;
        let bench = self.searching().await?;
        let task = self.run_alone()?;
        let ports = Browser::new(task.watch.clone());
        work(&bench, request, &ports, page).await
    }
}

async fn work(
    bench: &Benchmark,
    request: Generate,
    ports: &Browser,
    page: Teller<Generate>,
) -> Result<Stop, String> {
    let Generate { settings, asking, key, resume } = request;
    let tell = |progress: GenerationProgress| page.tell(&progress);
    let store = Store::open().await.map_err(|error| error.to_string())?;
    let (settings, entries) = if resume {
        let (head, entries) =
            load(&store).await?.ok_or("There is no stored generation to resume.")?;
        (Settings { budget: settings.budget, ..head.settings }, entries)
    } else {
        forget(&store).await?;
        (settings, Vec::new())
    };
    keep_head(&store, &settings, None).await?;
    tell(GenerationProgress::Begun { settings: Box::new(settings.clone()), running: true });
    let encoder = bench.encoder().ok_or(NO_MODEL)?;
    let embed = |text: &str| encoder.encode(text);
    let evaluation = Neighbours::of_pack(&bench.pack, &embed).map_err(|error| error.to_string())?;
    let mut state = State::new(settings.clone(), evaluation).map_err(|error| error.to_string())?;
    let mut reporter = StepReporter::default();
    for entry in &entries {
        state.replay(entry).map_err(|error| error.to_string())?;
        reporter.add(entry);
    }
    drop(entries);
    tell(reporter.report());
    let keep = async |entry: JournalEntry| {
        let kept = StoredText::json(ObjectStore::Generation, &key_of(&entry), &entry);
        let kept = kept.map_err(|error| error.to_string())?;
        store.put(&[kept]).await.map_err(|error| error.to_string())?;
        reporter.add(&entry);
        if reporter.is_due() {
            tell(reporter.report());
        }
        Ok::<(), String>(())
    };
    let stop = generate(&mut state, &asking, key.as_ref(), ports, &embed, keep).await;
    tell(reporter.report());
    let stop = stop.map_err(|error| error.to_string())?;
    keep_head(&store, &settings, Some(stop.clone())).await?;
    Ok(stop)
}

fn key_of(entry: &JournalEntry) -> String {
    format!("{KEY}/{:09}", entry.seq)
}

async fn keep_head(store: &Store, settings: &Settings, stop: Option<Stop>) -> Result<(), String> {
    let head = Head { format: FORMAT.to_owned(), settings: settings.clone(), stop };
    let kept =
        StoredText::json(ObjectStore::Generation, KEY, &head).map_err(|error| error.to_string())?;
    store.put(&[kept]).await.map_err(|error| error.to_string())
}

/// Loads the stored generation; `None` if there is none.
async fn load(store: &Store) -> Result<Option<(Head, Vec<JournalEntry>)>, String> {
    let head: Option<Head> =
        store.get_json(ObjectStore::Generation, KEY).await.map_err(|error| error.to_string())?;
    let Some(head) = head.filter(|head| head.format == FORMAT) else { return Ok(None) };
    let rows = store.under(ObjectStore::Generation, &format!("{KEY}/")).await;
    let rows = rows.map_err(|error| error.to_string())?;
    let read = |(key, text): (String, String)| {
        serde_json::from_str(&text).map_err(|error| format!("{key}: {error}. Discard it."))
    };
    Ok(Some((head, rows.into_iter().map(read).collect::<Result<_, _>>()?)))
}

async fn forget(store: &Store) -> Result<(), String> {
    store.delete(&[(ObjectStore::Generation, KEY)]).await.map_err(|error| error.to_string())
}

async fn entries() -> Result<Option<(Head, Vec<JournalEntry>)>, String> {
    let store = Store::open().await.map_err(|error| error.to_string())?;
    load(&store).await
}

/// Shows the stored generation: why it stopped, if there is one.
///
/// # Errors
/// When it cannot be read.
pub(super) async fn show(page: Teller<ShowGeneration>) -> Result<Option<Stop>, String> {
    let Some((head, entries)) = entries().await? else { return Ok(None) };
    let settings = Box::new(head.settings);
    page.tell(&GenerationProgress::Begun { settings, running: false });
    let mut reporter = StepReporter::default();
    for entry in &entries {
        reporter.add(entry);
        if reporter.steps.len() == PAGE {
            page.tell(&reporter.report());
        }
    }
    page.tell(&reporter.report());
    Ok(Some(head.stop.unwrap_or(Stop::Cancelled)))
}

/// Converts entries to steps and figures for the page.
#[derive(Default)]
struct StepReporter {
    figures: Figures,
    statistics: Statistics,
    collector: Collector,
    domains: Vec<String>,
    steps: Vec<Step>,
    reported_ms: f64,
}

impl StepReporter {
    fn add(&mut self, entry: &JournalEntry) {
        self.figures.add(entry);
        if let Outcome::Domains { added, .. } = &entry.outcome {
            self.domains.extend(added.iter().cloned());
        }
        if let Some(finished) = self.collector.add(entry)
            && finished.rejected.is_none()
        {
            self.statistics.add(&finished.domain, &finished.item);
        }
        self.steps.push(step(entry, &self.domains));
    }

    fn is_due(&self) -> bool {
        js_sys::Date::now() - self.reported_ms >= REPORT_MS
    }

    fn report(&mut self) -> GenerationProgress {
        self.reported_ms = js_sys::Date::now();
        let by_ability = Ability::ALL.map(|ability| (Some(ability), self.statistics.row(ability)));
        let rows = by_ability.into_iter().chain([(None, self.statistics.total())]).collect();
        let tally = Box::new(Tally { figures: self.figures.clone(), rows });
        GenerationProgress::Steps { steps: std::mem::take(&mut self.steps), tally }
    }
}

/// Converts an entry for the page.
fn step(entry: &JournalEntry, domains: &[String]) -> Step {
    let (state, line, reasons) = match &entry.outcome {
        Outcome::Domains { added, refused } => (
            StepState::Passed,
            added.join(", "),
            refused.iter().map(|refused| refused.reason.clone()).collect(),
        ),
        Outcome::Apis { added, refused } => {
            let names: Vec<&str> = added.iter().map(|tool| tool.name.as_str()).collect();
            let reasons = refused.iter().map(|refused| refused.reason.clone()).collect();
            (StepState::Passed, names.join(", "), reasons)
        }
        Outcome::Query { text, .. } => (StepState::Passed, text.clone(), Vec::new()),
        Outcome::Drafted { item, .. } => {
            let names: Vec<&str> = item.calls().map(|call| call.api_name.as_str()).collect();
            (StepState::Passed, names.join(", "), Vec::new())
        }
        Outcome::Accepted => (StepState::Accepted, "Accepted".to_owned(), Vec::new()),
        Outcome::Rejected { reasons, answer, .. } => {
            let line = reasons.first().map_or_else(|| answer.clone(), ToString::to_string);
            (StepState::Refused, line, reasons.clone())
        }
        Outcome::Failed { message } => (StepState::Failed, message.clone(), Vec::new()),
    };
    let added = match &entry.outcome {
        Outcome::Domains { added, .. } => added.clone(),
        _ => Vec::new(),
    };
    Step {
        seq: entry.seq,
        agent: entry.agent,
        domain: entry.domain.and_then(|index| domains.get(index).cloned()),
        slot: entry.slot,
        ability: entry.ability,
        attempt: entry.attempt,
        state,
        line,
        reasons,
        domains: added,
        detail: String::new(),
    }
}

/// Every answer of a dialogue, starting with the one that named its domain.
///
/// # Errors
/// When the stored generation cannot be read.
pub(super) async fn trace(slot: usize) -> Result<Vec<Step>, String> {
    let Some((_, entries)) = entries().await? else { return Ok(Vec::new()) };
    let of_slot = |entry: &&JournalEntry| entry.slot == Some(slot);
    let domain = entries.iter().find(of_slot).and_then(|entry| entry.domain);
    let mut domains = Vec::new();
    let mut steps = Vec::new();
    for entry in &entries {
        let mut named = false;
        if let Outcome::Domains { added, .. } = &entry.outcome {
            let before = domains.len();
            domains.extend(added.iter().cloned());
            named = domain.is_some_and(|index| (before..domains.len()).contains(&index));
        }
        let described = entry.agent == Agent::Apis && entry.domain == domain && domain.is_some();
        if named || described || entry.slot == Some(slot) {
            steps.push(Step { detail: detail(entry), ..step(entry, &domains) });
        }
    }
    Ok(steps)
}

/// The complete answer as text.
fn detail(entry: &JournalEntry) -> String {
    match &entry.outcome {
        Outcome::Domains { added, .. } => added.join("\n"),
        Outcome::Apis { added, .. } => lines(added),
        Outcome::Query { text, time, apis } => {
            format!("{text}\n\nTime: {time}\nAPIs: {}", apis.join(", "))
        }
        Outcome::Drafted { item, .. } => lines(&item.turns),
        Outcome::Accepted => String::new(),
        Outcome::Rejected { item: Some(item), .. } if entry.agent == Agent::Calls => {
            lines(&item.turns)
        }
        Outcome::Rejected { answer, .. } => answer.clone(),
        Outcome::Failed { message } => message.clone(),
    }
}

fn lines<T: Serialize>(values: &[T]) -> String {
    values.iter().map(|value| json!(value).to_string()).collect::<Vec<_>>().join("\n")
}

/// A file of the stored generation.
///
/// # Errors
/// When there is none, or it cannot be read.
pub(super) async fn generated_file(file: File) -> Result<MadeFile, String> {
    let (_, entries) = entries().await?.ok_or("Nothing has been generated yet.")?;
    let failed = |error: serde_json::Error| error.to_string();
    let text = match file {
        File::Pack => return archive_of(File::Pack.name(), &pack::files(&training_set(entries))),
        File::Recipe => recipe::axolotl(File::Chat.name()),
        File::Journal => lines(&entries) + "\n",
        File::Chat => Format::Chat.file(&training_set(entries)).map_err(failed)?,
        File::Instructions => Format::Instructions.file(&training_set(entries)).map_err(failed)?,
        File::Set => {
            let set = training_set(entries);
            let domains: Vec<_> = set.domains.values().collect();
            let rejected: Vec<_> = set.rejected.values().collect();
            let whole = json!({"domains": domains, "rejected": rejected});
            serde_json::to_string_pretty(&whole).map_err(failed)? + "\n"
        }
    };
    file_of(file.name(), text.as_bytes())
}

/// The dialogues of the stored generation, as the files of a pack.
///
/// # Errors
/// When there are none, or they cannot be read.
pub(super) async fn pack_files() -> Result<Vec<(String, String)>, String> {
    let (_, entries) = entries().await?.ok_or("Nothing has been generated yet.")?;
    let set = training_set(entries);
    if set.items().next().is_none() {
        return Err("No dialogue has been accepted yet.".to_owned());
    }
    Ok(pack::files(&set))
}
