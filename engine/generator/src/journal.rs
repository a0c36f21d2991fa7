//! The journal: one entry an answer. Everything is a fold of it: the state that goes on after an
//! interruption, the figures, the finished set.

use super::set::{Domain, Rejected, RejectedFile, TrainingSet, slug};
use super::{Agent, Code, Item, Reason, Tool};
use dataset::Ability;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Name and version of the format: the head of a journal's file.
pub const FORMAT: &str = "api-bank-generation-1";

/// One answer and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JournalEntry {
    /// Its number, from 0.
    pub seq: u64,
    /// Who was asked.
    pub agent: Agent,
    /// Version of the prompt.
    pub prompt: String,
    /// Index of the domain; none for the agent that names them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<usize>,
    /// The planned dialogue, for the agents that work on one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<usize>,
    /// What the dialogue trains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ability: Option<Ability>,
    /// How many answers for the same dialogue, or domain, were refused before.
    pub attempt: u32,
    /// What it cost.
    pub spent: Spent,
    /// What became of it.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// What requests cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Requests, those that were tried again included.
    pub requests: u64,
    /// Tokens of prompts.
    pub prompt_tokens: u64,
    /// Tokens of answers.
    pub completion_tokens: u64,
    /// Whether the endpoint did not count: a token is then taken for four bytes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
}

impl Spent {
    /// Adds to a sum.
    pub fn add(&mut self, other: Spent) {
        self.requests += other.requests;
        self.prompt_tokens += other.prompt_tokens;
        self.completion_tokens += other.completion_tokens;
        self.estimated |= other.estimated;
    }
}

/// Something that an otherwise good answer lists and that cannot be used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Refused {
    /// Its name, shortened.
    pub name: String,
    /// Why.
    pub reason: Reason,
}

/// What became of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "lowercase")]
pub enum Outcome {
    /// Domains were named.
    Domains {
        /// New ones.
        added: Vec<String>,
        /// Others.
        refused: Vec<Refused>,
    },
    /// APIs were written.
    Apis {
        /// New ones.
        added: Vec<Tool>,
        /// Others.
        refused: Vec<Refused>,
    },
    /// A user's first words passed the checks.
    Query {
        /// The words.
        text: String,
        /// When they are said.
        time: String,
        /// The APIs that they are about.
        apis: Vec<String>,
    },
    /// A dialogue passed the checks and goes to the tester.
    Drafted {
        /// The dialogue.
        item: Item,
        /// Embedding of what the user says: a byte a number, hexadecimal.
        vector: String,
    },
    /// The tester accepted the dialogue.
    Accepted,
    /// The answer, or the dialogue, was refused.
    Rejected {
        /// Why.
        reasons: Vec<Reason>,
        /// The dialogue, where there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        item: Option<Item>,
        /// The beginning of the answer.
        answer: String,
    },
    /// No answer came: counted apart, and tried again.
    Failed {
        /// What happened and what to do.
        message: String,
    },
}

/// How many answers of one agent passed, and why the others did not.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Yield {
    /// Answers that could be used.
    pub passed: usize,
    /// Answers that could not.
    pub rejected: usize,
    /// Requests without an answer.
    pub failed: usize,
    /// Reasons; an answer may have several, and a good list may hold refused entries.
    pub reasons: BTreeMap<Code, usize>,
}

impl Yield {
    /// Share of answers that could be used; `None` without answers.
    pub fn rate(&self) -> Option<f64> {
        let all = self.passed + self.rejected;
        (all > 0).then(|| self.passed as f64 / all as f64)
    }

    /// Reasons, the most frequent first; equal ones in the order of the codes.
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
                // An answer counts once under each code, however often it errs in the same way.
                let codes: BTreeSet<Code> = reasons.iter().map(|reason| reason.code).collect();
                for code in codes {
                    *self.reasons.entry(code).or_default() += 1;
                }
            }
            Outcome::Failed { .. } => self.failed += 1,
        }
    }
}

/// The figures of a journal: by agent, and for the last three by ability as well.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    /// By agent and, where there is one, ability; in no order.
    pub yields: Vec<(Agent, Option<Ability>, Yield)>,
    /// Domains.
    pub domains: usize,
    /// APIs.
    pub apis: usize,
    /// Accepted dialogues by ability.
    pub accepted: BTreeMap<Ability, usize>,
    /// All requests.
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
        for (_, _, one) in self.yields.iter().filter(|it| it.0 == agent) {
            all.passed += one.passed;
            all.rejected += one.rejected;
            all.failed += one.failed;
            for (code, count) in &one.reasons {
                *all.reasons.entry(*code).or_default() += count;
            }
        }
        all
    }

    /// Accepted dialogues.
    pub fn total(&self) -> usize {
        self.accepted.values().sum()
    }
}

/// A dialogue with its verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// Name of the domain.
    pub domain: String,
    /// The dialogue.
    pub item: Item,
    /// Whose answer was refused and why; `None` for an accepted dialogue.
    pub rejected: Option<(Agent, Vec<Reason>)>,
}

/// Puts drafts and verdicts together, entry by entry; what is finished leaves it.
#[derive(Debug, Clone, Default)]
pub struct Collector {
    domains: Vec<String>,
    apis: BTreeMap<usize, Vec<Tool>>,
    drafts: BTreeMap<usize, Item>,
}

impl Collector {
    /// Takes an entry; gives the dialogue that it finishes.
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
                let judged = item.is_some();
                let item = item.clone()?;
                if judged {
                    self.drafts.remove(&entry.slot?);
                }
                let rejected = Some((entry.agent, reasons.clone()));
                return Some(Finished { domain: domain?, item, rejected });
            }
            Outcome::Query { .. } | Outcome::Failed { .. } => {}
        }
        None
    }

    /// The APIs of a domain by its name.
    pub fn apis(&self, domain: &str) -> &[Tool] {
        let index = self.domains.iter().position(|name| name == domain);
        index.and_then(|index| self.apis.get(&index)).map_or(&[], Vec::as_slice)
    }

    /// Domains with their APIs, in the order in which they were named.
    pub fn domains(&self) -> impl Iterator<Item = (&str, &[Tool])> {
        self.domains.iter().enumerate().map(|(index, name)| {
            (name.as_str(), self.apis.get(&index).map_or(&[][..], Vec::as_slice))
        })
    }
}

/// The set that a journal amounts to. Domains without APIs are left out.
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
