//! `api-bank check`: the page's Test connection.

use crate::endpoint::EndpointArguments;
use crate::ports::Native;
use crate::shown::{say, tell};
use crate::{FAILED, FINISHED};
use anyhow::{Context, Result};
use clap::Args;
use provider::preflight::{Line, Proposal, Report, State, preflight};
use tokio::sync::watch;

/// Which endpoint to check.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    endpoint: EndpointArguments,
    /// The model's name at the endpoint; defaults to the first one listed.
    #[arg(long)]
    model: Option<String>,
}

/// Runs the checks and prints one line per check.
pub(crate) fn run(arguments: &Arguments) -> Result<u8> {
    let model = arguments.model.as_deref().unwrap_or_default();
    let endpoint = arguments.endpoint.read_nameless(model)?;
    let key = crate::endpoint::key(&endpoint)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("can't start the network")?;
    let (_switch, stop) = watch::channel(false);
    let ports = Native::new(stop).context("can't start the network")?;
    let (mut printed, mut is_told) = (0, false);
    let print = |report: &Report| {
        for line in report.lines.iter().skip(printed) {
            say!("{}", sentence(line));
        }
        printed = report.lines.len();
        if let Some(why) = report.waiting.as_ref().filter(|_| !is_told) {
            tell!("Waiting for the server: {why}");
        }
        is_told = report.waiting.is_some();
    };
    let report = runtime.block_on(preflight(&endpoint, key.as_ref(), &ports, print));
    if let Some(proposal) = report.proposal {
        say!("{}", proposed(proposal));
    }
    Ok(if report.works() { FINISHED } else { FAILED })
}

fn sentence(line: &Line) -> String {
    let mark = match line.state {
        State::Good => "ok      ",
        State::Warning => "warning ",
        State::Bad => "failed  ",
        State::Skipped => "skipped ",
    };
    let fix = line.fix.as_ref().map_or(String::new(), |fix| format!("\n          {fix}"));
    format!("{mark}  {}: {}{fix}", line.step.title(), line.text)
}

fn proposed(proposal: Proposal) -> String {
    let protocol = proposal.protocol().as_str();
    let mut text =
        format!("Suits it: --protocol {protocol} --concurrency {}", proposal.concurrency);
    if let Some(tokens) = proposal.max_tokens {
        text.push_str(&format!(" --max-tokens {tokens}"));
    }
    for (option, is_set) in
        [("--no-stream", !proposal.streaming), ("--fold-roles", proposal.fold_roles)]
    {
        if is_set {
            text.push_str(&format!(" {option}"));
        }
    }
    text
}
