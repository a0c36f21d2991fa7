//! Classifies files by path and parses them.

use super::fault::Fault;
use super::file_kind::FileKind;
use super::report::{Problem, Report};
use super::sample::{OriginalDialogue, PromptKind, PromptRow, plan, turn};
use super::{Original, pools, source};
use crate::ability::Ability;
use crate::dialogue::Dialogue;
use apis::Suite;
use apis::nesting::{MOST_LEVELS, is_too_deep};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A file's content, by its name and folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// A dialogue of level 1 or 2; `released` if its folder is the released one.
    Dialogue { level: u8, released: bool },
    /// Prompts of the data hub.
    Prompts(u8, PromptKind),
    /// The dialogues of level 3.
    Plans,
    /// A file with dialogues of level 3, from `lv3-samples` or named like one of them.
    PlanSamples,
    /// A database.
    Database,
    /// The tables of the planning APIs.
    Tables,
    /// The APIs that API Search ranks.
    Pools,
    /// APIs in Python, of the suite given by the folder.
    Source(Option<Suite>),
}

/// Whether a file may be part of the benchmark, by its name and folder.
pub fn is_part(path: &str) -> bool {
    FileKind::of(path) != FileKind::Other && part(&path.replace('\\', "/")).is_some()
}

fn part(path: &str) -> Option<Part> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let folder = folders.rsplit('/').next().unwrap_or_default();
    let (stem, end) = name.rsplit_once('.')?;
    Some(match end {
        "py" => match folder {
            "lv3_apis" => Part::Source(Some(Suite::Planning)),
            "apis" => Part::Source(Some(Suite::Dialogue)),
            "" => Part::Source(None),
            _ => return None,
        },
        "json" | "jsonl" if folders.split('/').any(|it| it == "lv3-samples") => Part::PlanSamples,
        "jsonl" => {
            let released = matches!(folder, "level-1-given-desc" | "level-2-toolsearcher");
            match dialogue_level(folder, stem) {
                Some(level) => Part::Dialogue { level, released },
                None if stem.starts_with("level-3") => Part::PlanSamples,
                None => return None,
            }
        }
        "json" if folder == "init_database" => Part::Database,
        "json" => match (prompt_file(stem), stem) {
            (Some((level, kind)), _) => Part::Prompts(level, kind),
            (None, "level-3") => Part::Plans,
            (None, "planning-tables") => Part::Tables,
            (None, "pools") => Part::Pools,
            // A file of lv3-samples without its folder, as browsers name it.
            (None, stem) if stem.starts_with("level-3") => Part::PlanSamples,
            _ => return None,
        },
        _ => return None,
    })
}

/// Reads files into a pack.
#[derive(Debug, Default)]
pub(super) struct Reader {
    pub(super) original: Original,
    pub(super) report: Report,
    /// Files in `lv3-samples`, and their dialogues.
    samples: Vec<(String, Vec<Value>)>,
}

impl Reader {
    /// Reads one file. Returns whether it is part of the benchmark.
    pub(super) fn read(&mut self, path: &str, text: &str) -> bool {
        let path = path.replace('\\', "/");
        let Some(part) = part(&path) else { return false };
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        match self.part(part, &path, text) {
            Ok(is_part) => is_part,
            Err((line, reason)) => {
                self.report.problems.push(Problem { file: path, line, reason });
                true
            }
        }
    }

    fn part(&mut self, part: Part, path: &str, text: &str) -> Result<bool, Fault> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        match part {
            Part::Source(suite) => {
                let notes = source::read(suite, text, &mut self.original)?;
                let problem = |(line, reason)| Problem { file: path.to_owned(), line, reason };
                self.report.problems.extend(notes.problems.into_iter().map(problem));
                return Ok(notes.apis > 0);
            }
            Part::Dialogue { level, released } => {
                let dialogue = dialogue(level, name, text)?;
                let key = (level, name.to_owned());
                // Only a copy from the released folder replaces an earlier one.
                if released || !self.original.dialogues.contains_key(&key) {
                    self.original.dialogues.insert(key, dialogue);
                }
                return Ok(true);
            }
            _ => {}
        }
        let json = values(text).map_err(|(line, reason)| (Some(line), reason))?;
        let read = match part {
            Part::Prompts(level, kind) => {
                let rows = rows(&json).iter().map(|row| prompt(level, kind, stem, row));
                let rows = rows.collect::<Result<Vec<_>, _>>();
                rows.map(|rows| self.original.prompts.extend(rows))
            }
            Part::Plans => read_plans(rows(&json), &mut self.original),
            Part::PlanSamples => {
                self.samples.push((path.to_owned(), json));
                Ok(())
            }
            _ => read_table(part, stem, json, &mut self.original),
        };
        read.map(|()| true).map_err(|reason| (None, reason))
    }

    /// The pack and its report, after the last file.
    pub(super) fn finish(mut self) -> (Original, Report) {
        if self.original.plans.is_empty() {
            self.plan_samples();
        }
        unique(&mut self.original.prompts);
        (self.original, self.report)
    }

    /// Builds level 3 from `lv3-samples`, ordered by the number in the file name. Copies of a file
    /// count once.
    fn plan_samples(&mut self) {
        let number = |path: &str| {
            let name = path.rsplit('/').next().unwrap_or(path);
            let digits = name.rsplit(|c: char| !c.is_ascii_digit());
            digits.filter_map(|digit| digit.parse::<u64>().ok()).next()
        };
        self.samples.sort_by_cached_key(|(path, _)| (number(path), path.clone()));
        let samples = std::mem::take(&mut self.samples);
        let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        for (at, (file, json)) in samples.iter().enumerate() {
            let mut earlier = samples.iter().take(at);
            if earlier.any(|(path, known)| name(path) == name(file) && known == json) {
                continue;
            }
            for entry in plan_entries(json) {
                match plan(self.original.plans.len(), &entry) {
                    Ok(plan) => self.original.plans.push(plan),
                    Err(reason) => {
                        let file = file.clone();
                        self.report.problems.push(Problem { file, line: None, reason });
                    }
                }
            }
        }
    }
}

