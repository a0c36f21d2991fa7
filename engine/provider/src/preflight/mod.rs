//! Checks before a run: sends what the run will send, and names the setting that helps if it is
//! refused. Each step reports a finding; together they propose settings.
//!
//! | file | contents |
//! |---|---|
//! | `models` | the list of models |
//! | `check` | the steps that ask the model |
//! | `probe` | their questions, and what the answers mean |

mod check;
mod models;
mod probe;

use super::diagnosis::Place;
use super::pace::{GONE_PAUSE_MS, LONGEST_GONE_MS, LONGEST_LOADING_MS};
use super::request::ModelFacts;
use super::{Absence, ApiKey, Endpoint, Failure, Preset};
use crate::Ports;
use check::Check;
use exchange::protocol::Protocol;
use std::cell::RefCell;
use strum::{EnumCount, IntoStaticStr, VariantArray};

/// A step of the preflight check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[derive(EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Step {
    /// The list of models.
    Models,
    /// A one-word answer.
    Answer,
    /// A system message and the longest answer, as a run sends them.
    Request,
    /// A native tool call.
    Tools,
    /// The same question streamed and whole.
    Streaming,
    /// The result of a tool call in the history.
    Results,
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
            Step::Request => "Run settings",
            Step::Tools => "Tool calls",
            Step::Results => "Tool results",
            Step::Streaming => "Streaming",
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
    /// Whether system messages and tool results must be folded into the user's turns.
    pub fold_roles: bool,
    /// A longest answer that the endpoint accepts, if it refused the one in the settings.
    pub max_tokens: Option<u32>,
    /// Whether to stream answers: as in the settings, unless calls arrive only the other way.
    pub streaming: bool,
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
    /// What the check waits for, such as a server that is loading the model.
    pub waiting: Option<String>,
    /// Proposed settings; `None` while unknown, or when no settings would help.
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
    /// Whether a run would get answers with the settings as they are.
    pub fn works(&self) -> bool {
        self.proposal.is_some() && self.trouble().is_none()
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
    let mut report = Report::default();
    let waits = Waits { ports, shown: RefCell::new(&mut shown) };
    let connection = Connection { key, place: &place, waits: &waits };
    let goes_on = models::list(endpoint, connection, &mut report).await;
    waits.show(&report);
    if !goes_on {
        return report;
    }
    let endpoint = Endpoint { model: report.model.clone(), ..endpoint.clone() };
    let mut check = Check { endpoint, connection };
    if check.answer(&mut report).await && check.request(&mut report).await {
        waits.show(&report);
        check.of_tools(&mut report).await;
        check.context(&mut report).await;
    }
    waits.show(&report);
    report
}

/// What all steps need to send requests.
struct Connection<'a, P> {
    key: Option<&'a ApiKey>,
    place: &'a Place,
    waits: &'a Waits<'a, P>,
}

impl<P> Clone for Connection<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for Connection<'_, P> {}

/// Waits for a server that is not ready yet, and shows that.
struct Waits<'a, P> {
    ports: &'a P,
    shown: RefCell<&'a mut dyn FnMut(&Report)>,
}

impl<P: Ports> Waits<'_, P> {
    fn show(&self, report: &Report) {
        (self.shown.borrow_mut())(report);
    }

    /// Sends until the server is ready, at most as long as a run waits for it.
    async fn ready<T>(
        &self,
        report: &RefCell<&mut Report>,
        mut send: impl AsyncFnMut() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let (mut waited_ms, mut pause_ms) = (0, 1000);
        loop {
            let result = send().await;
            let most_ms = match result.as_ref().err().and_then(|failure| failure.absence) {
                Some(Absence::Loading) => LONGEST_LOADING_MS,
                Some(Absence::NotReady) => LONGEST_GONE_MS,
                _ => 0,
            };
            let failure = match result {
                Err(failure) if waited_ms < most_ms && !self.ports.cancelled() => failure,
                result => {
                    report.borrow_mut().waiting = None;
                    return result;
                }
            };
            report.borrow_mut().waiting = Some(failure.message);
            self.show(&report.borrow());
            self.ports.wait(pause_ms).await;
            waited_ms += u64::from(pause_ms);
            pause_ms = (pause_ms * 2).min(GONE_PAUSE_MS);
        }
    }
}

/// The concurrency to propose: 1 for a local server that handles requests sequentially.
fn concurrency(endpoint: &Endpoint) -> usize {
    match endpoint.server() {
        Preset::Custom if super::diagnosis::is_local(&endpoint.base_url) => 1,
        Preset::Custom => 4,
        known => known.facts().concurrency,
    }
}
