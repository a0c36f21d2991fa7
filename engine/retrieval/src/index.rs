//! The vectors of all APIs, computed at build time, and their ranking against a query.
//!
//! File format (`vectors.bin`): `b"APIBANKV"`, the length of the header (u32, little-endian), the
//! header as JSON (format version, model, digest of the texts, dimensions, suite and name of every
//! entry, number of known rankings by suite), then one signed byte per dimension for every entry,
//! then the known rankings (`known.rs`). Only the direction of a vector counts, so each is scaled to
//! a largest magnitude of 127. This int8 rounding moves a cosine by a thousandth or two and takes a
//! quarter of the bytes of f32.

use super::known::{Known, key};
use super::{Encoder, RetrievalError, sha256_hex};
use kernels::dot;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

const MAGIC: [u8; 8] = *b"APIBANKV";
const VERSION: u32 = 4;
/// The largest magnitude in a stored vector.
const LARGEST: f32 = 127.0;
/// The maximum number of entries in a file; the original has 73 APIs.
const MAX_ENTRIES: usize = 1 << 16;
/// The maximum number of dimensions in a file.
const MAX_DIMENSIONS: usize = 1 << 13;

/// One search result.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The API's name.
    pub name: String,
    /// The cosine of query and API: above 0, at most 1 (apart from rounding).
    pub cosine: f32,
}

/// The API vectors of all suites, in pool order.
#[derive(Debug, Clone, PartialEq)]
pub struct Index {
    /// SHA-256 of the model that made the vectors.
    pub digest: String,
    /// SHA-256 of suites, names and texts, to detect an outdated index.
    pub texts_digest: String,
    /// One entry per search text, in pool order.
    pub entries: Vec<Entry>,
    /// Rankings computed at build time.
    pub known: Known,
}

/// The vector of one search text of an API. An API may have several.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The suite of the API.
    pub suite: String,
    /// The API's name.
    pub name: String,
    /// The unit vector.
    pub vector: Vec<f32>,
}

#[derive(Serialize, Deserialize)]
struct Header {
    version: u32,
    model: String,
    texts: String,
    dimensions: usize,
    entries: Vec<(String, String)>,
    known: Vec<(String, usize)>,
}

impl Index {
    /// Encodes `(suite, name, search text)` in pool order.
    ///
    /// # Errors
    /// See [`Encoder::encode`].
    pub fn build<'a>(
        encoder: &Encoder,
        texts: impl IntoIterator<Item = (&'a str, &'a str, &'a str)>,
    ) -> Result<Self, RetrievalError> {
        let texts: Vec<_> = texts.into_iter().collect();
        let entry = |&(suite, name, text): &(&str, &str, &str)| {
            Ok(Entry {
                suite: suite.to_owned(),
                name: name.to_owned(),
                vector: encoder.encode_passage(text)?,
            })
        };
        Ok(Self {
            digest: encoder.digest().to_owned(),
            texts_digest: Self::digest_texts(texts.iter().copied()),
            entries: texts.iter().map(entry).collect::<Result<_, RetrievalError>>()?,
            known: Known::default(),
        })
    }

    /// Ranks `(suite, query)` now, for [`Self::known`]. Call it on a [rounded](Self::rounded) index,
    /// so that the rankings are those of the file.
    ///
    /// # Errors
    /// See [`Encoder::encode_query`].
    pub fn remember<'a>(
        &mut self,
        encoder: &Encoder,
        queries: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<(), RetrievalError> {
        for (suite, query) in queries {
            let vector = encoder.encode_query(query)?;
            let names = self.names(suite);
            let place = |hit: Hit| names.iter().position(|name| *name == hit.name);
            let places = self.rank(suite, &vector, usize::MAX).into_iter().filter_map(place);
            let places: Option<Vec<u8>> = places.map(|place| u8::try_from(place).ok()).collect();
            // A pool with more APIs than a byte counts has no known rankings.
            let fits = |places: &Vec<u8>| places.len() <= usize::from(u8::MAX);
            if let Some(places) = places.filter(fits) {
                self.known.0.entry(suite.to_owned()).or_default().insert(key(query), places);
            }
        }
        Ok(())
    }

    /// The best `k` APIs for a query that [`Self::remember`] has ranked; `None` for any other.
    #[must_use]
    pub fn known(&self, suite: &str, query: &str, k: usize) -> Option<Vec<&str>> {
        let places = self.known.0.get(suite)?.get(&key(query))?;
        let names = self.names(suite);
        places.iter().take(k).map(|place| names.get(usize::from(*place)).copied()).collect()
    }

