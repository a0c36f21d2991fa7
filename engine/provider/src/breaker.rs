//! Circuit breaker: stops a run when the endpoint refuses every request for the same reason, such
//! as a wrong key, an exhausted quota or an unknown model.
//!
//! Pure. Unasked samples stay missing from the record, so that resuming the run asks them.

use crate::{Failure, FailureClass};

/// Consecutive refusals that stop a run.
pub(crate) const IN_A_ROW: u32 = 5;

/// Counts refusals and remembers why the run stopped.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Breaker {
    refusals: u32,
    last: String,
    reason: Option<String>,
}

impl Breaker {
    /// Records an answered request: the settings work.
    pub(crate) fn answered(&mut self) {
        self.refusals = 0;
    }

    /// Records a request that failed permanently. Network and server failures say nothing about the
    /// settings: they neither count nor reset the count.
    pub(crate) fn failed(&mut self, failure: &Failure) {
        if failure.class != FailureClass::Configuration {
            return;
        }
        // 400, 413 and 422 may be about a single prompt, unless every message says the same.
        let about_one = matches!(failure.status, Some(400 | 413 | 422));
        let said = without_numbers(&failure.message);
        if about_one && said != self.last {
            self.refusals = 0;
        }
        self.last = said;
        self.refusals += 1;
        if self.refusals >= IN_A_ROW {
            self.trip(format!("{IN_A_ROW} requests in a row were refused. {}", failure.message));
        }
    }

    /// Stops the run; the first reason is kept.
    pub(crate) fn trip(&mut self, reason: String) {
        self.reason.get_or_insert(reason);
    }

    /// Why the run stopped; `None` while it is running.
    pub(crate) fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }
}

/// A message without its numbers and ids: token counts differ from prompt to prompt.
fn without_numbers(message: &str) -> String {
    let words = message.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.contains(|c: char| c.is_ascii_digit())).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(status: u16, message: &str) -> Failure {
        Failure { status: Some(status), ..Failure::configuration(message) }
    }

    #[test]
    fn five_consecutive_refusals_stop_the_run() {
        for status in [401, 402, 403, 404, 405] {
            let mut breaker = Breaker::default();
            for n in 1..IN_A_ROW {
                // Vendors include the request id in the message.
                breaker.failed(&refusal(status, &format!("refused, request {n}")));
                assert_eq!(breaker.reason(), None, "{status} after {n}");
            }
            breaker.failed(&refusal(status, "The endpoint refused the key."));
            let reason = breaker.reason().unwrap_or_default();
            assert!(
                reason.contains("5 requests") && reason.contains("refused the key"),
                "{reason}"
            );
        }
    }

    #[test]
    fn an_answer_resets_the_count_and_a_server_error_does_not() {
        let mut breaker = Breaker::default();
        for _ in 0..20 {
            for _ in 1..IN_A_ROW {
                breaker.failed(&refusal(401, "key"));
            }
            breaker.answered();
        }
        assert_eq!(breaker.reason(), None);
        for _ in 0..IN_A_ROW {
            breaker.failed(&Failure::infrastructure("HTTP 500"));
            breaker.failed(&refusal(401, "key"));
        }
        assert!(breaker.reason().is_some());
    }

    #[test]
    fn bad_requests_count_only_if_they_say_the_same_but_for_numbers() {
        let mut breaker = Breaker::default();
        for n in 0..100 {
            let tool = if n % 2 == 0 { "AddAlarm" } else { "GetToday" };
            breaker.failed(&refusal(400, &format!("the schema of {tool} is invalid")));
        }
        assert_eq!(breaker.reason(), None);
        for n in 0..IN_A_ROW {
            let message = format!("4096 is too large: 4096 > 4096 - {n} (request req_{n}a)");
            breaker.failed(&refusal(400, &message));
        }
        assert!(breaker.reason().is_some());
    }
}
