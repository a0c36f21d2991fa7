//! The pace of a run: requests in flight, pauses between retries, and whether to stop.
//!
//! Pure: time is passed in as a number, and nothing here waits.

use super::breaker::Breaker;
use crate::{Failure, FailureClass};
use dataset::random::draw;
use std::time::Duration;

/// Factor applied to the requests in flight when a server throttles.
const CUT: f64 = 0.8;
/// The increase in requests in flight per full round of answers.
const GROWTH: f64 = 0.25;
/// The maximum backoff between retries, in milliseconds, unless the server asks for more.
const LONGEST_PAUSE_MS: u32 = 60_000;
/// The minimum pause after a throttle, in milliseconds, whatever the server asks for.
const SHORTEST_PAUSE_MS: u32 = 100;
/// The maximum pause that a server can ask for. A longer one means that the quota is exhausted: the
/// run stops, and the user can resume it later.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(600);
/// The maximum total pause while a server throttles every request, in milliseconds.
pub(crate) const LONGEST_SILENCE_MS: u64 = 30 * 60 * 1000;

/// How long a server may be gone before the run stops, in milliseconds.
pub(crate) const LONGEST_GONE_MS: u64 = 60_000;
/// How long a server may load its model before the run stops, in milliseconds.
pub(crate) const LONGEST_LOADING_MS: u64 = 10 * 60_000;
/// The maximum pause while a server is gone, in milliseconds.
pub(crate) const GONE_PAUSE_MS: u32 = 15_000;
/// Samples in a row that a server must fail to answer before the run stops: a server may fail at one
/// prompt.
pub(crate) const FAILED_IN_A_ROW: u32 = 3;

/// Adaptive concurrency: starts at the user's limit, shrinks when the server throttles, and
/// recovers slowly.
#[derive(Debug, Clone, PartialEq)]
pub struct Pace {
    ceiling: f64,
    limit: f64,
    cuts: u64,
    answers: u64,
    hold: Option<Hold>,
    silence: Silence,
    breaker: Breaker,
}

/// What failed since the server last said anything sensible.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Silence {
    /// When the first request failed, on the monotonic clock.
    since_ms: Option<u64>,
    /// Samples given up since.
    given_up: u32,
}

/// A period in which no request may be sent.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Hold {
    set_ms: u64,
    for_ms: u32,
}

impl Hold {
    /// Milliseconds left, at most the requested pause even if the clock is set back.
    fn left_ms(self, now_ms: u64) -> u32 {
        let passed = u32::try_from(now_ms.saturating_sub(self.set_ms)).unwrap_or(u32::MAX);
        self.for_ms.saturating_sub(passed)
    }
}

impl Pace {
    /// Starts at the user's limit, 1 to 100.
    pub fn new(concurrency: usize) -> Self {
        let ceiling = concurrency.clamp(1, 100) as f64;
        let breaker = Breaker::default();
        let silence = Silence::default();
        Pace { ceiling, limit: ceiling, cuts: 0, answers: 0, hold: None, silence, breaker }
    }

    /// The number of requests that may be in flight now, at least one.
    pub fn limit(&self) -> usize {
        self.limit as usize
    }

    /// The number of cuts so far. A request saves it when sent, and passes it to [`Pace::refused`].
    pub fn cuts(&self) -> u64 {
        self.cuts
    }

    /// The number of requests answered so far.
    pub(crate) fn answers(&self) -> u64 {
        self.answers
    }

    /// Records an answered request.
    pub fn answered(&mut self) {
        self.answers += 1;
        self.silence = Silence::default();
        self.breaker.answered();
        self.limit = (self.limit + GROWTH / self.limit).min(self.ceiling);
    }

    /// Records that the server throttled, perhaps asking for a pause. `cuts` is the value of
    /// [`Pace::cuts`] when the request was sent.
    ///
    /// Requests sent before the last cut say nothing about the new limit, so a burst of throttles
    /// cuts once.
    pub fn refused(&mut self, cuts: u64, now_ms: u64, retry_after: Option<Duration>) {
        self.silence = Silence::default();
        if cuts >= self.cuts {
            self.limit = (self.limit * CUT).max(1.0);
            self.cuts += 1;
        }
        if let Some(wait) = retry_after.filter(|wait| *wait <= LONGEST_WAIT) {
            let hold = Hold { set_ms: now_ms, for_ms: millis(wait) };
            if hold.for_ms > self.hold_ms(now_ms) {
                self.hold = Some(hold);
            }
        }
    }

    /// Milliseconds until the next request may be sent.
    pub fn hold_ms(&self, now_ms: u64) -> u32 {
        self.hold.map_or(0, |hold| hold.left_ms(now_ms))
    }

    /// Records a request that a server or the network failed to answer; returns the milliseconds since
    /// the first of them, and the samples given up since.
    pub(crate) fn unanswered(&mut self, now_ms: u64) -> (u64, u32) {
        let since_ms = *self.silence.since_ms.get_or_insert(now_ms);
        (now_ms.saturating_sub(since_ms), self.silence.given_up)
    }

    /// Records a request that failed permanently. Enough consecutive refusals stop the run.
    pub(crate) fn failed(&mut self, failure: &Failure) {
        match failure.class {
            FailureClass::Infrastructure => self.silence.given_up += 1,
            FailureClass::Configuration => self.silence = Silence::default(),
        }
        self.breaker.failed(failure);
    }

    /// Stops the run; the first reason is kept.
    pub(crate) fn stop(&mut self, reason: String) {
        self.breaker.trip(reason);
    }

