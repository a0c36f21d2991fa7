//! Checks before a run: list the models, get a one-word answer, probe a tool call, check that a
//! long prompt arrives untruncated. Each step reports a finding; together they propose settings.

use super::diagnosis::{Case, Place};
use super::request::{ModelFacts, decode_models};
use super::{
    ApiKey, Client, Collected, Endpoint, Failure, FailureClass, HttpRequest, Preset, Reply,
    Timeouts, TransportError, WireFormat,
};
use crate::Ports;
use exchange::protocol::{Ask, Message, Protocol, Role, Tool};
use exchange::{Answer, shorten};
use serde_json::{Value, json};
use strum::{EnumCount, IntoStaticStr, VariantArray};

/// Timeouts of the list, in seconds.
const LIST: Timeouts = Timeouts { headers_s: 20, body_s: 20 };
/// Maximum length of the one-word answer, in tokens; some endpoints reject less.
const WORD_TOKENS: u32 = 16;
/// Maximum length of the probed call, in tokens; enough for a model that reasons first.
const CALL_TOKENS: u32 = 512;
/// Words in the long prompt, each at least one token: about as many as the longest prompts of the
/// bracket protocol have.
const LONG_WORDS: usize = 2000;
/// The vocabulary of the long prompt.
const COMMON: [&str; 10] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
/// The context, in tokens, that the long prompt, its template and an answer need.
const LONG_CONTEXT: u64 = 4096;
/// Name of the probed tool.
const PROBE: &str = "report_status";

/// A step of the preflight check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[derive(EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Step {
    /// The list of models.
    Models,
    /// A one-word answer.
    Answer,
    /// A native tool call.
    Tools,
    /// A long prompt, to detect truncation.
    Context,
}

impl Step {
    /// All steps, in order.
    pub const ALL: [Step; Step::COUNT] = *Step::VARIANTS.first_chunk().unwrap();

    /// The label in the UI.
    pub const fn title(self) -> &'static str {
        match self {
            Step::Models => "Models",
            Step::Answer => "Answer",
            Step::Tools => "Tool calls",
            Step::Context => "Context",
        }
    }

    /// The identifier in the page.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The outcome of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[derive(EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum State {
    /// As expected.
    Good,
    /// A run is possible, but note the finding.
    Warning,
    /// A run would fail.
    Bad,
    /// Skipped because it would be inconclusive.
    Skipped,
}

impl State {
    /// Every state.
    pub const ALL: [State; State::COUNT] = *State::VARIANTS.first_chunk().unwrap();

    /// The identifier in the page.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The finding of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The step.
    pub step: Step,
    /// The outcome.
    pub state: State,
    /// The response and its meaning.
    pub text: String,
    /// The fix, if there is one.
    pub fix: Option<String>,
}

/// Proposed settings for a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proposal {
    /// Whether native tool calls work, so that a run can use `tools` instead of `bracket`.
    pub native_tools: bool,
    /// Requests in flight.
    pub concurrency: usize,
}

/// The findings so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// One line per step.
    pub lines: Vec<Line>,
    /// The models that the endpoint lists.
    pub models: Vec<ModelFacts>,
    /// The model that was asked: from the settings, or else the first listed.
    pub model: String,
    /// Parameters of the settings that the endpoint refuses.
    pub dropped: Vec<String>,
    /// Proposed settings; `None` while unknown, or when a run would fail.
    pub proposal: Option<Proposal>,
    /// The slowest answer's latency in milliseconds; `None` before the first. The long prompt and
    /// the tool call come closest to a run's requests.
    pub latency_ms: Option<u64>,
}

impl Proposal {
    /// The protocol to use.
    pub const fn protocol(self) -> Protocol {
        if self.native_tools { Protocol::Tools } else { Protocol::Bracket }
    }
}

impl Report {
    /// Whether a run would get answers.
    pub fn works(&self) -> bool {
        self.proposal.is_some()
    }

    /// The first finding that makes a run fail.
    pub fn trouble(&self) -> Option<&Line> {
        self.lines.iter().find(|line| line.state == State::Bad)
    }

