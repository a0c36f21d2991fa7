//! The journal has one entry per answer. State, figures and training set are folds of it, so that
//! a generation can be resumed at any point.

use super::set::{Domain, Rejected, RejectedFile, TrainingSet, slug};
use super::{Agent, Code, Item, Reason, Tool};
use dataset::Ability;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Name and version of the format, in the header of a journal's file.
pub const FORMAT: &str = "api-bank-generation-1";

/// An answer and its outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JournalEntry {
    /// Number of the entry, from 0.
    pub seq: u64,
    /// The agent that was asked.
    pub agent: Agent,
    /// Version of the agent's prompt.
    pub prompt: String,
    /// Index of the domain; `None` for the agent that names domains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<usize>,
    /// Index of the planned dialogue, for agents that work on one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<usize>,
    /// The ability of the planned dialogue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ability: Option<Ability>,
    /// Earlier rejected answers for the same dialogue or domain.
    pub attempt: u32,
    /// Requests and tokens used.
    pub spent: Spent,
    /// The outcome of the answer.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// Bytes that count as one token where an endpoint counts none.
pub(crate) const BYTES_PER_TOKEN: u64 = 4;

/// Requests and tokens used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Requests, including retries.
    pub requests: u64,
    /// Prompt tokens.
    pub prompt_tokens: u64,
    /// Completion tokens.
    pub completion_tokens: u64,
    /// Whether some token counts are estimates (four bytes per token) because the endpoint sent
    /// none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
}

impl Spent {
    /// Adds `other` to this total.
    pub fn add(&mut self, other: Spent) {
        // Endpoints may claim any count.
        self.requests = self.requests.saturating_add(other.requests);
        self.prompt_tokens = self.prompt_tokens.saturating_add(other.prompt_tokens);
        self.completion_tokens = self.completion_tokens.saturating_add(other.completion_tokens);
        self.estimated |= other.estimated;
    }
}

/// A rejected item of an otherwise usable list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Refused {
    /// Name of the domain or API, shortened.
    pub name: String,
    /// Why it is rejected.
    pub reason: Reason,
}

/// The outcome of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "lowercase")]
pub enum Outcome {
    /// Domains were named.
    Domains {
        /// New domains.
        added: Vec<String>,
        /// Rejected domains.
        refused: Vec<Refused>,
    },
    /// APIs were written.
    Apis {
        /// New APIs.
        added: Vec<Tool>,
        /// Rejected APIs.
        refused: Vec<Refused>,
    },
    /// A user's first utterance passed the checks.
    Query {
        /// The utterance.
        text: String,
        /// Time of the utterance, `%Y-%m-%d %H:%M:%S`.
        time: String,
        /// Names of the APIs it is about.
        apis: Vec<String>,
    },
    /// A dialogue passed the checks; the tester judges it next.
    Drafted {
        /// The dialogue.
        item: Item,
        /// Embedding of the user's utterances: int8 per dimension, hexadecimal.
        vector: String,
    },
    /// The tester accepted the dialogue.
    Accepted,
    /// The checks rejected the answer, or the tester rejected the dialogue.
    Rejected {
        /// At least one.
        reasons: Vec<Reason>,
        /// The dialogue, if the answer contained or concerned one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        item: Option<Item>,
        /// The beginning of the answer.
        answer: String,
    },
    /// The request failed; it is counted separately and sent again.
    Failed {
        /// The cause and the remedy.
        message: String,
    },
}

/// The numbers of an agent's usable and rejected answers, with the reasons.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Yield {
    /// Usable answers.
    pub passed: usize,
    /// Rejected answers.
    pub rejected: usize,
    /// Failed requests.
    pub failed: usize,
    /// Reasons for rejection: an answer may have several, and a usable list may contain rejected
    /// items.
    pub reasons: BTreeMap<Code, usize>,
}

impl Yield {
    /// Share of usable answers, 0 to 1; `None` without answers.
    pub fn rate(&self) -> Option<f64> {
        let all = self.passed + self.rejected;
        (all > 0).then(|| self.passed as f64 / all as f64)
    }

    /// Reasons, most frequent first; ties in the order of the codes.
    pub fn ranked_reasons(&self) -> Vec<(Code, usize)> {
        let mut reasons: Vec<_> =
            self.reasons.iter().map(|(code, count)| (*code, *count)).collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        reasons
    }

    fn count(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Domains { refused, .. } | Outcome::Apis { refused, .. } => {
                self.passed += 1;
                for refused in refused {
                    *self.reasons.entry(refused.reason.code).or_default() += 1;
                }
            }
            Outcome::Query { .. } | Outcome::Drafted { .. } | Outcome::Accepted => self.passed += 1,
            Outcome::Rejected { reasons, .. } => {
                self.rejected += 1;
                // An answer counts once per code.
                let codes: BTreeSet<Code> = reasons.iter().map(|reason| reason.code).collect();
                for code in codes {
                    *self.reasons.entry(code).or_default() += 1;
                }
            }
            Outcome::Failed { .. } => self.failed += 1,
        }
    }
}

/// Statistics of a journal: by agent, and by ability for agents that work on a dialogue.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    /// By agent and ability, in order of first appearance.
    pub yields: Vec<(Agent, Option<Ability>, Yield)>,
    /// Domains named.
    pub domains: usize,
    /// APIs written.
    pub apis: usize,
    /// Accepted dialogues by ability.
    pub accepted: BTreeMap<Ability, usize>,
    /// Total of requests and tokens.
    pub spent: Spent,
}

