//! The `agent` and `agent-text` protocols: the model plays a whole dialogue with its own calls.
//!
//! Its calls run on fresh databases. After a reply (an answer without calls) the
//! [scripted user](super::scripted_user) goes on. The episode ends with the script or at the turn limit.
//! [`Episode`] is the conversation without I/O, shared by runs, tests and verification.

use super::prompts::Prompts;
use super::scripted_user::ScriptedUser;
use super::tools::{self, call_id, result_text};
use super::{
    Ask, Message, Protocol, Role, Sample, SampleKind, Tool, agent_text, history, world_at,
};
use crate::call::{self, CallProblem, ParsedCall};
use crate::{Answer, Usage};
use crate::{EpisodeCall, EpisodeEnd, EpisodeStep, SampleTimes};
use apis::effect::Effect;
use apis::{Api, ApiResult, World};
use dataset::{Dialogue, RecordedCall, TaskId, Turn};
use serde_json::Value;

/// Maximum number of calls executed per answer; the rest return an error.
pub const MOST_CALLS: usize = 32;

/// The dialogue's episode; `None` without a user turn. If the gold dialogue has no call, as in
/// parts of the hard split, an episode without changes is correct.
pub(super) fn sample(dialogue: &Dialogue) -> Option<Sample<'_>> {
    script(dialogue).next().map(|_| Sample::new(dialogue, 0, SampleKind::Episode))
}

/// The episode's first request: instructions and the user's first line.
pub(super) fn first_ask(
    protocol: Protocol,
    prompts: &Prompts,
    sample: &Sample<'_>,
    world: &World,
) -> Ask {
    super::ask_after(protocol, prompts, sample, &opening(sample.dialogue), world)
}

/// The request at `sample.turn`, with the gold turns before it as history.
pub fn ask_at(protocol: Protocol, prompts: &Prompts, sample: &Sample<'_>, world: &World) -> Ask {
    super::ask_after(protocol, prompts, sample, &history(protocol, sample, world), world)
}

/// The turns before the model's first answer: those of earlier dialogues, and the user's first line.
fn opening(dialogue: &Dialogue) -> Vec<Turn> {
    let first = script(dialogue).next().map(|text| Turn::User { text: text.to_owned() });
    let earlier = dialogue.turns.iter().take(dialogue.earlier).cloned();
    earlier.chain(first).collect()
}

/// The user's lines, in order.
fn script(dialogue: &Dialogue) -> impl Iterator<Item = &str> {
    dialogue.own_turns().iter().filter_map(|turn| match turn {
        Turn::User { text } => Some(text.as_str()),
        _ => None,
    })
}

/// An episode in progress.
#[derive(Debug, Clone)]
pub struct Episode<'a> {
    protocol: Protocol,
    prompts: &'a Prompts,
    sample: Sample<'a>,
    world: World,
    messages: Vec<Message>,
    history: Vec<Turn>,
    user: ScriptedUser<'a>,
    steps: Vec<EpisodeStep>,
    turn_limit: usize,
    ended: Option<EpisodeEnd>,
}

impl<'a> Episode<'a> {
    /// Starts with the instructions and the user's first line. `turn_limit` is the maximum number
    /// of answers from the model; a horizon task has its own ([`dataset::TaskId::limit`]), of answers and
    /// of calls.
    pub fn new(
        protocol: Protocol,
        prompts: &'a Prompts,
        sample: Sample<'a>,
        fresh: &World,
        turn_limit: usize,
    ) -> Self {
        let messages = first_ask(protocol, prompts, &sample, fresh).messages;
        let history = opening(sample.dialogue);
        let opened = Sample { turn: sample.dialogue.earlier, ..sample };
        Episode {
            protocol,
            prompts,
            sample,
            world: world_at(&opened, fresh),
            messages,
            history,
            user: ScriptedUser::new(sample.dialogue),
            steps: Vec::new(),
            turn_limit: sample.task().map_or(turn_limit.max(1), TaskId::limit),
            ended: None,
        }
    }

    /// The next request; `None` after the end.
    pub fn ask(&self) -> Option<Ask> {
        if self.ended.is_some() {
            return None;
        }
        let tools = if self.protocol.is_text() { Vec::new() } else { self.tools() };
        Some(Ask { messages: self.messages.clone(), tools, ..Ask::default() })
    }

