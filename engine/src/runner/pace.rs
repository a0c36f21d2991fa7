//! How fast a run may go: requests in flight, pauses between tries.
//!
//! Pure: time comes in as a number, and nothing here waits.

use super::plan::draw;

/// What remains of the requests in flight when a server asks for fewer.
const CUT: f64 = 0.8;
/// How much of a request in flight a whole round of answers brings back.
const GROWTH: f64 = 0.25;
/// The longest pause between two tries that a run chooses itself, in milliseconds.
const LONGEST_PAUSE_MS: u32 = 60_000;
/// The longest pause that a server can ask for, in seconds. Who wants a longer
/// one has no quota left: the sample fails and can be run again later.
pub(super) const LONGEST_WAIT_S: u32 = 600;

/// Requests in flight: as many as the user allows, fewer while the server asks
/// for fewer, and slowly more again.
#[derive(Debug, Clone, PartialEq)]
pub struct Pace {
    ceiling: f64,
    limit: f64,
    last_cut_ms: Option<u64>,
    hold_until_ms: u64,
}

impl Pace {
    /// Starts with what the user allows, 1 to 100.
    pub fn new(concurrency: usize) -> Self {
        let ceiling = concurrency.clamp(1, 100) as f64;
        Pace { ceiling, limit: ceiling, last_cut_ms: None, hold_until_ms: 0 }
    }

    /// Requests that may be in flight now, at least one.
    pub fn limit(&self) -> usize {
        self.limit as usize
    }

    /// A request was answered.
    pub fn answered(&mut self) {
        self.limit = (self.limit + GROWTH / self.limit).min(self.ceiling);
    }

    /// The server asked for fewer requests, and perhaps for a pause of some seconds.
    ///
    /// Requests that left before the last cut say nothing about the new limit: a
    /// burst of refusals cuts once.
    pub fn refused(&mut self, sent_ms: u64, now_ms: u64, retry_after_s: Option<u32>) {
        if self.last_cut_ms.is_none_or(|cut| sent_ms >= cut) {
            self.limit = (self.limit * CUT).max(1.0);
            self.last_cut_ms = Some(now_ms);
        }
        if let Some(seconds) = retry_after_s.filter(|seconds| *seconds <= LONGEST_WAIT_S) {
            let until = now_ms.saturating_add(u64::from(seconds) * 1000);
            self.hold_until_ms = self.hold_until_ms.max(until);
        }
    }

    /// Milliseconds until the next request may leave.
    pub fn hold_ms(&self, now_ms: u64) -> u32 {
        u32::try_from(self.hold_until_ms.saturating_sub(now_ms)).unwrap_or(u32::MAX)
    }
}

/// Milliseconds before the next try after `tries` failed ones: what the server
/// asks for, else a span that doubles from `first_ms`, somewhere between once and
/// twice of it, so that requests that failed together do not come back together.
///
/// `luck` is from 0 to 1, see [`luck`].
pub fn pause_ms(first_ms: u32, tries: u32, retry_after_s: Option<u32>, luck: f64) -> u32 {
    if let Some(seconds) = retry_after_s {
        return seconds.min(LONGEST_WAIT_S).saturating_mul(1000);
    }
    let doubled = first_ms.saturating_mul(2_u32.saturating_pow(tries.saturating_sub(1)));
    let spread = f64::from(doubled) * (1.0 + luck.clamp(0.0, 1.0));
    (spread as u32).min(LONGEST_PAUSE_MS)
}

/// A number from 0 to 1 that follows from the run's seed, the sample and the try.
pub fn luck(seed: u32, sample: &str, tries: u32) -> f64 {
    let [a, b, c, d, ..] = draw(seed, &format!("{sample} try {tries}"));
    f64::from(u32::from_le_bytes([a, b, c, d])) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_cuts_to_four_fifths_and_never_below_one() {
        let mut pace = Pace::new(10);
        pace.refused(0, 100, None);
        assert_eq!(pace.limit(), 8);
        for n in 1..40 {
            pace.refused(100 * n, 100 * n, None);
        }
        assert_eq!(pace.limit(), 1);
    }

    #[test]
    fn a_burst_of_refusals_cuts_once() {
        let mut pace = Pace::new(100);
        for _ in 0..60 {
            pace.refused(0, 100, None);
        }
        assert_eq!(pace.limit(), 80);
        pace.refused(100, 200, None);
        assert_eq!(pace.limit(), 64);
    }

    #[test]
    fn answers_bring_the_limit_back_slowly_and_not_beyond() {
        let mut pace = Pace::new(10);
        pace.refused(0, 0, None);
        for _ in 0..8 {
            pace.answered();
        }
        assert_eq!(pace.limit(), 8, "one round of answers brings back a quarter");
        for _ in 0..100 {
            pace.answered();
        }
        assert_eq!(pace.limit(), 10);
    }

    #[test]
    fn concurrency_stays_between_one_and_a_hundred() {
        assert_eq!([0, 1, 100, 5000].map(|n| Pace::new(n).limit()), [1, 1, 100, 100]);
    }

    #[test]
    fn a_wait_that_the_server_asks_for_holds_every_request() {
        let mut pace = Pace::new(4);
        assert_eq!(pace.hold_ms(1000), 0);
        pace.refused(0, 1000, Some(7));
        pace.refused(0, 1000, Some(2));
        assert_eq!((pace.hold_ms(1000), pace.hold_ms(7500), pace.hold_ms(9000)), (7000, 500, 0));
        pace.refused(0, 9000, Some(86_400));
        assert_eq!(pace.hold_ms(9000), 0, "a day is no pause");
    }

    #[test]
    fn pauses_double_within_a_minute_and_heed_the_server() {
        assert_eq!([1, 2, 3].map(|n| pause_ms(1000, n, None, 0.0)), [1000, 2000, 4000]);
        assert_eq!([1, 2, 3].map(|n| pause_ms(1000, n, None, 1.0)), [2000, 4000, 8000]);
        assert_eq!(pause_ms(1000, 30, None, 0.5), 60_000);
        assert_eq!(pause_ms(1000, 1, Some(7), 0.9), 7000);
        assert_eq!(pause_ms(1000, 1, Some(0), 0.9), 0);
    }

    #[test]
    fn luck_is_spread_and_repeats() {
        let all: Vec<f64> = (0..200).map(|n| luck(1, &format!("call/a#{n}"), 1)).collect();
        let mean = all.iter().sum::<f64>() / 200.0;
        assert!((0.4..0.6).contains(&mean), "{mean}");
        assert!(all.iter().all(|it| (0.0..=1.0).contains(it)));
        assert_eq!(luck(1, "call/a#3", 2), luck(1, "call/a#3", 2));
        assert_ne!(luck(1, "call/a#3", 1), luck(1, "call/a#3", 2));
    }
}
