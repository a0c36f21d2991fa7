//! What to run and how: what a record is made with.

use crate::{Model, Shard, Subset};
use dataset::{Ability, Split};
use exchange::protocol::{PromptError, Prompts, Protocol};
use provider::Timeouts;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Trials that a run may have.
pub const MOST_TRIALS: u32 = 100;

/// Answers that an episode may have.
pub const LONGEST_EPISODE: usize = 200;

const fn one() -> u32 {
    1
}

/// Answers that an episode may have where nobody says otherwise. The longest gold dialogue has
/// fewer calls and replies than this by half.
pub const fn turn_limit() -> usize {
    40
}

/// Why settings cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SettingsError {
    /// No trial, or too many.
    #[error("trials: expected 1 to {MOST_TRIALS}, got {0}")]
    Trials(u32),
    /// No turn, or too many.
    #[error("turn limit: expected 1 to {LONGEST_EPISODE}, got {0}")]
    TurnLimit(usize),
    /// Prompts that do not fit the protocol.
    #[error("prompts: {0}")]
    Prompts(#[from] PromptError),
    /// Chosen dialogues that the data does not have.
    #[error("subset: the data has no dialogue {0} in this split and these abilities")]
    Dialogues(String),
}

/// What to run and how, without the key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunSettings {
    /// The split to run.
    #[serde(default)]
    pub split: Split,
    /// The abilities to run; the hard split has Call only.
    pub abilities: Vec<Ability>,
    /// The model.
    pub model: Model,
    /// How much of the data.
    #[serde(default)]
    pub subset: Subset,
    /// What subset, order and pauses follow from.
    #[serde(default = "first_seed")]
    pub seed: u32,
    /// The part of the run to do; `None` does all of it.
    #[serde(default)]
    pub shard: Option<Shard>,
    /// How it is asked.
    #[serde(default)]
    pub protocol: Protocol,
    /// How often each sample is asked, 1 to [`MOST_TRIALS`].
    #[serde(default = "one")]
    pub trials: u32,
    /// Answers that a model may give in an episode, 1 to [`LONGEST_EPISODE`].
    #[serde(default = "turn_limit")]
    pub turn_limit: usize,
    /// Prompt texts of the user's; `None` for the project's own.
    #[serde(default)]
    pub custom_prompts: Option<Prompts>,
    /// Requests in flight at most, 1 to 100; fewer while the endpoint asks for fewer.
    pub concurrency: usize,
    /// How often a failed request is tried again.
    pub retries: u32,
    /// The first pause before another try, in milliseconds; it doubles each time,
    /// see `pause_ms`.
    pub backoff_ms: u32,
    /// When a request is given up.
    pub timeouts: Timeouts,
}

/// The seed of who names none.
const fn first_seed() -> u32 {
    1
}

impl RunSettings {
    /// The abilities that are run: the hard split consists of Call dialogues alone.
    pub fn abilities(&self) -> &[Ability] {
        match self.split {
            Split::Standard => &self.abilities,
            Split::Hard => &[Ability::Call],
        }
    }

    /// Settings for a model: all abilities, one request at a time.
    pub fn new(model: Model) -> Self {
        RunSettings {
            split: Split::Standard,
            abilities: Ability::ALL.to_vec(),
            model,
            subset: Subset::All,
            seed: first_seed(),
            shard: None,
            protocol: Protocol::default(),
            trials: 1,
            turn_limit: turn_limit(),
            custom_prompts: None,
            concurrency: 1,
            retries: 2,
            backoff_ms: 1000,
            timeouts: Timeouts::default(),
        }
    }

    /// Whether protocol, trials, turn limit and prompts can be used.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Result<(), SettingsError> {
        if !(1..=MOST_TRIALS).contains(&self.trials) {
            return Err(SettingsError::Trials(self.trials));
        }
        if !(1..=LONGEST_EPISODE).contains(&self.turn_limit) {
            return Err(SettingsError::TurnLimit(self.turn_limit));
        }
        match &self.custom_prompts {
            Some(prompts) => Ok(prompts.check(self.protocol)?),
            None => Ok(()),
        }
    }

    /// The prompt texts of the run.
    pub fn prompts(&self) -> &Prompts {
        self.custom_prompts.as_ref().unwrap_or_else(|| Prompts::builtin(self.protocol))
    }
}
