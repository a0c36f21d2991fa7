//! Keys of this tab and the hosts that requests may go to. A key belongs to the origin that it was
//! entered for; a record, a kept run or a link never decides where one goes.

use provider::key::transfer;
use provider::{ApiKey, Endpoint, KeyRing, Origin};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What the user is asked before requests leave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostQuestion {
    /// Where they would go.
    pub origin: Origin,
    /// Who names it.
    pub source: Source,
}

/// Who names the endpoint of a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Source {
    /// The user, in the form.
    #[default]
    Form,
    /// A link that filled the form in.
    Link,
    /// A run of this browser's database.
    Stored,
    /// A record from a file.
    File,
}

/// Keys by origin, and what was agreed to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Keys {
    ring: KeyRing,
    /// Whether the keys survive a reload of this tab.
    pub keep: bool,
    /// What is wrong with the text that was typed last, and for which origin.
    problem: Option<(Origin, String)>,
    /// Where the user has agreed to send requests.
    agreed: BTreeSet<Origin>,
}

/// A key in the storage of a tab.
#[derive(Serialize, Deserialize)]
struct StoredKey(#[serde(with = "transfer")] Option<ApiKey>);

impl Keys {
    /// The keys that the tab's storage holds, if any.
    pub fn restore(text: Option<&str>) -> Self {
        let stored = text.and_then(|text| serde_json::from_str::<Vec<StoredKey>>(text).ok());
        let keep = stored.is_some();
        let ring = stored.into_iter().flatten().filter_map(|StoredKey(key)| key).collect();
        Keys { ring, keep, ..Keys::default() }
    }

    /// What the tab's storage is to hold; `None` while the user has not asked for that.
    pub fn stored(&self) -> Option<String> {
        let keys: Vec<StoredKey> =
            self.ring.keys().map(|key| StoredKey(Some(key.clone()))).collect();
        self.keep.then(|| serde_json::to_string(&keys).ok()).flatten()
    }

    /// Takes what was typed as the key for an origin.
    pub fn enter(&mut self, origin: &Origin, text: &str) {
        self.problem =
            self.ring.enter(origin, text).err().map(|error| (origin.clone(), error.to_string()));
    }

    /// What is wrong with the key for an origin.
    pub fn problem(&self, origin: &Origin) -> Option<&str> {
        self.problem.as_ref().filter(|(of, _)| of == origin).map(|(_, message)| message.as_str())
    }

    /// Whether there is a key for an origin.
    pub fn has_key_for(&self, origin: &Origin) -> bool {
        self.ring.has_key_for(origin)
    }

    /// The key for an endpoint.
    pub fn key_for(&self, endpoint: &Endpoint) -> Option<ApiKey> {
        self.ring.key_for(endpoint).cloned()
    }

    /// The user agrees to requests to an origin.
    pub fn agree(&mut self, origin: Origin) {
        self.agreed.insert(origin);
    }

    /// Whether the user has to be asked before requests go to an origin. What comes from a stranger is
    /// asked about every time.
    pub fn must_ask(&self, origin: &Origin, source: Source) -> bool {
        match source {
            Source::Form => false,
            Source::Stored => !self.agreed.contains(origin),
            Source::Link | Source::File => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(address: &str) -> Origin {
        Origin::of(address).unwrap()
    }

    fn endpoint(address: &str) -> Endpoint {
        Endpoint { base_url: address.to_owned(), ..Endpoint::default() }
    }

    #[test]
    fn a_reload_keeps_keys_with_their_origins_where_the_user_wants_that() {
        let mut keys = Keys::default();
        keys.enter(&origin("https://a.example"), "sk-of-a-1");
        assert_eq!(keys.stored(), None);
        keys.keep = true;
        let again = Keys::restore(keys.stored().as_deref());
        assert!(again.keep && again.key_for(&endpoint("https://a.example/v1")).is_some());
        assert_eq!(again.key_for(&endpoint("https://b.example/v1")), None);
        // As an earlier version stored it: nobody knows whose it is.
        assert_eq!(Keys::restore(Some("sk-of-somebody")), Keys::default());
    }

    #[test]
    fn a_problem_stands_at_its_origin_until_the_key_is_right() {
        let (a, b) = (origin("https://a.example"), origin("https://b.example"));
        let mut keys = Keys::default();
        keys.enter(&a, "sk-\u{200b}1");
        assert!(keys.problem(&a).is_some_and(|it| it.contains("U+200B")));
        assert_eq!(keys.problem(&b), None);
        assert!(!keys.has_key_for(&a));
        keys.enter(&a, "sk-1");
        assert_eq!(keys.problem(&a), None);
        assert!(keys.has_key_for(&a));
    }

    #[test]
    fn strangers_are_asked_about_every_time() {
        let host = origin("https://a.example");
        let mut keys = Keys::default();
        let asks = |keys: &Keys| {
            [Source::Form, Source::Stored, Source::Link, Source::File]
                .map(|source| keys.must_ask(&host, source))
        };
        assert_eq!(asks(&keys), [false, true, true, true]);
        keys.agree(host.clone());
        assert_eq!(asks(&keys), [false, false, true, true]);
    }
}
