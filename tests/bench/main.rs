//! The parts of `cargo xtask bench` that need a browser or an endpoint.
//!
//! `cargo bench -p browser-tests --bench site -- visit|browser|scale|load --out FILE`, as `cargo xtask
//! bench` calls it. Needs `API_BANK_DIST` (the built site); takes the peer's files from
//! `API_BANK_BENCH_PEER`, the published model from `API_BANK_BENCH_ONNX` and the command line from
//! `API_BANK_BENCH_PROGRAM`. Slow results are not errors here: the report judges the figures.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a test has a clock; the engine has none"
)]

#[path = "../e2e/browser.rs"]
#[expect(dead_code, reason = "the tests need more of the browser than the bench")]
mod browser;
#[path = "../e2e/wait.rs"]
#[expect(dead_code, reason = "the tests wait for more")]
mod wait;

mod load;
mod numbers;
mod page;
mod scale;
mod stage;
mod workers;

use std::path::PathBuf;

use anyhow::Result;
use clap::{Parser, ValueEnum};
use xtask::bench::Figures;

/// Measures the built site.
#[derive(Debug, Parser)]
struct Arguments {
    /// What to measure.
    #[arg(value_enum)]
    part: Part,
    /// The file to write the figures to.
    #[arg(long)]
    out: PathBuf,
    /// Given by `cargo bench`.
    #[arg(long, hide = true)]
    bench: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Part {
    /// Lists the files of a first visit, for `cargo xtask bench sizes`.
    Visit,
    /// Search, start, runs and the results page in Chromium.
    Browser,
    /// The last of these alone: the results page with a large record.
    Scale,
    /// Runs against an endpoint.
    Load,
}

#[tokio::main]
async fn main() -> Result<()> {
    let Arguments { part, out, .. } = Arguments::parse();
    let mut figures = Figures::default();
    match part {
        Part::Visit => std::fs::write(out, serde_json::to_string(&page::visit().await?)?)?,
        Part::Browser => {
            workers::measure(&mut figures).await?;
            // Save the figures so far, in case a later step fails.
            figures.write(&out)?;
            page::measure(&mut figures).await?;
            figures.write(&out)?;
            scale::measure(&mut figures).await?;
            figures.write(&out)?;
        }
        Part::Scale => {
            scale::measure(&mut figures).await?;
            figures.write(&out)?;
        }
        Part::Load => {
            load::measure(&mut figures).await?;
            figures.write(&out)?;
        }
    }
    Ok(())
}
