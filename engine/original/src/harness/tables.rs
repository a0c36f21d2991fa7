//! The original's databases: read once, shared by all rows, copied on write.

use super::Suite;
use super::bm25::Bm25;
use super::python::{Dict, Py};
use super::strptime::{DATE_TIME, strptime};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A table that APIs read and write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Table {
    /// A database of the dialogue suite, by file stem.
    Database(&'static str),
    /// The table of a planning API, by the API's name.
    Planning(&'static str),
}

/// All tables, as loaded.
#[derive(Debug, Clone)]
pub(super) struct Databases {
    databases: BTreeMap<String, Py>,
    planning: BTreeMap<String, Py>,
    /// The first caption of each URL: the original searches a list of pairs.
    captions: Dict,
    /// The index over the documents of SearchEngine.
    pub(super) documents: Bm25,
    /// The value of a missing table.
    empty: Py,
}

impl Databases {
    /// Reads databases (file stem to content) and planning tables (API to its attributes).
    pub(super) fn new(
        databases: &BTreeMap<String, Json>,
        planning: &BTreeMap<String, Json>,
    ) -> Self {
        let large = |stem: &str| stem == "ImageCaptioning" || stem == "SearchEngine";
        Self {
            databases: databases
                .iter()
                .filter(|(stem, _)| !large(stem))
                .map(|(stem, table)| (stem.clone(), Py::from(table)))
                .collect(),
            planning: planning
                .iter()
                .filter_map(|(api, attributes)| {
                    Some((api.clone(), planning_table(api, attributes)?))
                })
                .collect(),
            captions: captions(databases.get("ImageCaptioning")),
            documents: Bm25::new(databases.get("SearchEngine")),
            empty: Py::Dict(Arc::default()),
        }
    }

    /// A table; an empty dict if the pack lacks it.
    pub(super) fn table(&self, table: Table) -> &Py {
        match table {
            Table::Database(stem) => self.databases.get(stem),
            Table::Planning(api) => self.planning.get(api),
        }
        .unwrap_or(&self.empty)
    }

    /// The caption recorded for a URL.
    pub(super) fn caption(&self, url: &str) -> Option<&Py> {
        self.captions.get(url)
    }
}

/// The rows of a planning API, from its only attribute. Two APIs store dates as moments.
fn planning_table(api: &str, attributes: &Json) -> Option<Py> {
    let table = Py::from(attributes.as_object()?.values().next()?);
    let timed = matches!(api, "FlightSearch" | "HotelAvailability");
    Some(if timed { with_moments(&table) } else { table })
}

/// Converts every date-time string to a moment.
fn with_moments(value: &Py) -> Py {
    match value {
        Py::Text(text) => strptime(text, DATE_TIME).map_or_else(|_| value.clone(), Py::Moment),
        Py::List(items) => Py::list(items.iter().map(with_moments)),
        Py::Dict(dict) => Py::dict(dict.iter().map(|(key, item)| (&**key, with_moments(item)))),
        other => other.clone(),
    }
}

fn captions(pairs: Option<&Json>) -> Dict {
    let mut captions = Dict::new();
    for pair in pairs.and_then(Json::as_array).into_iter().flatten() {
        if let (Some(url), Some(caption)) = (pair["url"].as_str(), pair.get("caption")) {
            captions.entry(Arc::from(url)).or_insert_with(|| Py::from(caption));
        }
    }
    captions
}

/// An API's description in API Search, with the text that is embedded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// The API's name.
    pub name: String,
    /// The name in lower-case words followed, without a space, by the description.
    pub search_text: String,
    /// Parameter name to type and description.
    pub input_parameters: Json,
    /// Result name to type and description.
    pub output_parameters: Json,
}

impl Tool {
    /// The description: the search text after the letters of the name.
    #[must_use]
    pub fn description(&self) -> &str {
        let letters = self.name.chars().filter(|c| !c.is_whitespace()).count();
        let mut seen = 0;
        let end = self.search_text.find(|c: char| {
            let past = seen == letters;
            seen += usize::from(!c.is_whitespace());
            past
        });
        end.map_or("", |end| &self.search_text[end..])
    }
}

/// The APIs that API Search ranks, by suite.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Pools {
    /// Levels 1 and 2.
    pub dialogue: Vec<Tool>,
    /// Level 3.
    pub planning: Vec<Tool>,
}

/// A tool as API Search returns it.
#[derive(Debug, Clone)]
pub(super) struct Described {
    /// Name, description and parameters.
    pub(super) plain: Py,
    /// [`Self::plain`] with `desc_for_search`.
    pub(super) searched: Py,
    /// Whether it takes a token; if so, `GetUserToken` is returned before it.
    pub(super) token: bool,
}

/// The descriptions of both pools, by name.
#[derive(Debug, Clone, Default)]
pub(super) struct Descriptions {
    dialogue: BTreeMap<String, Described>,
    planning: BTreeMap<String, Described>,
}

impl Descriptions {
    pub(super) fn new(pools: &Pools) -> Self {
        let by_name = |tools: &[Tool]| {
            tools.iter().map(|tool| (tool.name.clone(), Described::new(tool))).collect()
        };
        Self { dialogue: by_name(&pools.dialogue), planning: by_name(&pools.planning) }
    }

    /// The description of a tool of one suite.
    pub(super) fn get(&self, suite: Suite, name: &str) -> Option<&Described> {
        match suite {
            Suite::Dialogue => self.dialogue.get(name),
            Suite::Planning => self.planning.get(name),
        }
    }
}

impl Described {
    fn new(tool: &Tool) -> Self {
        let pairs = || {
            [
                ("name", Py::text(&tool.name)),
                ("description", Py::text(tool.description())),
                ("input_parameters", Py::from(&tool.input_parameters)),
                ("output_parameters", Py::from(&tool.output_parameters)),
            ]
        };
        let search = ("desc_for_search", Py::text(&tool.search_text));
        Self {
            plain: Py::dict(pairs()),
            searched: Py::dict(pairs().into_iter().chain([search])),
            token: tool.input_parameters.get("token").is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_starts_after_the_letters_of_the_name() {
        let tool = |name: &str, search_text: &str| Tool {
            name: name.to_owned(),
            search_text: search_text.to_owned(),
            input_parameters: Json::Null,
            output_parameters: Json::Null,
        };
        assert_eq!(tool("AddAgenda", "add agendaAdds it.").description(), "Adds it.");
        assert_eq!(tool("DocumentQA", "document q aIt answers.").description(), "It answers.");
        assert_eq!(tool("Wiki", "wiki").description(), "");
    }
}
