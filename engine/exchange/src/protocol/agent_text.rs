//! The messages of the `agent-text` protocol: `agent` without native tool calls. The instructions describe
//! the APIs, calls are text of the assistant, and their results a message of the user.
//! [`crate::call::read_text`] finds the calls in an answer.

use super::prompts::Prompts;
use super::tools::{self, result_text};
use super::{Ask, Message, Protocol, Role, Sample, bracket, notes, part};
use crate::Answer;
use crate::call::{self, CallProblem};
use crate::slots::fill;
use apis::{Api, ApiResult, World};
use dataset::Turn;

/// The request for a sample after `history`.
pub(super) fn of_history(
    prompts: &Prompts,
    sample: &Sample<'_>,
    history: &[Turn],
    world: &World,
) -> Ask {
    let described = tools::described(sample, history, world.search.results);
    let mut messages = vec![instructions(prompts, sample, &described, world)];
    history.iter().for_each(|turn| add(&mut messages, turn));
    Ask { messages, ..Ask::default() }
}

/// The instructions, with the APIs that the model may call.
pub(super) fn instructions(
    prompts: &Prompts,
    sample: &Sample<'_>,
    described: &[&'static Api],
    world: &World,
) -> Message {
    let (year, apis) = (world.today.0.year().to_string(), bracket::apis(described));
    let values = [("year", year.as_str()), ("apis", &apis)];
    let text = fill(&prompts.text(part(Protocol::AgentText, sample)).system, &values);
    Message::text(Role::System, notes::with(sample, text))
}

fn add(messages: &mut Vec<Message>, turn: &Turn) {
    match turn {
        Turn::User { text } => push(messages, Role::User, text),
        Turn::Assistant { text, .. } => push(messages, Role::Assistant, text),
        Turn::Api(recorded) => {
            let call = call::format(&recorded.api_name, &recorded.param_dict);
            push(messages, Role::Assistant, &call);
            push(messages, Role::User, &result_line(&recorded.result));
        }
    }
}

/// Adds a message. One of the same role as the last continues it, because some servers reject two in a row.
pub(super) fn push(messages: &mut Vec<Message>, role: Role, text: &str) {
    match messages.last_mut() {
        Some(last) if last.role == role => {
            *last = Message::text(role, format!("{}\n{text}", last.content));
        }
        _ => messages.push(Message::text(role, text)),
    }
}

/// A result in the user's message.
pub(super) fn result_line(result: &ApiResult) -> String {
    format!("API result: {}", result_text(result))
}

/// The calls of an answer, in whatever form they can be read, with the problem of one that can't.
pub(super) fn read(
    answer: &Answer,
    known: &dyn Fn(&str) -> bool,
) -> Vec<Result<call::ParsedCall, CallProblem>> {
    let reading = call::read_text(call::parse_all(&answer.text), answer, known);
    if let Some((first, further)) = reading.made() {
        return std::iter::once(first).chain(further).cloned().map(Ok).collect();
    }
    match reading.calls {
        Ok(_) | Err(CallProblem::NoCall) => Vec::new(),
        Err(problem) => vec![Err(problem)],
    }
}
