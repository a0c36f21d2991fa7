//! `api-bank generate`: generates a training set with five agents, on any endpoint.
//!
//! The folder contains `settings.json`, `journal.jsonl` (one entry per line, written before the
//! next request is sent) and, at the end, the set: `domains/` and `rejected/`.

mod journal;

use crate::endpoint::{EndpointArguments, key};
use crate::files::SearchFiles;
use crate::network::network;
use crate::ports::Native;
use crate::shown::{put, shown, tell};
use crate::table::{aligned, percentage};
use crate::{CANCELLED, FINISHED, INCOMPLETE, Usage};
use anyhow::{Context, Error, Result};
use clap::Args;
use generator::checks::Neighbours;
use generator::{
    Agent, Asking, Budget, End, Figures, GenerateError, JournalEntry, Settings, State, Stop,
    Targets, generate,
};
use journal::Journal;
use provider::Timeouts;
use std::cell::RefCell;
use std::path::PathBuf;

/// What to generate.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The model's name at the endpoint.
    #[arg(long)]
    model: String,
    /// The endpoint. Agents need some randomness and room to invent data: a temperature of 0
    /// becomes 0.9, and a maximum answer length below 4096 tokens becomes 4096.
    #[command(flatten)]
    endpoint: EndpointArguments,
    /// The folder for the journal and the set.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Resume from the journal in the folder, with its original targets and seed.
    #[arg(long)]
    resume: bool,
    /// The number of Call dialogues. All targets default to the size of the paper's set.
    #[arg(long, default_value_t = 944)]
    call: usize,
    /// The number of Retrieve+Call dialogues.
    #[arg(long, default_value_t = 472)]
    retrieve: usize,
    /// The number of Plan+Retrieve+Call dialogues.
    #[arg(long, default_value_t = 472)]
    plan: usize,
    /// The number of domains.
    #[arg(long, default_value_t = 1000)]
    domains: usize,
    /// The number of APIs, at least two per domain.
    #[arg(long, default_value_t = 2138)]
    apis: usize,
    /// Stop after this many requests.
    #[arg(long)]
    max_requests: Option<u64>,
    /// Stop after this many tokens, prompts and completions combined.
    #[arg(long)]
    max_tokens_spent: Option<u64>,
    /// Stop when the cost reaches this amount, in the currency of the prices.
    #[arg(long)]
    max_cost: Option<f64>,
    /// Price per million prompt tokens.
    #[arg(long, default_value_t = 0.0)]
    prompt_price: f64,
    /// Price per million completion tokens.
    #[arg(long, default_value_t = 0.0)]
    completion_price: f64,
    /// Seed for the choice of APIs and examples.
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// Rejected answers per dialogue before it is abandoned.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=20))]
    tries: u32,
    /// Requests in flight.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    concurrency: u32,
    /// Retries per failed request.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=20))]
    retries: u32,
    /// Seconds to wait for a response before a request times out.
    #[arg(long, default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    timeout: u32,
    /// The folder with model.onnx, vocab.txt and vectors.bin; defaults as for run.
    #[arg(long, value_name = "DIR")]
    search_files: Option<PathBuf>,
}

/// Generates, prints the figures and writes the set.
pub(crate) fn run(arguments: &Arguments) -> Result<u8> {
    let asking = asking(arguments)?;
    let settings = settings(arguments);
    settings.targets.check().map_err(|error| Usage(error.to_string()))?;
    let key = key(&asking.endpoint)?;
    let encoder = SearchFiles::find(arguments.search_files.as_deref())?.encoder()?;
    let pack = dataset::builtin().context("the data set of this program is damaged")?;
    let (journal, settings) = Journal::open(&arguments.out, settings, arguments.resume)?;
    let evaluation = Neighbours::of_pack(&pack, &|text: &str| encoder.encode(text))?;
    let mut state = State::new(settings, evaluation)?;
    journal.replay(|entry| Ok(state.replay(&entry)?))?;
    let (runtime, _switch, ports) = network()?;
    let driven = drive(&mut state, &asking, key.as_ref(), &encoder, &journal, &ports);
    let stop = runtime.block_on(driven)?;
    put(&shown(&figures(&state)));
    journal.write_set()?;
    Ok(finish(&stop, "dialogues were given up: see rejected/.", "Go on with --resume."))
}

