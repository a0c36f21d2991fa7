//! Queue of messages to the worker until it can handle them.

use super::{AnyRequest, Command};

/// A message from the page to the worker.
pub enum Message {
    /// A command; events report its effects.
    Command(Command),
    /// A request.
    Request {
        /// Id that the answer repeats.
        id: u32,
        /// The request.
        request: AnyRequest,
    },
}

impl Message {
    const fn starts_run(&self) -> bool {
        use Command::{Open, Rerun, Resume, Run};
        matches!(self, Message::Command(Run { .. } | Resume { .. } | Rerun { .. } | Open { .. }))
    }
}

/// A queue in front of the worker. `F` is sent along with a message: files.
pub struct Outbox<F> {
    /// Whether the worker has loaded the pack.
    is_open: bool,
    waiting: Vec<(Message, F)>,
}

impl<F> Default for Outbox<F> {
    fn default() -> Self {
        Outbox { is_open: false, waiting: Vec::new() }
    }
}

impl<F> Outbox<F> {
    /// Returns the message if it can be sent now; queues it otherwise.
    #[must_use]
    pub fn push(&mut self, message: Message, files: F) -> Option<(Message, F)> {
        if self.is_open {
            return Some((message, files));
        }
        self.waiting.push((message, files));
        None
    }

    /// Opens the queue; returns the messages to send, in order.
    #[must_use]
    pub fn open(&mut self) -> Vec<(Message, F)> {
        self.is_open = true;
        std::mem::take(&mut self.waiting)
    }

    /// Drops a waiting run; `false` if there is none.
    pub fn drop_waiting_run(&mut self) -> bool {
        let before = self.waiting.len();
        self.waiting.retain(|(message, _)| !message.starts_run());
        self.waiting.len() < before
    }
}

#[cfg(test)]
mod tests {
    use super::super::Search;
    use super::super::request::VerifyRecord;
    use super::*;

    fn search(id: u32) -> Message {
        let suite = "dialogue".to_owned();
        let request = Search { suite, keywords: "alarm".to_owned(), k: 5 }.into();
        Message::Request { id, request }
    }

    fn rerun() -> Message {
        Message::Command(Command::Rerun { key: None })
    }

    fn names(messages: &[(Message, ())]) -> Vec<String> {
        let name = |(message, ()): &(Message, ())| match message {
            Message::Command(_) => "command".to_owned(),
            Message::Request { id, .. } => id.to_string(),
        };
        messages.iter().map(name).collect()
    }

    #[test]
    fn messages_wait_in_order_until_the_worker_is_ready() {
        let mut outbox = Outbox::default();
        let verify = Message::Request { id: 1, request: VerifyRecord {}.into() };
        assert!(outbox.push(verify, ()).is_none());
        assert!(outbox.push(Message::Command(Command::Audit), ()).is_none());
        assert!(outbox.push(search(2), ()).is_none());
        assert_eq!(names(&outbox.open()), ["1", "command", "2"]);
        assert!(outbox.push(rerun(), ()).is_some());
        assert!(outbox.open().is_empty());
    }

    #[test]
    fn a_waiting_run_can_be_dropped() {
        let mut outbox = Outbox::default();
        assert!(!outbox.drop_waiting_run());
        assert!(outbox.push(rerun(), ()).is_none());
        assert!(outbox.push(search(1), ()).is_none());
        assert!(outbox.drop_waiting_run());
        assert!(!outbox.drop_waiting_run());
        assert_eq!(names(&outbox.open()), ["1"]);
    }
}
