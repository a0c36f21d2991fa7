//! Questions and answers of the Demo page.

use apis::TableName;
use dataset::Ability;
use provider::ApiKey;
use record::RunSettings;
use record::SampleRecord;
use record::demo::{Entry, TableView, Walk};
use serde::{Deserialize, Serialize};

/// What the Demo page asks the worker.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// The dialogues of an ability.
    Dialogues {
        /// Which.
        ability: Ability,
    },
    /// A dialogue step by step.
    Walk {
        /// Its id.
        dialogue: String,
    },
    /// The verdict on an answer that was typed.
    Judge {
        /// The sample's id.
        sample: String,
        /// The answer.
        answer: String,
    },
    /// The verdicts on answers to several samples.
    Examples {
        /// A sample's id and the answer to it.
        answers: Vec<(String, String)>,
    },
    /// The endpoint's answer to a sample, judged.
    AskModel {
        /// The sample's id.
        sample: String,
        /// The endpoint.
        settings: Box<RunSettings>,
        /// Its key.
        #[serde(with = "provider::key::transfer")]
        key: Option<ApiKey>,
    },
    /// A table as it is after a sample's gold call.
    Table {
        /// The sample's id.
        sample: String,
        /// The table.
        table: TableName,
    },
}

/// What the worker answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The dialogues of an ability.
    Dialogues {
        /// In the pack's order.
        entries: Vec<Entry>,
    },
    /// A dialogue.
    Walk {
        /// Its steps.
        walk: Walk,
    },
    /// A verdict.
    Judged {
        /// The sample with the answer.
        sample: Box<SampleRecord>,
    },
    /// Verdicts.
    Examples {
        /// The samples with their answers.
        samples: Vec<SampleRecord>,
    },
    /// A table.
    Table {
        /// Its rows.
        table: TableView,
    },
}
