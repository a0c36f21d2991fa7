//! Answers the requests of the Your tools page.

use super::Host;
use super::ports::Browser;
use super::tell::Teller;
use crate::messages::own_tools::{
    ALIKE, Change, DISTINCT, EstimateTasks, LastOwnTools, OwnToolsView, ReadOwnTools, TaskView,
    TasksProgress, TasksWritten, WriteTasks,
};
use crate::messages::search_lab::LabPoint;
use crate::messages::{PackFound, StoredPack};
use crate::platform::indexed_db::{ObjectStore, Store, StoreError, StoredText};
use dataset::tools::listing::{self, Alike};
use dataset::tools::{
    FOLDER, OwnDialogue, Tool, ToolsError, ToolsFile, Toolset, checks, example, logs,
};
use dataset::{Dialogue, Turn};
use generator::own::{Outcome, Writer, Written};
use generator::{Spent, Stop, generate};
use ranking::{near_duplicates, parse_own_tools, projected, vectors};
use retrieval::{Encoder, RetrievalError};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The most tools whose descriptions are compared with each other; more would hold up the page.
const MOST_COMPARED: usize = 150;

/// Reads tools or a pack, and applies a change.
///
/// # Errors
/// A sentence with the field that is wrong and the remedy.
pub(super) async fn read(
    request: ReadOwnTools,
    encoder: Option<Arc<Encoder>>,
) -> Result<OwnToolsView, String> {
    let told = |error: ToolsError| format!("{error}.");
    let mut file = match ToolsFile::is_one(&request.text) {
        true => ToolsFile::read(&request.text).map_err(told)?,
        false => {
            let tools = parse_own_tools(request.text.as_bytes()).map_err(|it| format!("{it}."))?;
            ToolsFile::read(&ToolsFile::new(&request.name, tools).text()).map_err(told)?
        }
    };
    change(&mut file, request.change)?;
    shown(file, encoder).await
}

/// The example.
///
/// # Errors
/// Never: a test reads it.
pub(super) async fn read_example(encoder: Option<Arc<Encoder>>) -> Result<OwnToolsView, String> {
    shown(ToolsFile::read(example::PACK).map_err(|error| error.to_string())?, encoder).await
}

/// Key of the pack that the page shows.
const LAST: &str = "own-tools";

/// The view of a pack, which the page shows again after a reload.
async fn shown(file: ToolsFile, encoder: Option<Arc<Encoder>>) -> Result<OwnToolsView, String> {
    let view = view(file, encoder)?;
    remember(&view.text).await;
    Ok(view)
}

/// Stores a pack as the last one. Without storage, a reload loses it.
async fn remember(text: &str) {
    let put = async {
        let entry = StoredText::json(ObjectStore::Generation, LAST, &text)?;
        Store::open().await?.put(&[entry]).await
    };
    if let Err(error) = put.await {
        web_sys::console::error_1(&error.to_string().into());
    }
}

/// The last pack of the page; `None` if there is none, or after forgetting it.
///
/// # Errors
/// When the browser's storage fails.
pub(super) async fn last(
    request: LastOwnTools,
    encoder: Option<Arc<Encoder>>,
) -> Result<Option<OwnToolsView>, String> {
    let told = |error: StoreError| error.to_string();
    let store = Store::open().await.map_err(told)?;
    if request.forget {
        store.delete(&[(ObjectStore::Generation, LAST)]).await.map_err(told)?;
        return Ok(None);
    }
    let text: Option<String> = store.get_json(ObjectStore::Generation, LAST).await.map_err(told)?;
    // A pack of an earlier version that can't be read any more is no error.
    let file = text.and_then(|text| ToolsFile::read(&text).ok());
    file.map(|file| view(file, encoder)).transpose()
}

/// What writing tasks would take.
///
/// # Errors
/// The field of the pack that is wrong.
pub(super) fn estimate(request: &EstimateTasks) -> Result<Spent, String> {
    let file = ToolsFile::read(&request.text).map_err(|error| format!("{error}."))?;
    Ok(generator::own::estimate(&file, request.count))
}

