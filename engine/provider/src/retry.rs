//! Retries transient failures with backoff, and throttled requests after the server's
//! `Retry-After`.
//!
//! Independent of samples, formats and real time: tests use a simulated clock.

use crate::pace::{
    FAILED_IN_A_ROW, GONE_PAUSE_MS, LONGEST_GONE_MS, LONGEST_LOADING_MS, LONGEST_SILENCE_MS,
    LONGEST_WAIT, Pace, jitter, pause_ms,
};
use crate::{Absence, Client, Failure, Ports, Reply};
use exchange::protocol::Ask;
use std::cell::RefCell;

/// The retry policy for failed requests.
#[derive(Debug, Clone, Copy, Default)]
pub struct RetryPolicy {
    /// Maximum number of retries.
    pub retries: u32,
    /// The first pause, in milliseconds; later ones double.
    pub first_ms: u32,
    /// The run's seed, for the jitter.
    pub seed: u32,
}

/// The result of a request with its retries.
#[derive(Debug, Clone, PartialEq)]
pub struct RetryOutcome<T> {
    /// The answer, or the last failure.
    pub result: Result<T, Failure>,
    /// The number of requests sent.
    pub attempts: u32,
    /// The messages of the earlier failed attempts, at most the first `MOST_TOLD`.
    pub retries: Vec<String>,
}

/// Maximum number of failed attempts reported per request.
const MOST_TOLD: usize = 20;

/// Retries until there is an answer or a permanent failure. `None` when the run was cancelled
/// (`send` returns `None` too) or stopped, see [`Pace::stopped`].
///
/// Throttled attempts don't count as retries. `name` is the sample's id; with the seed, it
/// determines the jitter.
pub async fn send_with_retries<T, P: Ports>(
    name: &str,
    retry_policy: RetryPolicy,
    pace: &RefCell<Pace>,
    ports: &P,
    mut send: impl AsyncFnMut() -> Option<Result<T, Failure>>,
) -> Option<RetryOutcome<T>> {
    let mut tries = Tries { name, retry_policy, ..Tries::default() };
    loop {
        clear_to_send(pace, ports).await?;
        let cuts = pace.borrow().cuts();
        let failure = match send().await? {
            Ok(answer) => {
                pace.borrow_mut().answered();
                return Some(tries.end(Ok(answer)));
            }
            Err(failure) => failure,
        };
        if pace.borrow().stopped().is_some() {
            return None;
        }
        let now_ms = ports.elapsed_ms();
        let mut silence = (0, 0);
        if failure.is_empty_answer {
            pace.borrow_mut().answered();
        } else if failure.throttled {
            pace.borrow_mut().refused(cuts, now_ms, failure.retry_after);
        } else if failure.retry {
            silence = pace.borrow_mut().unanswered(now_ms);
        }
        let next = tries.after(&failure, pace.borrow().answers(), silence);
        match next {
            Next::Again { pause_ms, alone } => {
                if alone {
                    ports.held(pause_ms);
                }
                ports.wait(pause_ms).await;
                tries.note(failure.message);
            }
            Next::GiveUp => {
                pace.borrow_mut().failed(&failure);
                return Some(tries.end(Err(failure)));
            }
            Next::Stop(reason) => {
                pace.borrow_mut().stop(reason);
                return None;
            }
        }
    }
}

/// Asks an endpoint with retries. An empty answer is asked for once more; a second one counts.
pub async fn ask_with_retries<P: Ports>(
    client: &Client<'_>,
    ask: &Ask,
    name: &str,
    retry_policy: RetryPolicy,
    pace: &RefCell<Pace>,
    ports: &P,
) -> Option<RetryOutcome<Reply>> {
    let mut was_empty = false;
    let send = async || {
        let reply = client.ask(ask, ports).await?;
        let is_empty = reply.as_ref().is_ok_and(|reply| reply.answer.is_empty());
        let again = is_empty && !std::mem::replace(&mut was_empty, is_empty);
        Some(if again { Err(Failure::empty_answer()) } else { reply })
    };
    send_with_retries(name, retry_policy, pace, ports, send).await
}

/// What to do after a failed attempt.
enum Next {
    /// Retry after a pause, which is reported to the user if `alone`: the server throttles other
    /// requests too, or asked for the pause.
    Again { pause_ms: u32, alone: bool },
    /// The sample fails.
    GiveUp,
    /// Stop the run for this reason.
    Stop(String),
}

/// The attempts of one request.
#[derive(Default)]
struct Tries<'a> {
    name: &'a str,
    retry_policy: RetryPolicy,
    attempts: u32,
    retries: Vec<String>,
    /// Failures that used up a retry.
    failures: u32,
    /// The run's count of answers at the first of them.
    answers_before: Option<u64>,
    /// The run's count of answers at the last throttle.
    answers: u64,
    /// Consecutive throttles since then, and the pauses after them.
    refusals: u32,
    silent_ms: u64,
    /// All pauses after throttles.
    waited_ms: u64,
}

