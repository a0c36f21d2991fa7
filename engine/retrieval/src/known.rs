//! Rankings of texts that are known at build time, so that they can be answered without the search
//! model. They hold the order of the APIs but no cosines.

use std::collections::BTreeMap;

/// Bytes of a text's key in the file.
pub(crate) const KEY_BYTES: usize = 8;

/// The first bytes of a text's SHA-256.
pub(crate) type Key = [u8; KEY_BYTES];

/// The rankings of one suite: for each text the places of its APIs in the pool, best first.
pub(crate) type Rankings = BTreeMap<Key, Vec<u8>>;

/// All rankings, by suite.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Known(pub(crate) BTreeMap<String, Rankings>);

/// The key of a text.
pub(crate) fn key(text: &str) -> Key {
    use sha2::Digest;
    let mut key = Key::default();
    for (to, from) in key.iter_mut().zip(sha2::Sha256::digest(text.as_bytes())) {
        *to = from;
    }
    key
}

impl Known {
    /// The number of rankings.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.values().map(BTreeMap::len).sum()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of rankings of each suite, in the order of the file.
    pub(crate) fn counts(&self) -> Vec<(String, usize)> {
        self.0.iter().map(|(suite, rankings)| (suite.clone(), rankings.len())).collect()
    }

    /// Serializes each ranking: key, number of APIs, their places.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (key, places) in self.0.values().flatten() {
            bytes.extend_from_slice(key);
            bytes.push(u8::try_from(places.len()).unwrap_or(u8::MAX));
            bytes.extend(places.iter().take(usize::from(u8::MAX)));
        }
        bytes
    }

    /// Parses [`Self::to_bytes`].
    pub(crate) fn parse(counts: Vec<(String, usize)>, mut bytes: &[u8]) -> Result<Self, String> {
        let mut known = Known::default();
        for (suite, count) in counts {
            let rankings = known.0.entry(suite).or_default();
            for _ in 0..count {
                let ranking = bytes.split_first_chunk::<KEY_BYTES>().and_then(|(key, rest)| {
                    let (length, rest) = rest.split_first()?;
                    let (places, rest) = rest.split_at_checked(usize::from(*length))?;
                    Some((*key, places.to_vec(), rest))
                });
                let (key, places, rest) =
                    ranking.ok_or("it ends within its known rankings: fetch it again")?;
                rankings.insert(key, places);
                bytes = rest;
            }
        }
        match bytes.len() {
            0 => Ok(known),
            more => Err(format!("expected its end, found {more} more bytes: fetch it again")),
        }
    }
}
