//! A training set on disk: one file per domain, and one per domain for rejected dialogues.
//!
//! `domains/<domain>.json` holds the domain's APIs and accepted dialogues, `rejected/<domain>.json`
//! rejected dialogues with the reasons. `dataset/training/README.md` documents both shapes.

use super::checks::{self, Embed, EmbedError, Neighbour, Neighbours, coded};
use super::{Agent, Code, Item, Reason, Tool};
use apis::registry;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// A domain with its APIs and accepted dialogues.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Domain {
    /// Display name: `Ferry travel`.
    pub domain: String,
    /// All APIs that its dialogues use.
    pub apis: Vec<Tool>,
    /// Accepted dialogues.
    pub dialogues: Vec<Item>,
}

/// The rejected dialogues of a domain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RejectedFile {
    /// Name of the domain whose APIs the dialogues use.
    pub domain: String,
    /// Rejected dialogues.
    pub rejected: Vec<Rejected>,
}

/// A rejected dialogue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rejected {
    /// The agent whose answer was rejected, or the tester that rejected the dialogue.
    pub agent: Agent,
    /// At least one.
    pub reasons: Vec<Reason>,
    /// The dialogue as it was rejected.
    pub dialogue: Item,
}

/// A training set.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TrainingSet {
    /// Domains by path below the set's folder.
    pub domains: BTreeMap<String, Domain>,
    /// Rejected dialogues by path below the set's folder.
    pub rejected: BTreeMap<String, RejectedFile>,
}

/// A name in lower case, its words joined by dashes; empty without an ASCII letter or digit.
pub fn slug(name: &str) -> String {
    let name = name.to_lowercase();
    let words: Vec<&str> =
        name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.join("-")
}

/// Why a set cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SetError {
    /// A file does not have the documented shape.
    #[error("{file}: {field}: {reason}")]
    Shape {
        /// The file.
        file: String,
        /// Path of the field: `dialogues[2].turns[0].text`.
        field: String,
        /// What was expected.
        reason: String,
    },
    /// A file is in neither folder.
    #[error("{file}: expected domains/<domain>.json or rejected/<domain>.json")]
    UnknownFile {
        /// The file.
        file: String,
    },
}

/// A problem in a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The file.
    pub file: String,
    /// The domain, API or dialogue.
    pub name: String,
    /// The problem.
    pub reason: Reason,
}

impl TrainingSet {
    /// Reads a set from its files: paths below its folder, and texts.
    ///
    /// # Errors
    /// The first file with another shape, with the field.
    pub fn read<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, SetError> {
        let mut set = TrainingSet::default();
        for (path, text) in files {
            let name = path.to_owned();
            match path.split_once('/') {
                Some(("domains", _)) => {
                    set.domains.insert(name, parse(path, text)?);
                }
                Some(("rejected", _)) => {
                    set.rejected.insert(name, parse(path, text)?);
                }
                _ => return Err(SetError::UnknownFile { file: name }),
            }
        }
        Ok(set)
    }

    /// The files of the set: paths below its folder, and texts.
    pub fn files(&self) -> Vec<(String, String)> {
        let domains =
            self.domains.iter().map(|(path, it)| (path, serde_json::to_string_pretty(it)));
        let rejected =
            self.rejected.iter().map(|(path, it)| (path, serde_json::to_string_pretty(it)));
        // Serializing strings and finite numbers can't fail.
        domains
            .chain(rejected)
            .map(|(path, text)| (path.clone(), text.unwrap_or_default() + "\n"))
            .collect()
    }

    /// A set with one file per domain.
    pub fn of(domains: impl IntoIterator<Item = Domain>) -> Self {
        let mut set = TrainingSet::default();
        for domain in domains {
            let mut path = format!("domains/{}.json", slug(&domain.domain));
            while set.domains.contains_key(&path) {
                path.insert_str("domains/".len(), "another-");
            }
            set.domains.insert(path, domain);
        }
        set
    }

    /// Accepted dialogues with their domains.
    pub fn items(&self) -> impl Iterator<Item = (&Domain, &Item)> {
        self.domains.values().flat_map(|it| it.dialogues.iter().map(move |item| (it, item)))
    }

    /// The set with its rejected dialogues accepted, as if nothing had been checked.
    #[must_use]
    pub fn with_rejected(mut self) -> Self {
        for refused in std::mem::take(&mut self.rejected).into_values() {
            let of = self.domains.values_mut().find(|domain| domain.domain == refused.domain);
            if let Some(domain) = of {
                domain.dialogues.extend(refused.rejected.into_iter().map(|it| it.dialogue));
            }
        }
        self
    }

    /// Runs all checks. `evaluation` indexes the dialogues that no dialogue may resemble.
    ///
    /// # Errors
    /// When the embedding model fails.
    pub fn check(
        &self,
        evaluation: &Neighbours,
        embed: &impl Embed,
    ) -> Result<Checked, EmbedError> {
        let mut findings = self.names();
        let mut closest = Closest::default();
        let mut seen = Neighbours::default();
        for (file, domain) in &self.domains {
            for item in &domain.dialogues {
                let mut reasons = checks::item(item, &domain.apis);
                reasons.extend(checks::searches(item, &domain.apis, embed)?);
                let text = item.user_text();
                let vector = embed.embed(&text)?;
                reasons.extend(seen.duplicates(&text, &vector));
                reasons.extend(evaluation.contaminations(&text, &vector));
                closest.compare(&item.id, evaluation, &text, &vector);
                seen.add(&item.id, &text, coded(&vector));
                findings.extend(found(file, &item.id, reasons));
            }
        }
        for (file, refused) in &self.rejected {
            let tools = self.tools_of(&refused.domain);
            for rejected in &refused.rejected {
                let reasons = wrongly_rejected(rejected, tools, &seen, evaluation, embed)?;
                findings.extend(found(file, &rejected.dialogue.id, reasons));
            }
        }
        Ok(Checked { findings, closest })
    }

