//! API keys: each belongs to the origin that it was entered for and is sent to no other.
//!
//! Only the requests of [`super::Endpoint`] can read a key's text, and only for an address of the
//! key's own origin. Keys have no `Display` and no `Serialize`; only [`transfer`] passes them to a
//! worker or into a tab's storage, and must be named explicitly.

use super::{Endpoint, Failure, Origin};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use thiserror::Error;

/// Replaces a key in a text.
const REMOVED: &str = "[API key removed]";

/// Minimum length in bytes of a key to be redacted from answers: shorter ones, such as the `ollama`
/// or `EMPTY` that people enter when a server accepts any key, are words that a model may say.
const SHORTEST_SECRET: usize = 8;

/// Why a text is not a valid key.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum KeyError {
    /// Whitespace in the middle.
    #[error("a key has no spaces: leave out words such as Bearer")]
    Space,
    /// A character that is not allowed in a header and often invisible.
    #[error("character {at} is {name}, which no key contains: copy the key once more, or type it")]
    Character {
        /// Its position, counted from 1.
        at: usize,
        /// The character, or its code point if invisible.
        name: String,
    },
}

/// A key with its origin.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey {
    origin: Origin,
    secret: String,
    /// The key, and what it looks like in other spellings; longest first.
    echoes: Vec<String>,
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ApiKey for {}", self.origin)
    }
}

impl ApiKey {
    /// A key for an origin; `None` if `text` is only whitespace.
    ///
    /// # Errors
    /// Which invalid character the text contains.
    pub fn new(origin: Origin, text: &str) -> Result<Option<Self>, KeyError> {
        let secret = text.trim();
        for (at, c) in secret.chars().enumerate() {
            if c == ' ' || c == '\t' {
                return Err(KeyError::Space);
            }
            if !c.is_ascii_graphic() {
                let seen = if c.is_alphanumeric() { format!("{c} ") } else { String::new() };
                let name = format!("{seen}(U+{:04X})", u32::from(c));
                return Err(KeyError::Character { at: at + 1, name });
            }
        }
        let key = || ApiKey { origin, secret: secret.to_owned(), echoes: echoes(secret) };
        Ok((!secret.is_empty()).then(key))
    }

    /// The origin that the key belongs to.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The key's text, for a request to `address`.
    ///
    /// # Errors
    /// A configuration failure when the address has another origin.
    pub(super) fn for_request(&self, address: &str) -> Result<&str, Failure> {
        match Origin::of(address) {
            Ok(origin) if origin == self.origin => Ok(&self.secret),
            Ok(origin) => Err(Failure::configuration(format!(
                "The key was entered for {} and is not sent to {origin}. Enter a key for {origin}.",
                self.origin
            ))),
            Err(error) => Err(Failure::configuration(format!("Address: {error}."))),
        }
    }

    /// Whether a text has the key, in any of the spellings that [`ApiKey::redact`] removes.
    pub fn is_in(&self, text: &str) -> bool {
        self.echoes.iter().any(|echo| text.contains(echo.as_str()))
    }

    /// Redacts the key from a text that the endpoint sent: plain, reversed, in hexadecimal,
    /// percent-encoded byte by byte, and in base64.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        for echo in &self.echoes {
            if text.contains(echo.as_str()) {
                text = Cow::Owned(text.replace(echo.as_str(), REMOVED));
            }
        }
        text
    }

    /// Redacts the key from every string of a document, member names included.
    pub fn redact_value(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Cow::Owned(clean) = self.redact(text) {
                    *text = clean;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.redact_value(item)),
            Value::Object(members) => {
                members.values_mut().for_each(|member| self.redact_value(member));
                if members.keys().any(|name| self.is_in(name)) {
                    let renamed = std::mem::take(members).into_iter();
                    *members = renamed
                        .map(|(name, member)| (self.redact(&name).into_owned(), member))
                        .collect();
                }
            }
            _ => {}
        }
    }
}

