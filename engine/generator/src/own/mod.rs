//! Writes tasks for a user's own tools with three agents: one writes the user's message, one writes calls,
//! results and replies, and one tests the task. The checks of packs run before the test.
//!
//! Accepted tasks are added to the pack as drafts. A later [`Writer`] continues from the pack alone.

mod judge;
pub mod prompts;

use crate::checks::{Embed, EmbedError, Neighbours, coded, cosine};
use crate::estimate::estimated;
use crate::state::{Machine, Open, PATIENCE};
use crate::{Agent, Budget, End, Next, Reason, Spent, TakeError, answers};
use dataset::own_tools::{OwnDialogue, Tool, ToolsFile, example};
use exchange::Answer;
use prompts::About;
use provider::{Failure, FailureClass};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use strum::{EnumCount, IntoStaticStr, VariantArray};

/// Maximum number of tasks per writer.
pub const MOST_TASKS: usize = 500;
/// Maximum number of tools in a prompt: the task's own and its nearest neighbours.
const SHOWN: usize = 8;
/// Number of near misses per task.
const NEAR: usize = 3;
/// The tester's answer if it accepts, for estimates.
const VERDICT: &str = r#"{"accept": true, "reasons": []}"#;
/// Maximum number of existing messages in a prompt.
const EARLIER: usize = 10;

/// The kind of a task. The writer cycles through them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[derive(EnumCount, IntoStaticStr, VariantArray)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum TaskKind {
    /// Call: the message says plainly what to do.
    Call,
    /// Retrieve+Call: the message is worded unlike the tool, so that the right one has to be found.
    Retrieve,
    /// Plan+Retrieve+Call: several calls, later ones with values from earlier results.
    Plan,
    /// No call is right yet.
    NoCall,
}

impl TaskKind {
    /// All kinds, in the order of the cycle.
    pub const ALL: [TaskKind; TaskKind::COUNT] = *TaskKind::VARIANTS.first_chunk().unwrap();

    /// The identifier.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The rules, as stated in prompts. No-call tasks alternate by round between a missing value and an
    /// unsupported request.
    pub const fn rules(self, round: usize) -> &'static str {
        match self {
            TaskKind::Call => {
                "A call of the tool answers the message, which says plainly all that the call needs."
            }
            TaskKind::Retrieve => {
                "A call of the tool answers the message. The message avoids the telling words of the \
                 tool's name and description, so that another tool seems near at first sight. Only \
                 this one is right."
            }
            TaskKind::Plan => {
                "The message takes two or three calls, one of them of the tool. The result of an \
                 earlier call has a value of a later one, word for word, such as an id, a name or a \
                 path. The user says nothing in between."
            }
            TaskKind::NoCall if round.is_multiple_of(2) => {
                "No call is right yet: the message leaves out a value that the tool needs, and that \
                 the assistant can neither guess nor find with another tool. The assistant asks for \
                 it. The user may answer, and a call follow."
            }
            TaskKind::NoCall => {
                "No call is right: the message asks for something near the tool that no tool offers. \
                 The assistant says so. The user may go on with something that a tool offers."
            }
        }
    }
}

/// How many tasks to write, and when to stop.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TaskSettings {
    /// The number of tasks, 1 to [`MOST_TASKS`].
    pub count: usize,
    /// When to stop early.
    pub budget: Budget,
    /// Seed of the pauses between retries.
    pub seed: u32,
    /// Rejected answers per task before it is abandoned.
    pub tries: u32,
}

/// An answer and its outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Written {
    /// The agent that was asked.
    pub agent: Agent,
    /// The tool that the task is about.
    pub tool: String,
    /// What the task asks.
    pub kind: TaskKind,
    /// Requests and tokens used.
    pub spent: Spent,
    /// The outcome.
    pub outcome: Outcome,
}

/// The outcome of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// It goes to the next agent.
    Passed,
    /// The task is in the pack, as a draft.
    Accepted {
        /// The task.
        task: OwnDialogue,
    },
    /// A check rejected the answer, or the tester the task.
    Rejected {
        /// At least one.
        reasons: Vec<Reason>,
    },
    /// The request failed; it is sent again.
    Failed {
        /// The cause and the remedy.
        message: String,
    },
}

