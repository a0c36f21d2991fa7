//! `api-bank`: the benchmark on the command line, on the same engine as the page.

mod audit;
mod check;
mod choice;
mod compare;
mod disclosure;
mod endpoint;
mod endpoints;
mod files;
mod generate;
mod journal;
mod judge;
mod leaderboard;
mod lock;
mod mcp;
mod meter;
mod network;
mod options;
mod output;
mod own_tools;
mod pack;
mod ports;
mod record;
mod resume;
mod retriever;
mod rouge;
mod rows;
mod run;
mod score;
mod search;
mod shown;
mod sign;
mod source;
mod stats;
mod table;
mod threshold;
mod training;

use clap::{CommandFactory, Parser, Subcommand};
use shown::tell;
use std::process::ExitCode;

/// Success.
pub(crate) const FINISHED: u8 = 0;
/// A required file or endpoint could not be read or written.
pub(crate) const FAILED: u8 = 1;
/// Unusable arguments or settings; clap exits with it too.
pub(crate) const USAGE: u8 = 2;
/// The command finished, but some samples or rows have no verdict.
pub(crate) const INCOMPLETE: u8 = 3;
/// The command finished, but a result is below its threshold, or a record is inconsistent or not
/// signed by a trusted key.
pub(crate) const BELOW: u8 = 4;
/// Cancelled with Ctrl-C, or stopped by the endpoint; completed work is saved.
pub(crate) const CANCELLED: u8 = 130;

/// API-Bank: how well does a language model search for, plan and call APIs?
#[derive(Debug, Parser)]
#[command(
    name = "api-bank",
    version,
    after_help = "Exit codes: 0 finished, 1 a file cannot be read or written or the \
                  checked endpoint does not answer, 2 bad usage or \
                  settings, 3 finished but some samples or rows could not be scored, 4 a number is \
                  below its threshold, a task fails its checks, a record is inconsistent or not signed by a key of --trust, 130 \
                  cancelled with Ctrl-C or stopped by the endpoint (what was done is written)."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the benchmark and write the same record as the page.
    Run(Box<run::Arguments>),
    /// Verify a record: rerun every call, recompute every number, and list differences and warnings.
    Verify(record::VerifyArguments),
    /// Print a record's results under any profile.
    Report(record::ReportArguments),
    /// Export a record to another program's format.
    Export(record::ExportArguments),
    /// Compare records on the same samples: differences, their significance, and the noise floor.
    Compare(compare::Arguments),
    /// Ask one model behind several endpoints side by side, and tell which differ beyond the noise.
    CompareEndpoints(endpoints::Arguments),
    /// Verify the records of a folder and print their leaderboard.
    Leaderboard(leaderboard::Arguments),
    /// Sign a record, or generate a signing key.
    #[command(subcommand)]
    Record(sign::Arguments),
    /// Merge the records of a run's shards.
    Merge(record::MergeArguments),
    /// Check an endpoint before a run: models, an answer, tool calls, context length.
    Check(check::Arguments),
    /// Offer a dialogue's tools to an agent over the Model Context Protocol, and judge the end state.
    Mcp(mcp::Arguments),
    /// Print the samples of a run with their prompts, for programs that ask a model themselves.
    Samples(judge::Arguments),
    /// Judge answers to the printed samples: JSON lines {"id", "text", "calls"} from standard input,
    /// verdicts to standard output.
    Judge(judge::Arguments),
    /// Score third-party predictions on the original API-Bank data.
    Score(score::Arguments),
    /// Run a pack's own gold calls under every profile, and list what fails and why.
    Audit(audit::Arguments),
    /// Compute ROUGE-L of pairs of texts, as the original does.
    Rouge(rouge::Arguments),
    /// Rank the APIs of the original API-Bank data by keywords.
    Search(search::Arguments),
    /// Evaluate retrievers: how often do they find the tools that a query needs?
    Retriever(retriever::Arguments),
    /// Count a pack's dialogues, calls and APIs by ability and domain.
    Stats(stats::Arguments),
    /// Generate a training set with five agents, on any endpoint.
    Generate(generate::Arguments),
    /// Check lists and packs of your own tools.
    #[command(subcommand)]
    Tools(own_tools::Arguments),
    /// Check, count and export sets of training dialogues.
    Training(training::Arguments),
}

/// The command-line grammar, so that tests can check the documentation against it.
pub fn grammar() -> clap::Command {
    Arguments::command()
}

/// Runs the command given on the command line.
pub fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Verify(arguments) => record::verify(&arguments),
        Command::Report(arguments) => record::report(&arguments),
        Command::Export(arguments) => record::export(&arguments),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::CompareEndpoints(arguments) => endpoints::run(&arguments),
        Command::Leaderboard(arguments) => leaderboard::run(&arguments),
        Command::Record(arguments) => sign::run(&arguments),
        Command::Merge(arguments) => record::merge(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Mcp(arguments) => mcp::run(&arguments),
        Command::Samples(arguments) => judge::samples(&arguments),
        Command::Judge(arguments) => judge::judge(&arguments),
        Command::Score(arguments) => score::run(&arguments),
        Command::Audit(arguments) => audit::run(&arguments),
        Command::Rouge(arguments) => rouge::run(&arguments),
        Command::Search(arguments) => search::run(&arguments),
        Command::Retriever(arguments) => retriever::run(&arguments),
        Command::Stats(arguments) => stats::run(&arguments),
        Command::Generate(arguments) => generate::run(&arguments),
        Command::Tools(arguments) => own_tools::run(&arguments),
        Command::Training(arguments) => training::run(&arguments),
    };
    match outcome {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            tell!("api-bank: {error:#}");
            ExitCode::from(if error.is::<Usage>() { USAGE } else { FAILED })
        }
    }
}

/// An error in settings that parse but are unusable; exits with [`USAGE`].
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}
