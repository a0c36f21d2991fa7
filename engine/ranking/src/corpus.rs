//! Lists of tools to search.

use crate::distractors::distractors;
use crate::tool::{Tool, tool_text};
use apis::registry;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The most tools in a corpus.
pub const MOST_TOOLS: usize = 20_000;

/// Why a corpus can't be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CorpusError {
    /// A training domain that can't be read.
    #[error(
        "{file}: expected a training domain with apis, each with name and description: {reason}"
    )]
    Training {
        /// The file.
        file: String,
        /// What is wrong.
        reason: String,
    },
    /// More distractors than can be generated.
    #[error("distractors: expected at most {most}, got {asked}")]
    Distractors {
        /// The number that can be generated.
        most: usize,
        /// The number asked for.
        asked: usize,
    },
}

/// A domain of the training set.
#[derive(Deserialize)]
struct Domain {
    domain: String,
    apis: Vec<TrainingApi>,
}

#[derive(Deserialize)]
struct TrainingApi {
    name: String,
    description: String,
}

fn training_error(file: &str, error: &serde_json::Error) -> CorpusError {
    CorpusError::Training { file: file.to_owned(), reason: error.to_string() }
}

/// Tools that are searched together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Corpus {
    /// Its name in tables.
    pub title: String,
    /// The tools, in an order that decides ties.
    pub tools: Vec<Tool>,
}

impl Corpus {
    /// The pool, each query searching its own suite, as API Search does.
    pub fn by_suite() -> Self {
        let tools = registry::all().map(|api| Tool {
            name: api.name.to_owned(),
            texts: api.search_texts(),
            group: api.domain.title().to_owned(),
            suite: Some(api.suite),
        });
        Corpus { title: "pool by suite".to_owned(), tools: tools.collect() }
    }

    /// The pool as one list. APIs of both suites that share a name are one tool.
    pub fn pool() -> Self {
        let mut tools: Vec<Tool> = Vec::new();
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        for api in registry::all() {
            if let Some(tool) = places.get(api.name).and_then(|place| tools.get_mut(*place)) {
                let new = api.search_texts().into_iter();
                let new: Vec<String> = new.filter(|text| !tool.texts.contains(text)).collect();
                tool.texts.extend(new);
                continue;
            }
            places.insert(api.name, tools.len());
            tools.push(Tool {
                name: api.name.to_owned(),
                texts: api.search_texts(),
                group: api.domain.title().to_owned(),
                suite: None,
            });
        }
        Corpus { title: "pool".to_owned(), tools }
    }

    /// The pool among the APIs of training domains, given as file name and content of
    /// `dataset/training/domains/*.json`. A training API that shares its name with the pool or an
    /// earlier one is left out.
    ///
    /// # Errors
    /// When a file is not a training domain.
    pub fn with_training<'a>(
        files: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, CorpusError> {
        let mut domains = Vec::new();
        for (file, text) in files {
            let domain =
                serde_json::from_str(text).map_err(|error| training_error(file, &error))?;
            domains.push(domain);
        }
        Ok(Self::with_domains(domains))
    }

    /// The pool among the APIs of a list of training domains, as the site has it.
    ///
    /// # Errors
    /// When the text is not such a list.
    pub fn with_training_list(file: &str, text: &str) -> Result<Self, CorpusError> {
        let domains = serde_json::from_str(text).map_err(|error| training_error(file, &error))?;
        Ok(Self::with_domains(domains))
    }

    fn with_domains(domains: Vec<Domain>) -> Self {
        let mut corpus = Corpus { title: "pool + training".to_owned(), ..Self::pool() };
        let mut taken = corpus.names();
        for Domain { domain, apis } in domains {
            for TrainingApi { name, description } in apis {
                if taken.insert(name.clone()) {
                    let texts = vec![tool_text(&name, &description)];
                    let group = domain.clone();
                    corpus.tools.push(Tool { name, texts, group, suite: None });
                }
            }
        }
        corpus
    }

    /// The pool among `count` generated distractors; the same seed gives the same ones.
    ///
    /// # Errors
    /// When there are not that many.
    pub fn with_distractors(count: usize, seed: u32) -> Result<Self, CorpusError> {
        let pool = Self::pool();
        let added = distractors(seed, &pool.names());
        if count > added.len() {
            return Err(CorpusError::Distractors { most: added.len(), asked: count });
        }
        let tools = pool.tools.into_iter().chain(added.into_iter().take(count)).collect();
        Ok(Corpus { title: format!("pool + {count} distractors"), tools })
    }

    /// The tools' names.
    pub fn names(&self) -> BTreeSet<String> {
        self.tools.iter().map(|tool| tool.name.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pool_is_whole() {
        assert_eq!(Corpus::by_suite().tools.len(), registry::all().count());
        let pool = Corpus::pool();
        assert_eq!(pool.names().len(), pool.tools.len());
        let names: BTreeSet<String> = registry::all().map(|api| api.name.to_owned()).collect();
        assert_eq!(pool.names(), names);
    }

    #[test]
    fn distractors_are_seeded_unique_and_not_in_the_pool() {
        let corpus = Corpus::with_distractors(2_000, 1).unwrap();
        assert_eq!(corpus.names().len(), Corpus::pool().tools.len() + 2_000);
        let texts: BTreeSet<&String> = corpus.tools.iter().flat_map(|tool| &tool.texts).collect();
        assert_eq!(texts.len(), corpus.tools.iter().map(|tool| tool.texts.len()).sum::<usize>());
        assert_eq!(Corpus::with_distractors(2_000, 1), Ok(corpus.clone()));
        assert_ne!(Corpus::with_distractors(2_000, 2), Ok(corpus));
        let error = Corpus::with_distractors(1_000_000, 1).unwrap_err().to_string();
        assert!(error.contains("at most"), "{error}");
    }

    #[test]
    fn training_domains_add_their_apis() {
        let file = r#"{"domain": "Ice rink", "apis": [
            {"name": "RinkHours", "description": "Opening hours."},
            {"name": "AddAlarm", "description": "Has the name of an API of the pool."}]}"#;
        let corpus = Corpus::with_training([("ice-rink.json", file)]).unwrap();
        let last = corpus.tools.last().unwrap();
        assert_eq!((last.name.as_str(), last.group.as_str()), ("RinkHours", "Ice rink"));
        assert_eq!(last.texts, ["rink hours. Opening hours."]);
        assert_eq!(corpus.tools.len(), Corpus::pool().tools.len() + 1);
        assert_eq!(Corpus::with_training_list("list", &format!("[{file}]")), Ok(corpus));
        let error = Corpus::with_training([("x.json", "{}")]).unwrap_err().to_string();
        assert!(error.starts_with("x.json: expected"), "{error}");
    }
}
