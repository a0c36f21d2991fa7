//! A pack's API descriptions: ranked and returned by API Search.
//!
//! They come from four sources. The Python files have all of them, as the evaluator searches them;
//! the hub's prompts have some; recorded results of ToolSearcher have some, partly older wordings;
//! `pools.json` has all and takes precedence. Among prompts and recorded results the evaluator's
//! wording wins, identified by its digest.

use super::Original;
use super::released::is_released;
use crate::dialogue::Turn;
use apis::Suite;
use apis::search::TOOL_SEARCHER;
use serde_json::{Value, json};

/// An API as a pack describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct PoolTool {
    /// Its name.
    pub name: String,
    /// The text that the original embeds: the words of the name and the description, concatenated
    /// without a blank.
    pub search_text: String,
    /// Parameter name to type and description.
    pub input_parameters: Value,
    /// Result name to type and description.
    pub output_parameters: Value,
    /// The source of the description.
    pub origin: Origin,
}

/// The source of a description, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// A prompt or a recorded result, with an older wording.
    Outdated,
    /// Any source but `pools.json`, with the evaluator's wording.
    Released,
    /// The pack's own pool, or Python source other than the released one.
    Pool,
}

/// Splits a name as the original does: lower case, a space before every capital but the first.
pub fn spaced_name(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 8);
    for (index, letter) in name.chars().enumerate() {
        if index > 0 && letter.is_uppercase() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
}

impl PoolTool {
    fn read(json: &Value) -> Option<Self> {
        let text = |key: &str| json.get(key).and_then(Value::as_str);
        let name = text("name").filter(|name| *name != TOOL_SEARCHER)?;
        let search_text = match (text("search_text"), text("description")) {
            (Some(text), _) => text.to_owned(),
            (None, Some(description)) => spaced_name(name) + description,
            (None, None) => return None,
        };
        Some(PoolTool {
            name: name.to_owned(),
            search_text,
            input_parameters: json.get("input_parameters")?.clone(),
            output_parameters: json.get("output_parameters")?.clone(),
            origin: Origin::Outdated,
        })
    }

    /// [`Origin::Released`] for the evaluator's wording, else `otherwise`.
    fn origin(&self, suite: Suite, otherwise: Origin) -> Origin {
        let description = json!([self.search_text, self.input_parameters, self.output_parameters]);
        let released = is_released(suite, &self.name, &description);
        if released { Origin::Released } else { otherwise }
    }
}

/// Reads `pools.json`: tools by suite.
pub(super) fn read(json: &Value, original: &mut Original) -> Result<(), String> {
    for suite in Suite::ALL {
        let tools = json.get(suite.as_str()).and_then(Value::as_array);
        let tools =
            tools.ok_or_else(|| format!("expected a list of tools under {}", suite.as_str()))?;
        for tool in tools {
            if let Some(tool) = PoolTool::read(tool) {
                add(original, suite, PoolTool { origin: Origin::Pool, ..tool });
            }
        }
    }
    Ok(())
}

/// Fills the pools from prompts, then from recorded searches.
pub(super) fn complete(original: &mut Original) {
    let mut described: Vec<(Suite, Value)> = Vec::new();
    for row in original.prompts.iter().filter(|row| row.level < 3) {
        described.extend(objects(&row.instruction).map(|tool| (Suite::Dialogue, tool)));
    }
    let dialogues = original.dialogues.values().map(|it| (Suite::Dialogue, &it.dialogue));
    let plans = original.plans.iter().map(|plan| (Suite::Planning, &plan.dialogue));
    for (suite, dialogue) in dialogues.chain(plans) {
        for call in dialogue.turns.iter().filter_map(Turn::as_call) {
            match &call.result.output {
                Some(Value::Array(tools)) if call.is_search() => {
                    described.extend(tools.iter().map(|tool| (suite, tool.clone())));
                }
                Some(tool) if call.is_search() => {
                    described.push((suite, tool.clone()));
                }
                _ => {}
            }
        }
    }
    for (suite, tool) in described {
        if let Some(tool) = PoolTool::read(&tool) {
            let origin = tool.origin(suite, Origin::Outdated);
            add(original, suite, PoolTool { origin, ..tool });
        }
    }
}

/// Adds an API's description from its Python source.
pub(super) fn describe(suite: Suite, tool: &Value, original: &mut Original) {
    if let Some(tool) = PoolTool::read(tool) {
        let origin = tool.origin(suite, Origin::Pool);
        add(original, suite, PoolTool { origin, ..tool });
        original.described += 1;
    }
}

/// Adds a description, unless an equally good or better one is known.
fn add(original: &mut Original, suite: Suite, tool: PoolTool) {
    let pool = original.pools.entry(suite).or_default();
    if pool.get(&tool.name).is_none_or(|known| known.origin < tool.origin) {
        pool.insert(tool.name.clone(), tool);
    }
}

/// The JSON objects in a prompt's text that describe APIs.
fn objects(text: &str) -> impl Iterator<Item = Value> + '_ {
    text.match_indices("{\"name\"").filter_map(|(at, _)| {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        values.next()?.ok()
    })
}
