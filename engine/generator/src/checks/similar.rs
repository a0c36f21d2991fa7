//! Near-duplicates by phrases and by meaning, among dialogues and against the evaluation set.

use crate::{Code, Reason};
use dataset::text::overlap::{Overlap, phrases_or_whole};
use dataset::text::words::separated_words;
use dataset::{Pack, Turn};
use std::collections::BTreeSet;

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
    overlap: Overlap,
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
        self.overlap.add(phrases(text));
        self.ids.push(id.to_owned());
        self.vectors.push(vector);
    }

    /// The text that shares most phrases.
    pub fn nearest_phrases(&self, text: &str) -> Option<Neighbour> {
        let shared = phrases(text);
        // Of equal ones the first, so that a rerun names the same.
        let best = self.overlap.shared_with(&shared).reduce(|a, b| if b.1 > a.1 { b } else { a });
        best.map(|(index, phrases)| Neighbour {
            id: self.ids[index].clone(),
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
    phrases_or_whole(&separated_words(text))
}