/// Deduplicates rows from several copies of a file.
fn unique(prompts: &mut Vec<PromptRow>) {
    let mut seen = BTreeSet::new();
    let key =
        |row: &PromptRow| (row.level, row.kind, row.file.clone(), row.id, row.step, row.examples);
    prompts.retain(|row| seen.insert(key(row)));
}

fn read_plans(entries: &[Value], original: &mut Original) -> Result<(), String> {
    // Samples are numbered by position: one missing entry would shift all later ones.
    let plans = entries.iter().enumerate().map(|(index, entry)| plan(index, entry));
    let plans = plans.collect::<Result<Vec<_>, _>>()?;
    // The longest of several copies is complete.
    if plans.len() > original.plans.len() {
        original.plans = plans;
    }
    Ok(())
}

/// The dialogues in a file of `lv3-samples`: entries in the shape of `level-3.json`, or one
/// dialogue as lines, like those of levels 1 and 2.
fn plan_entries(json: &[Value]) -> Vec<Value> {
    let role = |line: &Value, role: &str| line.get("role").and_then(Value::as_str) == Some(role);
    let lines = rows(json);
    if !lines.iter().any(|line| line.get("role").is_some()) {
        return lines.to_vec();
    }
    let text = |line: Option<&Value>| line.and_then(|line| line.get("text")).cloned();
    let part = |call: &Value, key: &str| call.get(key).cloned().unwrap_or_default();
    let calls = lines.iter().filter(|line| role(line, "API")).map(|call| {
        json!({
            "api_name": part(call, "api_name"),
            "input": part(call, "param_dict"),
            "output": part(call, "result"),
        })
    });
    vec![json!({
        "requirement": text(lines.iter().find(|line| role(line, "User"))),
        "response": text(lines.iter().rfind(|line| role(line, "AI"))),
        "apis": calls.collect::<Vec<_>>(),
    })]
}

fn read_table(
    part: Part,
    stem: &str,
    json: Vec<Value>,
    original: &mut Original,
) -> Result<(), String> {
    let Some(value) = json.into_iter().next() else {
        return Err("expected JSON, the file is empty".to_owned());
    };
    match (part, value) {
        (Part::Database, value) => drop(original.databases.insert(stem.to_owned(), value)),
        (Part::Pools, value) => pools::read(&value, original)?,
        (_, Value::Object(tables)) => {
            for (api, attributes) in tables {
                // The Python files are the source of these tables, so they win.
                original.planning_tables.entry(api).or_insert(attributes);
            }
        }
        _ => return Err("expected an object of tables by API".to_owned()),
    }
    Ok(())
}

/// The level of a dialogue by its folder, else by its name: dialogues named `…-level-3-1.jsonl`
/// search first, which makes them level 2.
fn dialogue_level(folder: &str, stem: &str) -> Option<u8> {
    match folder {
        "level-1-given-desc" => Some(1),
        "level-2-toolsearcher" => Some(2),
        _ if stem.contains("-level-3-") => Some(2),
        _ if stem.contains("-level-1-") || stem.contains("-level-2-") => Some(1),
        _ => None,
    }
}

fn dialogue(level: u8, file: &str, text: &str) -> Result<OriginalDialogue, Fault> {
    let mut lines = Vec::new();
    let mut turns = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let value: Value = serde_json::from_str(line)
            .map_err(|error| (Some(index + 1), format!("this is no JSON: {error}")))?;
        if is_too_deep(&value) {
            return Err((Some(index + 1), too_deep()));
        }
        turns.push(turn(&value).map_err(|reason| (Some(index + 1), reason))?);
        lines.push(value);
    }
    let ability = if level == 1 { Ability::Call } else { Ability::Retrieve };
    let stem = file.strip_suffix(".jsonl").unwrap_or(file);
    let dialogue = Dialogue {
        id: format!("{}/{stem}", ability.as_str()),
        ability,
        turns,
        hard: None,
        earlier: 0,
    };
    Ok(OriginalDialogue { level, file: file.to_owned(), dialogue, lines })
}

/// Level and kind of a prompt file; `None` for the hub's training sets.
fn prompt_file(stem: &str) -> Option<(u8, PromptKind)> {
    match stem {
        "level-1-api" => Some((1, PromptKind::Call)),
        "level-1-response" => Some((1, PromptKind::Reply)),
        "level-2-api" => Some((2, PromptKind::Call)),
        "level-2-response" => Some((2, PromptKind::Reply)),
        "level-3-batch-inf-response" => Some((3, PromptKind::Reply)),
        _ if stem.starts_with("level-3-batch-inf") => Some((3, PromptKind::Call)),
        _ => None,
    }
}

fn prompt(level: u8, kind: PromptKind, stem: &str, row: &Value) -> Result<PromptRow, String> {
    let text = |key: &str| row.get(key).and_then(Value::as_str).map(str::to_owned);
    let number = |key: &str| row.get(key).and_then(Value::as_u64).map(|number| number as usize);
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

/// The JSON values of a file: one, or one per line.
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

/// The rows of a file: one list, or one row per line.
fn rows(json: &[Value]) -> &[Value] {
    match json {
        [Value::Array(rows)] => rows,
        rows => rows,
    }
}