    /// Why the endpoint stopped the run; `None` while it is running.
    pub fn stopped(&self) -> Option<&str> {
        self.breaker.reason()
    }
}

fn millis(time: Duration) -> u32 {
    u32::try_from(time.as_millis()).unwrap_or(u32::MAX)
}

/// Milliseconds to pause after `tries` failed attempts. A `retry_after` longer than `first_ms` is
/// used unchanged; a shorter one, which may be zero, gives the first backoff. Without one, the
/// backoff doubles from `first_ms` with each try, times 1 plus `jitter`, so that requests that
/// failed together are not resent together.
///
/// `jitter` is 0 to 1, see [`jitter()`].
pub fn pause_ms(first_ms: u32, tries: u32, retry_after: Option<Duration>, jitter: f64) -> u32 {
    let span = |tries: u32| {
        let doubled = first_ms.saturating_mul(2_u32.saturating_pow(tries.saturating_sub(1)));
        let spread = f64::from(doubled) * (1.0 + jitter.clamp(0.0, 1.0));
        (spread as u32).clamp(SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS)
    };
    match retry_after.map(|wait| millis(wait.min(LONGEST_WAIT))) {
        Some(ms) if ms > first_ms => ms,
        Some(_) => span(1),
        None => span(tries),
    }
}

/// A number from 0 to 1, derived from the run's seed, the sample and the attempt.
pub fn jitter(seed: u32, sample: &str, tries: u32) -> f64 {
    let [a, b, c, d, ..] = draw(seed, &format!("{sample} try {tries}"));
    f64::from(u32::from_le_bytes([a, b, c, d])) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_throttle_cuts_the_limit_to_four_fifths_and_never_below_one() {
        let mut pace = Pace::new(10);
        pace.refused(0, 100, None);
        assert_eq!(pace.limit(), 8);
        for _ in 1..40 {
            pace.refused(pace.cuts(), 100, None);
        }
        assert_eq!(pace.limit(), 1);
    }

    #[test]
    fn a_burst_of_throttles_cuts_once() {
        let mut pace = Pace::new(100);
        for _ in 0..60 {
            pace.refused(0, 100, None);
        }
        assert_eq!(pace.limit(), 80);
        pace.refused(1, 200, None);
        assert_eq!(pace.limit(), 64);
    }

    #[test]
    fn answers_restore_the_limit_slowly_up_to_the_users() {
        let mut pace = Pace::new(10);
        pace.refused(0, 0, None);
        for _ in 0..8 {
            pace.answered();
        }
        assert_eq!(pace.limit(), 8, "one round of answers restores a quarter");
        for _ in 0..100 {
            pace.answered();
        }
        assert_eq!(pace.limit(), 10);
    }

    #[test]
    fn concurrency_stays_between_one_and_a_hundred() {
        assert_eq!([0, 1, 100, 5000].map(|n| Pace::new(n).limit()), [1, 1, 100, 100]);
    }

    const fn seconds(seconds: u64) -> Option<Duration> {
        Some(Duration::from_secs(seconds))
    }

    #[test]
    fn retry_after_holds_every_request() {
        let mut pace = Pace::new(4);
        assert_eq!(pace.hold_ms(1000), 0);
        pace.refused(0, 1000, seconds(7));
        pace.refused(0, 1000, seconds(2));
        assert_eq!((pace.hold_ms(1000), pace.hold_ms(7500), pace.hold_ms(9000)), (7000, 500, 0));
        pace.refused(0, 9000, seconds(86_400));
        assert_eq!(pace.hold_ms(9000), 0, "a day is beyond the maximum");
    }

    #[test]
    fn a_clock_set_back_does_not_lengthen_a_wait() {
        let mut pace = Pace::new(4);
        pace.refused(0, 3_600_000, seconds(7));
        assert_eq!(pace.hold_ms(0), 7000);
        pace.refused(0, 0, seconds(2));
        assert_eq!(pace.hold_ms(0), 7000);
    }

    #[test]
    fn pauses_double_up_to_a_minute_and_respect_retry_after() {
        assert_eq!([1, 2, 3].map(|n| pause_ms(1000, n, None, 0.0)), [1000, 2000, 4000]);
        assert_eq!([1, 2, 3].map(|n| pause_ms(1000, n, None, 1.0)), [2000, 4000, 8000]);
        assert_eq!(pause_ms(1000, 30, None, 0.5), 60_000);
        assert_eq!(pause_ms(1000, 1, seconds(7), 0.9), 7000);
        assert_eq!(pause_ms(1000, 1, Some(Duration::from_millis(1500)), 0.9), 1500);
    }

    #[test]
    fn a_retry_after_of_zero_still_pauses() {
        assert_eq!([1, 5].map(|n| pause_ms(1000, n, seconds(0), 0.5)), [1500, 1500]);
        assert_eq!(pause_ms(0, 1, seconds(0), 0.0), 100);
    }

    #[test]
    fn luck_is_spread_and_repeats() {
        let all: Vec<f64> = (0..200).map(|n| jitter(1, &format!("call/a#{n}"), 1)).collect();
        let mean = all.iter().sum::<f64>() / 200.0;
        assert!((0.4..0.6).contains(&mean), "{mean}");
        assert!(all.iter().all(|share| (0.0..=1.0).contains(share)));
        assert_eq!(jitter(1, "call/a#3", 2), jitter(1, "call/a#3", 2));
        assert_ne!(jitter(1, "call/a#3", 1), jitter(1, "call/a#3", 2));
    }
}
