//! The command line of `cargo xtask`.

use std::path::PathBuf;

use clap::{CommandFactory, Parser, Subcommand};

use crate::bench::Part;

/// Builds, serves and tests API-Bank. Whatever a command needs and the machine lacks is installed
/// into the cache: $API_BANK_CACHE, else $XDG_CACHE_HOME/api-bank, else ~/.cache/api-bank.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo xtask")]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Task,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Task {
    /// Build the site and serve it on this machine.
    Serve {
        /// The port; the next free one is taken when it is not free.
        #[arg(long, default_value_t = 8080)]
        port: u16,
        /// Build as for publishing: smaller, faster, and minutes slower to compile.
        #[arg(long)]
        release: bool,
        /// Don't open a browser.
        #[arg(long)]
        no_open: bool,
    },
    /// Build the static site, which works wherever its folder is put.
    Build {
        /// Without link-time optimisation.
        #[arg(long)]
        fast: bool,
        /// The folder to write.
        #[arg(long, default_value = "dist")]
        out: PathBuf,
    },
    /// Check style, lints and documentation, run all tests, the browser's last.
    Test {
        /// Leave the browser tests out.
        #[arg(long)]
        no_browser: bool,
        /// Run a small benchmark on a real language model from the browser, and nothing else.
        #[arg(long, conflicts_with_all = ["no_browser", "filter"])]
        real_model: bool,
        /// Only the tests whose names hold this; style and documentation are not checked then.
        filter: Option<String>,
    },
    /// Measure speed and size beside what a user would take instead, and write the table of
    /// docs/performance.md.
    Bench {
        /// Only these parts; the table keeps what the others gave the last time.
        #[arg(value_enum)]
        parts: Vec<Part>,
        /// A built site; by default `dist`, which is built when it is not there.
        #[arg(long)]
        site: Option<PathBuf>,
    },
    /// Fetch the embedding model of API Search and make the files the site ships.
    Model,
    /// Replay the dialogues of `dataset/` and compare the results with the recorded ones.
    Dataset {
        /// `check` compares, `bless` writes the results into the files.
        #[arg(value_parser = ["check", "bless"])]
        what: String,
        /// Only dialogues whose id contains this.
        filter: Option<String>,
    },
}

/// The command line's grammar, so that documents can be checked against it.
#[must_use]
pub fn grammar() -> clap::Command {
    Arguments::command()
}