impl Figures {
    /// Counts an entry.
    pub fn add(&mut self, entry: &JournalEntry) {
        let known = self.yields.iter().position(|it| (it.0, it.1) == (entry.agent, entry.ability));
        let at = known.unwrap_or_else(|| {
            self.yields.push((entry.agent, entry.ability, Yield::default()));
            self.yields.len() - 1
        });
        if let Some((_, _, of)) = self.yields.get_mut(at) {
            of.count(&entry.outcome);
        }
        self.spent.add(entry.spent);
        match (&entry.outcome, entry.ability) {
            (Outcome::Domains { added, .. }, _) => self.domains += added.len(),
            (Outcome::Apis { added, .. }, _) => self.apis += added.len(),
            (Outcome::Accepted, Some(ability)) => {
                *self.accepted.entry(ability).or_default() += 1;
            }
            _ => {}
        }
    }

    /// The yield of an agent over all abilities.
    pub fn of(&self, agent: Agent) -> Yield {
        let mut all = Yield::default();
        for (_, _, one) in self.yields.iter().filter(|entry| entry.0 == agent) {
            all.passed += one.passed;
            all.rejected += one.rejected;
            all.failed += one.failed;
            for (code, count) in &one.reasons {
                *all.reasons.entry(*code).or_default() += count;
            }
        }
        all
    }

    /// Number of accepted dialogues.
    pub fn total(&self) -> usize {
        self.accepted.values().sum()
    }
}

/// An accepted or rejected dialogue.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// Name of the domain.
    pub domain: String,
    /// The dialogue.
    pub item: Item,
    /// The rejecting stage and its reasons; `None` for an accepted dialogue.
    pub rejected: Option<(Agent, Vec<Reason>)>,
}

/// Joins drafts with their verdicts; holds only unfinished dialogues.
#[derive(Debug, Clone, Default)]
pub struct Collector {
    domains: Vec<String>,
    apis: BTreeMap<usize, Vec<Tool>>,
    drafts: BTreeMap<usize, Item>,
}

impl Collector {
    /// Adds an entry and returns the dialogue that it finishes.
    pub fn add(&mut self, entry: &JournalEntry) -> Option<Finished> {
        let domain = entry.domain.and_then(|index| self.domains.get(index).cloned());
        match &entry.outcome {
            Outcome::Domains { added, .. } => self.domains.extend(added.iter().cloned()),
            Outcome::Apis { added, .. } => {
                self.apis.entry(entry.domain?).or_default().extend(added.iter().cloned());
            }
            Outcome::Drafted { item, .. } => {
                self.drafts.insert(entry.slot?, item.clone());
            }
            Outcome::Accepted => {
                let item = self.drafts.remove(&entry.slot?)?;
                return Some(Finished { domain: domain?, item, rejected: None });
            }
            Outcome::Rejected { reasons, item, .. } => {
                let item = item.clone()?;
                self.drafts.remove(&entry.slot?);
                let rejected = Some((entry.agent, reasons.clone()));
                return Some(Finished { domain: domain?, item, rejected });
            }
            Outcome::Query { .. } | Outcome::Failed { .. } => {}
        }
        None
    }

    /// The APIs of a domain by its name; empty for an unknown domain.
    pub fn apis(&self, domain: &str) -> &[Tool] {
        let index = self.domains.iter().position(|name| name == domain);
        index.and_then(|index| self.apis.get(&index)).map_or(&[], Vec::as_slice)
    }

    /// Domains with their APIs, in the order of the journal.
    pub fn domains(&self) -> impl Iterator<Item = (&str, &[Tool])> {
        self.domains.iter().enumerate().map(|(index, name)| {
            (name.as_str(), self.apis.get(&index).map_or(&[][..], Vec::as_slice))
        })
    }
}

/// Builds the training set of a journal, without domains that have no APIs.
pub fn training_set(entries: impl IntoIterator<Item = JournalEntry>) -> TrainingSet {
    let mut collector = Collector::default();
    let mut accepted: BTreeMap<String, Vec<Item>> = BTreeMap::new();
    let mut refused: BTreeMap<String, Vec<Rejected>> = BTreeMap::new();
    let mut count = 0;
    for entry in entries {
        let Some(Finished { domain, mut item, rejected }) = collector.add(&entry) else { continue };
        match rejected {
            None => accepted.entry(domain).or_default().push(item),
            Some((agent, reasons)) => {
                count += 1;
                item.id = format!("rejected-{count}-{}", item.id);
                let rejected = Rejected { agent, reasons, dialogue: item };
                refused.entry(domain).or_default().push(rejected);
            }
        }
    }
    let mut set = TrainingSet::default();
    for (name, apis) in collector.domains().filter(|(_, apis)| !apis.is_empty()) {
        let file = slug(name);
        let dialogues = accepted.remove(name).unwrap_or_default();
        let domain = Domain { domain: name.to_owned(), apis: apis.to_vec(), dialogues };
        set.domains.insert(format!("domains/{file}.json"), domain);
        if let Some(rejected) = refused.remove(name) {
            let rejected = RejectedFile { domain: name.to_owned(), rejected };
            set.rejected.insert(format!("rejected/{file}.json"), rejected);
        }
    }
    set
}
