//! A session: the episode that an agent plays, without the wire protocol.

use crate::ports::Native;
use exchange::protocol::agent::Episode;
use exchange::protocol::tools::result_text;
use exchange::protocol::{Message, Role, Sample, Tool, ToolCall};
use exchange::{Answer, SampleTimes};
use provider::Ports as _;
use record::{Agent, RunSettings, SampleRecord};
use runner::benchmark::Benchmark;
use runner::played;
use serde_json::{Map, Value, json};
use tokio::sync::oneshot;

/// Returns the instructions, the conversation so far and the user's message.
const TASK: &str = "task";
/// Sends a message to the user.
const REPLY: &str = "reply";
/// Calls a tool by its name, for clients that don't reload the list of tools.
const CALL_TOOL: &str = "call_tool";

/// What the user's last line is followed by.
const OVER: &str = "The conversation is over.";

/// What precedes the conversation before the user's latest message.
const EARLIER: &str = "The conversation so far:";

/// A request to the session, with the sender for its response.
#[derive(Debug)]
pub(super) enum Request {
    /// The tools offered now.
    Tools(oneshot::Sender<Vec<Tool>>),
    /// The instructions, the conversation before the user's latest message if there is one, and
    /// that message.
    Task(oneshot::Sender<Vec<String>>),
    /// The whole conversation so far.
    Conversation(oneshot::Sender<String>),
    /// A call of a tool.
    Call(Call, oneshot::Sender<Called>),
}

/// A call of a tool.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) name: String,
    pub(super) arguments: Map<String, Value>,
    /// How the client introduces itself.
    pub(super) client: Option<Agent>,
}

/// The response to a call.
#[derive(Debug)]
pub(super) struct Called {
    /// The text for the agent.
    pub(super) text: String,
    pub(super) is_error: bool,
    /// Whether the call changed which tools are offered.
    pub(super) new_tools: bool,
}

impl Called {
    fn text(text: impl Into<String>) -> Self {
        Called { text: text.into(), is_error: false, new_tools: false }
    }

    fn error(text: impl Into<String>) -> Self {
        Called { is_error: true, ..Called::text(text) }
    }
}

/// A session in progress.
pub(super) struct Session<'a> {
    bench: &'a Benchmark,
    ports: &'a Native,
    sample: Sample<'a>,
    episode: Episode<'a>,
    client: Option<Agent>,
    /// When the session began, in milliseconds since 1970.
    started_ms: u64,
    /// The monotonic times of the start and of the last response, in milliseconds.
    began_ms: u64,
    responded_ms: u64,
}

impl<'a> Session<'a> {
    /// A session on a sample.
    pub(super) fn new(
        bench: &'a Benchmark,
        sample: Sample<'a>,
        settings: &'a RunSettings,
        ports: &'a Native,
    ) -> Self {
        let episode = Episode::new(
            settings.protocol,
            settings.prompts(),
            sample,
            &bench.world,
            settings.turn_limit,
        );
        let (started_ms, now) = (ports.now_ms(), ports.elapsed_ms());
        Session {
            bench,
            ports,
            sample,
            episode,
            client: None,
            started_ms,
            began_ms: now,
            responded_ms: now,
        }
    }

    /// The protocol's instructions, and how to reach the user.
    pub(super) fn instructions(&self) -> String {
        let system = self.episode.messages().iter().find(|message| message.role == Role::System);
        let system = system.map_or("", |it| &*it.content);
        let reply = match self.sample.task() {
            Some(_) => format!("Send your answer with the tool {REPLY}, which ends the task."),
            None => format!(
                "The user sees only what you send with the tool {REPLY}, which returns the user's next \
                 message. Continue until it says that the conversation is over."
            ),
        };
        format!("{system}\n\nThe tool {TASK} returns the user's message. {reply}")
    }

    /// Answers a request. A client that is gone needs no response.
    pub(super) fn answer(&mut self, request: Request) {
        match request {
            Request::Tools(to) => drop(to.send(self.tools())),
            Request::Task(to) => drop(to.send(self.task())),
            Request::Conversation(to) => {
                drop(to.send(transcript(self.episode.messages())));
            }
            Request::Call(call, to) => {
                let before = self.episode.tools().len();
                self.client = call.client.or(self.client.take());
                let mut called = self.call(&call.name, call.arguments);
                called.new_tools = self.episode.tools().len() != before;
                drop(to.send(called));
            }
        }
    }

    /// The user's latest message.
    fn message(&self) -> String {
        let users = self.episode.messages().iter().rev().find(|message| message.role == Role::User);
        match users {
            Some(message) if !self.episode.is_over() => message.content.to_string(),
            _ => OVER.to_owned(),
        }
    }

    /// What the agent has to know to begin, or to go on: as the record's messages, in text.
    fn task(&self) -> Vec<String> {
        let messages = self.episode.messages();
        let latest = messages.iter().rposition(|it| it.role == Role::User).unwrap_or_default();
        let earlier = transcript(messages.get(..latest).unwrap_or_default());
        let earlier = (!earlier.is_empty()).then(|| format!("{EARLIER}\n\n{earlier}"));
        [self.instructions()].into_iter().chain(earlier).chain([self.message()]).collect()
    }