    /// The APIs currently offered to the model.
    fn described(&self) -> Vec<&'static Api> {
        tools::described(&self.sample, &self.history, self.world.search.results)
    }

    /// The tools currently offered to the model.
    pub fn tools(&self) -> Vec<Tool> {
        self.described().into_iter().map(tools::tool).collect()
    }

    /// The messages so far, instructions first.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The answers so far, with their calls.
    pub fn steps(&self) -> &[EpisodeStep] {
        &self.steps
    }

    /// Whether the script or the turn limit ended it.
    pub fn is_over(&self) -> bool {
        self.ended.is_some()
    }

    /// The turns of the conversation so far.
    pub fn history(&self) -> &[Turn] {
        &self.history
    }

    /// Adds an answer and executes its calls; after a reply, adds the user's next line.
    pub fn take(&mut self, answer: Answer, attempts: u32, times: SampleTimes) {
        let (answer, calls) = match self.protocol.is_text() {
            true => self.take_text(answer),
            false => self.take_native(answer),
        };
        let replied = calls.is_empty();
        self.steps.push(EpisodeStep { answer, calls, attempts, times });
        if replied {
            self.user_goes_on();
        }
        if self.protocol.is_text() {
            self.describe();
        }
        let made = match self.sample.task() {
            Some(_) => self.calls_so_far().max(self.steps.len()),
            None => self.steps.len(),
        };
        if self.ended.is_none() && made >= self.turn_limit {
            self.ended = Some(EpisodeEnd::TurnLimit);
        }
    }

    /// Puts the APIs that are offered now into the instructions: searches and later turns add some.
    fn describe(&mut self) {
        let described = self.described();
        if let Some(first) = self.messages.first_mut() {
            *first = agent_text::instructions(self.prompts, &self.sample, &described, &self.world);
        }
    }

    /// Executes the calls in an answer's text.
    fn take_text(&mut self, answer: Answer) -> (Answer, Vec<EpisodeCall>) {
        let described = self.described();
        let known = |name: &str| described.iter().any(|api| api.name == name);
        let read = agent_text::read(&answer, &known);
        agent_text::push(&mut self.messages, Role::Assistant, &answer.text);
        if read.is_empty() {
            self.assistant_says(&answer.text);
        }
        let mut calls = Vec::with_capacity(read.len());
        for (index, parsed) in read.into_iter().enumerate() {
            let call = match parsed {
                Ok(parsed) if index >= MOST_CALLS => too_many(&parsed.name),
                Ok(parsed) => self.run(parsed),
                Err(problem) => unreadable(&problem),
            };
            let line = agent_text::result_line(&call.effect.result);
            agent_text::push(&mut self.messages, Role::User, &line);
            calls.push(call);
        }
        (answer, calls)
    }

    /// Executes an answer's native calls.
    fn take_native(&mut self, mut answer: Answer) -> (Answer, Vec<EpisodeCall>) {
        for (index, call) in answer.calls.iter_mut().enumerate() {
            if call.id.is_empty() {
                call.id = call_id(self.calls_so_far() + index + 1);
            }
        }
        self.messages.push(Message {
            calls: answer.calls.clone(),
            raw: answer.raw.clone(),
            ..Message::text(Role::Assistant, answer.text.clone())
        });
        if !answer.text.is_empty() || answer.calls.is_empty() {
            self.assistant_says(&answer.text);
        }
        let mut calls = Vec::with_capacity(answer.calls.len());
        for (index, asked) in answer.calls.iter().enumerate() {
            let call = match call::native(asked) {
                _ if index >= MOST_CALLS => too_many(&asked.name),
                Ok(parsed) => self.run(parsed),
                Err(problem) => EpisodeCall {
                    problem: Some(problem.to_string()),
                    ..refused(&asked.name, "The arguments are no JSON object.".to_owned())
                },
            };
            self.messages.push(Message::result(&asked.id, result_text(&call.effect.result)));
            calls.push(call);
        }
        (answer, calls)
    }

    fn assistant_says(&mut self, text: &str) {
        let turn = Turn::Assistant { text: text.to_owned(), expect: None, tell: Vec::new() };
        self.history.push(turn);
    }

    fn calls_so_far(&self) -> usize {
        self.steps.iter().map(|step| step.calls.len()).sum()
    }

    /// Executes a call if its tool is available.
    fn run(&mut self, parsed: ParsedCall) -> EpisodeCall {
        let tools = self.described();
        let Some(api) = tools.iter().copied().find(|api| api.name == parsed.name) else {
            let names: Vec<&str> = tools.iter().map(|api| api.name).collect();
            let message =
                format!("There is no tool {}. The tools: {}.", parsed.name, names.join(", "));
            return EpisodeCall {
                offered: false,
                call: Some(parsed.clone()),
                ..refused(&parsed.name, message)
            };
        };
        let before = self.world.clone();
        let result = api.call(&parsed.arguments, &mut self.world);
        let changes = self.world.changes_since(&before);
        self.user.sees_call(&parsed.name);
        self.history.push(Turn::Api(RecordedCall {
            api_name: parsed.name.clone(),
            param_dict: parsed.arguments.clone(),
            result: result.clone(),
            alternatives: Vec::new(),
            declared: dataset::Declared::default(),
        }));
        EpisodeCall {
            call: Some(parsed),
            problem: None,
            offered: true,
            effect: Effect { result, changes },
        }
    }

    /// Adds what the user says to the reply, or ends the episode. A horizon task ends with its first
    /// reply.
    fn user_goes_on(&mut self) {
        if self.sample.task().is_some() {
            self.ended = Some(EpisodeEnd::ScriptDone);
            return;
        }
        let reply = self.steps.last().map(|step| step.answer.text.as_str()).unwrap_or_default();
        match self.user.answer(reply) {
            Some(text) => self.user_says(&text),
            None => self.ended = Some(EpisodeEnd::ScriptDone),
        }
    }

    fn user_says(&mut self, text: &str) {
        agent_text::push(&mut self.messages, Role::User, text);
        self.history.push(Turn::User { text: text.to_owned() });
    }

    /// Consumes the episode and returns its transcript and end state. An episode that isn't over was
    /// left.
    pub fn finish(self) -> Played {
        Played {
            protocol: self.protocol,
            tools: self.described().into_iter().map(|api| api.name.to_owned()).collect(),
            messages: self.messages,
            steps: self.steps,
            ended: self.ended.unwrap_or(EpisodeEnd::Left),
            world: self.world,
        }
    }
}