impl Tries<'_> {
    /// `silence` is [`Pace::unanswered`].
    fn after(&mut self, failure: &Failure, answers: u64, silence: (u64, u32)) -> Next {
        self.attempts = self.attempts.saturating_add(1);
        if failure.is_empty_answer {
            return Next::Again { pause_ms: self.pause_ms(1, failure), alone: false };
        }
        let too_long = failure.retry_after.is_some_and(|wait| wait > LONGEST_WAIT);
        if failure.throttled {
            return self.throttled(failure, answers, too_long);
        }
        if !failure.retry || too_long {
            return Next::GiveUp;
        }
        let (silent_ms, given_up) = silence;
        // Others were answered meanwhile: the fault is this prompt's.
        let is_alone = *self.answers_before.get_or_insert(answers) != answers;
        let (most_ms, waits) = match failure.absence {
            Some(Absence::Loading) => (LONGEST_LOADING_MS, true),
            Some(Absence::NotReady) => (LONGEST_GONE_MS, true),
            // One prompt may crash a server; two in a row are not at fault.
            Some(Absence::Unreachable) => {
                (LONGEST_GONE_MS, !is_alone && (answers == 0 || given_up > 0))
            }
            None => (LONGEST_GONE_MS, false),
        };
        if silent_ms >= most_ms && (waits || given_up + 1 >= FAILED_IN_A_ROW) {
            return Next::Stop(format!(
                "No answer for {}. {}",
                if most_ms == LONGEST_GONE_MS { "a minute" } else { "ten minutes" },
                failure.message
            ));
        }
        self.failures = self.failures.saturating_add(1);
        if !waits && self.failures > self.retry_policy.retries {
            return Next::GiveUp;
        }
        let own_ms = self.pause_ms(self.failures, failure);
        if failure.retry_after.is_some() {
            return Next::Again { pause_ms: own_ms, alone: waits };
        }
        // As long as the silence so far, so that the pauses of all samples grow together.
        let grown_ms = u32::try_from(silent_ms).unwrap_or(u32::MAX).min(GONE_PAUSE_MS);
        let own_ms = if waits { own_ms.min(GONE_PAUSE_MS) } else { own_ms };
        Next::Again { pause_ms: own_ms.max(grown_ms), alone: waits }
    }

    fn throttled(&mut self, failure: &Failure, answers: u64, too_long: bool) -> Next {
        if answers != self.answers {
            (self.answers, self.refusals, self.silent_ms) = (answers, 0, 0);
        }
        if too_long {
            let minutes = LONGEST_WAIT.as_secs() / 60;
            return Next::Stop(format!(
                "The endpoint asks to wait for more than {minutes} minutes: the quota is used up. \
                 {}",
                failure.message
            ));
        }
        if self.silent_ms >= LONGEST_SILENCE_MS {
            let minutes = LONGEST_SILENCE_MS / 60_000;
            return Next::Stop(format!(
                "The endpoint has refused every request for {minutes} minutes. {}",
                failure.message
            ));
        }
        // The endpoint answered other requests meanwhile, so this one is too large for it.
        if self.waited_ms >= LONGEST_SILENCE_MS {
            return Next::GiveUp;
        }
        self.refusals = self.refusals.saturating_add(1);
        let pause_ms = self.pause_ms(self.refusals, failure);
        self.silent_ms += u64::from(pause_ms);
        self.waited_ms += u64::from(pause_ms);
        Next::Again { pause_ms, alone: self.refusals > 1 || failure.retry_after.is_some() }
    }

    fn pause_ms(&self, tries: u32, failure: &Failure) -> u32 {
        let jitter = jitter(self.retry_policy.seed, self.name, self.attempts);
        pause_ms(self.retry_policy.first_ms, tries, failure.retry_after, jitter)
    }

    fn note(&mut self, message: String) {
        if self.retries.len() < MOST_TOLD {
            self.retries.push(message);
        }
    }

    /// Counts the answered attempt; `after` has counted the failed ones.
    fn end<T>(self, result: Result<T, Failure>) -> RetryOutcome<T> {
        let attempts = self.attempts.saturating_add(u32::from(result.is_ok()));
        RetryOutcome { result, attempts, retries: self.retries }
    }
}

/// Waits while the run is paused or the server holds requests; `None` when cancelled or stopped.
async fn clear_to_send<P: Ports>(pace: &RefCell<Pace>, ports: &P) -> Option<()> {
    loop {
        ports.resumed().await;
        if ports.cancelled() || pace.borrow().stopped().is_some() {
            return None;
        }
        let hold_ms = pace.borrow().hold_ms(ports.elapsed_ms());
        if hold_ms == 0 {
            return Some(());
        }
        ports.wait(hold_ms).await;
    }
}

#[cfg(test)]
#[path = "retry_tests.rs"]
mod tests;
