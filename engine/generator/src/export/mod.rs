//! Exports of a training set: rows, chats, a pack, a recipe.

pub mod chat;
pub mod instructions;
pub mod pack;
mod python;
pub mod recipe;

use super::set::TrainingSet;

/// A format that exports a set as one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Rows of instruction, input and output: a JSON list.
    Instructions,
    /// Chats with native tool calls: JSONL.
    Chat,
}

impl Format {
    /// Serializes a set.
    ///
    /// # Errors
    /// Never for a set that was read.
    pub fn file(self, set: &TrainingSet) -> Result<String, serde_json::Error> {
        match self {
            Format::Instructions => {
                let rows: Vec<instructions::Row> = set
                    .items()
                    .flat_map(|(domain, item)| {
                        instructions::rows(item, &domain.apis, instructions::Templates::own())
                    })
                    .collect();
                serde_json::to_string_pretty(&rows).map(|text| text + "\n")
            }
            Format::Chat => Ok(set
                .items()
                .map(|(domain, item)| chat::line(item, &domain.apis) + "\n")
                .collect()),
        }
    }
}