/// A finished episode.
#[derive(Debug)]
pub struct Played {
    /// The protocol.
    pub protocol: Protocol,
    /// All messages, instructions first.
    pub messages: Vec<Message>,
    /// Names of the tools available at the end.
    pub tools: Vec<String>,
    /// The model's answers with their calls.
    pub steps: Vec<EpisodeStep>,
    /// Why it ended.
    pub ended: EpisodeEnd,
    /// The databases after the last call.
    pub world: World,
}

impl Played {
    /// The last answer, with the token counts summed over all answers.
    pub fn last_answer(&self) -> Answer {
        let usages: Vec<Usage> = self.steps.iter().filter_map(|step| step.answer.usage).collect();
        let usage = (!usages.is_empty()).then(|| usages.iter().copied().sum());
        let last = self.steps.last().map(|step| step.answer.clone()).unwrap_or_default();
        Answer { usage, ..last }
    }
}

fn too_many(name: &str) -> EpisodeCall {
    refused(name, format!("Only {MOST_CALLS} calls at a time are run."))
}

/// A call in text that can't be read.
fn unreadable(problem: &CallProblem) -> EpisodeCall {
    let name = match problem {
        CallProblem::OtherForm { name, .. } | CallProblem::Malformed { name, .. } => name,
        CallProblem::NoCall => "",
    };
    EpisodeCall {
        problem: Some(problem.to_string()),
        ..refused(name, format!("Not run: {problem}."))
    }
}

