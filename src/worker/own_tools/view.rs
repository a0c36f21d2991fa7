//! What the page shows of a pack.

use crate::messages::own_tools::{ALIKE, DISTINCT, OwnToolsView, TaskView};
use crate::messages::search_lab::LabPoint;
use dataset::own_tools::listing::{self, Alike};
use dataset::own_tools::{FOLDER, Tool, ToolsFile, checks};
use dataset::{Dialogue, Turn};
use ranking::{near_duplicates, projected, vectors};
use retrieval::{Encoder, RetrievalError};
use std::collections::BTreeSet;

/// The most tools whose descriptions are compared with each other; more would hold up the page.
const MOST_COMPARED: usize = 150;

/// Which tools read alike: the pairs, and the map of all.
pub(super) type Nearness = (Vec<Alike>, Vec<LabPoint>);

/// The view of a pack.
///
/// # Errors
/// The first turn that is wrong.
pub(super) fn view(file: &ToolsFile, near: Option<Nearness>) -> Result<OwnToolsView, String> {
    let tools = file.toolset();
    let dialogues = file.read_dialogues(&tools).map_err(super::sentence)?;
    let found = match dialogues.is_empty() {
        true => Vec::new(),
        false => checks::check(&dialogues, &tools, &file.today.to_string()),
    };
    let (alike, map) = near.map_or((None, Vec::new()), |(alike, map)| (Some(alike), map));
    let drafts = file.dialogues.iter().filter(|dialogue| dialogue.draft);
    let drafts: BTreeSet<&str> = drafts.map(|it| it.id.as_str()).collect();
    let is_draft = |it: &Dialogue| drafts.contains(it.id.trim_start_matches(FOLDER));
    let tasks = dialogues.iter().map(|it| view_of(it, is_draft(it), &found)).collect();
    let of_pack = found.iter().filter(|finding| finding.dialogue.is_empty());
    Ok(OwnToolsView {
        rows: listing::rows(&file.tools),
        alike,
        map,
        tasks,
        findings: of_pack.map(ToString::to_string).collect(),
        name: file.name.clone(),
    })
}

/// Compares tools; `None` if there are too many.
///
/// # Errors
/// When the search model fails.
pub(super) fn nearness(
    tools: &[Tool],
    encoder: &Encoder,
) -> Result<Option<Nearness>, RetrievalError> {
    if tools.len() > MOST_COMPARED {
        return Ok(None);
    }
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
    Ok(Some((alike, map)))
}

fn view_of(dialogue: &Dialogue, draft: bool, found: &[checks::Finding]) -> TaskView {
    let asks = dialogue.turns.iter().find_map(|turn| match turn {
        Turn::User { text } => Some(text.clone()),
        _ => None,
    });
    let own = found.iter().filter(|finding| finding.dialogue == dialogue.id);
    let sentence = |it: &checks::Finding| match it.turn {
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
        findings: own.map(sentence).collect(),
    }
}
