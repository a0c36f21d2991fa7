//! The state machine of a generation: chooses the next question and applies its answer. Does no
//! I/O; replaying a journal restores it.

mod apply;
mod open;
mod questions;

pub(crate) use apply::PATIENCE;
pub(crate) use open::{Open, bytes_of};
pub(crate) use questions::{BATCH, SHOWN};

use super::checks::{Embed, EmbedError, Neighbours};
use super::journal::{JournalEntry, Outcome, Spent};
use super::{Agent, Figures, Item, Limit, Settings, TargetsError, Tool, prompts};
use exchange::Answer;
use exchange::protocol::Ask;
use provider::{Failure, FailureClass};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use thiserror::Error;

/// Planned dialogues that may be unfinished at the same time.
const WINDOW: usize = 256;

/// A question for an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// Passed to [`Machine::take`] with the answer.
    pub id: u64,
    /// The question.
    pub ask: Ask,
}

/// The caller's next step.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// Send this question.
    Ask(Box<Job>),
    /// Wait for an answer to an open question.
    Wait,
    /// Stop; no question is open.
    End(End),
}

/// Why a generation ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "lowercase")]
pub enum End {
    /// Every planned dialogue was accepted or abandoned.
    Finished {
        /// Dialogues that used up their tries.
        given_up: usize,
    },
    /// A limit was reached.
    Budget {
        /// Which limit.
        limit: Limit,
    },
    /// Requests keep failing, or the model names no new domains.
    Stopped {
        /// The cause and the remedy.
        message: String,
    },
}

/// Stage of a planned dialogue.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Stage {
    Query,
    Calls { text: String, time: String, apis: Vec<String> },
    Test { item: Box<Item>, vector: Vec<i8> },
    Accepted,
    GivenUp,
}

#[derive(Debug, Clone)]
pub(super) struct Slot {
    attempt: u32,
    pub(super) stage: Stage,
    busy: bool,
}

/// A domain and its APIs. The APIs are dropped when its last dialogue is done.
#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    pub(super) name: String,
    pub(super) tools: Vec<Tool>,
    attempt: u32,
    busy: bool,
    open: usize,
}

/// The task of an open question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    Domains { asked: usize },
    Apis { domain: usize },
    Query { slot: usize },
    Calls { slot: usize },
    Test { slot: usize },
}

/// Why an answer cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TakeError {
    /// No open question has this id.
    #[error("there is no open question {0}")]
    UnknownJob(u64),
    /// The planned dialogue is at another stage than its question.
    #[error("dialogue {slot} is not at {stage}")]
    WrongStage {
        /// The planned dialogue.
        slot: usize,
        /// The stage of the question.
        stage: &'static str,
    },
    /// The embedding model failed.
    #[error(transparent)]
    Embed(#[from] EmbedError),
}

/// Why an entry of a journal cannot be replayed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReplayError {
    /// The entry is not the next one.
    #[error("expected entry {expected}, got entry {got}")]
    Order {
        /// Number of the next entry.
        expected: u64,
        /// Number of the entry.
        got: u64,
    },
    /// The entry names a domain or dialogue that the targets don't have.
    #[error("entry {0} belongs to other targets")]
    OtherTargets(u64),
    /// The vector of a draft is not hexadecimal.
    #[error("the vector of entry {0} is damaged")]
    Vector(u64),
}

/// A state machine that chooses questions for agents and judges their answers.
pub trait Machine {
    /// The outcome of an answer.
    type Entry;

    /// Seed of the pauses between retries.
    fn seed(&self) -> u32;

    /// The next question, if there is one. It stays open until [`Machine::take`].
    fn next_step(&mut self) -> Next;

    /// Judges and applies the answer to a question. The caller stores the entry.
    ///
    /// # Errors
    /// When no such question is open, or the embedding model fails.
    fn take(
        &mut self,
        id: u64,
        answer: Result<Answer, Failure>,
        requests: u64,
        embed: &impl Embed,
    ) -> Result<Self::Entry, TakeError>;
}

/// The state machine. Every change to it is a [`JournalEntry`].
#[derive(Debug, Clone)]
pub struct State {
    settings: Settings,
    pub(super) evaluation: Neighbours,
    pub(super) accepted: Neighbours,
    pub(super) domains: Vec<Known>,
    pub(super) tool_names: BTreeSet<String>,
    pub(super) slots: Vec<Slot>,
    /// All slots before this one are done.
    first_open: usize,
    open: Open<Work>,
    next_seq: u64,
    /// Consecutive answers without a new domain.
    fruitless: u32,
    /// Consecutive failed requests.
    failures: u32,
    stopped: Option<String>,
    figures: Figures,
}