    /// The session's own tools and the APIs that the episode offers.
    fn tools(&self) -> Vec<Tool> {
        let mut tools = vec![
            tool(
                TASK,
                "Returns your instructions, the conversation so far and the user's message. \
                 Start here.",
                json!({}),
            ),
            tool(
                REPLY,
                match self.sample.task() {
                    Some(_) => "Sends your answer to the user. Ends the task.",
                    None => "Sends a message to the user. Returns the user's next message.",
                },
                json!({"text": {"type": "string", "description": "The message."}}),
            ),
        ];
        if self.searches() {
            tools.push(tool(
                CALL_TOOL,
                "Calls a tool that a search has found, if your list of tools doesn't show it.",
                json!({
                    "name": {"type": "string", "description": "The tool's name."},
                    "arguments": {"type": "object", "description": "The tool's arguments."},
                }),
            ));
        }
        tools.extend(self.episode.tools());
        tools
    }

    /// Whether the agent has to search for APIs.
    fn searches(&self) -> bool {
        self.sample.ability() != dataset::Ability::Call && self.sample.task().is_none()
    }

    fn call(&mut self, name: &str, mut arguments: Map<String, Value>) -> Called {
        if name == TASK {
            let mut texts = self.task();
            let message = texts.pop().unwrap_or_default();
            texts.push(format!("The user: {message}"));
            return Called::text(texts.join("\n\n"));
        }
        if self.episode.is_over() {
            return Called::error(OVER);
        }
        match name {
            REPLY => match arguments.get("text").and_then(Value::as_str) {
                Some(text) => self.reply(text.to_owned()),
                None => Called::error("text: expected the message as a string."),
            },
            CALL_TOOL if self.searches() => {
                let Some(Value::String(name)) = arguments.remove("name") else {
                    return Called::error("name: expected the name of a tool as a string.");
                };
                let arguments = match arguments.remove("arguments") {
                    Some(Value::String(json)) => json,
                    given => given.unwrap_or_else(|| json!({})).to_string(),
                };
                self.call_api(name, arguments)
            }
            _ => self.call_api(name.to_owned(), Value::Object(arguments).to_string()),
        }
    }

    fn reply(&mut self, text: String) -> Called {
        self.take(Answer { text, ..Answer::default() });
        Called::text(self.message())
    }

    /// `arguments` is JSON text.
    fn call_api(&mut self, name: String, arguments: String) -> Called {
        let call = ToolCall { id: String::new(), name, arguments };
        self.take(Answer { calls: vec![call], ..Answer::default() });
        let step = self.episode.steps().last();
        let Some(call) = step.and_then(|step| step.calls.last()) else {
            return Called::error("The call was not executed.");
        };
        let result = &call.effect.result;
        Called { is_error: result.exception.is_some(), ..Called::text(result_text(result)) }
    }

    /// Adds the agent's next step. Its latency is the time since the last response.
    fn take(&mut self, answer: Answer) {
        let now = self.ports.elapsed_ms();
        let times = SampleTimes {
            started_ms: self.started_ms + self.responded_ms.saturating_sub(self.began_ms),
            latency_ms: now.saturating_sub(self.responded_ms),
            first_token_ms: None,
        };
        // The agent's own requests to its model are unknown.
        self.episode.take(answer, 0, times);
        self.responded_ms = self.ports.elapsed_ms();
    }

    /// How the client introduced itself.
    pub(super) fn client(&self) -> Option<&Agent> {
        self.client.as_ref()
    }

    /// The number of answers so far.
    pub(super) fn steps(&self) -> usize {
        self.episode.steps().len()
    }

    /// The sample as it would be if the agent left now.
    pub(super) fn so_far(&self) -> SampleRecord {
        let mut record = played(self.bench, &self.sample, self.episode.clone().finish());
        record.times.started_ms = self.started_ms;
        record.times.latency_ms = self.responded_ms.saturating_sub(self.began_ms);
        record
    }

    /// Judges the session, and returns how the client introduced itself; `None` if the agent did
    /// nothing.
    pub(super) fn finish(self) -> Option<(SampleRecord, Option<Agent>)> {
        if self.episode.steps().is_empty() {
            return None;
        }
        Some((self.so_far(), self.client))
    }
}

/// Messages as text, without instructions: who says what, calls with their arguments, and results.
fn transcript(messages: &[Message]) -> String {
    let mut parts: Vec<String> = Vec::new();
    for message in messages {
        let said = |who: &str| format!("{who}: {}", message.content);
        match message.role {
            Role::System => continue,
            Role::User => parts.push(said("The user")),
            Role::Assistant if message.content.is_empty() => {}
            Role::Assistant => parts.push(said("You")),
            Role::Tool => parts.push(said("The result")),
        }
        let call = |it: &ToolCall| format!("You called {}: {}", it.name, it.arguments);
        parts.extend(message.calls.iter().map(call));
    }
    parts.join("\n\n")
}

/// A tool of the session, whose parameters are all required.
fn tool(name: &str, description: &str, properties: Value) -> Tool {
    let required: Vec<String> =
        properties.as_object().into_iter().flat_map(Map::keys).cloned().collect();
    Tool {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters: json!({"type": "object", "properties": properties, "required": required}),
    }
}
