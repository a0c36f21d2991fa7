//! Requests in flight: assigns ids and matches answers.

use std::collections::BTreeMap;

/// Pending requests by id; `T` completes one.
#[derive(Debug)]
pub struct Pending<T> {
    last_id: u32,
    waiting: BTreeMap<u32, T>,
}

impl<T> Default for Pending<T> {
    fn default() -> Self {
        Pending { last_id: 0, waiting: BTreeMap::new() }
    }
}

impl<T> Pending<T> {
    /// Registers a request and returns its id, which no other request in flight has.
    pub fn add(&mut self, waiter: T) -> u32 {
        self.last_id = self.last_id.wrapping_add(1);
        while self.waiting.contains_key(&self.last_id) {
            self.last_id = self.last_id.wrapping_add(1);
        }
        self.waiting.insert(self.last_id, waiter);
        self.last_id
    }

    /// The request with an id; `None` if there is none.
    pub fn get(&self, id: u32) -> Option<&T> {
        self.waiting.get(&id)
    }

    /// Removes the request with an id; `None` if there is none.
    pub fn take(&mut self, id: u32) -> Option<T> {
        self.waiting.remove(&id)
    }

    /// Removes all requests, in order of their ids.
    pub fn take_all(&mut self) -> Vec<T> {
        std::mem::take(&mut self.waiting).into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_in_any_order_match_their_requests_once() {
        let mut pending = Pending::default();
        let (first, second) = (pending.add("first"), pending.add("second"));
        assert_ne!(first, second);
        assert_eq!((pending.get(first), pending.get(second)), (Some(&"first"), Some(&"second")));
        assert_eq!(pending.take(second), Some("second"));
        assert_eq!(pending.take(first), Some("first"));
        assert_eq!(pending.take(first), None);
    }

    #[test]
    fn taking_all_leaves_no_request() {
        let mut pending = Pending::default();
        let id = pending.add("a");
        pending.add("b");
        assert_eq!(pending.take_all(), ["a", "b"]);
        assert_eq!((pending.take(id), pending.take_all().len()), (None, 0));
    }

    #[test]
    fn an_id_in_flight_is_not_assigned_again() {
        let mut pending = Pending { last_id: u32::MAX - 1, waiting: BTreeMap::new() };
        assert_eq!(pending.add("old"), u32::MAX);
        assert_eq!(pending.add("new"), 0);
        pending.last_id = u32::MAX - 1;
        assert_eq!(pending.add("newest"), 1, "both numbers before are in flight");
    }
}
