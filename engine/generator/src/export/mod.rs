//! Exports of a training set: rows, chats, prompts with answers, a pack, a recipe.

pub mod chat;
pub mod instructions;
pub mod pack;
pub mod prompts;
mod python;
pub mod recipe;

use super::set::{Domain, TrainingSet};
use super::{Item, Tool};

/// A format that exports a set as one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Rows of instruction, input and output: a JSON list.
    Instructions,
    /// Chats with native tool calls: JSONL.
    Chat,
    /// The benchmark's prompts with their answers, one per step: JSONL.
    Prompts {
        /// How many APIs prompts of Call describe; `None` for the dialogue's own.
        described: Option<usize>,
        /// Seed of the distractors.
        seed: u32,
    },
}

impl Format {
    /// Serializes a set.
    ///
    /// # Errors
    /// Never for a set that was read.
    pub fn file(self, set: &TrainingSet) -> Result<String, serde_json::Error> {
        match self {
            Format::Instructions => {
                let rows: Vec<instructions::InstructionRow> = set
                    .items()
                    .flat_map(|(domain, item)| {
                        instructions::rows(item, &domain.apis, instructions::Templates::own())
                    })
                    .collect();
                serde_json::to_string_pretty(&rows).map(|text| text + "\n")
            }
            Format::Prompts { described, seed } => {
                let all: Vec<&Tool> = set.domains.values().flat_map(|it| &it.apis).collect();
                let distractors = described.map(|count| (&all[..], count, seed));
                let steps = |(domain, item): (&Domain, &Item)| {
                    prompts::lines(item, &domain.apis, distractors)
                };
                Ok(set.items().map(steps).collect())
            }
            Format::Chat => Ok(set
                .items()
                .map(|(domain, item)| chat::line(item, &domain.apis) + "\n")
                .collect()),
        }
    }
}
