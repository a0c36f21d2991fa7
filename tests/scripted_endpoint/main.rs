//! `scripted-endpoint`: the scripted server as a program, for trying the app manually.

use std::{fs, net::Ipv4Addr, path::PathBuf, time::Duration};

use anyhow::{Context, Result};
use clap::Parser;
use scripted_endpoint::{Config, Gold, Rule, Script, serve};
use tokio::net::TcpListener;

const DETAILS: &str = "\
Rules: right, slow, empty, no-call, broken-format, no-search, other-keywords, hallucinated-api,
wrong-api, missing-argument, invalid-argument, exception, wrong-result, server-error, broken-json, html.

A script is a JSON file:
  {\"otherwise\": \"right\", \"samples\": {\"call/early-train-alarm#3\": \"empty\"}}
Without one, every rule but slow is used once, each on the first sample that it fits, and all
other samples are answered right; --print shows that script.

Below the printed address: /v1/chat/completions, /v1/responses, /v1/messages, /v1/completions and
/api/chat, streamed where they are asked to; /web answers everything with a web page.";

/// A server on the loopback interface that answers the built-in samples from a script, in five wire
/// formats.
#[derive(Debug, Parser)]
#[command(after_help = DETAILS)]
struct Options {
    /// The port; 0 chooses a free one.
    #[arg(long, default_value_t = 8090)]
    port: u16,
    /// The script.
    #[arg(long)]
    script: Option<PathBuf>,
    /// Reject requests without this key.
    #[arg(long)]
    key: Option<String>,
    /// The delay of slow answers in seconds, such as 0.02.
    #[arg(long, default_value = "60", value_parser = seconds)]
    slow: Duration,
    /// Print the script and exit.
    #[arg(long)]
    print: bool,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let known = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    known.ok_or_else(|| "expected a number of seconds".to_owned())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let options = Options::parse();
    let gold = Gold::builtin()?;
    let script = match &options.script {
        Some(file) => {
            let text = fs::read_to_string(file)
                .with_context(|| format!("can't read the script {}", file.display()))?;
            Script::from_json(&text, &gold)
                .with_context(|| format!("can't follow {}", file.display()))?
        }
        None => {
            let rules: Vec<Rule> =
                Rule::ALL.into_iter().filter(|rule| *rule != Rule::Slow).collect();
            Script::one_of_each(&gold, &rules)
        }
    };
    if options.print {
        println!("{}", serde_json::to_string_pretty(&script)?);
        return Ok(());
    }
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port))
        .await
        .with_context(|| format!("port {} is taken: name another with --port", options.port))?;
    let config = Config { key: options.key, slow: options.slow, ..Config::new(script) };
    println!("model {} at http://{}/v1", config.model, listener.local_addr()?);
    serve(listener, gold, config).await.context("the server stopped")
}
