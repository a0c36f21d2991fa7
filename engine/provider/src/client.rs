//! Sends one request to an endpoint through the ports: encodes, sends, decodes, and retries without
//! a parameter that the endpoint refuses.

use super::diagnosis::Case;
use super::{ApiKey, Endpoint, Failure, HttpHead, Receiver, Sink, Timeouts, TransportError};
use crate::{Ports, RetryOutcome};
use exchange::Answer;
use exchange::protocol::Ask;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

/// An answer and its time to first token.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The answer.
    pub answer: Answer,
    /// Milliseconds from sending to the first piece of a streamed answer.
    pub first_token_ms: Option<u64>,
}

impl RetryOutcome<Reply> {
    /// Milliseconds to the first token, if known.
    pub fn first_token_ms(&self) -> Option<u64> {
        self.result.as_ref().ok().and_then(|reply| reply.first_token_ms)
    }
}

/// An endpoint during a run. Remembers which parameters were refused.
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

    /// Omits the parameters that the endpoint refused earlier in the run.
    #[must_use]
    pub fn without(self, dropped: impl IntoIterator<Item = String>) -> Self {
        Client { dropped: Mutex::new(dropped.into_iter().collect()), ..self }
    }

    /// The names of the parameters refused so far. The record must list them: its settings include
    /// them, but the requests did not.
    pub fn dropped(&self) -> Vec<String> {
        self.refused().iter().cloned().collect()
    }

    fn refused(&self) -> std::sync::MutexGuard<'_, BTreeSet<String>> {
        // A set from a poisoned lock is still valid.
        self.dropped.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks once. A refused parameter is omitted from then on and the request is resent, at most
    /// once per optional parameter. `None` when cancelled.
    ///
    /// # Errors
    /// When there is no answer; whether to retry is up to the caller.
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
        Failure::unreachable(case.no_answer(reason).to_string())
    }
}

/// A sink that measures the time to first token.
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