    /// The APIs of a suite, in pool order.
    fn names(&self, suite: &str) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        let entries = self.entries.iter().filter(|entry| entry.suite == suite);
        entries.map(|entry| entry.name.as_str()).filter(|name| seen.insert(*name)).collect()
    }

    /// The index after a round-trip through its file, so that tests rank like the shipped index.
    #[must_use]
    pub fn rounded(mut self) -> Self {
        for entry in &mut self.entries {
            // No encoder returns a zero vector; leave it unchanged.
            if let Some(vector) = unit(&coarse(&entry.vector)) {
                entry.vector = vector;
            }
        }
        self
    }

    /// The digest of `(suite, name, search text)`. An index is up to date if it equals
    /// [`texts_digest`](Self::texts_digest).
    #[must_use]
    pub fn digest_texts<'a>(
        texts: impl IntoIterator<Item = (&'a str, &'a str, &'a str)>,
    ) -> String {
        let mut bytes = Vec::new();
        for (suite, name, text) in texts {
            for part in [suite, name, text] {
                // The length prefix distinguishes ("a", "bc") from ("ab", "c").
                bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
                bytes.extend_from_slice(part.as_bytes());
            }
        }
        sha256_hex(&bytes)
    }

    /// The best `k` APIs of a suite for a query vector, by descending cosine; ties in pool order.
    /// An API counts once, with its nearest text. Cosines of 0 or less, and vectors of another
    /// length, are not hits.
    #[must_use]
    pub fn rank(&self, suite: &str, query: &[f32], k: usize) -> Vec<Hit> {
        let mut hits: Vec<(f32, &str)> = self
            .entries
            .iter()
            .filter(|entry| entry.suite == suite && entry.vector.len() == query.len())
            .map(|entry| (dot(&entry.vector, query), entry.name.as_str()))
            .filter(|(cosine, _)| *cosine > 0.0)
            .collect();
        hits.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut seen = BTreeSet::new();
        hits.retain(|(_, name)| seen.insert(*name));
        hits.truncate(k);
        hits.into_iter().map(|(cosine, name)| Hit { name: name.to_owned(), cosine }).collect()
    }

    /// Serializes the index, with the vectors [rounded](Self::rounded).
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = Header {
            version: VERSION,
            model: self.digest.clone(),
            texts: self.texts_digest.clone(),
            dimensions: self.entries.first().map_or(1, |entry| entry.vector.len()),
            entries: self.entries.iter().map(|e| (e.suite.clone(), e.name.clone())).collect(),
            known: self.known.counts(),
        };
        // Plain structs of strings and numbers always serialize.
        let header = serde_json::to_vec(&header).unwrap_or_default();
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&(header.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&header);
        let numbers = self.entries.iter().flat_map(|entry| coarse(&entry.vector));
        bytes.extend(numbers.flat_map(i8::to_le_bytes));
        bytes.extend(self.known.to_bytes());
        bytes
    }

    /// Parses a serialized index.
    ///
    /// # Errors
    /// When the format is wrong, the file is truncated, or a vector is zero.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, RetrievalError> {
        Self::parse(bytes).map_err(RetrievalError::Index)
    }

    fn parse(bytes: &[u8]) -> Result<Self, String> {
        let rest = bytes
            .strip_prefix(&MAGIC)
            .ok_or("expected it to start with APIBANKV: this is another kind of file")?;
        let (length, rest) = rest.split_first_chunk::<4>().ok_or("it ends in its first bytes")?;
        let length = u32::from_le_bytes(*length) as usize;
        let (header, numbers) = rest.split_at_checked(length).ok_or_else(|| {
            format!("expected a header of {length} bytes, found {}: fetch it again", rest.len())
        })?;
        let header: Header = serde_json::from_slice(header)
            .map_err(|error| format!("expected a JSON header with model and entries: {error}"))?;
        if header.version != VERSION {
            return Err(format!(
                "expected format version {VERSION}, found {}: build it again",
                header.version
            ));
        }
        let (count, dimensions) = (header.entries.len(), header.dimensions);
        let fits = (1..=MAX_DIMENSIONS).contains(&dimensions) && count <= MAX_ENTRIES;
        let split = fits.then(|| numbers.split_at_checked(count * dimensions)).flatten();
        let Some((numbers, known)) = split else {
            return Err(format!(
                "expected {dimensions} numbers (at most {MAX_DIMENSIONS}) for each of {count} entries \
                 (at most {MAX_ENTRIES}), found {} bytes: fetch it again",
                numbers.len()
            ));
        };
        let mut entries = Vec::with_capacity(count);
        for ((suite, name), row) in header.entries.into_iter().zip(numbers.chunks_exact(dimensions))
        {
            let row: Vec<i8> = row.iter().map(|byte| i8::from_le_bytes([*byte])).collect();
            let vector = unit(&row)
                .ok_or_else(|| format!("expected a vector for {name}, found only zeros"))?;
            entries.push(Entry { suite, name, vector });
        }
        let known = Known::parse(header.known, known)?;
        Ok(Self { digest: header.model, texts_digest: header.texts, entries, known })
    }
}

/// A vector as stored in the file.
fn coarse(vector: &[f32]) -> Vec<i8> {
    let largest = vector.iter().fold(0.0, |largest: f32, number| largest.max(number.abs()));
    vector.iter().map(|number| (number / largest * LARGEST).round() as i8).collect()
}