/// A failed call that is not executed.
fn refused(name: &str, message: String) -> EpisodeCall {
    let result = ApiResult::failure(name, Value::Null, message);
    EpisodeCall {
        call: None,
        problem: None,
        offered: true,
        effect: Effect { result, changes: Vec::new() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::ToolCall;
    use dataset::{Ability, HardKind, Split};
    use serde_json::json;

    fn dialogue() -> Dialogue {
        let lines = [
            json!({"role": "User", "text": "What day is it?"}),
            json!({"role": "API", "api_name": "GetToday", "param_dict": {},
                   "result": {"api_name": "GetToday", "output": "2024-05-15"}}),
            json!({"role": "AI", "text": "It is 15 May 2024."}),
            json!({"role": "User", "text": "Thanks."}),
            json!({"role": "AI", "text": "You're welcome."}),
        ];
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        Dialogue::read_lines("a.jsonl", Ability::Call, &text).unwrap()
    }

    fn last_line(episode: &Episode<'_>) -> String {
        episode.messages.last().unwrap().content.to_string()
    }

    #[test]
    fn the_user_says_yes_once_and_only_while_a_call_is_due() {
        let dialogue = dialogue();
        let sample = sample(&dialogue).unwrap();
        let world = World::empty(1);
        let protocol = Protocol::Agent;
        let prompts = Prompts::builtin(protocol);
        let ask = || Answer { text: "Shall I look it up?".to_owned(), ..Answer::default() };
        let mut episode = Episode::new(protocol, prompts, sample, &world, 10);
        episode.take(ask(), 1, SampleTimes::default());
        assert_eq!(last_line(&episode), "Yes, please.");
        episode.take(ask(), 1, SampleTimes::default());
        assert_eq!(last_line(&episode), "Thanks.");
        episode.take(ask(), 1, SampleTimes::default());
        assert_eq!(episode.ended, Some(EpisodeEnd::ScriptDone));

        let mut episode = Episode::new(protocol, prompts, sample, &world, 10);
        let call =
            ToolCall { id: String::new(), name: "GetToday".to_owned(), arguments: "{}".to_owned() };
        let calls = Answer { calls: vec![call], ..Answer::default() };
        episode.take(calls, 1, SampleTimes::default());
        episode.take(ask(), 1, SampleTimes::default());
        assert_eq!(last_line(&episode), "Thanks.");
    }

    #[test]
    fn calls_in_text_of_any_form_are_run_and_unreadable_ones_are_told() {
        let dialogue = dialogue();
        let (sample, world) = (sample(&dialogue).unwrap(), World::empty(1));
        let protocol = Protocol::AgentText;
        let prompts = Prompts::builtin(protocol);
        let mut episode = Episode::new(protocol, prompts, sample, &world, 10);
        let asked = episode.ask().unwrap();
        assert!(asked.tools.is_empty() && asked.messages[0].content.contains("\"GetToday\""));
        let today = "API result: \"";
        for (answer, expected) in [
            ("[GetToday()]", today),
            ("[GetToday(", "API result: {\"exception\":\"Not run: the call GetToday("),
            ("```json\n{\"name\": \"GetToday\", \"arguments\": {}}\n```", today),
            ("[GetToday()]\n[Nonsense()]", today),
            ("[Nonsense(a='b')]", "API result: {\"exception\":\"There is no tool Nonsense"),
        ] {
            let answer = Answer { text: answer.to_owned(), ..Answer::default() };
            episode.take(answer, 1, SampleTimes::default());
            let said = last_line(&episode);
            assert!(said.starts_with(expected), "{said}");
        }
        let counts: Vec<usize> = episode.steps().iter().map(|step| step.calls.len()).collect();
        assert_eq!(counts, [1, 1, 1, 2, 1]);
        let words = Answer { text: "It is 15 May 2024.".to_owned(), ..Answer::default() };
        episode.take(words, 1, SampleTimes::default());
        assert_eq!(last_line(&episode), "Thanks.");
        let roles: Vec<Role> = episode.messages().iter().map(|message| message.role).collect();
        assert!(roles.windows(2).all(|pair| pair[0] != pair[1]), "{roles:?}");
    }

    #[test]
    fn instructions_describe_the_apis_that_are_offered_now() {
        let pack = dataset::builtin().unwrap();
        let protocol = Protocol::AgentText;
        let adds = |it: &&Dialogue| {
            it.hard.as_ref().is_some_and(|hard| hard.kind == HardKind::FunctionAdded)
        };
        let mut grown = 0;
        for dialogue in pack.split(Split::Hard).iter().filter(adds) {
            let (sample, prompts) = (sample(dialogue).unwrap(), Prompts::builtin(protocol));
            let mut episode = Episode::new(protocol, prompts, sample, &World::empty(1), 10);
            let first = episode.tools().len();
            while let Some(ask) = episode.ask() {
                for tool in episode.tools() {
                    let named = format!("{{\"name\":{:?}", tool.name);
                    assert!(ask.messages[0].content.contains(&named), "{}: {named}", dialogue.id);
                }
                grown += usize::from(episode.tools().len() > first);
                let words = Answer { text: "One moment.".to_owned(), ..Answer::default() };
                episode.take(words, 1, SampleTimes::default());
            }
        }
        assert!(grown > 0, "no tool is added while these dialogues go on");
    }
}
