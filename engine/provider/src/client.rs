//! One question to an endpoint, sent through the ports: encode, send, decode, and once more without
//! a parameter that the endpoint refuses.

use super::diagnosis::Case;
use super::{ApiKey, Endpoint, Failure, HttpHead, Receiver, Sink, Timeouts, TransportError};
use crate::Ports;
use exchange::Answer;
use exchange::protocol::Ask;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

/// An answer and when it began.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The answer.
    pub answer: Answer,
    /// Milliseconds from sending to the first piece of a streamed answer.
    pub first_token_ms: Option<u64>,
}

/// An endpoint during a run. It remembers which parameters were refused.
#[derive(Debug)]
pub struct Client<'a> {
    endpoint: &'a Endpoint,
    key: Option<&'a ApiKey>,
    timeouts: Timeouts,
    dropped: Mutex<BTreeSet<String>>,
}

impl<'a> Client<'a> {
    /// A client that sends every parameter.
    pub fn new(endpoint: &'a Endpoint, key: Option<&'a ApiKey>, timeouts: Timeouts) -> Self {
        Client { endpoint, key, timeouts, dropped: Mutex::default() }
    }

    /// A client that leaves out what an earlier part of the run found refused.
    #[must_use]
    pub fn without(self, dropped: impl IntoIterator<Item = String>) -> Self {
        Client { dropped: Mutex::new(dropped.into_iter().collect()), ..self }
    }

    /// The parameters that were refused so far, by name. They belong into the record: its settings
    /// name them, but the model was asked without.
    pub fn dropped(&self) -> Vec<String> {
        self.refused().iter().cloned().collect()
    }

    fn refused(&self) -> std::sync::MutexGuard<'_, BTreeSet<String>> {
        // A set that a panic left behind is still a set.
        self.dropped.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks once. A parameter that the endpoint refuses is left out from then on and the question
    /// sent again: at most as often as there are optional parameters, since each is named once.
    /// `None` when cancelled.
    ///
    /// # Errors
    /// When there is no answer; another try is the caller's to decide.
    pub async fn ask<P: Ports>(&self, ask: &Ask, ports: &P) -> Option<Result<Reply, Failure>> {
        loop {
            let without = self.refused().clone();
            let prepared = match self.endpoint.request(ask, self.key, &without) {
                Ok(prepared) => prepared,
                Err(failure) => return Some(Err(failure)),
            };
            let mut sink = Timed {
                receiver: Receiver::new(self.endpoint, self.key),
                sent_ms: ports.elapsed_ms(),
                first_token_ms: None,
                ports,
            };
            let outcome = match ports.send(prepared.request, self.timeouts, &mut sink).await {
                Ok(()) => sink.receiver.finish(),
                Err(TransportError::Cancelled) => return None,
                Err(TransportError::Unreachable(reason)) => {
                    Err(self.no_answer(&reason, ports).await)
                }
                Err(error) => Err(error.into_failure()),
            };
            let named = |failure: &Failure| {
                failure.refused_parameter(&prepared.optional).map(str::to_owned)
            };
            let Some(refused) = outcome.as_ref().err().and_then(named) else {
                let first_token_ms = sink.first_token_ms;
                return Some(outcome.map(|answer| Reply { answer, first_token_ms }));
            };
            self.refused().insert(refused);
        }
    }

    async fn no_answer<P: Ports>(&self, reason: &str, ports: &P) -> Failure {
        let place = ports.place().await;
        let has_key = self.key.is_some();
        let case = Case { endpoint: self.endpoint, has_key, place: &place };
        Failure::infrastructure(case.no_answer(reason).to_string())
    }
}

/// A receiver that looks at the clock when the first piece comes.
struct Timed<'a, P> {
    receiver: Receiver<'a>,
    sent_ms: u64,
    first_token_ms: Option<u64>,
    ports: &'a P,
}

impl<P: Ports> Sink for Timed<'_, P> {
    fn head(&mut self, head: HttpHead) {
        self.receiver.head(head);
    }

    fn bytes(&mut self, bytes: &[u8]) -> ControlFlow<()> {
        let flow = self.receiver.bytes(bytes);
        if self.first_token_ms.is_none() && self.receiver.started() {
            self.first_token_ms = Some(self.ports.elapsed_ms().saturating_sub(self.sent_ms));
        }
        flow
    }
}
