//! Near-duplicates by phrases and by meaning, among dialogues and against the evaluation set.

use crate::{Code, Reason};
use dataset::{Pack, Turn};
use std::collections::{BTreeMap, BTreeSet};

/// Words in a phrase.
const PHRASE: usize = 4;

/// Turns a text into a vector of length 1.
pub trait Embed {
    /// The vector.
    ///
    /// # Errors
    /// When the model fails.
    fn embed(&self, text: &str) -> Result<Vec<f32>, String>;
}

impl<F: Fn(&str) -> Result<Vec<f32>, String>> Embed for F {
    fn embed(&self, text: &str) -> Result<Vec<f32>, String> {
        self(text)
    }
}

/// How alike two dialogues may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Largest share of phrases of the shorter text that stand in the other, 0 to 1.
    pub phrases: f64,
    /// Largest cosine.
    pub cosine: f32,
}

/// Bounds between generated dialogues, and against the evaluation set.
///
/// The 314 dialogues of the evaluation set are all different: their nearest pair has cosine 0.63
/// and shares 22 % of its phrases (`engine/generator/tests/bounds.rs` measures it). Dialogues of one
/// domain may be somewhat nearer to each other.
pub const BOUNDS: (Bounds, Bounds) =
    (Bounds { phrases: 0.5, cosine: 0.85 }, Bounds { phrases: 0.3, cosine: 0.8 });

/// The dialogue that is nearest to a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbour {
    /// Its name.
    pub id: String,
    /// Share of phrases, 0 to 1.
    pub phrases: f64,
    /// Cosine; `None` when none was given.
    pub cosine: Option<f32>,
}

/// Dialogues that were seen, small enough to keep thousands: phrases as hashes, vectors in bytes.
#[derive(Debug, Clone, Default)]
pub struct Neighbours {
    ids: Vec<String>,
    sizes: Vec<usize>,
    by_phrase: BTreeMap<u64, Vec<u32>>,
    vectors: Vec<Vec<i8>>,
}

impl Neighbours {
    /// What the users of a pack say, each dialogue one text.
    ///
    /// # Errors
    /// When the embedding model fails.
    pub fn of_pack(pack: &Pack, embed: &impl Embed) -> Result<Self, String> {
        let mut all = Neighbours::default();
        for dialogue in &pack.dialogues {
            let said: Vec<&str> = dialogue
                .turns
                .iter()
                .filter_map(|turn| match turn {
                    Turn::User { text } => Some(text.as_str()),
                    _ => None,
                })
                .collect();
            let text = said.join("\n");
            all.add(&dialogue.id, &text, coded(&embed.embed(&text)?));
        }
        Ok(all)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Adds a text with its coded vector.
    pub fn add(&mut self, id: &str, text: &str, vector: Vec<i8>) {
        let index = self.ids.len() as u32;
        let phrases = phrases(text);
        self.sizes.push(phrases.len());
        for phrase in phrases {
            self.by_phrase.entry(phrase).or_default().push(index);
        }
        self.ids.push(id.to_owned());
        self.vectors.push(vector);
    }

    /// The text that shares most phrases.
    pub fn nearest_phrases(&self, text: &str) -> Option<Neighbour> {
        let phrases = phrases(text);
        let mut shared: BTreeMap<u32, usize> = BTreeMap::new();
        for index in phrases.iter().filter_map(|phrase| self.by_phrase.get(phrase)).flatten() {
            *shared.entry(*index).or_default() += 1;
        }
        let share = |(index, count): (u32, usize)| {
            let shorter = phrases.len().min(self.sizes[index as usize]).max(1);
            (count as f64 / shorter as f64, index)
        };
        // Of equal ones the first, so that a rerun names the same.
        let best = shared.into_iter().map(share).reduce(|a, b| if b.0 > a.0 { b } else { a });
        best.map(|(phrases, index)| Neighbour {
            id: self.ids[index as usize].clone(),
            phrases,
            cosine: None,
        })
    }

    /// The text whose vector is nearest.
    pub fn nearest_meaning(&self, vector: &[f32]) -> Option<Neighbour> {
        let cosines = self.vectors.iter().map(|known| coded_cosine(known, vector)).zip(0..);
        let best = cosines.reduce(|a: (f32, usize), b| if b.0 > a.0 { b } else { a });
        best.map(|(cosine, index)| Neighbour {
            id: self.ids[index].clone(),
            phrases: 0.0,
            cosine: Some(cosine),
        })
    }

    /// What is wrong with a text that comes too near; `codes` are those of phrases and meaning.
    pub fn check(
        &self,
        text: &str,
        vector: &[f32],
        bounds: Bounds,
        codes: (Code, Code),
    ) -> Vec<Reason> {
        let mut reasons = Vec::new();
        if let Some(near) = self.nearest_phrases(text).filter(|it| it.phrases > bounds.phrases) {
            let percent = 100.0 * near.phrases;
            let detail = format!("shares {percent:.0} % of its phrases with {}", near.id);
            reasons.push(Reason::new(codes.0, detail));
        }
        let near = self.nearest_meaning(vector);
        if let Some((near, cosine)) = near.and_then(|it| it.cosine.map(|cosine| (it, cosine)))
            && cosine > bounds.cosine
        {
            let detail = format!("has cosine {cosine:.3} with {}", near.id);
            reasons.push(Reason::new(codes.1, detail));
        }
        reasons
    }
}

/// A vector in bytes: a cosine loses less than a hundredth by it.
pub fn coded(vector: &[f32]) -> Vec<i8> {
    let largest = vector.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
    let scale = if largest > 0.0 { 127.0 / largest } else { 0.0 };
    vector.iter().map(|x| (x * scale).round() as i8).collect()
}

fn coded_cosine(coded: &[i8], vector: &[f32]) -> f32 {
    let length = coded.iter().map(|x| f32::from(*x) * f32::from(*x)).sum::<f32>().sqrt();
    let dot: f32 = coded.iter().zip(vector).map(|(a, b)| f32::from(*a) * b).sum();
    if length > 0.0 && coded.len() == vector.len() { dot / length } else { 0.0 }
}

/// Cosine of two vectors of length 1.
pub(super) fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Hashes of all phrases of a text; of a text that is shorter than one, of the whole.
fn phrases(text: &str) -> BTreeSet<u64> {
    let words = words(text);
    if words.len() < PHRASE {
        return [hash(&words)].into();
    }
    words.windows(PHRASE).map(hash).collect()
}

/// Words in lower case.
pub(super) fn words(text: &str) -> Vec<String> {
    text.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// FNV-1a with 64 bits: the same on every platform.
fn hash(words: &[String]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in words.iter().flat_map(|word| word.bytes().chain([b' '])) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash
}