    fn add(&mut self, step: Step, state: State, text: impl Into<String>, fix: Option<String>) {
        self.lines.push(Line { step, state, text: text.into(), fix });
    }
}

/// Runs the steps and passes the report to `shown` after each. Without a model name, the first
/// listed model is used.
pub async fn preflight<P: Ports>(
    endpoint: &Endpoint,
    key: Option<&ApiKey>,
    ports: &P,
    mut shown: impl FnMut(&Report),
) -> Report {
    let place = ports.place().await;
    let mut endpoint = endpoint.clone();
    let mut report = Report::default();
    let goes_on = {
        let case = Case { endpoint: &endpoint, has_key: key.is_some(), place: &place };
        models(case, key, ports, &mut report).await
    };
    shown(&report);
    if !goes_on {
        return report;
    }
    endpoint.model.clone_from(&report.model);
    let check = Check { endpoint: &endpoint, key, place: &place, ports };
    let goes_on = check.answer(&mut report).await;
    shown(&report);
    if !goes_on {
        return report;
    }
    let native_tools = check.tools(&mut report).await;
    shown(&report);
    check.context(&mut report).await;
    report.proposal = Some(Proposal { native_tools, concurrency: concurrency(&endpoint) });
    shown(&report);
    report
}

/// The concurrency to propose: 1 for a local server that handles requests sequentially.
fn concurrency(endpoint: &Endpoint) -> usize {
    match endpoint.server() {
        Preset::Custom if super::diagnosis::is_local(&endpoint.base_url) => 1,
        Preset::Custom => 4,
        known => known.facts().concurrency,
    }
}

/// Lists the models; whether to continue.
async fn models<P: Ports>(
    case: Case<'_>,
    key: Option<&ApiKey>,
    ports: &P,
    report: &mut Report,
) -> bool {
    let endpoint = case.endpoint;
    let wanted = endpoint.model.trim();
    wanted.clone_into(&mut report.model);
    let listed = match endpoint.models_request(key) {
        Ok(request) => fetch(case, request, ports).await,
        Err(failure) => Err(failure),
    };
    let listed = listed.and_then(|sink| decode_models(&sink.into_response(key)));
    let failure = match listed {
        Ok(list) => {
            report.models = list;
            return take_model(wanted, report);
        }
        Err(failure) => failure,
    };
    // Some servers have no list but answer requests.
    let no_list = matches!(failure.status, Some(404 | 405 | 501));
    if no_list && !wanted.is_empty() {
        report.add(Step::Models, State::Warning, "The endpoint has no list of models.", None);
        return true;
    }
    let advice = case.advice(&failure);
    report.add(Step::Models, State::Bad, failure.message, advice);
    false
}

/// Finds the wanted model in the list, or takes the first.
fn take_model(wanted: &str, report: &mut Report) -> bool {
    let count = report.models.len();
    let listed = if count == 1 { "1 model".to_owned() } else { format!("{count} models") };
    if wanted.is_empty() {
        let Some(first) = report.models.first().map(|model| model.name.clone()) else {
            let fix = "Load one, or type its name.".to_owned();
            let text = "Connected, but the endpoint lists no models.";
            report.add(Step::Models, State::Bad, text, Some(fix));
            return false;
        };
        report.add(Step::Models, State::Good, format!("{listed}; {first} is taken."), None);
        report.model = first;
        return true;
    }
    // Ollama's list includes the tag in the name.
    let is_wanted = |model: &ModelFacts| {
        model.name == wanted || model.name.strip_suffix(":latest") == Some(wanted)
    };
    if count == 0 || report.models.iter().any(is_wanted) {
        report.add(Step::Models, State::Good, format!("{listed}."), None);
        return true;
    }
    let some: Vec<&str> = report.models.iter().take(5).map(|model| model.name.as_str()).collect();
    let more = if count > 5 { ", …" } else { "" };
    let text =
        format!("Connected, but {wanted:?} is not listed. It lists {}{more}", some.join(", "));
    report.add(Step::Models, State::Warning, text, None);
    true
}

