//! A tool of a corpus.

use apis::Suite;
use apis::describe::split_name;
use serde::{Deserialize, Serialize};

/// The most characters of a description that are read; encoders read a few hundred words.
const MOST_CHARACTERS: usize = 4_000;

/// A tool that can be found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    /// The name that a query's relevant tools refer to; unique in a corpus, except that the suites
    /// of a pool searched by suite may share one.
    pub name: String,
    /// What a retriever reads; the nearest text counts.
    pub texts: Vec<String>,
    /// The domain or origin.
    pub group: String,
    /// The suite, in a pool that is searched by suite.
    pub suite: Option<Suite>,
}

/// What a retriever reads of a tool: the words of its name, then its description.
pub(crate) fn tool_text(name: &str, description: &str) -> String {
    let name: String = name.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    let words: Vec<String> = name.split_whitespace().map(split_name).collect();
    let description: String = description.chars().take(MOST_CHARACTERS).collect();
    let text = format!("{}. {}", words.join(" "), description.trim());
    text.trim().to_owned()
}
