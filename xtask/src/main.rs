//! The project's commands: `cargo xtask serve`, `test`, `build`, `bench`, `model`, `dataset`.

use std::{path::PathBuf, process::ExitCode};

use anyhow::Result;
use clap::{Parser, Subcommand};
use xtask::{
    bench::{self, Part},
    cache::Cache,
    check,
    process::{Failed, root},
    search, serve,
    site::{self, Profile, weight::Weight},
};

/// Builds, serves and tests API-Bank. Whatever a command needs and the machine lacks is installed
/// into the cache: $API_BANK_CACHE, else $XDG_CACHE_HOME/api-bank, else ~/.cache/api-bank.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
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

fn main() -> ExitCode {
    match execute(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nerror: {error:#}");
            let code = error.downcast_ref::<Failed>().map_or(1, |failed| failed.code);
            ExitCode::from(u8::try_from(code).unwrap_or(1))
        }
    }
}

fn execute(task: Task) -> Result<()> {
    let cache = Cache::open()?;
    match task {
        Task::Serve { port, release, no_open } => {
            let profile = if release { Profile::Release } else { Profile::Fast };
            let dist = root().join("dist");
            site::build(&cache, profile, &dist)?;
            serve::serve(&dist, port, !no_open)
        }
        Task::Build { fast, out } => {
            let profile = if fast { Profile::Fast } else { Profile::Release };
            let out = root().join(out);
            site::build(&cache, profile, &out)?;
            Weight::of(&out)?.check(profile)
        }
        Task::Test { real_model: true, .. } => check::real_model(&cache),
        Task::Test { no_browser, filter, .. } => {
            check::test(&cache, &check::Options { no_browser, filter })
        }
        Task::Bench { parts, site } => bench::bench(&cache, &bench::Options { parts, site }),
        Task::Dataset { what, filter } => {
            search::dataset(&search::ensure(&cache)?, what == "bless", filter.as_deref())
        }
        Task::Model => {
            let files = search::ensure(&cache)?;
            for file in [files.weights, files.vocab, files.vectors] {
                println!("  {}", file.display());
            }
            Ok(())
        }
    }
}
