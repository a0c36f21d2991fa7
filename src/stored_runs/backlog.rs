//! Queue of samples to be stored, with retries after failures.
//!
//! Independent of the database; time is passed in as a number.

/// Pause after the first failure, in milliseconds; doubles with each further one.
const FIRST_MS: u64 = 1000;
/// Maximum pause, in milliseconds.
const LONGEST_MS: u64 = 30_000;

/// Items to write, oldest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Backlog<T> {
    items: Vec<T>,
    failures: u32,
    /// When the next attempt is due, in milliseconds on the caller's clock.
    due_ms: u64,
}

impl<T> Default for Backlog<T> {
    fn default() -> Self {
        Backlog { items: Vec::new(), failures: 0, due_ms: 0 }
    }
}

impl<T> Backlog<T> {
    /// Adds items.
    pub fn extend(&mut self, items: impl IntoIterator<Item = T>) {
        self.items.extend(items);
    }

    /// The next items to write, at most `most`.
    pub fn next(&self, most: usize) -> &[T] {
        self.items.get(..most).unwrap_or(&self.items)
    }

    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Whether the last write failed.
    pub fn is_stuck(&self) -> bool {
        self.failures > 0
    }

    /// Milliseconds until the next attempt; 0 unless the last write failed. At most the maximum
    /// pause, even if the clock is set back.
    pub fn wait_ms(&self, now_ms: u64) -> u64 {
        if self.is_stuck() { self.due_ms.saturating_sub(now_ms).min(LONGEST_MS) } else { 0 }
    }

    /// Records a failed write, keeping all items; whether it is the first failure in a row.
    pub fn failed(&mut self, now_ms: u64) -> bool {
        let doubled = FIRST_MS.saturating_mul(2_u64.saturating_pow(self.failures));
        self.due_ms = now_ms.saturating_add(doubled.min(LONGEST_MS));
        self.failures = self.failures.saturating_add(1);
        self.failures == 1
    }

    /// Removes the oldest `count` items after a write; whether a failure is now fully recovered.
    pub fn written(&mut self, count: usize) -> bool {
        self.items.drain(..count.min(self.items.len()));
        self.items.is_empty() && std::mem::take(&mut self.failures) > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_writes_are_retried_in_order() {
        let mut backlog = Backlog::default();
        backlog.extend([1, 2, 3]);
        assert!(backlog.failed(1000), "the first failure is reported");
        assert!(!backlog.failed(2000), "the next one is not");
        backlog.extend([4, 5]);
        assert_eq!(backlog.next(2), [1, 2]);
        assert!(!backlog.written(2), "some are still missing");
        assert!(backlog.is_stuck());
        assert_eq!(backlog.next(64), [3, 4, 5]);
        assert!(backlog.written(3), "the recovery is reported");
        assert!(backlog.is_empty() && !backlog.is_stuck());
        backlog.extend([6]);
        assert!(!backlog.written(1), "there was no failure");
    }

    #[test]
    fn pauses_double_up_to_the_maximum() {
        let mut backlog = Backlog::<u8>::default();
        assert_eq!(backlog.wait_ms(0), 0);
        let mut waits = Vec::new();
        for _ in 0..8 {
            backlog.failed(0);
            waits.push(backlog.wait_ms(0));
        }
        assert_eq!(waits, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
        backlog.failed(3_600_000);
        assert_eq!((backlog.wait_ms(3_630_000), backlog.wait_ms(0)), (0, 30_000));
    }
}