/// A task's stage.
#[derive(Debug, Clone, PartialEq)]
enum Stage {
    Query,
    Calls { query: String },
    Test { task: OwnDialogue, said: String, vector: Vec<f32> },
    Accepted,
    GivenUp,
}

#[derive(Debug, Clone)]
struct Slot {
    tool: usize,
    kind: TaskKind,
    rules: &'static str,
    attempt: u32,
    /// The user's message and the reason of each rejected answer.
    rejected: Vec<(String, String)>,
    stage: Stage,
    busy: bool,
}

impl Slot {
    const fn is_done(&self) -> bool {
        matches!(self.stage, Stage::Accepted | Stage::GivenUp)
    }

    const fn agent(&self) -> Agent {
        match self.stage {
            Stage::Calls { .. } => Agent::Calls,
            Stage::Test { .. } => Agent::Tester,
            _ => Agent::Query,
        }
    }

    fn about<'a>(&'a self, today: &'a str, tools: &'a [&'a Tool]) -> About<'a> {
        About { today, kind: self.kind, rules: self.rules, tools }
    }

    /// The user's message, once it is written.
    fn message(&self) -> Option<&str> {
        match &self.stage {
            Stage::Calls { query } => Some(query),
            Stage::Test { task, .. } => task.turns.first()?["text"].as_str(),
            _ => None,
        }
    }

    /// Records a rejection and returns the next stage: one retry with the same message, then a new message.
    fn reject(&mut self, said: Option<String>, reasons: &[Reason]) -> Stage {
        let said = said.unwrap_or_else(|| "(no message)".to_owned());
        let is_first = self.rejections_of(&said).is_empty() && self.message().is_some();
        let why: Vec<String> = reasons.iter().map(ToString::to_string).collect();
        self.rejected.push((said.clone(), format!("rejected: {}", why.join("; "))));
        if is_first { Stage::Calls { query: said } } else { Stage::Query }
    }

    /// The reasons against earlier answers to a message.
    fn rejections_of(&self, message: &str) -> Vec<String> {
        let of_it = self.rejected.iter().filter(|(said, _)| said == message);
        of_it.map(|(_, why)| why.clone()).collect()
    }
}

/// The state machine: chooses the next question and applies its answer. Does no I/O.
#[derive(Debug, Clone)]
pub struct Writer {
    file: ToolsFile,
    settings: TaskSettings,
    /// For each tool, the indices of all tools, nearest first; it is its own nearest.
    nearest: Vec<Vec<usize>>,
    accepted: Neighbours,
    slots: Vec<Slot>,
    open: Open<usize>,
    /// Consecutive failed requests.
    failures: u32,
    stopped: Option<String>,
    spent: Spent,
}

impl Writer {
    /// Plans tasks for a pack, starting with the tools that the fewest tasks call.
    ///
    /// # Errors
    /// When the embedding model fails.
    pub fn new(
        file: ToolsFile,
        settings: TaskSettings,
        embed: &impl Embed,
    ) -> Result<Self, EmbedError> {
        let vectors: Vec<Vec<f32>> =
            file.tools.iter().map(|tool| embed.embed(&tool.text())).collect::<Result<_, _>>()?;
        let mut accepted = Neighbours::default();
        for task in &file.dialogues {
            let said = said(&task.turns);
            accepted.add(&task.id, &said, coded(&embed.embed(&said)?));
        }
        let calls = |name: &str| file.dialogues.iter().filter(|it| does_call(it, name)).count();
        let mut order = distinguishable(&file.tools);
        order.sort_by_cached_key(|index| calls(&file.tools[*index].name));
        let slot = |index: usize| {
            // Each round gives a tool another kind.
            let kind = TaskKind::ALL[(index + index / order.len()) % TaskKind::COUNT];
            Slot {
                tool: order[index % order.len()],
                kind,
                rules: kind.rules(index / TaskKind::COUNT),
                attempt: 0,
                rejected: Vec::new(),
                stage: Stage::Query,
                busy: false,
            }
        };
        let slots = (0..settings.count.min(MOST_TASKS)).map(slot).collect();
        Ok(Writer {
            nearest: nearest(&vectors),
            file,
            settings,
            accepted,
            slots,
            open: Open::default(),
            failures: 0,
            stopped: None,
            spent: Spent::default(),
        })
    }

