//! Evaluates retrievers: how often does a search find the tools that a query needs, and what comes
//! before them when it doesn't?
//!
//! A [`Corpus`] is a list of tools, a [`Query`] is a text with the tools that it needs, and an
//! [`Evaluation`] ranks the corpus for every query with a [`Retriever`]. [`Rankings`] hold the ranks;
//! [`rows`] and [`difference`] compute measures with intervals from them.
//!
//! Must not know models under test, samples, verdicts, clocks or files: a clock comes in as a
//! function, files come in as bytes.

mod alike;
mod corpus;
mod distractors;
mod evaluation;
mod found;
mod indexed;
mod measure;
mod openapi;
mod projection;
mod query;
mod report;
mod retriever;
mod tool;
mod tools_json;

pub use alike::{near_duplicates, vectors};
pub use corpus::{Corpus, CorpusError, MOST_TOOLS};
pub use distractors::distractors;
pub use evaluation::{Evaluation, Progress, Ranked, Rankings};
pub use found::ToolsError;
pub use indexed::Indexed;
pub use measure::Measure;
pub use projection::{Projection, projected};
pub use query::{MOST_QUERIES, Query, QueryError, QueryFiles, QueryKind, parse_queries};
pub use report::{GroupMeasures, Mean, Miss, Paired, difference, misses, rows};
pub use retriever::Retriever;
pub use tool::Tool;
pub use tools_json::{parse_own_tools, parse_tools};
