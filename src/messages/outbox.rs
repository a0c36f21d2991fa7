//! Queue of messages to the worker until it can handle them.

use super::AnyRequest;

/// A request on its way to the worker.
pub struct Message {
    /// Id that progress and answer repeat.
    pub id: u32,
    /// The request.
    pub request: AnyRequest,
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

    /// Drops a waiting run and returns its id; `None` if there is none.
    pub fn drop_waiting_run(&mut self) -> Option<u32> {
        let is_run = |it: &Message| matches!(it.request, AnyRequest::StartRun(_));
        let at = self.waiting.iter().position(|(message, _)| is_run(message))?;
        Some(self.waiting.remove(at).0.id)
    }
}

#[cfg(test)]
mod tests {
    use super::super::request::VerifyRecord;
    use super::super::{RunOrigin, Search, StartRun};
    use super::*;

    fn search(id: u32) -> Message {
        let suite = "dialogue".to_owned();
        let request = Search { suite, keywords: "alarm".to_owned(), k: 5 }.into();
        Message { id, request }
    }

    fn rerun(id: u32) -> Message {
        Message { id, request: StartRun { origin: RunOrigin::Last, key: None }.into() }
    }

    fn ids(messages: &[(Message, ())]) -> Vec<u32> {
        messages.iter().map(|(message, ())| message.id).collect()
    }

    #[test]
    fn messages_wait_in_order_until_the_worker_is_ready() {
        let mut outbox = Outbox::default();
        let verify = Message { id: 1, request: VerifyRecord {}.into() };
        assert!(outbox.push(verify, ()).is_none());
        assert!(outbox.push(search(2), ()).is_none());
        assert_eq!(ids(&outbox.open()), [1, 2]);
        assert!(outbox.push(rerun(3), ()).is_some());
        assert!(outbox.open().is_empty());
    }

    #[test]
    fn a_waiting_run_can_be_dropped() {
        let mut outbox = Outbox::default();
        assert_eq!(outbox.drop_waiting_run(), None);
        assert!(outbox.push(rerun(1), ()).is_none());
        assert!(outbox.push(search(2), ()).is_none());
        assert_eq!(outbox.drop_waiting_run(), Some(1));
        assert_eq!(outbox.drop_waiting_run(), None);
        assert_eq!(ids(&outbox.open()), [2]);
    }
}
