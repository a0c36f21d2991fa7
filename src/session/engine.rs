//! State of the worker.

use crate::messages::PackFacts;

/// State of the worker.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Engine {
    /// Not started yet.
    #[default]
    Off,
    /// Its script is being loaded.
    Starting,
    /// Loading the search model and the data: bytes received.
    Loading(u64),
    /// Ready.
    Ready(PackFacts),
    /// It crashed, with the reason.
    Broken(String),
}

impl Engine {
    /// The reason of a crash.
    pub fn failure(&self) -> Option<&str> {
        match self {
            Engine::Broken(message) => Some(message),
            _ => None,
        }
    }

    /// Whether it accepts runs.
    pub fn is_ready(&self) -> bool {
        matches!(self, Engine::Ready(_))
    }

    /// The state after a failure. Keeps the first reason, because later ones are consequences.
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
    fn the_first_failure_is_kept() {
        let broken = Engine::Loading(7).failed("out of memory".to_owned());
        assert_eq!(broken.failure(), Some("out of memory"));
        assert_eq!(broken.failed("unreachable".to_owned()).failure(), Some("out of memory"));
        assert_eq!(Engine::Off.failure(), None);
    }
}
