//! Commands and events of the Generate page.

use dataset::Ability;
use generator::statistics::Row;
use generator::{Agent, Figures, Reason, Settings, Stop};
use provider::ApiKey;
use serde::{Deserialize, Serialize};

/// How an endpoint is asked; the key goes beside it.
pub use generator::Asking;

/// A command of the Generate page.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GenerationCommand {
    /// Show the stored generation.
    Show,
    /// Start a new generation; the stored one is deleted.
    Start {
        /// What to generate.
        settings: Settings,
        /// How to ask.
        asking: Box<Asking>,
        /// The endpoint's key. It is held while it goes on and dropped with it.
        #[serde(with = "provider::key::transfer")]
        key: Option<ApiKey>,
    },
    /// Resume the stored generation, under another budget if there is one.
    Resume {
        /// The settings; targets, seed and tries are those that were kept.
        settings: Settings,
        /// How to ask.
        asking: Box<Asking>,
        /// As for a new one.
        #[serde(with = "provider::key::transfer")]
        key: Option<ApiKey>,
    },
    /// Delete the stored generation.
    Discard,
    /// Tell every answer of a dialogue.
    Trace {
        /// The planned dialogue.
        slot: usize,
    },
    /// Save a file.
    File {
        /// Which.
        file: File,
    },
}

/// What can be downloaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum File {
    /// Chats with native tools.
    Chat,
    /// Instruction, input, output.
    Instructions,
    /// Domains, APIs, dialogues and rejections: a pack of the project's own in one file.
    Set,
    /// The same dialogues as an archive that the Import page reads.
    Pack,
    /// Every answer.
    Journal,
    /// The recipe for a trainer.
    Recipe,
}

impl File {
    /// All, in the order of the page.
    pub const ALL: [File; 6] =
        [File::Chat, File::Instructions, File::Set, File::Pack, File::Journal, File::Recipe];

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

    /// What it is, in a few words.
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

/// An event of a generation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GenerationEvent {
    /// Nothing is kept.
    Nothing,
    /// A generation begins, or what is kept is shown: all that follows belongs to it.
    Begun {
        /// Its settings.
        settings: Box<Settings>,
        /// Whether it goes on now.
        running: bool,
    },
    /// Answers came.
    Steps {
        /// They, in order.
        steps: Vec<Step>,
        /// The figures with them.
        tally: Box<Tally>,
    },
    /// It stopped.
    Stopped {
        /// Why.
        stop: Stop,
    },
    /// It could not go on.
    Failed {
        /// What happened and what to do.
        message: String,
    },
    /// Every answer of a dialogue.
    Trace {
        /// The planned dialogue.
        slot: usize,
        /// Its answers.
        steps: Vec<Step>,
    },
}

/// Figures, and the table as the paper's Table 2.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// Yield and cost.
    pub figures: Figures,
    /// By ability, then all.
    pub rows: Vec<(Option<Ability>, Row)>,
}

/// How far an answer came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StepState {
    /// It goes on to the next agent.
    Passed,
    /// The dialogue is in the set.
    Accepted,
    /// It was refused.
    Refused,
    /// No answer came.
    Failed,
}

impl StepState {
    /// The identifier in the page.
    pub const fn as_str(self) -> &'static str {
        match self {
            StepState::Passed => "passed",
            StepState::Accepted => "accepted",
            StepState::Refused => "refused",
            StepState::Failed => "failed",
        }
    }
}

/// One answer, as the page shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Its number.
    pub seq: u64,
    /// Who answered.
    pub agent: Agent,
    /// Name of the domain.
    pub domain: Option<String>,
    /// The planned dialogue.
    pub slot: Option<usize>,
    /// What it trains.
    pub ability: Option<Ability>,
    /// How many answers were refused before.
    pub attempt: u32,
    /// How far it came.
    pub state: StepState,
    /// In a line.
    pub line: String,
    /// Why it was refused, or entries of it.
    pub reasons: Vec<Reason>,
    /// New domains.
    pub domains: Vec<String>,
    /// The whole, only in a dialogue's trace.
    pub detail: String,
}
