//! The original's data from a folder, and API Search over its own texts.

use crate::files::SearchFiles;
use anyhow::{Context, Result, bail};
use apis::search::ApiSearch;
use apis::{Suite, registry};
use dataset::import::{Original, PoolTool, import, spaced_name};
use engine::retrieval::{Encoder, Hit, Index, RetrievalError, Search};
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

/// The tools of a suite with the pack's texts; an API that the pack describes nowhere has the
/// project's own description, in the same form.
fn tools(original: &Original, suite: Suite) -> Vec<PoolTool> {
    let described = original.pools.get(&suite);
    registry::all()
        .filter(|api| api.suite == suite)
        .map(|api| {
            described.and_then(|pool| pool.get(api.name)).cloned().unwrap_or_else(|| {
                let json = api.prompt_json();
                PoolTool {
                    name: api.name.to_owned(),
                    search_text: spaced_name(api.name) + api.description,
                    input_parameters: json["input_parameters"].clone(),
                    output_parameters: json["output_parameters"].clone(),
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
    texts: BTreeMap<Suite, Vec<(String, String)>>,
    searches: Mutex<BTreeMap<Suite, Search>>,
}

impl PackSearch {
    /// A search over a pack's texts. Whether the model is there is found out now, not later.
    pub(crate) fn new(original: &Original, files: SearchFiles) -> Self {
        let texts = [Suite::Dialogue, Suite::Planning].map(|suite| {
            let pairs = tools(original, suite).into_iter().map(|it| (it.name, it.search_text));
            (suite, pairs.collect())
        });
        PackSearch { files, texts: texts.into(), searches: Mutex::default() }
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

    fn index(&self, suite: Suite, encoder: &Encoder) -> Result<Index, RetrievalError> {
        let texts = self.texts.get(&suite).into_iter().flatten();
        Index::build(
            encoder,
            texts.map(|(name, text)| (suite.as_str(), name.as_str(), text.as_str())),
        )
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
