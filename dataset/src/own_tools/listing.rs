//! What in a list of tools would confuse a model, without a look at any task.

use super::{Tool, schema};
use apis::text::fold::unaccented;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Characters per token of English JSON, roughly.
const CHARACTERS: usize = 4;
/// A description of fewer words says little more than the name.
const FEW_WORDS: usize = 3;

/// A tool in the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedTool {
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// The names of its parameters; required ones end in `*`.
    pub parameters: Vec<String>,
    /// Tokens that its description takes in a prompt, estimated.
    pub tokens: usize,
    /// What would confuse a model.
    pub problems: Vec<Problem>,
}

/// Two tools that read nearly the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Alike {
    /// Their names.
    pub names: [String; 2],
    /// The cosine of their vectors.
    pub cosine: f32,
}

/// What would confuse a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Problem {
    /// The tool has no description.
    NoDescription,
    /// Its description has one or two words.
    ShortDescription,
    /// Parameters without a description.
    Undescribed(Vec<String>),
    /// Parameters without a type.
    Untyped(Vec<String>),
    /// Another tool whose name differs only in case, `_` or a plural.
    SameName(String),
    /// Another tool with the same description.
    SameDescription(String),
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Problem::NoDescription => f.write_str("has no description"),
            Problem::ShortDescription => f.write_str("has a description of one or two words"),
            Problem::Undescribed(names) => write!(f, "does not describe {}", names.join(", ")),
            Problem::Untyped(names) => write!(f, "gives no type for {}", names.join(", ")),
            Problem::SameName(other) => write!(f, "differs from {other} only in form"),
            Problem::SameDescription(other) => write!(f, "has the description of {other}"),
        }
    }
}

/// The tools as a table, in their order.
pub fn rows(tools: &[Tool]) -> Vec<ListedTool> {
    let mut names: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut texts: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for tool in tools {
        names.entry(bare(&tool.name)).or_default().push(&tool.name);
        texts.entry(bare(&tool.description)).or_default().push(&tool.name);
    }
    let other = |of: &BTreeMap<String, Vec<&str>>, key: String, own: &str| {
        let other = of.get(&key)?.iter().find(|name| **name != own)?;
        (!key.is_empty()).then(|| (*other).to_owned())
    };
    let row = |tool: &Tool| {
        let mut problems = described(tool);
        let same = other(&names, bare(&tool.name), &tool.name).map(Problem::SameName);
        let text = other(&texts, bare(&tool.description), &tool.name);
        problems.extend(same.into_iter().chain(text.map(Problem::SameDescription)));
        let star =
            |name: &str| if tool.requires(name) { format!("{name}*") } else { name.to_owned() };
        ListedTool {
            name: tool.name.clone(),
            description: tool.description.clone(),
            parameters: tool.params().map(|(name, _)| star(name)).collect(),
            tokens: tool.prompt_json().to_string().len().div_ceil(CHARACTERS),
            problems,
        }
    };
    tools.iter().map(row).collect()
}

/// Letters and digits without case and a plural's ending.
fn bare(text: &str) -> String {
    let letters: String = unaccented(text).chars().filter(|c| c.is_alphanumeric()).collect();
    letters.strip_suffix('s').map_or(letters.clone(), str::to_owned)
}

fn described(tool: &Tool) -> Vec<Problem> {
    let words = tool.description.split_whitespace().count();
    let text = match words {
        0 => Some(Problem::NoDescription),
        1..FEW_WORDS => Some(Problem::ShortDescription),
        _ => None,
    };
    let names = |lacks: fn(&Value) -> bool| -> Vec<String> {
        let lacking = tool.params().filter(|(_, schema)| lacks(schema));
        lacking.map(|(name, _)| name.to_owned()).collect()
    };
    let silent = names(|it| it["description"].as_str().is_none_or(|text| text.trim().is_empty()));
    let forms = ["enum", "const", "anyOf", "oneOf", "allOf"];
    let untyped: Vec<String> = tool
        .params()
        .filter(|(_, it)| {
            schema::only_type(it).is_none() && forms.iter().all(|form| it.get(form).is_none())
        })
        .map(|(name, _)| name.to_owned())
        .collect();
    let silent = (!silent.is_empty()).then_some(Problem::Undescribed(silent));
    let untyped = (!untyped.is_empty()).then_some(Problem::Untyped(untyped));
    [text, silent, untyped].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::own_tools::{ToolsFile, example};
    use serde_json::json;

    #[test]
    fn what_confuses_is_named_and_the_example_has_none() {
        let tool = |name: &str, description: &str, parameters: Value| Tool {
            name: name.to_owned(),
            description: description.to_owned(),
            parameters: json!({"type": "object", "properties": parameters}),
            read_only: false,
        };
        let tools = [
            tool("get_order", "", json!({"id": {"description": "Its number."}})),
            tool("GetOrders", "Lists orders.", json!({"since": {"type": "string"}})),
            tool("all_orders", "Lists orders.", json!({})),
        ];
        let problems: Vec<Vec<String>> = rows(&tools)
            .iter()
            .map(|row| row.problems.iter().map(ToString::to_string).collect())
            .collect();
        assert_eq!(
            problems[0],
            ["has no description", "gives no type for id", "differs from GetOrders only in form"]
        );
        assert_eq!(
            problems[1],
            [
                "has a description of one or two words",
                "does not describe since",
                "differs from get_order only in form",
                "has the description of all_orders"
            ]
        );
        let shop = ToolsFile::read(example::PACK).unwrap();
        assert!(rows(&shop.tools).iter().all(|row| row.problems.is_empty()));
    }
}
