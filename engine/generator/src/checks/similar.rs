//! Finds near-duplicates of dialogues by shared phrases and by embedding, within the training set
//! and against the evaluation set.

use crate::{Code, Reason};
use dataset::text::light::separated_words;
use dataset::text::overlap::{Overlap, phrases_or_whole};
use dataset::{Pack, Turn};
use std::collections::BTreeSet;
use std::fmt::Display;
use thiserror::Error;

/// A sentence-embedding model.
pub trait Embed {
    /// The embedding of a text, a vector of length 1.
    ///
    /// # Errors
    /// When the model fails.
    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedError>;
}

/// The embedding model failed, with its message.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct EmbedError(pub String);

impl<F: Fn(&str) -> Result<Vec<f32>, E>, E: Display> Embed for F {
    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self(text).map_err(|error| EmbedError(error.to_string()))
    }
}

/// How similar two dialogues may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Largest share of the shorter text's phrases that the other contains, 0 to 1.
    pub phrases: f64,
    /// Largest cosine similarity of the embeddings.
    pub cosine: f32,
}

/// The bounds between generated dialogues, and against the evaluation set.
///
/// Derived from the 314 dialogues of the evaluation set, all of them different: the closest pair has
/// cosine 0.63 or shares 22 % of its phrases (`engine/generator/tests/bounds.rs` measures both).
/// Dialogues of one domain may be more similar to each other.
pub const BOUNDS: (Bounds, Bounds) =
    (Bounds { phrases: 0.5, cosine: 0.85 }, Bounds { phrases: 0.3, cosine: 0.8 });

/// The dialogue most similar to a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbour {
    /// The dialogue's id.
    pub id: String,
    /// Share of common phrases, 0 to 1; 0 where [`Neighbours::nearest_meaning`] found it.
    pub phrases: f64,
    /// Cosine similarity; `None` where [`Neighbours::nearest_phrases`] found it.
    pub cosine: Option<f32>,
}

/// An index of dialogues for near-duplicate search. Stores phrases as hashes and vectors quantized
/// to a byte per dimension, so that thousands fit in memory.
#[derive(Debug, Clone, Default)]
pub struct Neighbours {
    ids: Vec<String>,
    overlap: Overlap,
    vectors: Vec<Vec<i8>>,
}

impl Neighbours {
    /// Indexes the user turns of a pack, both splits, each dialogue as one text.
    ///
    /// # Errors
    /// When the embedding model fails.
    pub fn of_pack(pack: &Pack, embed: &impl Embed) -> Result<Self, EmbedError> {
        let mut all = Neighbours::default();
        for dialogue in pack.dialogues.iter().chain(&pack.hard) {
            let said: Vec<&str> = dialogue
                .own_turns()
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

    /// Number of dialogues.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether the index has no dialogue.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Adds a text with its quantized vector ([`coded`]).
    pub fn add(&mut self, id: &str, text: &str, vector: Vec<i8>) {
        self.overlap.add(phrases(text));
        self.ids.push(id.to_owned());
        self.vectors.push(vector);
    }

    /// The dialogue that shares the largest share of phrases with `text`.
    pub fn nearest_phrases(&self, text: &str) -> Option<Neighbour> {
        let shared = phrases(text);
        // On a tie the first one wins, for determinism.
        let best = self.overlap.shared_with(&shared).reduce(|a, b| if b.1 > a.1 { b } else { a });
        best.map(|(index, phrases)| Neighbour {
            id: self.ids[index].clone(),
            phrases,
            cosine: None,
        })
    }

    /// The dialogue with the largest cosine similarity to `vector`.
    pub fn nearest_meaning(&self, vector: &[f32]) -> Option<Neighbour> {
        let cosines = self.vectors.iter().map(|known| coded_cosine(known, vector)).zip(0..);
        let best = cosines.reduce(|a: (f32, usize), b| if b.0 > a.0 { b } else { a });
        best.map(|(cosine, index)| Neighbour {
            id: self.ids[index].clone(),
            phrases: 0.0,
            cosine: Some(cosine),
        })
    }

    /// Reasons to reject a text as a near-duplicate within the set: at most one each for wording and
    /// meaning.
    pub fn duplicates(&self, text: &str, vector: &[f32]) -> Vec<Reason> {
        self.check(text, vector, BOUNDS.0, (Code::NearDuplicate, Code::SimilarMeaning))
    }

    /// Reasons to reject a text as contaminated by the evaluation data: at most one each for wording
    /// and meaning.
    pub fn contaminations(&self, text: &str, vector: &[f32]) -> Vec<Reason> {
        self.check(text, vector, BOUNDS.1, (Code::ContaminatedWords, Code::ContaminatedMeaning))
    }

    /// `codes` are for phrases and for meaning.
    fn check(
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

/// Quantizes a vector to int8, scaled to its largest component. Cosines change by less than 0.01.
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
pub(crate) fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Hashes of all phrases of a text, or of the whole text if it is shorter than one phrase.
fn phrases(text: &str) -> BTreeSet<u64> {
    phrases_or_whole(&separated_words(text))
}