impl State {
    /// The state before the first question. A dialogue too similar to one of `evaluation` is
    /// rejected as contaminated.
    ///
    /// # Errors
    /// When the targets cannot be reached.
    pub fn new(settings: Settings, evaluation: Neighbours) -> Result<Self, TargetsError> {
        settings.targets.check()?;
        let slot = Slot { attempt: 0, stage: Stage::Query, busy: false };
        let slots = vec![slot; settings.targets.dialogues()];
        Ok(State {
            settings,
            evaluation,
            accepted: Neighbours::default(),
            domains: Vec::new(),
            tool_names: BTreeSet::new(),
            slots,
            first_open: 0,
            open: Open::default(),
            next_seq: 0,
            fruitless: 0,
            failures: 0,
            stopped: None,
            figures: Figures::default(),
        })
    }

    /// The settings the state was created with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The figures so far.
    pub fn figures(&self) -> &Figures {
        &self.figures
    }

    fn entry(&self, work: Work, spent: Spent, outcome: Outcome) -> JournalEntry {
        let (agent, slot, domain) = match work {
            Work::Domains { .. } => (Agent::Domains, None, None),
            Work::Apis { domain } => (Agent::Apis, None, Some(domain)),
            Work::Query { slot } => (Agent::Query, Some(slot), None),
            Work::Calls { slot } => (Agent::Calls, Some(slot), None),
            Work::Test { slot } => (Agent::Tester, Some(slot), None),
        };
        let domain = domain.or_else(|| slot.map(|slot| self.domain_of(slot)));
        let attempt = match (slot, domain) {
            (Some(slot), _) => self.slots[slot].attempt,
            (None, Some(domain)) => self.domains[domain].attempt,
            (None, None) => self.fruitless,
        };
        JournalEntry {
            seq: self.next_seq,
            agent,
            prompt: prompts::of(agent).version.clone(),
            domain,
            slot,
            ability: slot.map(|slot| self.ability_of(slot)),
            attempt,
            spent,
            outcome,
        }
    }
}

impl Machine for State {
    type Entry = JournalEntry;

    fn seed(&self) -> u32 {
        self.settings.seed
    }

    fn next_step(&mut self) -> Next {
        if let Some(message) = &self.stopped {
            return self.open.wait_or(End::Stopped { message: message.clone() });
        }
        if let Some(limit) = self.settings.budget.reached(self.figures.spent, self.open.len()) {
            return self.open.wait_or(End::Budget { limit });
        }
        while self.slots.get(self.first_open).is_some_and(|slot| slot.stage.is_done()) {
            self.first_open += 1;
        }
        let end = (self.first_open + WINDOW).min(self.slots.len());
        for slot in self.first_open..end {
            if self.slots[slot].busy || self.slots[slot].stage.is_done() {
                continue;
            }
            let domain = self.domain_of(slot);
            let Some(known) = self.domains.get(domain) else {
                return self.more_domains();
            };
            if !known.tools.is_empty() {
                return self.ask_for(slot);
            }
            if !known.busy {
                return self.ask_for_apis(domain);
            }
        }
        let given_up = self.slots.iter().filter(|slot| slot.stage == Stage::GivenUp).count();
        self.open.wait_or(End::Finished { given_up })
    }

    fn take(
        &mut self,
        id: u64,
        answer: Result<Answer, Failure>,
        requests: u64,
        embed: &impl Embed,
    ) -> Result<JournalEntry, TakeError> {
        let (work, spent) = self.open.close(id, &answer, requests)?;
        let outcome = match answer {
            Ok(answer) => self.judge(work, &answer.text, embed)?,
            Err(failure) => {
                if failure.class == FailureClass::Configuration {
                    self.stopped = Some(failure.message.clone());
                }
                Outcome::Failed { message: failure.message }
            }
        };
        let entry = self.entry(work, spent, outcome);
        self.apply(&entry);
        Ok(entry)
    }
}

impl Stage {
    fn is_done(&self) -> bool {
        matches!(self, Stage::Accepted | Stage::GivenUp)
    }
}
