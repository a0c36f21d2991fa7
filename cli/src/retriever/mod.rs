//! `api-bank retriever`: how often retrievers find the tools that a query needs. Also the retriever
//! of a run.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "the engine gets its clock from here"
)]

mod inputs;
mod model;
mod named;
mod shown;

use crate::files::SearchFiles;
use crate::shown::{shown as escaped, tell};
use crate::{FINISHED, output};
use anyhow::Result;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
pub(crate) use named::{Named, is_folder};
use ranking::{Evaluation, Query, Rankings};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// What to evaluate, and on what.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A retriever: builtin, bm25, oracle (the ceiling), random (the floor), or the folder of a
    /// sentence-embedding model with model.onnx and tokenizer.json; can be repeated.
    #[arg(long, value_name = "NAME|DIR", default_values = ["builtin", "bm25"])]
    retriever: Vec<PathBuf>,
    /// A list of tools: pool-by-suite (as API Search searches it), pool, training (the pool among the
    /// APIs of the training set), distractors:2000 (the pool among as many generated tools), or a
    /// file with the tools of OpenAI, MCP's tools/list or an OpenAPI 3 document; can be repeated.
    #[arg(long, value_name = "NAME|FILE", default_values = ["pool-by-suite"])]
    corpus: Vec<String>,
    /// Queries: gold (the keywords of gold searches), paraphrases, held-out, phrases (by API), user
    /// (the user's last words), or a file of JSON lines with id, query and labels, as in ToolRet;
    /// can be repeated.
    #[arg(long, value_name = "NAME|FILE", default_values = ["gold", "paraphrases", "held-out", "phrases", "user"])]
    queries: Vec<String>,
    /// Print the differences to the first retriever.
    #[arg(long)]
    compare: bool,
    /// Print rows by kind of query and domain.
    #[arg(long)]
    groups: bool,
    /// Print this many queries whose tools are not among the first five, for each retriever.
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    misses: usize,
    /// Seed of distractors and random ranks.
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// The folder of the training set, for the corpus training.
    #[arg(long, value_name = "DIR", default_value = "dataset/training")]
    training: PathBuf,
    /// Print JSON; for retrievers with vectors, with a map of the tools on their two principal
    /// components.
    #[arg(long)]
    json: bool,
    /// The folder with model.onnx, vocab.txt and vectors.bin; defaults as for run.
    #[arg(long, value_name = "DIR")]
    search_files: Option<PathBuf>,
}

/// Evaluates every retriever on every corpus, and prints the table.
pub(crate) fn run(arguments: &Arguments) -> Result<u8> {
    let corpora = arguments.corpus.iter().map(|name| inputs::corpus(name, arguments));
    let corpora = corpora.collect::<Result<Vec<_>>>()?;
    let queries: Arc<[Query]> = inputs::queries(&arguments.queries)?.into();
    let mut retrievers = Vec::new();
    for path in &arguments.retriever {
        let files = || SearchFiles::find(arguments.search_files.as_deref())?.encoder();
        retrievers.push(Named::of(path)?.retriever(arguments.seed, files)?);
    }
    let mut runs: Vec<Rankings> = Vec::new();
    for corpus in corpora {
        let corpus = Arc::new(corpus);
        let queries: Arc<[Query]> = inputs::answerable(&queries, &corpus)?;
        for retriever in &retrievers {
            let new = Evaluation::new(retriever.clone(), Arc::clone(&corpus), Arc::clone(&queries));
            runs.push(evaluated(new)?);
        }
    }
    let text = match arguments.json {
        true => shown::as_json(arguments, &runs),
        false => escaped(&shown::as_text(arguments, &runs)),
    };
    output::write(Path::new("-"), &text)?;
    Ok(FINISHED)
}

/// Runs an evaluation with a progress bar.
fn evaluated(evaluation: Evaluation) -> Result<Rankings> {
    let began = Instant::now();
    let bar = std::io::stderr().is_terminal().then(bar);
    let now_ms = || began.elapsed().as_secs_f64() * 1_000.0;
    let run = evaluation.complete(&now_ms, |progress| {
        if let Some(bar) = &bar {
            bar.set_length((progress.tools + progress.queries) as u64);
            bar.set_position((progress.indexed + progress.ranked) as u64);
        }
    })?;
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    tell!(
        "{} on {}: {} tools and {} queries in {:.1} s.",
        run.retriever,
        run.corpus.title,
        run.corpus.tools.len(),
        run.queries.len(),
        now_ms() / 1_000.0
    );
    Ok(run)
}

fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} {eta}");
    let bar = ProgressBar::new(0);
    if let Ok(style) = style { bar.with_style(style) } else { bar }
}
