//! Questions that wait for an answer, of either machine.

use super::{End, Job, Next, TakeError};
use crate::Spent;
use crate::journal::BYTES_PER_TOKEN;
use exchange::Answer;
use exchange::protocol::Ask;
use provider::Failure;
use std::collections::BTreeMap;

/// The open questions: each has a `W` that says what it is about, and its prompt's length in bytes.
#[derive(Debug, Clone)]
pub(crate) struct Open<W> {
    questions: BTreeMap<u64, (W, u64)>,
    next: u64,
}

impl<W> Default for Open<W> {
    fn default() -> Self {
        Open { questions: BTreeMap::new(), next: 0 }
    }
}

impl<W> Open<W> {
    /// Opens a question.
    pub(crate) fn begin(&mut self, work: W, ask: Ask) -> Next {
        let id = self.next;
        self.next += 1;
        self.questions.insert(id, (work, bytes_of(&ask)));
        Next::Ask(Box::new(Job { id, ask }))
    }

    /// Closes a question: what it is about, and what its answer took.
    pub(crate) fn close(
        &mut self,
        id: u64,
        answer: &Result<Answer, Failure>,
        requests: u64,
    ) -> Result<(W, Spent), TakeError> {
        let (work, asked) = self.questions.remove(&id).ok_or(TakeError::UnknownJob(id))?;
        Ok((work, spent(answer, requests, asked)))
    }

    /// Ends once no question is open.
    pub(crate) fn wait_or(&self, end: End) -> Next {
        if self.questions.is_empty() { Next::End(end) } else { Next::Wait }
    }

    /// The number of open questions.
    pub(crate) fn len(&self) -> u64 {
        self.questions.len() as u64
    }

    /// What the open questions are about.
    pub(crate) fn works(&self) -> impl Iterator<Item = &W> {
        self.questions.values().map(|(work, _)| work)
    }
}

/// The length of a prompt.
pub(crate) fn bytes_of(ask: &Ask) -> u64 {
    ask.messages.iter().map(|message| message.content.len() as u64).sum()
}

/// Requests and tokens of an answer. If the endpoint reports no usage, estimates four bytes per
/// token; `asked` is the prompt's length in bytes.
fn spent(answer: &Result<Answer, Failure>, requests: u64, asked: u64) -> Spent {
    let Ok(answer) = answer else { return Spent { requests, ..Spent::default() } };
    let (prompt_tokens, completion_tokens) = match answer.usage {
        Some(usage) => (usage.prompt_tokens, usage.completion_tokens),
        None => {
            (asked.div_ceil(BYTES_PER_TOKEN), (answer.text.len() as u64).div_ceil(BYTES_PER_TOKEN))
        }
    };
    Spent { requests, prompt_tokens, completion_tokens, estimated: answer.usage.is_none() }
}