    fn tools_of(&self, domain: &str) -> &[Tool] {
        self.domains.values().find(|file| file.domain == domain).map_or(&[], |it| &it.apis)
    }

    /// Checks the names of domains, APIs and dialogues: malformed or duplicate ones.
    fn names(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut domains = BTreeSet::new();
        let mut apis = BTreeSet::new();
        let mut ids = BTreeSet::new();
        for (file, domain) in &self.domains {
            if !domains.insert(domain.domain.to_lowercase()) {
                let reason = Reason::new(Code::DuplicateDomain, "another file has this domain");
                findings.extend(found(file, &domain.domain, vec![reason]));
            }
            for tool in &domain.apis {
                let mut reasons = checks::tool(tool);
                if registry::all().any(|api| api.name == tool.name) {
                    reasons.push(Reason::new(Code::PoolApi, "the evaluation pool has this API"));
                }
                if !apis.insert(tool.name.to_lowercase()) {
                    reasons.push(Reason::new(Code::DuplicateApi, "the set has this API twice"));
                }
                findings.extend(found(file, &tool.name, reasons));
            }
            let rejected = self.rejected.values().filter(|file| file.domain == domain.domain);
            let refused = rejected.flat_map(|file| file.rejected.iter().map(|it| &it.dialogue.id));
            for id in domain.dialogues.iter().map(|item| &item.id).chain(refused) {
                let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
                if !id.bytes().all(plain) || id.is_empty() || !ids.insert(id.clone()) {
                    let detail = "expected a unique name of lower-case letters, digits and dashes";
                    findings.extend(found(file, id, vec![Reason::new(Code::BadName, detail)]));
                }
            }
        }
        findings
    }
}

/// The result of [`TrainingSet::check`].
#[derive(Debug, Clone, Default)]
pub struct Checked {
    /// What is wrong with the set.
    pub findings: Vec<Finding>,
    /// How near the accepted dialogues come to the evaluation set.
    pub closest: Closest,
}

/// The dialogues of a set that are most similar to a dialogue of the evaluation set.
#[derive(Debug, Clone, Default)]
pub struct Closest {
    /// The id and its neighbour with the largest share of common phrases.
    pub phrases: Option<(String, Neighbour)>,
    /// The id and its neighbour with the largest cosine.
    pub meaning: Option<(String, Neighbour)>,
}

impl Closest {
    fn compare(&mut self, id: &str, evaluation: &Neighbours, text: &str, vector: &[f32]) {
        let near = evaluation.nearest_phrases(text);
        let nearer = |near: &Neighbour| {
            self.phrases.as_ref().is_none_or(|(_, known)| near.phrases > known.phrases)
        };
        if let Some(near) = near.filter(nearer) {
            self.phrases = Some((id.to_owned(), near));
        }
        let near = evaluation.nearest_meaning(vector);
        let nearer = |near: &Neighbour| {
            self.meaning.as_ref().is_none_or(|(_, known)| near.cosine > known.cosine)
        };
        if let Some(near) = near.filter(nearer) {
            self.meaning = Some((id.to_owned(), near));
        }
    }
}

/// Checks a rejection: the checks must reproduce its codes, and must pass a dialogue that the
/// tester rejected.
fn wrongly_rejected(
    rejected: &Rejected,
    tools: &[Tool],
    seen: &Neighbours,
    evaluation: &Neighbours,
    embed: &impl Embed,
) -> Result<Vec<Reason>, EmbedError> {
    let item = &rejected.dialogue;
    let mut made = checks::item(item, tools);
    made.extend(checks::searches(item, tools, embed)?);
    let text = item.user_text();
    let vector = embed.embed(&text)?;
    made.extend(seen.duplicates(&text, &vector));
    made.extend(evaluation.contaminations(&text, &vector));
    let mut wrong = Vec::new();
    if rejected.reasons.is_empty() {
        wrong.push(Reason::new(Code::WrongShape, "a rejection needs a reason"));
    }
    for reason in &rejected.reasons {
        let principle = Code::PRINCIPLES.contains(&reason.code);
        if principle != (rejected.agent == Agent::Tester) {
            let detail =
                format!("agent {} can't give {}", rejected.agent.as_str(), reason.code.as_str());
            wrong.push(Reason::new(reason.code, detail));
        } else if !principle && !made.iter().any(|made| made.code == reason.code) {
            wrong.push(Reason::new(reason.code, "the checks do not find this in the dialogue"));
        }
    }
    if rejected.agent == Agent::Tester {
        wrong.extend(made);
    }
    Ok(wrong)
}

fn found<'a>(
    file: &'a str,
    name: &'a str,
    reasons: Vec<Reason>,
) -> impl Iterator<Item = Finding> + use<'a> {
    let finding = |reason| Finding { file: file.to_owned(), name: name.to_owned(), reason };
    reasons.into_iter().map(finding)
}

fn parse<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, SetError> {
    let mut json = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| SetError::Shape {
        file: file.to_owned(),
        field: error.path().to_string(),
        reason: error.inner().to_string(),
    })?;
    json.end().map_err(|error| SetError::Shape {
        file: file.to_owned(),
        field: "end".to_owned(),
        reason: error.to_string(),
    })?;
    Ok(value)
}
