//! The settings of a run.

use crate::metrics::horizon::adaptive;
use crate::{Model, Retriever, Shard, Subset};
use apis::search::SearchResults;
use dataset::{Ability, Edition, Split};
use exchange::protocol::{DescribedApis, PromptError, Prompts, Protocol, Steps};
use provider::Timeouts;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The maximum number of trials in a run.
pub const MOST_TRIALS: u32 = 100;

/// The maximum number of answers in an episode.
pub const LONGEST_EPISODE: usize = 200;

const fn one() -> u32 {
    1
}

/// The default maximum number of answers in an episode. The longest gold dialogue has at most half
/// as many calls and replies.
pub const fn turn_limit() -> usize {
    40
}

/// Why settings are invalid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SettingsError {
    /// The number of trials is out of range.
    #[error("trials: expected 1 to {MOST_TRIALS}, got {0}")]
    Trials(u32),
    /// The turn limit is out of range.
    #[error("turn limit: expected 1 to {LONGEST_EPISODE}, got {0}")]
    TurnLimit(usize),
    /// `agent` runs whole dialogues, so steps cannot be selected.
    #[error("steps: under agent a dialogue is run as a whole; expected all")]
    Steps,
    /// Agents play dialogues; no other protocol can be asked of one.
    #[error("protocol: an agent plays under agent, got {}", .0.as_str())]
    AgentProtocol(Protocol),
    /// Results of own tools are recorded and not computed, and all their tools are described.
    #[error(
        "protocol: a pack of own tools runs under bracket, tools and all-tools, got {}", .0.as_str()
    )]
    OwnTools(Protocol),
    /// The prompts do not fit the protocol.
    #[error("prompts: {0}")]
    Prompts(#[from] PromptError),
    /// The hard split is not translated.
    #[error("language: the hard split is English; choose the standard split or no language")]
    HardLanguage,
    /// Horizon tasks are played whole.
    #[error(
        "horizon: tasks are played as a whole; choose the protocol agent or agent-text, and the standard split"
    )]
    Horizon,
    /// An adaptive run has one trial.
    #[error("trials: an adaptive horizon run has 1; choose all horizon tasks for more")]
    HorizonTrials,
    /// The retriever's settings are out of range.
    #[error("{field}: expected {expected}, got {got}")]
    Retriever {
        /// The field.
        field: &'static str,
        /// The valid values.
        expected: String,
        /// The value.
        got: String,
    },
    /// The retriever's files are missing, or are not those of the settings.
    #[error("retriever: {0}")]
    NoRetriever(String),
    /// The endpoint's extra fields have one that decides what is asked.
    #[error(
        "extra parameters: {name} decides {decides}, so the record would not say what was asked; \
         leave it out"
    )]
    Extra {
        /// The member of the request body.
        name: String,
        /// What it decides.
        decides: &'static str,
    },
    /// A listed dialogue does not exist in the data.
    #[error("subset: the data has no dialogue {0} in this split and these abilities")]
    Dialogues(String),
}

/// The settings of a run, without the key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunSettings {
    /// Which data of the built-in pack to run on; imported data has no editions.
    #[serde(default, skip_serializing_if = "Edition::is_original")]
    pub edition: Edition,
    /// The split to run.
    #[serde(default)]
    pub split: Split,
    /// The abilities to run; the hard split has only Call.
    pub abilities: Vec<Ability>,
    /// The model.
    pub model: Model,
    /// The subset of the data.
    #[serde(default)]
    pub subset: Subset,
    /// The seed of subset, order and pauses.
    #[serde(default = "first_seed")]
    pub seed: u32,
    /// The shard to run; `None` for the whole run.
    #[serde(default)]
    pub shard: Option<Shard>,
    /// The protocol that prompts the model.
    #[serde(default)]
    pub protocol: Protocol,
    /// The graded steps of a dialogue.
    #[serde(default, skip_serializing_if = "Steps::is_all")]
    pub steps: Steps,
    /// Which APIs the prompts of Call describe; defaults to the dialogue's own if absent. `paper` and
    /// imported data always describe those alone.
    #[serde(default = "DescribedApis::unnamed")]
    pub described_apis: DescribedApis,
    /// How many APIs a search returns; defaults to one if absent. Imported data always uses one,
    /// because its files record one result per search.
    #[serde(default = "SearchResults::unnamed")]
    pub search_results: SearchResults,
    /// What answers searches; `None` for the built-in search model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retriever: Option<Retriever>,
    /// Trials per sample, 1 to [`MOST_TRIALS`].
    #[serde(default = "one")]
    pub trials: u32,
    /// The maximum number of answers in an episode, 1 to [`LONGEST_EPISODE`].
    #[serde(default = "turn_limit")]
    pub turn_limit: usize,
    /// Prompts that replace the built-in ones; `None` for the built-in ones.
    #[serde(default)]
    pub custom_prompts: Option<Prompts>,
    /// The maximum number of requests in flight, 1 to 100; lowered while the endpoint throttles.
    pub concurrency: usize,
    /// Retries per failed request.
    pub retries: u32,
    /// The first backoff, in milliseconds; it doubles with each retry, see `pause_ms`.
    pub backoff_ms: u32,
    /// Request timeouts.
    pub timeouts: Timeouts,
}