/// The unit vector of a stored vector; `None` if it is zero. At 384 dimensions the sum of squares
/// is an integer below 2^24, which f32 holds exactly, so the result is the same on every machine.
fn unit(row: &[i8]) -> Option<Vec<f32>> {
    let numbers: Vec<f32> = row.iter().map(|number| f32::from(*number)).collect();
    let length = dot(&numbers, &numbers).sqrt();
    (length > 0.0).then(|| numbers.iter().map(|number| number / length).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DIMENSIONS: usize = 384;

    /// An index of axis vectors, so that a query's components are its cosines.
    fn index(names: &[(&str, &str, usize)]) -> Index {
        let entry = |&(suite, name, axis): &(&str, &str, usize)| {
            let mut vector = vec![0.0; DIMENSIONS];
            vector[axis] = 1.0;
            Entry { suite: suite.to_owned(), name: name.to_owned(), vector }
        };
        Index {
            digest: "d".to_owned(),
            texts_digest: "t".to_owned(),
            entries: names.iter().map(entry).collect(),
            known: Known::default(),
        }
    }

    fn names(hits: &[Hit]) -> Vec<&str> {
        hits.iter().map(|hit| hit.name.as_str()).collect()
    }

    #[test]
    fn ranks_by_cosine_then_pool_order() {
        let index = index(&[
            ("s", "low", 0),
            ("s", "b", 1),
            ("t", "other", 1),
            ("s", "a", 1),
            ("s", "never", 2),
        ]);
        let mut query = vec![0.0; DIMENSIONS];
        (query[0], query[1], query[2]) = (0.2, 0.5, -0.5);
        assert_eq!(names(&index.rank("s", &query, 9)), ["b", "a", "low"]);
        assert_eq!(names(&index.rank("s", &query, 1)), ["b"]);
        assert_eq!(names(&index.rank("t", &query, 9)), ["other"]);
        assert!(index.rank("u", &query, 9).is_empty());
        assert!(index.rank("s", &[1.0], 9).is_empty());
    }

    #[test]
    fn a_known_query_needs_no_vector() {
        let mut index = index(&[("s", "a", 0), ("s", "b", 1), ("s", "a", 2), ("s", "c", 3)]);
        let rankings = index.known.0.entry("s".to_owned()).or_default();
        rankings.insert(key("wake me up"), vec![2, 0]);
        rankings.insert(key("nothing"), Vec::new());
        rankings.insert(key("damaged"), vec![3]);
        assert_eq!(index.known("s", "wake me up", 9), Some(vec!["c", "a"]));
        assert_eq!(index.known("s", "wake me up", 1), Some(vec!["c"]));
        assert_eq!(index.known("s", "nothing", 9), Some(Vec::new()));
        assert_eq!(index.known("s", "damaged", 9), None);
        assert_eq!(index.known("s", "Wake me up", 9), None);
        assert_eq!(index.known("t", "wake me up", 9), None);
    }

    #[test]
    fn comes_back_from_its_file() {
        let mut index = index(&[("s", "a", 3), ("t", "b", 4)]);
        index.known.0.entry("s".to_owned()).or_default().insert(key("x"), vec![0]);
        let bytes = index.to_bytes();
        assert_eq!(Index::from_bytes(&bytes), Ok(index.clone()));
        for end in 0..bytes.len() {
            assert!(Index::from_bytes(&bytes[..end]).is_err(), "cut at {end}");
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert!(Index::from_bytes(&longer).is_err());
        let mut zeroed = bytes;
        let known = Known::to_bytes(&index.known).len();
        let length = zeroed.len() - known;
        zeroed[length - DIMENSIONS..length].fill(0);
        let error = Index::from_bytes(&zeroed).expect_err("no direction").to_string();
        assert!(error.contains("for b"), "{error}");
    }

    #[test]
    fn rounding_moves_little_and_only_once() {
        let mut index = index(&[("s", "a", 0)]);
        let wave = (0..DIMENSIONS).map(|at| (at as f32 * 0.7).sin() + 0.3);
        let wave: Vec<f32> = wave.collect();
        let length = dot(&wave, &wave).sqrt();
        index.entries[0].vector = wave.iter().map(|number| number / length).collect();
        let rounded = index.clone().rounded();
        let cosine = dot(&index.entries[0].vector, &rounded.entries[0].vector);
        assert!((0.9999..1.0001).contains(&cosine), "{cosine}");
        assert_ne!(rounded, index);
        assert_eq!(rounded.clone().rounded(), rounded);
        assert_eq!(Index::from_bytes(&index.to_bytes()), Ok(rounded));
    }

    #[test]
    fn the_texts_digest_sees_every_part() {
        let digest = |text: (&'static str, &'static str, &'static str)| Index::digest_texts([text]);
        let base = digest(("s", "ab", "c"));
        assert_ne!(base, digest(("s", "a", "bc")));
        assert_ne!(base, digest(("t", "ab", "c")));
        assert_eq!(base, digest(("s", "ab", "c")));
    }

    proptest! {
        #[test]
        fn hostile_files_never_panic(tail in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Index::from_bytes(&[&MAGIC[..], &tail].concat());
            let mut bytes = index(&[("s", "a", 0)]).to_bytes();
            for (byte, noise) in bytes.iter_mut().skip(8).zip(&tail) {
                *byte ^= noise & 1;
            }
            let _ = Index::from_bytes(&bytes);
        }
    }
}
