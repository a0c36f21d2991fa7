//! Runs the generator: stores every entry before the next request, and reports it to the page.

use super::archive::{save_archive, save_bytes};
use super::ports::Browser;
use super::{Host, post};
use crate::platform::indexed_db::{ObjectStore, Store, StoredText};
use crate::platform::{cancel, lock};
use crate::protocol::Event;
use crate::protocol::generate::{
    Asking, File, GenerationCommand, GenerationEvent, Step, StepState, Tally,
};
use dataset::Ability;
use generator::checks::Neighbours;
use generator::export::{Format, pack, recipe};
use generator::statistics::Statistics;
use generator::{
    Agent, Collector, FORMAT, Figures, JournalEntry, Outcome, Settings, State, Stop, generate,
    training_set,
};
use provider::ApiKey;
use runner::benchmark::Benchmark;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::rc::Rc;
use wasm_bindgen_futures::spawn_local;

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

fn post_event(event: GenerationEvent) {
    post(&Event::Generation { event: Box::new(event) });
}

impl Host {
    /// Runs a command of the Generate page.
    pub(super) fn generation(self: Rc<Self>, command: GenerationCommand) {
        spawn_local(async move {
            let done = match command {
                GenerationCommand::Show => show().await,
                GenerationCommand::Discard => discard().await,
                GenerationCommand::Trace { slot } => trace(slot).await,
                GenerationCommand::File { file } => save(file).await,
                GenerationCommand::Start { settings, asking, key } => {
                    self.generate(settings, *asking, key, false).await
                }
                GenerationCommand::Resume { settings, asking, key } => {
                    self.generate(settings, *asking, key, true).await
                }
            };
            if let Err(message) = done {
                post_event(GenerationEvent::Failed { message });
            }
        });
    }

    async fn generate(
        &self,
        settings: Settings,
        asking: Asking,
        key: Option<ApiKey>,
        resume: bool,
    ) -> Result<(), String> {
        // Wait for the lock before checking anything: a run may start in between.
        let _lock = lock::take(LOCK).await.ok_or(ELSEWHERE)?;
        let bench = self.searching().await?;
        if self.running.borrow().is_some() {
            return Err("A run is already in progress. Cancel it first.".to_owned());
        }
        let (switch, watch) = cancel::pair();
        *self.running.borrow_mut() = Some(switch);
        let ports = Browser::new(watch);
        let stop = work(&bench, settings, &asking, key.as_ref(), &ports, resume).await;
        *self.running.borrow_mut() = None;
        post_event(GenerationEvent::Stopped { stop: stop? });
        Ok(())
    }
}

async fn work(
    bench: &Benchmark,
    settings: Settings,
    asking: &Asking,
    key: Option<&ApiKey>,
    ports: &Browser,
    resume: bool,
) -> Result<Stop, String> {
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
    post_event(GenerationEvent::Begun { settings: Box::new(settings.clone()), running: true });
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
    reporter.report();
    let keep = async |entry: JournalEntry| {
        let kept = StoredText::json(ObjectStore::Generation, &key_of(&entry), &entry);
        let kept = kept.map_err(|error| error.to_string())?;
        store.put(&[kept]).await.map_err(|error| error.to_string())?;
        reporter.add(&entry);
        reporter.report_if_due();
        Ok::<(), String>(())
    };
    let stop = generate(&mut state, asking, key, ports, &embed, keep).await;
    reporter.report();
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

async fn discard() -> Result<(), String> {
    let _lock = lock::take(LOCK).await.ok_or(ELSEWHERE)?;
    let store = Store::open().await.map_err(|error| error.to_string())?;
    forget(&store).await?;
    post_event(GenerationEvent::Nothing);
    Ok(())
}

async fn entries() -> Result<Option<(Head, Vec<JournalEntry>)>, String> {
    let store = Store::open().await.map_err(|error| error.to_string())?;
    load(&store).await
}

async fn show() -> Result<(), String> {
    let Some((head, entries)) = entries().await? else {
        post_event(GenerationEvent::Nothing);
        return Ok(());
    };
    post_event(GenerationEvent::Begun { settings: Box::new(head.settings), running: false });
    let mut reporter = StepReporter::default();
    for entry in &entries {
        reporter.add(entry);
        if reporter.steps.len() == PAGE {
            reporter.report();
        }
    }
    reporter.report();
    post_event(GenerationEvent::Stopped { stop: head.stop.unwrap_or(Stop::Cancelled) });
    Ok(())
}

/// Converts entries to steps and figures, and reports them to the page.
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

    fn report_if_due(&mut self) {
        if js_sys::Date::now() - self.reported_ms >= REPORT_MS {
            self.report();
        }
    }

    fn report(&mut self) {
        self.reported_ms = js_sys::Date::now();
        let by_ability = Ability::ALL.map(|it| (Some(it), self.statistics.row(it)));
        let rows = by_ability.into_iter().chain([(None, self.statistics.total())]).collect();
        let tally = Box::new(Tally { figures: self.figures.clone(), rows });
        post_event(GenerationEvent::Steps { steps: std::mem::take(&mut self.steps), tally });
    }
}

/// Converts an entry for the page.
fn step(entry: &JournalEntry, domains: &[String]) -> Step {
    let (state, line, reasons) = match &entry.outcome {
        Outcome::Domains { added, refused } => (
            StepState::Passed,
            added.join(", "),
            refused.iter().map(|it| it.reason.clone()).collect(),
        ),
        Outcome::Apis { added, refused } => {
            let names: Vec<&str> = added.iter().map(|tool| tool.name.as_str()).collect();
            let reasons = refused.iter().map(|it| it.reason.clone()).collect();
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

/// Posts the trace of a dialogue, starting with the answer that named its domain.
async fn trace(slot: usize) -> Result<(), String> {
    let Some((_, entries)) = entries().await? else { return Ok(()) };
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
    post_event(GenerationEvent::Trace { slot, steps });
    Ok(())
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

async fn save(file: File) -> Result<(), String> {
    let (_, entries) = entries().await?.ok_or("Nothing has been generated yet.")?;
    let failed = |error: serde_json::Error| error.to_string();
    let text = match file {
        File::Pack => return save_archive(File::Pack.name(), &pack::files(&training_set(entries))),
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
    save_bytes(file.name(), text.as_bytes())
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
