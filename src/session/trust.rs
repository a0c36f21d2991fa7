//! The keys that a reader trusts, each with the reader's label.

use record::Fingerprint;
use serde::{Deserialize, Serialize};

/// Maximum length of a label, in characters.
pub const LONGEST_LABEL: usize = 100;

/// A trusted key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustedKey {
    /// The key's fingerprint.
    pub fingerprint: Fingerprint,
    /// The owner, as labelled by the reader; never the name in a signature.
    pub label: String,
}

/// Trusted keys, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Trusted(Vec<TrustedKey>);

impl Trusted {
    /// The keys.
    pub fn keys(&self) -> &[TrustedKey] {
        &self.0
    }

    /// Adds a key, or changes its label. An empty label does nothing: the reader must know whose
    /// key it is.
    pub fn add(&mut self, fingerprint: Fingerprint, label: &str) {
        let label: String = label.trim().chars().take(LONGEST_LABEL).collect();
        if label.is_empty() {
            return;
        }
        match self.0.iter_mut().find(|key| key.fingerprint == fingerprint) {
            Some(key) => key.label = label,
            None => self.0.push(TrustedKey { fingerprint, label }),
        }
    }

    /// Removes a key.
    pub fn remove(&mut self, fingerprint: &Fingerprint) {
        self.0.retain(|key| key.fingerprint != *fingerprint);
    }

    /// The label of a key; `None` if it is not trusted.
    pub fn label(&self, fingerprint: &Fingerprint) -> Option<&str> {
        let key = self.0.iter().find(|key| key.fingerprint == *fingerprint);
        key.map(|key| key.label.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_added_with_a_label_and_removed() {
        let key = |c: &str| c.repeat(43).parse::<Fingerprint>().unwrap();
        let mut trusted = Trusted::default();
        trusted.add(key("A"), "  ");
        assert!(trusted.keys().is_empty());
        trusted.add(key("A"), " Ada ");
        trusted.add(key("B"), "Bob");
        trusted.add(key("A"), "Ada's laptop");
        assert_eq!(trusted.label(&key("A")), Some("Ada's laptop"));
        assert_eq!(trusted.keys().len(), 2);
        let text = serde_json::to_string(&trusted).unwrap();
        assert_eq!(serde_json::from_str::<Trusted>(&text).unwrap(), trusted);
        trusted.remove(&key("A"));
        assert_eq!(trusted.label(&key("A")), None);
        assert_eq!(trusted.label(&key("B")), Some("Bob"));
    }
}
