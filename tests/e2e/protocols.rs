//! Protocols with native tool calls on the scripted endpoint: natively in every format with tools,
//! and from the page.

use anyhow::{Context, Result, ensure};
use exchange::EpisodeEnd;
use exchange::protocol::{Protocol, SampleKind};
use provider::{
    Endpoint, HttpHead, HttpRequest, Ports, Sink, Timeouts, TransportError, WireFormat,
};
use record::{Model, Outcome, Record, RunSettings, Subset};
use runner::benchmark::Benchmark;
use scoring::Profile;
use scripted_endpoint::{Config, Gold, Rule, Script, ScriptedEndpoint};

use crate::{browser::Setup, stage::play};

#[path = "../../engine/runner/tests/support/words.rs"]
mod words;

/// Formats with tool support.
const WITH_TOOLS: [WireFormat; 4] =
    [WireFormat::ChatCompletions, WireFormat::Responses, WireFormat::Messages, WireFormat::Ollama];

/// Native ports that send real requests.
struct Program(reqwest::Client);

impl Ports for Program {
    fn now_ms(&self) -> u64 {
        0
    }

    async fn send(
        &self,
        request: HttpRequest,
        _: Timeouts,
        sink: &mut dyn Sink,
    ) -> Result<(), TransportError> {
        let failed = |error: reqwest::Error| TransportError::Unreachable(error.to_string());
        let mut builder = self.0.post(&request.url).body(request.body.unwrap_or_default());
        for (name, value) in request.headers {
            builder = builder.header(name, value);
        }
        let mut response = builder.send().await.map_err(failed)?;
        sink.head(HttpHead { status: response.status().as_u16(), retry_after: None });
        while let Some(bytes) = response.chunk().await.map_err(failed)? {
            if sink.bytes(&bytes).is_break() {
                break;
            }
        }
        Ok(())
    }

    async fn wait(&self, _: u32) {
        tokio::task::yield_now().await;
    }

    fn cancelled(&self) -> bool {
        false
    }
}

async fn run(
    bench: &Benchmark,
    url: &str,
    format: WireFormat,
    protocol: Protocol,
) -> Result<Record> {
    let endpoint = Endpoint {
        format,
        base_url: url.to_owned(),
        model: "scripted".to_owned(),
        max_tokens: Some(256),
        streaming: true,
        ..Endpoint::default()
    };
    let settings = RunSettings {
        protocol,
        subset: Subset::PerAbility(4),
        concurrency: 4,
        ..RunSettings::new(Model::Endpoint(endpoint))
    };
    let client = reqwest::Client::builder().no_proxy().build()?;
    Ok(runner::run(bench, &settings, None, &Program(client), |_| {}).await)
}

/// The first sample that differs from the gold.
fn first_defect(record: &Record) -> Option<String> {
    record.samples.iter().find_map(|sample| match &sample.outcome {
        Outcome::Failed { message, .. } => Some(format!("{}: {message}", sample.id)),
        Outcome::Answered(answer) => {
            let verdict = sample.verdict(Profile::Execution).filter(|verdict| !verdict.correct)?;
            Some(format!("{}: {} after {answer:?}", sample.id, verdict.explanation))
        }
    })
}

#[tokio::test]
async fn the_gold_is_right_in_every_format_that_has_tools() -> Result<()> {
    let bench = words::bench();
    let server =
        ScriptedEndpoint::start(Gold::builtin()?, Config::new(Script::all(Rule::Right))).await?;
    for format in WITH_TOOLS {
        for protocol in [Protocol::Tools, Protocol::AllTools, Protocol::Agent] {
            let url = match format {
                WireFormat::Ollama => server.origin(),
                _ => server.url(),
            };
            let record = run(&bench, &url, format, protocol).await?;
            let name = format!("{} in {}", protocol.as_str(), format.as_str());
            ensure!(record.samples.len() == record.planned && record.planned > 0, "{name}");
            if let Some(defect) = first_defect(&record) {
                anyhow::bail!("{name}: {defect}");
            }
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_call_in_the_text_is_a_wrong_form_where_tools_count() -> Result<()> {
    let bench = words::bench();
    let gold = Gold::builtin()?;
    let server =
        ScriptedEndpoint::start(gold, Config::new(Script::all(Rule::BrokenFormat))).await?;
    let format = WireFormat::ChatCompletions;
    let record = run(&bench, &server.url(), format, Protocol::Tools).await?;
    let calls = record.samples.iter().filter(|sample| sample.kind == SampleKind::Call);
    for sample in calls {
        let verdict = sample.verdict(Profile::Execution).context("a verdict")?;
        ensure!(!verdict.correct, "{}: {}", sample.id, verdict.explanation);
    }
    Ok(())
}

#[tokio::test]
async fn an_agent_plays_its_dialogues_in_the_page() -> Result<()> {
    play("agent", Setup::default(), async |app| {
        let config = Config::new(Script::all(Rule::Right));
        let server = ScriptedEndpoint::start(Gold::builtin()?, config).await?;
        app.enter_endpoint(&server.url(), "scripted", "").await?;
        app.pick("amount", "count").await?;
        app.fill("per-ability", "2").await?;
        app.pick("protocol", "agent").await?;
        app.fill("trials", "2").await?;
        app.press_run().await?;
        app.see_status("Finished").await?;
        let record = app.download_record().await?.record;
        ensure!(record.protocol == Protocol::Agent && record.trials == 2, "{:?}", record.protocol);
        ensure!(record.samples.len() == 12, "{} episodes", record.samples.len());
        if let Some(defect) = first_defect(&record) {
            anyhow::bail!("{defect}");
        }
        let total = record.summary.rows.last().context("a total")?;
        ensure!(total.pass.len() == 2 && total.pass[1].mean == Some(1.0), "{:?}", total.pass);
        app.see_results_of(&record, Profile::Execution).await?;
        let sample = record.samples.first().context("an episode")?;
        let episode = sample.episode.as_ref().context("its steps")?;
        ensure!(episode.ended == EpisodeEnd::ScriptDone, "{:?}", episode.ended);
        app.open_sample(&sample.id).await?;
        app.element("episode-calls").await.map(drop)
    })
    .await
}