fn asking(arguments: &Arguments) -> Result<Asking> {
    let endpoint = arguments.endpoint.read(&arguments.model)?;
    Ok(Asking {
        concurrency: arguments.concurrency as usize,
        retries: arguments.retries,
        timeouts: Timeouts { headers_s: arguments.timeout, ..Timeouts::default() },
        ..Asking::new(endpoint)
    })
}

fn settings(arguments: &Arguments) -> Settings {
    Settings {
        targets: Targets {
            call: arguments.call,
            retrieve: arguments.retrieve,
            plan: arguments.plan,
            domains: arguments.domains,
            apis: arguments.apis,
        },
        budget: Budget {
            requests: arguments.max_requests,
            tokens: arguments.max_tokens_spent,
            money: arguments.max_cost,
            prompt_price: arguments.prompt_price,
            completion_price: arguments.completion_price,
        },
        seed: arguments.seed,
        tries: arguments.tries,
    }
}

/// Runs the generation until it is done or stopped.
async fn drive(
    state: &mut State,
    asking: &Asking,
    key: Option<&provider::ApiKey>,
    encoder: &retrieval::Encoder,
    journal: &Journal,
    ports: &Native,
) -> Result<Stop> {
    let embed = |text: &str| encoder.encode(text);
    let wanted = state.settings().targets.dialogues();
    let so_far = RefCell::new(state.figures().clone());
    let keep = async |entry: JournalEntry| {
        journal.append(&entry)?;
        let mut figures = so_far.borrow_mut();
        let before = figures.total();
        figures.add(&entry);
        let accepted = figures.total();
        if accepted > before && (accepted.is_multiple_of(10) || accepted == wanted) {
            tell!("{accepted} of {wanted} dialogues, {} requests", figures.spent.requests);
        }
        Ok::<(), Error>(())
    };
    generate(state, asking, key, ports, &embed, keep).await.map_err(|error| match error {
        GenerateError::Keep(error) => error,
        other => other.into(),
    })
}

/// Formats the yield by agent, the reasons for rejection and the cost.
fn figures(state: &State) -> String {
    let figures: &Figures = state.figures();
    let head = ["", "passed", "refused", "yield", "no answer", "reasons"].map(str::to_owned);
    let mut rows = vec![head.to_vec()];
    for agent in Agent::ALL {
        let of = figures.of(agent);
        let reasons = of.ranked_reasons();
        let reasons: Vec<String> =
            reasons.iter().map(|(code, count)| format!("{} {count}", code.as_str())).collect();
        rows.push(vec![
            agent.title().to_owned(),
            of.passed.to_string(),
            of.rejected.to_string(),
            of.rate().map_or_else(|| "-".to_owned(), percentage),
            of.failed.to_string(),
            reasons.join(", "),
        ]);
    }
    let spent = figures.spent;
    let about = if spent.estimated { "about " } else { "" };
    let cost = state.settings().budget.cost(spent);
    format!(
        "{}\n{} domains, {} APIs, {} dialogues. {} requests, {about}{} tokens of prompts, {about}{} \
         of answers, cost {cost:.2}.\n",
        aligned(&rows),
        figures.domains,
        figures.apis,
        figures.total(),
        spent.requests,
        spent.prompt_tokens,
        spent.completion_tokens,
    )
}

/// Says how it ended and returns the exit code. `given_up` says of how many what was given up, `go_on`
/// how to continue.
pub(crate) fn finish(stop: &Stop, given_up: &str, go_on: &str) -> u8 {
    match stop {
        Stop::Cancelled => {
            tell!("{go_on}");
            return CANCELLED;
        }
        Stop::Ended(End::Finished { given_up: 0 }) => return FINISHED,
        Stop::Ended(End::Finished { given_up: count }) => tell!("{count} {given_up}"),
        Stop::Ended(End::Budget { limit }) => {
            tell!("The limit of {} is reached. {go_on}", limit.as_str());
        }
        Stop::Ended(End::Stopped { message }) => tell!("Stopped: {message}"),
    }
    INCOMPLETE
}