impl Host {
    /// Writes tasks, and reports each answer to the page.
    ///
    /// # Errors
    /// Why none could be asked for, or judged.
    pub(super) async fn write_tasks(
        &self,
        mut request: WriteTasks,
        page: Teller<WriteTasks>,
    ) -> Result<TasksWritten, String> {
        let own = self.own.borrow().clone().ok_or(super::NOT_LOADED)?;
        own.searchable().await?;
        let encoder = own.encoder().ok_or("The search model is not loaded; reload the page.")?;
        let text = std::mem::take(&mut request.text);
        let mut file = ToolsFile::read(&text).map_err(|error| format!("{error}."))?;
        file.written_by = Some(request.asking.endpoint.model.clone());
        let task = self.run_alone()?;
        let ports = Browser::new(task.watch.clone());
        let stop = write(&mut file, request, &encoder, &ports, page).await?;
        Ok(TasksWritten { pack: shown(file, Some(encoder)).await?, stop })
    }
}

/// Writes tasks into `file`; each is stored before the next request.
async fn write(
    file: &mut ToolsFile,
    request: WriteTasks,
    encoder: &Encoder,
    ports: &Browser,
    page: Teller<WriteTasks>,
) -> Result<Stop, String> {
    let WriteTasks { settings, asking, key, .. } = request;
    let embed = |text: &str| encoder.encode(text);
    let writer = Writer::new(file.clone(), settings, &embed);
    let mut writer = writer.map_err(|error| error.to_string())?;
    let (mut accepted, mut spent) = (0, Spent::default());
    let keep = async |written: Written| {
        spent.add(written.spent);
        let mut progress = TasksProgress { accepted, spent, new: None, refused: None };
        match written.outcome {
            Outcome::Passed => {}
            Outcome::Failed { message } => progress.refused = Some(message),
            Outcome::Rejected { reasons } => {
                let reasons: Vec<String> = reasons.iter().map(ToString::to_string).collect();
                progress.refused = Some(format!("{}: {}", written.tool, reasons.join("; ")));
            }
            Outcome::Accepted { task } => {
                accepted += 1;
                progress.accepted = accepted;
                progress.new = added(file, task)?;
                if let Some((text, _)) = &progress.new {
                    remember(text).await;
                }
            }
        }
        page.tell(&progress);
        Ok::<(), String>(())
    };
    let stop = generate(&mut writer, &asking, key.as_ref(), ports, &embed, keep).await;
    stop.map_err(|error| error.to_string())
}

/// Adds a task, which has passed every check, to a pack: the pack's text, and the task's view.
fn added(file: &mut ToolsFile, task: OwnDialogue) -> Result<Option<(String, TaskView)>, String> {
    let alone = ToolsFile { dialogues: vec![task.clone()], ..file.clone() };
    let dialogues = alone.read_dialogues(&alone.toolset()).map_err(|error| format!("{error}."))?;
    file.dialogues.push(task);
    Ok(dialogues.first().map(|it| (file.text(), view_of(it, true, &[]))))
}

fn change(file: &mut ToolsFile, change: Change) -> Result<(), String> {
    match change {
        Change::None => return Ok(()),
        Change::AddLog { log, model } => {
            file.add(logs::read(&log).map_err(|error| format!("{error}."))?);
            let given = Some(model.trim().to_owned()).filter(|model| !model.is_empty());
            file.written_by =
                given.or_else(|| logs::model(&log)).or_else(|| file.written_by.take());
        }
        Change::Accept(ids) => {
            let drafts = file.dialogues.iter_mut().filter(|it| ids.contains(&it.id));
            drafts.for_each(|it| it.draft = false);
        }
        Change::Remove(ids) => file.dialogues.retain(|it| !ids.contains(&it.id)),
        Change::Edit { id, turns } => {
            let lines = turns.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
            let read = lines.map(|(index, line)| {
                serde_json::from_str(line)
                    .map_err(|error| format!("Line {}: expected JSON: {error}.", index + 1))
            });
            let turns: Vec<_> = read.collect::<Result<_, _>>()?;
            if let Some(dialogue) = file.dialogues.iter_mut().find(|it| it.id == id) {
                dialogue.turns = turns;
            }
        }
        Change::Describe { name, description } => {
            if let Some(tool) = file.tools.iter_mut().find(|it| it.name == name) {
                tool.description = description;
            }
        }
    }
    // The limits, once more.
    file.digest.clear();
    *file = ToolsFile::read(&file.text()).map_err(|error| format!("{error}."))?;
    file.read_dialogues(&file.toolset()).map_err(|error| format!("{error}."))?;
    Ok(())
}