    /// The pack, with the accepted tasks.
    pub fn file(&self) -> &ToolsFile {
        &self.file
    }

    /// Requests and tokens used so far.
    pub fn spent(&self) -> Spent {
        self.spent
    }

    /// The number of tasks accepted by this writer.
    pub fn accepted(&self) -> usize {
        self.slots.iter().filter(|slot| slot.stage == Stage::Accepted).count()
    }

    /// The tools that prompts describe: the one that the task is about, then the nearest.
    fn shown(&self, tool: usize) -> Vec<&Tool> {
        self.nearest[tool].iter().take(SHOWN).map(|index| &self.file.tools[*index]).collect()
    }

    fn ask_for(&mut self, index: usize) -> Next {
        let slot = &self.slots[index];
        let today = self.file.today.to_string();
        let tools = self.shown(slot.tool);
        let about = slot.about(&today, &tools);
        let ask = match &slot.stage {
            Stage::Calls { query } => about.calls(query, &slot.rejections_of(query)),
            Stage::Test { task, .. } => about.tester(&task.turns),
            _ => {
                let mut existing = self.earlier(&self.file.tools[slot.tool].name);
                existing.extend(slot.rejected.iter().map(|(said, why)| format!("{said} ({why})")));
                about.query(&existing)
            }
        };
        self.slots[index].busy = true;
        self.open.begin(index, ask)
    }

    /// The latest messages of tasks about a tool: those that call it, or have it near and call none.
    fn earlier(&self, tool: &str) -> Vec<String> {
        let nears = |it: &OwnDialogue| {
            it.near.iter().any(|near| near == tool)
                && !it.turns.iter().any(|turn| turn["role"] == "API")
        };
        let all = self.file.dialogues.iter().rev();
        let of_tool = all.filter(|dialogue| does_call(dialogue, tool) || nears(dialogue));
        of_tool.take(EARLIER).map(|dialogue| said(&dialogue.turns)).collect()
    }

    /// Applies an outcome; `said` is the user's message that the answer had or was for.
    fn apply(
        &mut self,
        index: usize,
        said: Option<String>,
        outcome: &Outcome,
        next: Option<Stage>,
    ) {
        let tries = self.settings.tries;
        let slot = &mut self.slots[index];
        slot.busy = false;
        if let Some(stage) = next {
            slot.stage = stage;
        }
        match outcome {
            Outcome::Rejected { reasons } => {
                slot.attempt += 1;
                let unread = reasons.first().is_some_and(|it| it.code.is_unreadable());
                if slot.attempt >= tries {
                    slot.stage = Stage::GivenUp;
                } else {
                    let next = slot.reject(said, reasons);
                    if !unread {
                        slot.stage = next;
                    }
                }
                self.failures = 0;
            }
            Outcome::Failed { message } => {
                self.failures += 1;
                if self.failures >= PATIENCE {
                    self.stopped.get_or_insert_with(|| message.clone());
                }
            }
            _ => self.failures = 0,
        }
    }
}

impl Machine for Writer {
    type Entry = Written;

    fn seed(&self) -> u32 {
        self.settings.seed
    }

    fn next_step(&mut self) -> Next {
        if let Some(message) = &self.stopped {
            return self.open.wait_or(End::Stopped { message: message.clone() });
        }
        if let Some(limit) = self.settings.budget.reached(self.spent, self.open.len()) {
            return self.open.wait_or(End::Budget { limit });
        }
        match self.slots.iter().position(|slot| !slot.busy && !slot.is_done()) {
            Some(index) => self.ask_for(index),
            None => {
                let given_up = self.slots.iter().filter(|it| it.stage == Stage::GivenUp).count();
                self.open.wait_or(End::Finished { given_up })
            }
        }
    }