async fn fetch<P: Ports>(
    case: Case<'_>,
    request: HttpRequest,
    ports: &P,
) -> Result<Collected, Failure> {
    let mut sink = Collected::default();
    match ports.send(request, LIST, &mut sink).await {
        Ok(()) => Ok(sink),
        Err(TransportError::Unreachable(reason)) => {
            Err(Failure::unreachable(case.no_answer(&reason).to_string()))
        }
        Err(error) => Err(error.into_failure()),
    }
}

/// State shared by the steps that query the model.
struct Check<'a, P> {
    endpoint: &'a Endpoint,
    key: Option<&'a ApiKey>,
    place: &'a Place,
    ports: &'a P,
}

impl<P: Ports> Check<'_, P> {
    fn case(&self) -> Case<'_> {
        Case { endpoint: self.endpoint, has_key: self.key.is_some(), place: self.place }
    }

    /// Asks with the run's settings except for the maximum answer length.
    async fn ask(
        &self,
        ask: &Ask,
        max_tokens: u32,
        report: &mut Report,
    ) -> (Result<Reply, Failure>, u64) {
        let short = Endpoint { max_tokens: Some(max_tokens), ..self.endpoint.clone() };
        let dropped = std::mem::take(&mut report.dropped);
        let client = Client::new(&short, self.key, Timeouts::default()).without(dropped);
        let sent_ms = self.ports.elapsed_ms();
        let reply = client.ask(ask, self.ports).await;
        report.dropped = client.dropped();
        let reply = reply.unwrap_or_else(|| Err(Failure::infrastructure("Cancelled.")));
        let ms = self.ports.elapsed_ms().saturating_sub(sent_ms);
        if reply.is_ok() {
            report.latency_ms = report.latency_ms.max(Some(ms));
        }
        (reply, ms)
    }

    /// Asks for one word; whether the endpoint answers.
    async fn answer(&self, report: &mut Report) -> bool {
        let ask = said("Reply with the word: ready");
        let (reply, ms) = self.ask(&ask, WORD_TOKENS, report).await;
        let reply = match reply {
            Ok(reply) => reply,
            Err(failure) => {
                let fix = self.case().advice(&failure);
                report.add(Step::Answer, State::Bad, failure.message, fix);
                return false;
            }
        };
        let model = &self.endpoint.model;
        let mut text = format!("{model} answered in {}: {}", seconds(ms), quoted(&reply.answer));
        if let Some(first_ms) = reply.first_token_ms {
            text.push_str(&format!(", first token after {}", seconds(first_ms)));
        }
        text.push('.');
        if report.dropped.is_empty() {
            report.add(Step::Answer, State::Good, text, None);
        } else {
            text.push_str(&format!(" It refuses {}.", report.dropped.join(", ")));
            let fix = "It is left out, and the record says so.".to_owned();
            report.add(Step::Answer, State::Warning, text, Some(fix));
        }
        true
    }

    /// Probes a tool call; whether native calls work.
    async fn tools(&self, report: &mut Report) -> bool {
        if self.endpoint.format == WireFormat::Completions {
            let text = "Legacy Completions has no tools: the bracket protocol is right for it.";
            report.add(Step::Tools, State::Skipped, text, None);
            return false;
        }
        let probe = Tool {
            name: PROBE.to_owned(),
            description: "Reports a status.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {"status": {"type": "string", "description": "The status"}},
                "required": ["status"],
            }),
        };
        let question = format!("Call the tool {PROBE} with the status \"ready\".");
        let ask = Ask { tools: vec![probe], ..said(&question) };
        let (reply, _) = self.ask(&ask, CALL_TOKENS, report).await;
        let (works, text) = match &reply {
            Ok(reply) => judge_probe(&reply.answer),
            Err(failure) => (false, failure.message.clone()),
        };
        if works {
            report.add(Step::Tools, State::Good, text, None);
            return true;
        }
        let fix = match self.template_lacks_tools().await {
            true => "The model's chat template has no tools, so the server leaves them out. Use \
                     another model, or the bracket protocol."
                .to_owned(),
            false => {
                let tools = self.endpoint.server().facts().tools;
                format!("{tools} The bracket protocol needs none of this.")
            }
        };
        report.add(Step::Tools, State::Warning, text, Some(fix));
        false
    }

    /// llama-server silently drops tools when the chat template does not support them.
    async fn template_lacks_tools(&self) -> bool {
        if self.endpoint.server() != Preset::LlamaCpp {
            return false;
        }
        let Ok(request) = self.endpoint.props_request(self.key) else { return false };
        let Ok(sink) = fetch(self.case(), request, self.ports).await else { return false };
        let props: Option<Value> = serde_json::from_str(&sink.into_response(self.key).body).ok();
        let caps = props.as_ref().and_then(|props| props.get("chat_template_caps"));
        caps.and_then(|caps| caps.get("supports_tools")) == Some(&Value::Bool(false))
    }

    /// Sends a long prompt and checks that the server counts all of it.
    async fn context(&self, report: &mut Report) {
        let told = report.models.iter().find(|model| model.name == self.endpoint.model);
        if let Some(context) = told.and_then(|model| model.context)
            && context < LONG_CONTEXT
        {
            let text =
                format!("The model's context is {context} tokens, which long prompts exceed.");
            report.add(Step::Context, State::Warning, text, Some(self.case().fix_truncation()));
            return;
        }
        // Words that are one token in every tokenizer: some split numbers into digits.
        let words: Vec<&str> = COMMON.into_iter().cycle().take(LONG_WORDS).collect();
        let question = format!("{}\nReply with the word: ready", words.join(" "));
        let (reply, _) = self.ask(&said(&question), WORD_TOKENS, report).await;
        let counted = match &reply {
            Ok(reply) => reply.answer.usage.map(|usage| usage.prompt_tokens),
            Err(failure) => {
                let fix = self.case().advice(failure);
                let cause = match failure.class {
                    FailureClass::Configuration => "A long prompt is refused",
                    FailureClass::Infrastructure => "A long prompt fails",
                };
                let text = format!("{cause}: {}", failure.message);
                report.add(Step::Context, State::Warning, text, fix);
                return;
            }
        };
        match counted {
            None => {
                let text = "The endpoint counts no tokens, so a cut prompt would go unnoticed.";
                report.add(Step::Context, State::Warning, text, None);
            }
            Some(tokens) if tokens < LONG_WORDS as u64 => {
                let text = format!(
                    "The server read {tokens} tokens of a prompt of at least {LONG_WORDS}: it cuts \
                     long prompts in silence."
                );
                report.add(Step::Context, State::Warning, text, Some(self.case().fix_truncation()));
            }
            Some(tokens) => {
                let text = format!("A prompt of {tokens} tokens arrived whole.");
                report.add(Step::Context, State::Good, text, None);
            }
        }
    }
}

/// Interprets the answer to the tool probe.
fn judge_probe(answer: &Answer) -> (bool, String) {
    let Some(call) = answer.calls.first() else {
        let text = quoted(answer);
        return (false, format!("The model wrote text instead of a call: {text}."));
    };
    let is_object = matches!(serde_json::from_str(&call.arguments), Ok(Value::Object(_)));
    if call.name == PROBE && is_object {
        return (true, "Native tool calls work.".to_owned());
    }
    let told = shorten(&call.arguments, 60);
    (false, format!("The model called {:?} with {told:?} instead of the tool.", call.name))
}

fn said(text: &str) -> Ask {
    Ask { messages: vec![Message::text(Role::User, text)], ..Ask::default() }
}

/// The answer shortened to one line.
fn quoted(answer: &Answer) -> String {
    let line = answer.text.split_whitespace().collect::<Vec<_>>().join(" ");
    match (line.is_empty(), &answer.reasoning) {
        (true, Some(_)) => "reasoning only".to_owned(),
        (true, None) => "an empty text".to_owned(),
        (false, _) => format!("{:?}", shorten(&line, 40)),
    }
}

fn seconds(ms: u64) -> String {
    format!("{}.{} s", ms / 1000, ms % 1000 / 100)
}