/// The spellings of a secret that answers are searched for; none of a short one.
fn echoes(secret: &str) -> Vec<String> {
    if secret.len() < SHORTEST_SECRET {
        return Vec::new();
    }
    let bytes = secret.as_bytes();
    let hex = |digit: fn(&u8) -> String| bytes.iter().map(digit).collect::<String>();
    let mut found = vec![
        secret.to_owned(),
        secret.chars().rev().collect(),
        hex(|byte| format!("{byte:02x}")),
        hex(|byte| format!("{byte:02X}")),
        hex(|byte| format!("%{byte:02x}")),
        hex(|byte| format!("%{byte:02X}")),
    ];
    // The key may begin at any of three places in a group of base64. What its neighbours decide too
    // is left out.
    for before in 0..3 {
        let shifted: Vec<u8> =
            std::iter::repeat_n(0, before).chain(bytes.iter().copied()).collect();
        let whole = shifted.len() / 3 * 3;
        let first = (before * 8).div_ceil(6);
        for alphabet in [STANDARD, URL_SAFE] {
            let text = base64(shifted.get(..whole).unwrap_or_default(), alphabet);
            found.extend(text.get(first..).map(str::to_owned));
        }
    }
    found.sort_by_key(|text| std::cmp::Reverse(text.len()));
    found.dedup();
    found
}

/// The last two digits of base64 and base64url.
const STANDARD: [char; 2] = ['+', '/'];
const URL_SAFE: [char; 2] = ['-', '_'];

/// Base64 of whole groups of three bytes.
fn base64(bytes: &[u8], last: [char; 2]) -> String {
    let digits: Vec<char> = ('A'..='Z').chain('a'..='z').chain('0'..='9').chain(last).collect();
    let group = |three: &[u8]| three.iter().fold(0, |bits: usize, byte| bits << 8 | *byte as usize);
    let digit = |bits: usize, at: usize| digits.get(bits >> (18 - 6 * at) & 63).copied();
    let groups = bytes.chunks_exact(3).map(group);
    groups.flat_map(|bits| (0..4).filter_map(move |at| digit(bits, at))).collect()
}

/// The keys of one user, by origin. The only source of keys.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyRing {
    keys: BTreeMap<Origin, ApiKey>,
}

impl KeyRing {
    /// Stores the key entered for an origin. An empty or invalid text removes the key, so that
    /// requests use what the field shows.
    ///
    /// # Errors
    /// Which invalid character the text contains.
    pub fn enter(&mut self, origin: &Origin, text: &str) -> Result<(), KeyError> {
        self.keys.remove(origin);
        if let Some(key) = ApiKey::new(origin.clone(), text)? {
            self.keys.insert(origin.clone(), key);
        }
        Ok(())
    }

    /// The key entered for an endpoint's origin.
    pub fn key_for(&self, endpoint: &Endpoint) -> Option<&ApiKey> {
        Origin::of(&endpoint.base_url).ok().and_then(|origin| self.keys.get(&origin))
    }

    /// Whether an origin has a key.
    pub fn has_key_for(&self, origin: &Origin) -> bool {
        self.keys.contains_key(origin)
    }

    /// The keys, for the tab's storage.
    pub fn keys(&self) -> impl Iterator<Item = &ApiKey> {
        self.keys.values()
    }
}

impl FromIterator<ApiKey> for KeyRing {
    fn from_iter<T: IntoIterator<Item = ApiKey>>(keys: T) -> Self {
        KeyRing { keys: keys.into_iter().map(|key| (key.origin.clone(), key)).collect() }
    }
}

/// Serializes a key for the worker or a tab's storage. Nothing else may use this: records and
/// settings contain no key.
pub mod transfer {
    use super::ApiKey;
    use crate::Origin;
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Serializes an optional key.
    ///
    /// # Errors
    /// The serializer's.
    pub fn serialize<S: Serializer>(key: &Option<ApiKey>, to: S) -> Result<S::Ok, S::Error> {
        key.as_ref().map(|key| (&key.origin, &key.secret)).serialize(to)
    }