    fn take(
        &mut self,
        id: u64,
        answer: Result<Answer, Failure>,
        requests: u64,
        embed: &impl Embed,
    ) -> Result<Written, TakeError> {
        let (index, spent) = self.open.close(id, &answer, requests)?;
        self.spent.add(spent);
        let Slot { tool, kind, .. } = self.slots[index];
        let (agent, tool) = (self.slots[index].agent(), self.file.tools[tool].name.clone());
        let mut said = self.slots[index].message().map(str::to_owned);
        let (outcome, next) = match answer {
            Ok(answer) => {
                said = said.or_else(|| answers::message(&answer.text).ok());
                self.judge(index, &answer.text, embed)?
            }
            Err(failure) => {
                if failure.class == FailureClass::Configuration {
                    self.stopped = Some(failure.message.clone());
                }
                (Outcome::Failed { message: failure.message }, None)
            }
        };
        self.apply(index, said, &outcome, next);
        Ok(Written { agent, tool, kind, spent, outcome })
    }
}

/// Estimates the requests and tokens for `count` tasks, assuming that no answer is rejected, that answers
/// are as long as those of the built-in example, and that a token has four bytes.
pub fn estimate(file: &ToolsFile, count: usize) -> Spent {
    let settings = TaskSettings { count, budget: Budget::default(), seed: 1, tries: 1 };
    // Without vectors, arbitrary tools stand in for the nearest ones.
    let blind = |_: &str| Ok::<_, EmbedError>(Vec::new());
    let mut spent = Spent { estimated: true, ..Spent::default() };
    let Ok(writer) = Writer::new(file.clone(), settings, &blind) else { return spent };
    let (query, turns) = example_lengths();
    let (message, text) = ("x".repeat(query), [Value::from("x".repeat(turns))]);
    let today = file.today.to_string();
    for slot in &writer.slots {
        let tools = writer.shown(slot.tool);
        let about = slot.about(&today, &tools);
        spent.add(estimated(&about.query(&[]), query as u64));
        spent.add(estimated(&about.calls(&message, &[]), turns as u64));
        spent.add(estimated(&about.tester(&text), VERDICT.len() as u64));
    }
    spent
}

/// For each vector, the indices of all by falling cosine, its own first.
fn nearest(vectors: &[Vec<f32>]) -> Vec<Vec<usize>> {
    let of = |own: usize| {
        let mut order: Vec<(f32, usize)> =
            vectors.iter().zip(0..).map(|(it, index)| (cosine(it, &vectors[own]), index)).collect();
        order.sort_by(|a, b| (b.1 == own).cmp(&(a.1 == own)).then(b.0.total_cmp(&a.0)));
        order.into_iter().map(|(_, index)| index).collect()
    };
    (0..vectors.len()).map(of).collect()
}

/// Indices of the tools whose description and parameters are unique; of all tools if none is. A task
/// for one of two identical tools would have two right answers.
fn distinguishable(tools: &[Tool]) -> Vec<usize> {
    let alike =
        |a: &Tool, b: &Tool| (&a.description, &a.parameters) == (&b.description, &b.parameters);
    let is_alone = |own: &usize| tools.iter().filter(|tool| alike(tool, &tools[*own])).count() == 1;
    let alone: Vec<usize> = (0..tools.len()).filter(is_alone).collect();
    if alone.is_empty() { (0..tools.len()).collect() } else { alone }
}

/// The user's messages, one a line.
fn said(turns: &[Value]) -> String {
    let users = turns.iter().filter(|turn| turn["role"] == "User");
    users.filter_map(|turn| turn["text"].as_str()).collect::<Vec<_>>().join("\n")
}

fn does_call(task: &OwnDialogue, tool: &str) -> bool {
    task.turns.iter().any(|turn| turn["api_name"] == tool)
}

/// The mean length of a message, and of the turns after it, in the built-in example; in bytes.
fn example_lengths() -> (usize, usize) {
    let tasks = ToolsFile::read(example::PACK).map(|it| it.dialogues).unwrap_or_default();
    let mean = |length: fn(&OwnDialogue) -> usize| {
        tasks.iter().map(length).sum::<usize>() / tasks.len().max(1)
    };
    let turns = |it: &OwnDialogue| it.turns.iter().skip(1).map(|turn| turn.to_string().len()).sum();
    (mean(|dialogue| said(&dialogue.turns).len()), mean(turns))
}
