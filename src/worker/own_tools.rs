//! Answers the requests of the Your tools page.

use crate::platform::indexed_db::{ObjectStore, Store, StoreError, StoredText};
use crate::protocol::own_tools::{Change, OwnToolsView, ReadOwnTools, TaskView};
use crate::protocol::{PackFound, StoredPack};
use dataset::tools::{ToolsError, ToolsFile, Toolset, checks, example, listing, logs};
use dataset::{Dialogue, Turn};
use ranking::{near_duplicates, parse_own_tools};
use retrieval::Encoder;
use std::sync::Arc;

/// The most tools whose descriptions are compared with each other; more would hold up the page.
const MOST_COMPARED: usize = 150;

/// Reads tools or a pack, and applies a change.
///
/// # Errors
/// A sentence with the field that is wrong and the remedy.
pub(super) fn read(
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
    view(file, encoder)
}

/// The example.
///
/// # Errors
/// Never: a test reads it.
pub(super) fn read_example(encoder: Option<Arc<Encoder>>) -> Result<OwnToolsView, String> {
    view(ToolsFile::read(example::PACK).map_err(|error| error.to_string())?, encoder)
}

fn change(file: &mut ToolsFile, change: Change) -> Result<(), String> {
    match change {
        Change::None => return Ok(()),
        Change::AddLog(log) => file.add(logs::read(&log).map_err(|error| format!("{error}."))?),
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
    let alike = encoder.map(|it| near_duplicates(&file.tools, &it)).transpose();
    let tasks = dialogues.iter().map(|it| task(it, &found)).collect();
    let of_pack = found.iter().filter(|it| it.dialogue.is_empty());
    Ok(OwnToolsView {
        rows: listing::rows(&file.tools),
        alike: alike.map_err(|error| error.to_string())?,
        tasks,
        findings: of_pack.map(ToString::to_string).collect(),
        name: file.name.clone(),
        text: file.text(),
    })
}

fn task(dialogue: &Dialogue, found: &[checks::Finding]) -> TaskView {
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
        id: dialogue.id.trim_start_matches(dataset::tools::FOLDER).to_owned(),
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
