//! Steps through a dialogue.

use crate::answered;
use crate::benchmark::Benchmark;
use apis::TableName;
use apis::search::find;
use dataset::{Ability, Dialogue, Split, Turn};
use exchange::Answer;
use exchange::call;
use exchange::protocol;
use exchange::protocol::{DescribedApis, Prompts, Protocol, Sample, world_at};
use record::SampleRecord;
use record::demo::{DialogueSummary, Step, TableView, Walkthrough};
use serde_json::Value;

/// The maximum number of rows shown per table.
const MAX_ROWS: usize = 60;

/// The dialogues of an ability, in the pack's order.
pub fn entries(bench: &Benchmark, ability: Ability) -> Vec<DialogueSummary> {
    let opening = |dialogue: &Dialogue| {
        dialogue.turns.iter().find_map(|turn| match turn {
            Turn::User { text } => Some(text.clone()),
            _ => None,
        })
    };
    bench
        .pack
        .dialogues
        .iter()
        .filter(|dialogue| dialogue.ability == ability)
        .map(|dialogue| DialogueSummary {
            id: dialogue.id.clone(),
            opening: opening(dialogue).unwrap_or_default(),
        })
        .collect()
}

/// A dialogue with its gold answers judged; `None` for an unknown id.
pub fn walk(bench: &Benchmark, id: &str) -> Option<Walkthrough> {
    let all = samples(bench, Split::Standard);
    let graded: Vec<&Sample<'_>> = all.iter().filter(|sample| sample.dialogue.id == id).collect();
    let first = graded.first()?;
    let (dialogue, described) = (first.dialogue, first.described(bench.world.search.results));
    let steps = dialogue.turns.iter().enumerate().filter_map(|(turn, said)| {
        if let Some(sample) = graded.iter().find(|sample| sample.turn == turn) {
            let gold = match said {
                Turn::Api(call) => call::format(&call.api_name, &call.param_dict),
                Turn::Assistant { text, .. } | Turn::User { text } => text.clone(),
            };
            return Some(Step::Graded(judged(bench, sample, &gold)));
        }
        match said {
            Turn::User { text } => Some(Step::Said { user: true, text: text.clone() }),
            Turn::Assistant { text, .. } => Some(Step::Said { user: false, text: text.clone() }),
            Turn::Api(_) => None,
        }
    });
    Some(Walkthrough {
        dialogue: dialogue.id.clone(),
        ability: dialogue.ability,
        described: described.iter().map(|api| api.name.to_owned()).collect(),
        steps: steps.collect(),
    })
}

/// Judges an answer to a sample; `None` for an unknown id.
pub fn judge_text(bench: &Benchmark, sample: &str, answer: &str) -> Option<SampleRecord> {
    Split::ALL.into_iter().find_map(|split| {
        let all = samples(bench, split);
        let sample = all.iter().find(|known| known.id() == sample)?;
        Some(judged(bench, sample, answer))
    })
}

/// The samples of a run with the default settings.
fn samples(bench: &Benchmark, split: Split) -> Vec<Sample<'_>> {
    let apis = DescribedApis::default();
    protocol::plan(Protocol::default(), &bench.pack, split, &Ability::ALL, 1, apis).samples
}

fn judged(bench: &Benchmark, sample: &Sample<'_>, answer: &str) -> SampleRecord {
    let protocol = Protocol::default();
    let asked = protocol::ask(protocol, Prompts::builtin(protocol), sample, &bench.world);
    let answer = Answer { text: answer.to_owned(), ..Answer::default() };
    answered(bench, protocol, sample, asked, answer)
}

/// A table at a sample: before its gold call or, if it is `answered`, after it.
pub fn table_at(
    bench: &Benchmark,
    sample: &str,
    table: TableName,
    answered: bool,
) -> Option<TableView> {
    let all = samples(bench, Split::Standard);
    let sample = all.iter().find(|known| known.id() == sample)?;
    let before = world_at(sample, &bench.world);
    let mut after = before.clone();
    // A pack's own tools change nothing, whatever their names.
    if answered
        && bench.pack.tools.is_none()
        && let Some(gold) = sample.gold_call()
        && let Some(api) = find(sample.ability().suite(), &gold.api_name)
    {
        api.call(&gold.param_dict, &mut after);
    }
    let mut changes = after.changes_since(&before);
    changes.retain(|change| change.table == table);
    let changed = |key: &str| changes.iter().any(|change| change.key == key);
    let Value::Object(all_rows) = after.table(table) else { return None };
    let total = all_rows.len();
    let (mut rows, others): (Vec<_>, Vec<_>) =
        all_rows.into_iter().partition(|(key, _)| changed(key));
    rows.extend(others.into_iter().take(MAX_ROWS.saturating_sub(rows.len())));
    Some(TableView { table, total, rows, changes })
}
