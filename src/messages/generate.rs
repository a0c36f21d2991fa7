//! Requests of the Generate page.

use dataset::Ability;
use generator::statistics::AbilityStatistics;
use generator::{Agent, Figures, Reason, Settings};
use provider::ApiKey;
use serde::{Deserialize, Serialize};

/// The agents' request settings; the key is sent separately.
pub use generator::Asking;
use strum::{EnumCount, IntoStaticStr, VariantArray};

/// Start or resume a generation. Refused during a run.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Generate {
    /// Targets, budget and seed. Of a resumed generation, only the budget changes.
    pub settings: Settings,
    /// Request settings.
    pub asking: Box<Asking>,
    /// The endpoint's key, kept only during the generation.
    #[serde(with = "provider::key::transfer")]
    pub key: Option<ApiKey>,
    /// Whether to resume the stored generation; otherwise it is deleted.
    pub resume: bool,
}

/// Show the stored generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShowGeneration {}

/// Show every answer of a dialogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceDialogue {
    /// The planned dialogue.
    pub slot: usize,
}

/// A file for download.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[derive(EnumCount, VariantArray)]
#[serde(rename_all = "snake_case")]
pub enum File {
    /// Chats with native tools.
    Chat,
    /// Instruction, input, output.
    Instructions,
    /// Domains, APIs, dialogues and rejections in one file.
    Set,
    /// The dialogues as an archive for the Import page.
    Pack,
    /// Every answer.
    Journal,
    /// The config for a trainer.
    Recipe,
}

impl File {
    /// All files, in the order of the page.
    pub const ALL: [File; File::COUNT] = *File::VARIANTS.first_chunk().unwrap();

    /// Name of the file.
    pub const fn name(self) -> &'static str {
        match self {
            File::Chat => "chat.jsonl",
            File::Instructions => "instructions.json",
            File::Set => "training-set.json",
            File::Pack => "training-pack.zip",
            File::Journal => "journal.jsonl",
            File::Recipe => "recipe.yaml",
        }
    }

    /// A short description.
    pub const fn explain(self) -> &'static str {
        match self {
            File::Chat => "Chats with native tools",
            File::Instructions => "Instruction, input, output",
            File::Set => "APIs, dialogues, rejections",
            File::Pack => "A pack with recorded results, for the Import page",
            File::Journal => "Every answer",
            File::Recipe => "Fine-tuning with the paper's settings",
        }
    }
}

/// Progress of a generation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GenerationProgress {
    /// It starts, or the stored one is shown; later progress belongs to it.
    Begun {
        /// Its settings.
        settings: Box<Settings>,
        /// Whether it is running.
        running: bool,
    },
    /// New answers.
    Steps {
        /// The answers, in order.
        steps: Vec<Step>,
        /// The figures including them.
        tally: Box<Tally>,
    },
}

/// Figures, and statistics as in the paper's Table 2.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// Yield and cost.
    pub figures: Figures,
    /// Statistics by ability, then the total.
    pub rows: Vec<(Option<Ability>, AbilityStatistics)>,
}

/// The outcome of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[derive(IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum StepState {
    /// Passed on to the next agent.
    Passed,
    /// The dialogue was accepted.
    Accepted,
    /// Rejected.
    Refused,
    /// The request failed.
    Failed,
}

impl StepState {
    /// The identifier in the page.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// One answer, as the page shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Number of the journal's entry.
    pub seq: u64,
    /// The agent.
    pub agent: Agent,
    /// Name of the domain.
    pub domain: Option<String>,
    /// The planned dialogue.
    pub slot: Option<usize>,
    /// Its ability.
    pub ability: Option<Ability>,
    /// Number of earlier rejected answers.
    pub attempt: u32,
    /// The outcome.
    pub state: StepState,
    /// One-line summary.
    pub line: String,
    /// Reasons for rejecting it or items of it.
    pub reasons: Vec<Reason>,
    /// New domains.
    pub domains: Vec<String>,
    /// The complete answer, only in a trace.
    pub detail: String,
}
