//! The command line of `cargo xtask`.

use std::path::PathBuf;

use clap::{CommandFactory, Parser, Subcommand};

use crate::bench::Part;

/// Builds, serves and tests API-Bank. Missing tools are installed into the cache: $API_BANK_CACHE, else $XDG_CACHE_HOME/api-bank, else ~/.cache/api-bank.
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
        /// The port; if it is taken, the next free one.
        #[arg(long, default_value_t = 8080)]
        port: u16,
        /// Build for publishing: smaller and faster, but compiles minutes longer.
        #[arg(long)]
        release: bool,
        /// Don't open a browser.
        #[arg(long)]
        no_open: bool,
    },
    /// Build the static site; its folder works on any host, under any path.
    Build {
        /// Skip link-time optimization.
        #[arg(long)]
        fast: bool,
        /// The folder to write.
        #[arg(long, default_value = "dist")]
        out: PathBuf,
        /// Don't compare sizes with their budgets.
        #[arg(long)]
        any_size: bool,
        /// Run as Trunk's hook (Trunk.toml): take folder and profile from its environment.
        #[arg(long, conflicts_with_all = ["fast", "out"])]
        trunk: bool,
    },
    /// Write the files of a release: archives of the site and the command line, wheels, npm
    /// packages, and checksums.
    Package {
        /// The built site.
        #[arg(long, default_value = "dist")]
        site: PathBuf,
        /// A folder with a folder for each target, with the compiled `api-bank`; without it, only
        /// the site is packed.
        #[arg(long)]
        binaries: Option<PathBuf>,
        /// The repository on GitHub that wheels and npm packages link.
        #[arg(long, value_name = "OWNER/NAME")]
        repository: Option<String>,
        /// The folder to write; it must be empty or missing.
        #[arg(long, default_value = "target/release-files")]
        out: PathBuf,
    },
    /// Check formatting, lints and documentation, then run all tests, browser tests last.
    Test {
        /// Skip the browser tests.
        #[arg(long)]
        no_browser: bool,
        /// Run a small benchmark on a real language model from the browser, and nothing else.
        #[arg(long, conflicts_with_all = ["no_browser", "filter"])]
        real_model: bool,
        /// Test the fine-tuning scripts in training/, and nothing else. Installs PyTorch: 6 GB.
        #[arg(long, conflicts_with_all = ["no_browser", "filter", "real_model"])]
        training: bool,
        /// Run only tests whose names contain this, and skip formatting, lints and documentation.
        filter: Option<String>,
    },
    /// Benchmark against the obvious alternatives and update docs/performance.md.
    Bench {
        /// Measure only these parts; the table keeps the others' last figures.
        #[arg(value_enum)]
        parts: Vec<Part>,
        /// A built site; by default one is built as it is published.
        #[arg(long)]
        site: Option<PathBuf>,
    },
    /// Fetch the embedding model of API Search and convert it for the site.
    Model,
    /// Write the scaffold of an API or a dialogue. Tests refuse it until every TODO is replaced.
    New {
        /// What to write.
        #[command(subcommand)]
        what: New,
    },
    /// Replay the dialogues of `dataset/` and compare the results with the recorded ones.
    Dataset {
        /// `check` compares, `bless` writes the results into the files.
        #[arg(value_parser = ["check", "bless"])]
        what: String,
        /// Process only dialogues whose id contains this.
        filter: Option<String>,
    },
}

/// What `new` writes.
#[derive(Debug, Subcommand)]
pub enum New {
    /// An API's file in `apis/src/domains`, listed in its domain.
    Api {
        /// The domain's folder, such as smart_home.
        domain: String,
        /// The API's name in camel case, such as AddAlarm.
        name: String,
    },
    /// A dialogue's file in `dataset/dialogues`.
    Dialogue {
        /// call, retrieve or plan.
        ability: String,
        /// The file's name in lower case with hyphens, such as tea-at-four.
        slug: String,
    },
}

/// The command line's grammar, so that documents can be checked against it.
#[must_use]
pub fn grammar() -> clap::Command {
    Arguments::command()
}
