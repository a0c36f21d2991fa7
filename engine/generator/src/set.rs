//! A training set on disk: a file a domain, rejected dialogues beside.
//!
//! `domains/<domain>.json` holds the domain's APIs and accepted dialogues, `rejected/<domain>.json`
//! what was refused and why. `dataset/training/README.md` describes the shapes for people.

use super::checks::{self, BOUNDS, Embed, Neighbours, coded};
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
    /// Name for people: `Ferry travel`.
    pub domain: String,
    /// Its APIs.
    pub apis: Vec<Tool>,
    /// Its dialogues.
    pub dialogues: Vec<Item>,
}

/// The refused dialogues of a domain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RejectedFile {
    /// Name of the domain, whose APIs are meant.
    pub domain: String,
    /// What was refused.
    pub rejected: Vec<Rejected>,
}

/// A refused dialogue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rejected {
    /// Whose answer was refused: the query, the calls, or by the tester.
    pub agent: Agent,
    /// Why.
    pub reasons: Vec<Reason>,
    /// The dialogue.
    pub dialogue: Item,
}

/// A whole set.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TrainingSet {
    /// Domains, with the names of their files.
    pub domains: BTreeMap<String, Domain>,
    /// Refused dialogues, with the names of their files.
    pub rejected: BTreeMap<String, RejectedFile>,
}

/// A name in lower case with dashes.
pub fn slug(name: &str) -> String {
    let name = name.to_lowercase();
    let words: Vec<&str> =
        name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.join("-")
}

/// Why a set cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SetError {
    /// A file has another shape.
    #[error("{file}: {field}: {reason}")]
    Shape {
        /// The file.
        file: String,
        /// The field in it, `dialogues[2].turns[0].text`.
        field: String,
        /// What was expected.
        reason: String,
    },
    /// A file stands where none is expected.
    #[error("{file}: expected domains/<domain>.json or rejected/<domain>.json")]
    UnknownFile {
        /// The file.
        file: String,
    },
}

/// Something wrong with a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The file.
    pub file: String,
    /// The dialogue or API.
    pub name: String,
    /// What is wrong.
    pub reason: Reason,
}

impl TrainingSet {
    /// Reads a set from paths below its folder, and texts.
    ///
    /// # Errors
    /// The first file that is of another shape, with the field.
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
        // Texts and numbers that were read can always be written.
        domains
            .chain(rejected)
            .map(|(path, text)| (path.clone(), text.unwrap_or_default() + "\n"))
            .collect()
    }

    /// A set of domains, a file each.
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

    /// Accepted dialogues with their domain.
    pub fn items(&self) -> impl Iterator<Item = (&Domain, &Item)> {
        self.domains.values().flat_map(|it| it.dialogues.iter().map(move |item| (it, item)))
    }

    /// Everything that the checks find. `evaluation` holds what no dialogue may come near.
    ///
    /// # Errors
    /// When the embedding model fails.
    pub fn check(
        &self,
        evaluation: &Neighbours,
        embed: &impl Embed,
    ) -> Result<Vec<Finding>, String> {
        let mut findings = self.names();
        let mut seen = Neighbours::default();
        for (file, domain) in &self.domains {
            for item in &domain.dialogues {
                let mut reasons = checks::item(item, &domain.apis);
                reasons.extend(checks::searches(item, &domain.apis, embed)?);
                let text = item.user_text();
                let vector = embed.embed(&text)?;
                let own = (Code::NearDuplicate, Code::SimilarMeaning);
                let foreign = (Code::ContaminatedWords, Code::ContaminatedMeaning);
                reasons.extend(seen.check(&text, &vector, BOUNDS.0, own));
                reasons.extend(evaluation.check(&text, &vector, BOUNDS.1, foreign));
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
        Ok(findings)
    }

    fn tools_of(&self, domain: &str) -> &[Tool] {
        self.domains.values().find(|it| it.domain == domain).map_or(&[], |it| &it.apis)
    }

    /// Names that are wrong or stand twice.
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
            let rejected = self.rejected.values().filter(|it| it.domain == domain.domain);
            let refused = rejected.flat_map(|it| it.rejected.iter().map(|it| &it.dialogue.id));
            for id in domain.dialogues.iter().map(|item| &item.id).chain(refused) {
                let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
                if !id.bytes().all(plain) || id.is_empty() || !ids.insert(id.clone()) {
                    let detail = "expected a name in lower case with dashes that stands once";
                    findings.extend(found(file, id, vec![Reason::new(Code::BadName, detail)]));
                }
            }
        }
        findings
    }
}

/// What speaks against a rejection: static checks have to give the codes that it names, and
/// have to be content with what only the tester refused.
fn wrongly_rejected(
    rejected: &Rejected,
    tools: &[Tool],
    seen: &Neighbours,
    evaluation: &Neighbours,
    embed: &impl Embed,
) -> Result<Vec<Reason>, String> {
    let item = &rejected.dialogue;
    let mut made = checks::item(item, tools);
    made.extend(checks::searches(item, tools, embed)?);
    let text = item.user_text();
    let vector = embed.embed(&text)?;
    let own = (Code::NearDuplicate, Code::SimilarMeaning);
    let foreign = (Code::ContaminatedWords, Code::ContaminatedMeaning);
    made.extend(seen.check(&text, &vector, BOUNDS.0, own));
    made.extend(evaluation.check(&text, &vector, BOUNDS.1, foreign));
    let mut wrong = Vec::new();
    if rejected.reasons.is_empty() {
        wrong.push(Reason::new(Code::WrongShape, "a rejection needs a reason"));
    }
    for reason in &rejected.reasons {
        let principle = Code::PRINCIPLES.contains(&reason.code);
        if principle != (rejected.agent == Agent::Tester) {
            let detail =
                format!("{} is no reason of {}", reason.code.as_str(), rejected.agent.as_str());
            wrong.push(Reason::new(reason.code, detail));
        } else if !principle && !made.iter().any(|it| it.code == reason.code) {
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
