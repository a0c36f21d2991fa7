//! The original's data from a folder, and API Search over its own texts.

use crate::files::SearchFiles;
use anyhow::{Context, Result, bail};
use apis::search::ApiSearch;
use apis::{Suite, registry};
use dataset::import::{Origin, Original, PoolTool, import, released_vector, spaced_name};
use engine::retrieval::{Encoder, Entry, Hit, Index, RetrievalError, Search};
use engine::scoring::original::{self, Pools, Tool, ToolRanker};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Folders below this depth are not looked into.
const MAX_DEPTH: usize = 8;
/// Larger files are no part of a pack: the largest of the original has 2.5 MB.
const MAX_BYTES: u64 = 64 << 20;

/// Reads a pack; says on standard error what is missing or damaged.
pub(crate) fn load(folder: &Path) -> Result<Original> {
    let mut paths = Vec::new();
    collect(folder, 0, &mut paths)?;
    let mut files = Vec::with_capacity(paths.len());
    for path in &paths {
        match fs::read_to_string(path) {
            Ok(text) => files.push((path.to_string_lossy().into_owned(), text)),
            Err(error) => eprintln!("{}: {error}", path.display()),
        }
    }
    let (original, report) =
        import(files.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    for problem in &report.problems {
        eprintln!("{problem}");
    }
    if report.is_empty() {
        bail!(
            "{} holds no part of API-Bank: expected lv1-lv2-samples, init_database or test-data",
            folder.display()
        );
    }
    for missing in &report.missing {
        eprintln!("Missing in the pack: {missing}");
    }
    Ok(original)
}

/// JSON and JSONL files below a folder, hidden ones aside.
fn collect(folder: &Path, depth: usize, paths: &mut Vec<PathBuf>) -> Result<()> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("can't list {}", folder.display()))?;
    for entry in entries {
        let path = entry.with_context(|| format!("can't list {}", folder.display()))?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.')) {
            continue;
        }
        let Ok(metadata) = fs::metadata(&path) else { continue };
        if metadata.is_dir() {
            if depth < MAX_DEPTH {
                collect(&path, depth + 1, paths)?;
            }
        } else if path.extension().is_some_and(|end| end == "json" || end == "jsonl")
            && metadata.len() <= MAX_BYTES
        {
            paths.push(path);
        }
    }
    Ok(())
}

/// The tools of a suite as the evaluator describes them, as far as the pack shows. Others have
/// the project's own description in the same form: what the original finds of them is then not
/// what a dialogue recorded, as it is with the reworded descriptions there.
fn tools(original: &Original, suite: Suite) -> Vec<PoolTool> {
    let described = original.pools.get(&suite);
    registry::all()
        .filter(|api| api.suite == suite)
        .map(|api| {
            let known = described.and_then(|pool| pool.get(api.name));
            known.filter(|tool| tool.origin > Origin::Outdated).cloned().unwrap_or_else(|| {
                let json = api.prompt_json();
                PoolTool {
                    name: api.name.to_owned(),
                    search_text: spaced_name(api.name) + api.description,
                    input_parameters: json["input_parameters"].clone(),
                    output_parameters: json["output_parameters"].clone(),
                    origin: Origin::Outdated,
                }
            })
        })
        .collect()
}

/// The pools as the `original` profile takes them.
pub(crate) fn pools(original: &Original) -> Pools {
    let suite = |suite| {
        let tool = |tool: PoolTool| Tool {
            name: tool.name,
            search_text: tool.search_text,
            input_parameters: tool.input_parameters,
            output_parameters: tool.output_parameters,
        };
        tools(original, suite).into_iter().map(tool).collect()
    };
    Pools { dialogue: suite(Suite::Dialogue), planning: suite(Suite::Planning) }
}

/// API Search over a pack's texts. The vectors of a suite are made when it is first searched:
/// most predictions search in one, or not at all.
pub(crate) struct PackSearch {
    files: SearchFiles,
    tools: BTreeMap<Suite, Vec<PoolTool>>,
    searches: Mutex<BTreeMap<Suite, Search>>,
}

impl PackSearch {
    /// A search over a pack's texts. Whether the model is there is found out now, not later.
    pub(crate) fn new(original: &Original, files: SearchFiles) -> Self {
        let tools = [Suite::Dialogue, Suite::Planning].map(|suite| (suite, tools(original, suite)));
        PackSearch { files, tools: tools.into(), searches: Mutex::default() }
    }

    /// The best `k` tools of a suite for a query, as it stands.
    pub(crate) fn rank(&self, suite: Suite, query: &str, k: usize) -> Result<Vec<Hit>> {
        // A panic while the lock was held can only have lost a cache entry.
        let mut searches = self.searches.lock().unwrap_or_else(PoisonError::into_inner);
        let search = match searches.entry(suite) {
            std::collections::btree_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::btree_map::Entry::Vacant(free) => {
                let encoder = self.files.encoder()?;
                let index = self.index(suite, &encoder).with_context(|| self.files.damaged())?;
                free.insert(Search::new(encoder, index).with_context(|| self.files.damaged())?)
            }
        };
        Ok(search.search(suite.as_str(), query, k)?)
    }

    /// The vectors of a suite: of the pack's own pool where it has one, else those of the
    /// evaluator's texts, which come with the program.
    fn index(&self, suite: Suite, encoder: &Encoder) -> Result<Index, RetrievalError> {
        let tools: Vec<&PoolTool> = self.tools.get(&suite).into_iter().flatten().collect();
        let entry = |tool: &&PoolTool| {
            let released = match tool.origin {
                Origin::Pool => None,
                _ => released_vector(suite, &tool.name),
            };
            Ok(Entry {
                suite: suite.as_str().to_owned(),
                name: tool.name.clone(),
                vector: match released {
                    Some(vector) => vector,
                    None => encoder.encode(&tool.search_text)?,
                },
            })
        };
        let texts =
            tools.iter().map(|it| (suite.as_str(), it.name.as_str(), it.search_text.as_str()));
        Ok(Index {
            digest: encoder.digest().to_owned(),
            texts_digest: Index::digest_texts(texts),
            entries: tools.iter().map(entry).collect::<Result<_, _>>()?,
        })
    }
}

impl ApiSearch for PackSearch {
    fn best(&self, suite: Suite, keywords: &str) -> Result<Option<String>, String> {
        // Level 3 of the original searches with a space before every capital.
        let query =
            if suite == Suite::Planning { spaced_capitals(keywords) } else { keywords.to_owned() };
        let hits = self.rank(suite, &query, 1).map_err(|error| format!("{error:#}"))?;
        Ok(hits.into_iter().next().map(|hit| hit.name))
    }
}

impl ToolRanker for PackSearch {
    fn best(&self, suite: original::Suite, query: &str) -> Option<String> {
        let suite = match suite {
            original::Suite::Dialogue => Suite::Dialogue,
            original::Suite::Planning => Suite::Planning,
        };
        match self.rank(suite, query, 1) {
            Ok(hits) => hits.into_iter().next().map(|hit| hit.name),
            Err(error) => {
                eprintln!("API Search: {error:#}");
                None
            }
        }
    }
}

fn spaced_capitals(keywords: &str) -> String {
    let mut out = String::with_capacity(keywords.len() + 8);
    for letter in keywords.chars() {
        if letter.is_ascii_uppercase() {
            out.push(' ');
        }
        out.push(letter);
    }
    out.trim_start().to_owned()
}
