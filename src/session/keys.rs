//! API keys of this tab, and the targets that the user has agreed to. A key belongs to the origin it
//! was entered for; a record, a stored run or a link never decides where a key is sent.

use provider::key::transfer;
use provider::{ApiKey, Endpoint, Failure, KeyRing, Origin};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What the user agrees to: where prompts go, and what each request says besides them. On a
/// gateway a path is a tenant, and an extra field can cost money.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Target {
    /// The origin, to which a key belongs.
    pub origin: Origin,
    /// The whole address of prompts.
    pub address: String,
    /// Extra fields of the request, each with its value as JSON.
    pub extra: Vec<(String, String)>,
}

impl Target {
    /// The target of an endpoint's requests.
    ///
    /// # Errors
    /// A configuration failure when the address is invalid.
    pub fn of(endpoint: &Endpoint) -> Result<Self, Failure> {
        let extra = endpoint.extra.iter().map(|(name, value)| (name.clone(), value.to_string()));
        Ok(Target {
            origin: endpoint.origin()?,
            address: endpoint.prompt_address()?,
            extra: extra.collect(),
        })
    }
}

/// The question before requests are sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostQuestion {
    /// The target.
    pub target: Target,
    /// Where the target comes from.
    pub source: Source,
}

/// Where the endpoint of a request comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Source {
    /// The user, in the form.
    #[default]
    Form,
    /// A link that filled in the form.
    Link,
    /// A stored run.
    Stored,
    /// A record from a file.
    File,
}

/// Keys by origin, and the targets agreed to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Keys {
    ring: KeyRing,
    /// Whether the keys survive a reload of this tab.
    pub keep: bool,
    /// The problem with the last typed key, with its origin.
    problem: Option<(Origin, String)>,
    /// Targets to which the user has agreed to send requests.
    agreed: BTreeSet<Target>,
}

/// A key in the storage of a tab.
#[derive(Serialize, Deserialize)]
struct StoredKey(#[serde(with = "transfer")] Option<ApiKey>);

impl Keys {
    /// Restores the keys from the tab's storage.
    pub fn restore(text: Option<&str>) -> Self {
        let stored = text.and_then(|text| serde_json::from_str::<Vec<StoredKey>>(text).ok());
        let keep = stored.is_some();
        let ring = stored.into_iter().flatten().filter_map(|StoredKey(key)| key).collect();
        Keys { ring, keep, ..Keys::default() }
    }

    /// The text for the tab's storage; `None` unless the user has opted in.
    pub fn stored(&self) -> Option<String> {
        let keys: Vec<StoredKey> =
            self.ring.keys().map(|key| StoredKey(Some(key.clone()))).collect();
        self.keep.then(|| serde_json::to_string(&keys).ok()).flatten()
    }

    /// Sets the key for an origin to the typed text.
    pub fn enter(&mut self, origin: &Origin, text: &str) {
        self.problem =
            self.ring.enter(origin, text).err().map(|error| (origin.clone(), error.to_string()));
    }

    /// The problem with the key for an origin.
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

    /// Records the user's consent to a target.
    pub fn agree(&mut self, target: Target) {
        self.agreed.insert(target);
    }

    /// Whether to ask the user before sending requests to a target. Endpoints from other people's
    /// data need consent every time.
    pub fn must_ask(&self, target: &Target, source: Source) -> bool {
        match source {
            Source::Form => false,
            Source::Stored => !self.agreed.contains(target),
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
    fn keys_survive_a_reload_with_their_origins_if_the_user_opts_in() {
        let mut keys = Keys::default();
        keys.enter(&origin("https://a.example"), "sk-of-a-1");
        assert_eq!(keys.stored(), None);
        keys.keep = true;
        let again = Keys::restore(keys.stored().as_deref());
        assert!(again.keep && again.key_for(&endpoint("https://a.example/v1")).is_some());
        assert_eq!(again.key_for(&endpoint("https://b.example/v1")), None);
        // An earlier version stored keys without their origin.
        assert_eq!(Keys::restore(Some("sk-of-somebody")), Keys::default());
    }

    #[test]
    fn a_problem_belongs_to_its_origin_until_the_key_is_valid() {
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
    fn foreign_endpoints_need_consent_every_time() {
        let mine = endpoint("https://a.example/v1");
        let target = Target::of(&mine).unwrap();
        assert_eq!(target.address, "https://a.example/v1/chat/completions");
        let mut keys = Keys::default();
        let asks = |keys: &Keys, target: &Target| {
            [Source::Form, Source::Stored, Source::Link, Source::File]
                .map(|source| keys.must_ask(target, source))
        };
        assert_eq!(asks(&keys, &target), [false, true, true, true]);
        keys.agree(target.clone());
        assert_eq!(asks(&keys, &target), [false, false, true, true]);
        // Another tenant of the same host, and the same one with another body.
        let mut other = mine.clone();
        other.extra.insert("user".to_owned(), "x".into());
        for other in [endpoint("https://a.example/theirs/v1"), other] {
            assert_eq!(asks(&keys, &Target::of(&other).unwrap()), [false, true, true, true]);
        }
    }
}