fn view(file: ToolsFile, encoder: Option<Arc<Encoder>>) -> Result<OwnToolsView, String> {
    let tools = file.toolset();
    let dialogues = file.read_dialogues(&tools).map_err(|error| format!("{error}."))?;
    let found = match dialogues.is_empty() {
        true => Vec::new(),
        false => checks::check(&dialogues, &tools, &file.today.to_string()),
    };
    let encoder = encoder.filter(|_| file.tools.len() <= MOST_COMPARED);
    let near = encoder.map(|it| nearness(&file.tools, &it)).transpose();
    let near = near.map_err(|error| error.to_string())?;
    let (alike, map) = near.map_or((None, Vec::new()), |(alike, map)| (Some(alike), map));
    let drafts = file.dialogues.iter().filter(|it| it.draft);
    let drafts: BTreeSet<&str> = drafts.map(|it| it.id.as_str()).collect();
    let is_draft = |it: &Dialogue| drafts.contains(it.id.trim_start_matches(FOLDER));
    let tasks = dialogues.iter().map(|it| view_of(it, is_draft(it), &found)).collect();
    let of_pack = found.iter().filter(|it| it.dialogue.is_empty());
    Ok(OwnToolsView {
        rows: listing::rows(&file.tools),
        alike,
        map,
        tasks,
        findings: of_pack.map(ToString::to_string).collect(),
        name: file.name.clone(),
        text: file.text(),
    })
}

/// Pairs of tools that read nearly the same, and the map of all.
fn nearness(
    tools: &[Tool],
    encoder: &Encoder,
) -> Result<(Vec<Alike>, Vec<LabPoint>), RetrievalError> {
    let vectors = vectors(tools, encoder)?;
    let alike = near_duplicates(tools, &vectors);
    let is_alike = |tool: &Tool| alike.iter().any(|pair| pair.names.contains(&tool.name));
    let point = |(tool, at): (&Tool, [f64; 2])| LabPoint {
        name: tool.name.clone(),
        group: if is_alike(tool) { ALIKE } else { DISTINCT }.to_owned(),
        is_named: true,
        at,
    };
    let map = tools.iter().zip(projected(&vectors)).map(point).collect();
    Ok((alike, map))
}

fn view_of(dialogue: &Dialogue, draft: bool, found: &[checks::Finding]) -> TaskView {
    let asks = dialogue.turns.iter().find_map(|turn| match turn {
        Turn::User { text } => Some(text.clone()),
        _ => None,
    });
    let own = found.iter().filter(|it| it.dialogue == dialogue.id);
    let told = |it: &checks::Finding| match it.turn {
        Some(turn) => format!("Line {}: {}", turn + 1, it.what),
        None => it.what.clone(),
    };
    TaskView {
        id: dialogue.id.trim_start_matches(FOLDER).to_owned(),
        draft,
        turns: dialogue.to_file(),
        asks: asks.unwrap_or_default(),
        calls: dialogue.calls().map(|call| call.api_name.clone()).collect(),
        has_no_call: dialogue.turns.iter().any(Turn::expects_no_call),
        findings: own.map(told).collect(),
    }
}

/// Stores a pack in this browser, where runs find it by its digest.
///
/// # Errors
/// When the pack has no tasks, or the browser has no room.
pub(super) async fn keep(text: &str) -> Result<StoredPack, String> {
    let file = ToolsFile::read(text).map_err(|error| format!("{error}."))?;
    let pack = file.into_pack().map_err(|error| format!("{error}."))?;
    let count = |what: &str, count| PackFound { what: what.to_owned(), count };
    let tools = pack.tools.as_deref().map_or(0, |it: &Toolset| it.tools.len());
    let stored = StoredPack {
        digest: pack.digest.clone(),
        label: format!("{} {}", pack.manifest.name, pack.manifest.version),
        found: vec![count("tools", tools), count("tasks", pack.dialogues.len())],
        missing: Vec::new(),
        files: 1,
        bytes: text.len() as u64,
        imported_ms: js_sys::Date::now(),
    };
    let put = async {
        let files = [("tools.json", text)];
        let entries = [
            StoredText::json(ObjectStore::Packs, &stored.digest, &stored)?,
            StoredText::json(ObjectStore::PackFiles, &stored.digest, &files)?,
        ];
        Store::open().await?.put(&entries).await
    };
    put.await.map_err(|error: StoreError| error.to_string())?;
    Ok(stored)
}
