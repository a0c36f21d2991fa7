//! How far the worker is.

use crate::protocol::PackFacts;

/// How far the worker is.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Engine {
    /// Not started: nothing has needed it.
    #[default]
    Off,
    /// Its script is being loaded.
    Starting,
    /// It loads the search model and the data; the bytes that are there.
    Loading(u64),
    /// It can work.
    Ready(PackFacts),
    /// It broke down, with the reason.
    Broken(String),
}

impl Engine {
    /// Why it broke down, if it did.
    pub fn failure(&self) -> Option<&str> {
        match self {
            Engine::Broken(message) => Some(message),
            _ => None,
        }
    }

    /// The engine after a failure. The first reason is the cause; what follows are its echoes.
    #[must_use]
    pub fn failed(self, message: String) -> Engine {
        match self {
            Engine::Broken(first) => Engine::Broken(first),
            _ => Engine::Broken(message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reason_of_a_failure_stays() {
        let broken = Engine::Loading(7).failed("out of memory".to_owned());
        assert_eq!(broken.failure(), Some("out of memory"));
        assert_eq!(broken.failed("unreachable".to_owned()).failure(), Some("out of memory"));
        assert_eq!(Engine::Off.failure(), None);
    }
}
