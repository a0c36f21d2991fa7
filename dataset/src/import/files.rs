//! Which file is which, and how each is read.

use super::report::{Problem, Report};
use super::sample::{OriginalDialogue, PromptKind, PromptRow, plan, turn};
use super::{Original, pools};
use crate::ability::Ability;
use crate::dialogue::Dialogue;
use apis::nesting::{MOST_LEVELS, is_too_deep};
use serde_json::Value;

/// Reads one file into the pack. Returns whether it is a part of the benchmark.
pub(super) fn read(path: &str, text: &str, original: &mut Original, report: &mut Report) -> bool {
    let path = path.replace('\\', "/");
    let name = path.rsplit('/').next().unwrap_or(&path);
    let folder = path.rsplit('/').nth(1).unwrap_or_default();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut problem = |line: Option<usize>, reason: String| {
        report.problems.push(Problem { file: path.clone(), line, reason });
    };
    if let Some(level) = dialogue_level(folder, name) {
        match dialogue(level, name, text) {
            Ok(dialogue) => {
                // A second copy elsewhere in the folder changes nothing.
                original.dialogues.entry((level, name.to_owned())).or_insert(dialogue);
            }
            Err((line, reason)) => problem(Some(line), reason),
        }
        return true;
    }
    let Some(stem) = name.strip_suffix(".json") else { return false };
    let prompts = prompt_file(stem);
    let known = folder == "init_database"
        || prompts.is_some()
        || matches!(stem, "level-3" | "planning-tables" | "pools");
    if !known {
        return false;
    }
    let json: Vec<Value> = match values(text) {
        Ok(json) => json,
        Err((line, reason)) => {
            problem(Some(line), reason);
            return true;
        }
    };
    let read = if let Some((level, kind)) = prompts {
        let rows = rows(&json).iter().map(|row| prompt(level, kind, stem, row));
        rows.collect::<Result<Vec<_>, _>>().map(|rows| original.prompts.extend(rows))
    } else if stem == "level-3" {
        read_plans(&json, original)
    } else {
        read_table(stem, folder, json, original)
    };
    if let Err(reason) = read {
        problem(None, reason);
    }
    true
}

fn read_plans(json: &[Value], original: &mut Original) -> Result<(), String> {
    let entries = rows(json).iter().enumerate();
    // The numbering is that of the file: with one entry missing all would be wrong.
    original.plans = entries.map(|(index, entry)| plan(index, entry)).collect::<Result<_, _>>()?;
    Ok(())
}

fn read_table(
    stem: &str,
    folder: &str,
    json: Vec<Value>,
    original: &mut Original,
) -> Result<(), String> {
    let Some(value) = json.into_iter().next() else {
        return Err("expected JSON, the file is empty".to_owned());
    };
    if folder == "init_database" {
        original.databases.insert(stem.to_owned(), value);
    } else if stem == "pools" {
        pools::read(&value, original)?;
    } else if let Value::Object(tables) = value {
        original.planning_tables = tables.into_iter().collect();
    } else {
        return Err("expected an object of tables by API".to_owned());
    }
    Ok(())
}

/// The level of a dialogue by its folder, else by its name: `…-level-3-1.jsonl` is of the
/// dialogues that search first, which are level 2.
fn dialogue_level(folder: &str, name: &str) -> Option<u8> {
    let stem = name.strip_suffix(".jsonl")?;
    match folder {
        "level-1-given-desc" => Some(1),
        "level-2-toolsearcher" => Some(2),
        _ if stem.contains("-level-3-") => Some(2),
        _ if stem.contains("-level-1-") || stem.contains("-level-2-") => Some(1),
        _ => None,
    }
}

fn dialogue(level: u8, file: &str, text: &str) -> Result<OriginalDialogue, (usize, String)> {
    let mut lines = Vec::new();
    let mut turns = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let value: Value = serde_json::from_str(line)
            .map_err(|it| (index + 1, format!("this is no JSON: {it}")))?;
        if is_too_deep(&value) {
            return Err((index + 1, too_deep()));
        }
        turns.push(turn(&value).map_err(|reason| (index + 1, reason))?);
        lines.push(value);
    }
    let ability = if level == 1 { Ability::Call } else { Ability::Retrieve };
    let stem = file.strip_suffix(".jsonl").unwrap_or(file);
    let dialogue =
        Dialogue { id: format!("{}/{stem}", ability.as_str()), ability, turns, hard: None };
    Ok(OriginalDialogue { level, file: file.to_owned(), dialogue, lines })
}

/// Level and kind of a file of prompts. The training sets of the hub are none.
fn prompt_file(stem: &str) -> Option<(u8, PromptKind)> {
    match stem {
        "level-1-api" => Some((1, PromptKind::Call)),
        "level-1-response" => Some((1, PromptKind::Reply)),
        "level-2-api" => Some((2, PromptKind::Call)),
        "level-2-response" => Some((2, PromptKind::Reply)),
        _ if stem.starts_with("level-3-batch-inf") => Some((3, PromptKind::Call)),
        _ => None,
    }
}

fn prompt(level: u8, kind: PromptKind, stem: &str, row: &Value) -> Result<PromptRow, String> {
    let text = |key: &str| row.get(key).and_then(Value::as_str).map(str::to_owned);
    let number = |key: &str| row.get(key).and_then(Value::as_u64).map(|it| it as usize);
    let expected = |what: &str| format!("expected {what} in every row");
    let (id, step) = match level {
        3 => (number("sample_id"), number("api_id")),
        _ => (number("id"), Some(0)),
    };
    Ok(PromptRow {
        level,
        kind,
        file: if level == 3 {
            String::new()
        } else {
            text("file").ok_or_else(|| expected("a text under file"))?
        },
        id: id.ok_or_else(|| expected("a number under id (sample_id for level 3)"))?,
        step: step.ok_or_else(|| expected("a number under api_id"))?,
        examples: stem.contains("icl"),
        instruction: text("instruction").ok_or_else(|| expected("a text under instruction"))?,
        input: text("input").ok_or_else(|| expected("a text under input"))?,
        expected: text("expected_output")
            .or_else(|| text("output"))
            .ok_or_else(|| expected("a text under expected_output"))?,
    })
}

/// The JSON values of a file: one, or one a line.
fn values(text: &str) -> Result<Vec<Value>, (usize, String)> {
    let values: Vec<Value> = serde_json::Deserializer::from_str(text)
        .into_iter()
        .map(|value| {
            value.map_err(|error: serde_json::Error| {
                (error.line(), format!("this is no JSON: {error}"))
            })
        })
        .collect::<Result<_, _>>()?;
    match values.iter().any(is_too_deep) {
        true => Err((1, too_deep())),
        false => Ok(values),
    }
}

fn too_deep() -> String {
    format!("expected at most {MOST_LEVELS} levels of lists and objects in one another")
}

/// The rows of a file, which is a list or a row a line.
fn rows(json: &[Value]) -> &[Value] {
    match json {
        [Value::Array(rows)] => rows,
        rows => rows,
    }
}