/// The default seed.
const fn first_seed() -> u32 {
    1
}

impl RunSettings {
    /// The abilities to run: the hard split has only Call dialogues, and horizon tasks are Plans.
    pub fn abilities(&self) -> &[Ability] {
        match (self.edition, self.split) {
            (Edition::Horizon(_), _) => &[Ability::Plan],
            (_, Split::Standard) => &self.abilities,
            (_, Split::Hard) => &[Ability::Call],
        }
    }

    /// Default settings for a model: all abilities, one request at a time.
    pub fn new(model: Model) -> Self {
        RunSettings {
            edition: Edition::Original,
            split: Split::Standard,
            abilities: Ability::ALL.to_vec(),
            model,
            subset: Subset::All,
            seed: first_seed(),
            shard: None,
            protocol: Protocol::default(),
            steps: Steps::All,
            described_apis: DescribedApis::default(),
            search_results: SearchResults::default(),
            retriever: None,
            trials: 1,
            turn_limit: turn_limit(),
            custom_prompts: None,
            concurrency: 1,
            retries: 2,
            backoff_ms: 1000,
            timeouts: Timeouts::default(),
        }
    }

    /// Makes it a run on the horizon tasks of its seed, which are played whole: with native calls, unless
    /// the protocol is `agent-text`.
    pub fn play_horizon(&mut self) {
        self.edition = Edition::Horizon(self.seed);
        self.split = Split::Standard;
        if !self.protocol.is_agent() {
            self.protocol = Protocol::Agent;
        }
        self.steps = Steps::All;
    }

    /// Validates protocol, trials, turn limit, extra fields and prompts.
    ///
    /// # Errors
    /// The first invalid setting.
    pub fn check(&self) -> Result<(), SettingsError> {
        if !(1..=MOST_TRIALS).contains(&self.trials) {
            return Err(SettingsError::Trials(self.trials));
        }
        if !(1..=LONGEST_EPISODE).contains(&self.turn_limit) {
            return Err(SettingsError::TurnLimit(self.turn_limit));
        }
        if self.protocol.is_agent() && self.steps != Steps::All {
            return Err(SettingsError::Steps);
        }
        if matches!(self.model, Model::Agent(_)) && self.protocol != Protocol::Agent {
            return Err(SettingsError::AgentProtocol(self.protocol));
        }
        if matches!(self.edition, Edition::Language(_)) && self.split == Split::Hard {
            return Err(SettingsError::HardLanguage);
        }
        if matches!(self.edition, Edition::Horizon(_))
            && !(self.split == Split::Standard && self.protocol.is_agent())
        {
            return Err(SettingsError::Horizon);
        }
        if adaptive(self.edition, &self.subset).is_some() && self.trials > 1 {
            return Err(SettingsError::HorizonTrials);
        }
        if let Model::Endpoint(endpoint) = &self.model
            && let Some((name, decides)) = provider::extra::refused(&endpoint.extra)
        {
            return Err(SettingsError::Extra { name: name.to_owned(), decides });
        }
        if let Some((field, expected, got)) = self.retriever.as_ref().and_then(Retriever::problem) {
            return Err(SettingsError::Retriever { field, expected, got });
        }
        match &self.custom_prompts {
            Some(prompts) => Ok(prompts.check(self.protocol)?),
            None => Ok(()),
        }
    }

    /// Whether answers are constrained to a grammar.
    pub fn has_grammar(&self) -> bool {
        self.model.has_grammar(self.protocol)
    }

    /// The run's prompts.
    pub fn prompts(&self) -> &Prompts {
        self.custom_prompts.as_ref().unwrap_or_else(|| Prompts::builtin(self.protocol))
    }
}
