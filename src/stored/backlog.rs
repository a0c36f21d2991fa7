//! What of a run is not kept in the browser yet, and when keeping it is tried again.
//!
//! Knows nothing of the database: time comes in as a number.

/// The first pause after a failure, in milliseconds; it doubles with each further one.
const FIRST_MS: u64 = 1000;
/// The longest pause.
const LONGEST_MS: u64 = 30_000;

/// Items that wait to be written, oldest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Backlog<T> {
    items: Vec<T>,
    failures: u32,
    /// When the next try is due, in milliseconds of any clock.
    due_ms: u64,
}

impl<T> Default for Backlog<T> {
    fn default() -> Self {
        Backlog { items: Vec::new(), failures: 0, due_ms: 0 }
    }
}

impl<T> Backlog<T> {
    /// Adds what is to be written.
    pub fn extend(&mut self, items: impl IntoIterator<Item = T>) {
        self.items.extend(items);
    }

    /// What is written next: so many at most.
    pub fn next(&self, most: usize) -> &[T] {
        self.items.get(..most).unwrap_or(&self.items)
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Whether the last write failed.
    pub fn is_stuck(&self) -> bool {
        self.failures > 0
    }

    /// Milliseconds until a write is tried: 0 unless the last one failed. A clock that is set back
    /// makes it no longer than the longest pause.
    pub fn wait_ms(&self, now_ms: u64) -> u64 {
        if self.is_stuck() { self.due_ms.saturating_sub(now_ms).min(LONGEST_MS) } else { 0 }
    }

    /// A write failed: everything stays. Says whether this is the first failure in a row.
    pub fn failed(&mut self, now_ms: u64) -> bool {
        let doubled = FIRST_MS.saturating_mul(2_u64.saturating_pow(self.failures));
        self.due_ms = now_ms.saturating_add(doubled.min(LONGEST_MS));
        self.failures = self.failures.saturating_add(1);
        self.failures == 1
    }

    /// The oldest `count` were written. Says whether all is well again after a failure.
    pub fn written(&mut self, count: usize) -> bool {
        self.items.drain(..count.min(self.items.len()));
        self.items.is_empty() && std::mem::take(&mut self.failures) > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_not_be_written_is_written_later_in_order() {
        let mut backlog = Backlog::default();
        backlog.extend([1, 2, 3]);
        assert!(backlog.failed(1000), "the first failure is told");
        assert!(!backlog.failed(2000), "the next one is not");
        backlog.extend([4, 5]);
        assert_eq!(backlog.next(2), [1, 2]);
        assert!(!backlog.written(2), "some are still missing");
        assert!(backlog.is_stuck());
        assert_eq!(backlog.next(64), [3, 4, 5]);
        assert!(backlog.written(3), "all is well again, which is told");
        assert!(backlog.is_empty() && !backlog.is_stuck());
        backlog.extend([6]);
        assert!(!backlog.written(1), "nothing was wrong");
    }

    #[test]
    fn tries_come_further_and_further_apart() {
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