    /// Deserializes an optional key.
    ///
    /// # Errors
    /// When the key or its origin is invalid.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<ApiKey>, D::Error> {
        match Option::<(Origin, String)>::deserialize(from)? {
            Some((origin, secret)) => ApiKey::new(origin, &secret).map_err(D::Error::custom),
            None => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn origin(address: &str) -> Origin {
        Origin::of(address).unwrap()
    }

    fn key(address: &str) -> ApiKey {
        ApiKey::new(origin(address), " sk-secret-1 ").unwrap().unwrap()
    }

    #[test]
    fn a_key_is_given_only_to_its_own_origin() {
        let key = key("https://api.openai.com/v1");
        assert_eq!(key.for_request("https://api.openai.com/v1/models"), Ok("sk-secret-1"));
        for other in [
            "http://api.openai.com/v1",
            "https://api.openai.com:8443/v1",
            "https://api.openai.com.evil.example/v1",
            "https://evil.example/api.openai.com",
            "https://api.openai.com\\@evil.example",
        ] {
            let failure = key.for_request(other).unwrap_err();
            assert!(!failure.message.contains("sk-secret"), "{failure}");
        }
        assert_eq!(format!("{key:?}"), "ApiKey for https://api.openai.com");
    }

    #[test]
    fn a_ring_has_one_key_per_origin() {
        let (a, b) = (origin("https://a.example"), origin("https://b.example"));
        let mut ring = KeyRing::default();
        ring.enter(&a, "sk-of-a-1").unwrap();
        let at = |address: &str| Endpoint { base_url: address.to_owned(), ..Endpoint::default() };
        assert!(ring.key_for(&at("https://a.example/v1")).is_some());
        assert!(ring.key_for(&at("https://b.example/v1")).is_none());
        assert!(ring.key_for(&at("nonsense")).is_none());
        ring.enter(&b, "sk-of-b-1").unwrap();
        assert_eq!(ring.keys().count(), 2);
        assert!(ring.enter(&a, "sk-\u{200b}a").is_err());
        assert!(!ring.has_key_for(&a), "an invalid key removes the previous one");
        ring.enter(&b, "  ").unwrap();
        assert_eq!(ring, KeyRing::default());
    }

    #[test]
    fn characters_invalid_in_a_header_are_named() {
        let refused = |text: &str| ApiKey::new(origin("https://h"), text).unwrap_err().to_string();
        assert!(refused("sk-\u{200b}1").contains("character 4 is (U+200B)"));
        assert!(refused("sk-schlüssel").contains("ü (U+00FC)"));
        assert!(refused("Bearer sk-1").contains("Bearer"));
        assert!(refused("sk\n1").contains("U+000A"));
    }

    #[test]
    fn the_key_is_redacted_from_responses() {
        let key = key("https://h");
        assert_eq!(key.redact("bad key sk-secret-1!"), "bad key [API key removed]!");
        let mut value =
            json!({"a": ["sk-secret-1", 1], "x sk-secret-1": {"b": "Bearer sk-secret-1"}});
        key.redact_value(&mut value);
        assert!(!value.to_string().contains("sk-secret-1"), "{value}");
        assert_eq!(value["a"][1], 1);
        let short = ApiKey::new(origin("http://localhost"), "ollama").unwrap().unwrap();
        assert_eq!(short.redact("I run on ollama."), "I run on ollama.");
    }

    #[test]
    fn a_key_that_comes_back_in_another_spelling_is_redacted() {
        let key = key("https://h");
        for echo in [
            "1-terces-ks",
            "736b2d7365637265742d31",
            "736B2D7365637265742D31",
            "%73%6b%2d%73%65%63%72%65%74%2d%31",
            // After 0, 1, 2 and 7 other bytes; the last is "Bearer sk-secret-1".
            "c2stc2VjcmV0LTE=",
            "eHNrLXNlY3JldC0x",
            "eHhzay1zZWNyZXQtMQ==",
            "QmVhcmVyIHNrLXNlY3JldC0x",
        ] {
            let text = format!("<{echo}>");
            let clean = key.redact(&text).into_owned();
            assert!(clean.contains(REMOVED), "{echo}: {clean}");
            assert!(clean.len() <= REMOVED.len() + 10 + 10, "{echo}: {clean}");
        }
        assert!(key.is_in("x sk-secret-1") && !key.is_in("sk-secret"));
    }

    #[test]
    fn a_transferred_key_keeps_its_origin() {
        #[derive(serde::Serialize, serde::Deserialize)]
        struct Message(#[serde(with = "transfer")] Option<ApiKey>);
        let text = serde_json::to_string(&Message(Some(key("https://h:1/v1")))).unwrap();
        let back: Message = serde_json::from_str(&text).unwrap();
        assert_eq!(back.0, Some(key("https://h:1")));
        assert!(serde_json::from_str::<Message>(r#"["https://h", "a b"]"#).is_err());
    }
}
