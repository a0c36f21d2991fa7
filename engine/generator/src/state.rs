//! The state machine of a generation: chooses the next question and applies its answer. Does no
//! I/O; replaying a journal restores it.

use super::checks::{Embed, EmbedError, Neighbours};
use super::journal::{JournalEntry, Outcome, Spent};
use super::{
    Agent, Code, Figures, Item, Limit, Settings, TargetsError, Tool, prompts, vector_text,
};
use apis::registry;
use dataset::Ability;
use exchange::Answer;
use exchange::protocol::Ask;
use provider::{Failure, FailureClass};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// Domains per question.
const BATCH: usize = 10;
/// Existing domains that a prompt lists, the latest ones.
const SHOWN: usize = 60;
/// Planned dialogues that may be unfinished at the same time.
const WINDOW: usize = 256;
/// Consecutive failed requests that end a generation.
const PATIENCE: u32 = 5;

/// A question for an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// Passed to [`State::take`] with the answer.
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
    /// Open questions by id, with the prompt's length in bytes.
    open: BTreeMap<u64, (Work, u64)>,
    next_job: u64,
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
            open: BTreeMap::new(),
            next_job: 0,
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

    /// The index of a slot's domain: each domain has a contiguous range of slots.
    pub(super) fn domain_of(&self, slot: usize) -> usize {
        slot * self.settings.targets.domains / self.slots.len()
    }

    /// The ability of a slot. Any contiguous range of slots has the abilities in about the
    /// proportion of the targets.
    pub(super) fn ability_of(&self, slot: usize) -> Ability {
        let targets = &self.settings.targets;
        let wanted = [targets.call, targets.retrieve, targets.plan];
        let all = self.slots.len();
        let before = |slot: usize, limit: usize| {
            // Multiples of the golden ratio are spread evenly (Knuth, TAOCP vol. 3, 6.4).
            let place = slot * stride(all) % all;
            place < limit
        };
        let [call, retrieve, _] = wanted;
        match slot {
            slot if before(slot, call) => Ability::Call,
            slot if before(slot, call + retrieve) => Ability::Retrieve,
            _ => Ability::Plan,
        }
    }

    /// Target number of APIs of a domain, at least 2.
    pub(super) fn apis_of(&self, domain: usize) -> usize {
        let targets = &self.settings.targets;
        let up_to = |domain: usize| domain * targets.apis / targets.domains;
        (up_to(domain + 1) - up_to(domain)).max(2)
    }

    /// The next question, if there is one. It stays open until [`State::take`].
    pub fn next_step(&mut self) -> Next {
        if let Some(message) = &self.stopped {
            return self.wait_or(End::Stopped { message: message.clone() });
        }
        if let Some(limit) =
            self.settings.budget.reached(self.figures.spent, self.open.len() as u64)
        {
            return self.wait_or(End::Budget { limit });
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
        self.wait_or(End::Finished { given_up })
    }

    fn wait_or(&self, end: End) -> Next {
        if self.open.is_empty() { Next::End(end) } else { Next::Wait }
    }

    fn begin(&mut self, work: Work, ask: Ask) -> Next {
        let id = self.next_job;
        self.next_job += 1;
        let bytes = ask.messages.iter().map(|message| message.content.len() as u64).sum();
        self.open.insert(id, (work, bytes));
        Next::Ask(Box::new(Job { id, ask }))
    }

    fn more_domains(&mut self) -> Next {
        if self.open.values().any(|(work, _)| matches!(work, Work::Domains { .. })) {
            return Next::Wait;
        }
        let asked = (self.settings.targets.domains - self.domains.len()).min(BATCH);
        let from = self.domains.len().saturating_sub(SHOWN);
        let known: Vec<&str> = self.domains[from..].iter().map(|it| it.name.as_str()).collect();
        let ask = prompts::domains(asked, &known);
        self.begin(Work::Domains { asked }, ask)
    }

    fn ask_for_apis(&mut self, domain: usize) -> Next {
        let pool: Vec<_> = registry::all().collect();
        let draw = self.draw("examples", domain) as usize;
        let examples: Vec<Tool> = (0..2)
            .filter_map(|at| pool.get((draw + at * 7) % pool.len()))
            .map(|api| Tool::of_pool(api))
            .collect();
        let ask = prompts::apis(&self.domains[domain].name, self.apis_of(domain), &examples);
        self.domains[domain].busy = true;
        self.begin(Work::Apis { domain }, ask)
    }

    fn ask_for(&mut self, slot: usize) -> Next {
        let known = &self.domains[self.domain_of(slot)];
        let ability = self.ability_of(slot);
        let (work, ask) = match &self.slots[slot].stage {
            Stage::Calls { text, time, apis } => {
                let tools = self.shown(ability, known, apis);
                let ask = prompts::calls(&known.name, ability, &tools, text, time);
                (Work::Calls { slot }, ask)
            }
            Stage::Test { item, .. } => {
                (Work::Test { slot }, prompts::tester(&known.name, item, &known.tools))
            }
            _ => {
                let tools = self.chosen(slot, ability, known);
                (Work::Query { slot }, prompts::query(&known.name, ability, &tools))
            }
        };
        self.slots[slot].busy = true;
        self.begin(work, ask)
    }

    /// The APIs that a query is about: one or two for Call, one for Retrieve+Call, two or three
    /// for Plan+Retrieve+Call. The draw differs by attempt.
    pub(super) fn chosen(&self, slot: usize, ability: Ability, known: &Known) -> Vec<Tool> {
        let draw = self.draw("apis", slot + 7919 * self.slots[slot].attempt as usize) as usize;
        let count = match ability {
            Ability::Call => 1 + draw % 2,
            Ability::Retrieve => 1,
            Ability::Plan => 2 + draw % 2,
        };
        let all = known.tools.len();
        (0..count.min(all)).map(|at| known.tools[(draw / 2 + at) % all].clone()).collect()
    }

    /// The APIs shown to the calls agent: for Call those of the query, otherwise the whole domain,
    /// so that searches must discriminate.
    pub(super) fn shown(&self, ability: Ability, known: &Known, apis: &[String]) -> Vec<Tool> {
        let all = known.tools.iter();
        all.filter(|tool| ability != Ability::Call || apis.contains(&tool.name)).cloned().collect()
    }

    /// A number drawn by seed, purpose and index: FNV-1a, 32 bits.
    fn draw(&self, what: &str, index: usize) -> u32 {
        let mut hash = 0x811c_9dc5_u32 ^ self.settings.seed;
        for byte in what.bytes().chain(index.to_le_bytes()) {
            hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
        // Fold in the high bits: the low bits alone are correlated for close indices.
        hash ^ (hash >> 15)
    }

    /// Judges and applies the answer to a question. The caller stores the entry; a resumed
    /// generation replays it.
    ///
    /// # Errors
    /// When no such question is open, or the embedding model fails.
    pub fn take(
        &mut self,
        id: u64,
        answer: Result<Answer, Failure>,
        requests: u64,
        embed: &impl Embed,
    ) -> Result<JournalEntry, TakeError> {
        let (work, asked) = self.open.remove(&id).ok_or(TakeError::UnknownJob(id))?;
        let spent = spent(&answer, requests, asked);
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

    /// Applies the next entry of a journal.
    ///
    /// # Errors
    /// When the entry is not the next one, belongs to other targets, or is damaged.
    pub fn replay(&mut self, entry: &JournalEntry) -> Result<(), ReplayError> {
        if entry.seq != self.next_seq {
            return Err(ReplayError::Order { expected: self.next_seq, got: entry.seq });
        }
        let domains = self.settings.targets.domains;
        let fits = entry.slot.is_none_or(|slot| slot < self.slots.len())
            && entry.domain.is_none_or(|domain| domain < domains && domain < self.domains.len());
        if !fits {
            return Err(ReplayError::OtherTargets(entry.seq));
        }
        if let Outcome::Drafted { vector, .. } = &entry.outcome
            && vector_text::decode(vector).is_none()
        {
            return Err(ReplayError::Vector(entry.seq));
        }
        self.apply(entry);
        Ok(())
    }

    fn apply(&mut self, entry: &JournalEntry) {
        self.next_seq = entry.seq + 1;
        self.figures.add(entry);
        let failed = matches!(entry.outcome, Outcome::Failed { .. });
        self.failures = if failed { self.failures + 1 } else { 0 };
        if let (true, Outcome::Failed { message }) = (self.failures >= PATIENCE, &entry.outcome) {
            self.stopped.get_or_insert_with(|| message.clone());
        }
        match (entry.slot, entry.domain) {
            (Some(slot), _) => self.apply_to_slot(slot, entry),
            (None, Some(domain)) => self.apply_to_domain(domain, &entry.outcome),
            (None, None) => self.apply_to_domains(&entry.outcome),
        }
    }

    fn apply_to_domains(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Domains { added, .. } if !added.is_empty() => {
                self.fruitless = 0;
                for name in added {
                    let index = self.domains.len();
                    let open = (0..self.slots.len()).filter(|it| self.domain_of(*it) == index);
                    let known =
                        Known { name: name.clone(), open: open.count(), ..Known::default() };
                    self.domains.push(known);
                }
            }
            Outcome::Failed { .. } => {}
            _ => {
                self.fruitless += 1;
                if self.fruitless >= self.settings.tries {
                    let message = "The model has stopped naming new domains. Use another model, or \
                                   ask for fewer domains.";
                    self.stopped.get_or_insert_with(|| message.to_owned());
                }
            }
        }
    }

    fn apply_to_domain(&mut self, domain: usize, outcome: &Outcome) {
        let known = &mut self.domains[domain];
        known.busy = false;
        match outcome {
            Outcome::Apis { added, .. } => {
                known.tools.extend(added.iter().cloned());
                let names = added.iter().map(|tool| tool.name.to_lowercase());
                self.tool_names.extend(names);
            }
            Outcome::Failed { .. } => {}
            _ => {
                known.attempt += 1;
                if known.attempt >= self.settings.tries {
                    known.open = 0;
                    for slot in 0..self.slots.len() {
                        if self.domain_of(slot) == domain {
                            self.slots[slot].stage = Stage::GivenUp;
                        }
                    }
                }
            }
        }
    }

    fn apply_to_slot(&mut self, slot: usize, entry: &JournalEntry) {
        let domain = self.domain_of(slot);
        let state = &mut self.slots[slot];
        state.busy = false;
        match &entry.outcome {
            Outcome::Query { text, time, apis } => {
                let (text, time, apis) = (text.clone(), time.clone(), apis.clone());
                state.stage = Stage::Calls { text, time, apis };
            }
            Outcome::Drafted { item, vector } => {
                // Only a replayed journal can be damaged, and `replay` checks it.
                let vector = vector_text::decode(vector).unwrap_or_default();
                state.stage = Stage::Test { item: Box::new(item.clone()), vector };
            }
            Outcome::Accepted => {
                let stage = std::mem::replace(&mut state.stage, Stage::Accepted);
                if let Stage::Test { item, vector } = stage {
                    self.accepted.add(&item.id, &item.user_text(), vector);
                }
            }
            Outcome::Rejected { reasons, .. } => {
                state.attempt += 1;
                // An unreadable answer says nothing about the query or draft: ask the same again.
                let unread = matches!(
                    reasons.first().map(|it| it.code),
                    Some(Code::TooLong | Code::Refused | Code::NoJson | Code::WrongShape)
                );
                if state.attempt >= self.settings.tries {
                    state.stage = Stage::GivenUp;
                } else if !unread {
                    state.stage = Stage::Query;
                }
            }
            _ => {}
        }
        if self.slots[slot].stage.is_done() {
            let known = &mut self.domains[domain];
            known.open = known.open.saturating_sub(1);
            if known.open == 0 {
                known.tools = Vec::new();
            }
        }
    }
}

impl Stage {
    fn is_done(&self) -> bool {
        matches!(self, Stage::Accepted | Stage::GivenUp)
    }
}

/// Requests and tokens of an answer. If the endpoint reports no usage, estimates four bytes per
/// token; `asked` is the prompt's length in bytes.
fn spent(answer: &Result<Answer, Failure>, requests: u64, asked: u64) -> Spent {
    let Ok(answer) = answer else { return Spent { requests, ..Spent::default() } };
    let (prompt_tokens, completion_tokens) = match answer.usage {
        Some(usage) => (usage.prompt_tokens, usage.completion_tokens),
        None => (asked.div_ceil(4), (answer.text.len() as u64).div_ceil(4)),
    };
    Spent { requests, prompt_tokens, completion_tokens, estimated: answer.usage.is_none() }
}

/// The first number from 0.618 × `all` on that is coprime to `all`.
fn stride(all: usize) -> usize {
    let start = (all as f64 * 0.618) as usize;
    (start.max(1)..).find(|stride| gcd(*stride, all) == 1).unwrap_or(1)
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
