//! The shipped recipe: how coarse every row may be, and how it is rounded.
//!
//! The exact model reads some texts first. What an error does to the vector then follows for every row
//! of a linear layer from the gradients at its output, and for errors in several columns from what
//! their inputs have in common; for the tables from the gradients at the embeddings.

use super::{POSITION_TABLE, Tensors, WORDS};
use crate::encoding::{Encoding, encode_rows};
use crate::weights::Config;
use crate::wordpiece::WordPiece;
use crate::{MAX_TOKENS, RetrievalError};
use calibration::{LINEARS, Layer, Linear, Metric, Model, Moments, Norm, half_octave};
use dataset::random::SplitMix;

/// Steps of the vocabulary table, in root mean squares of a row, for ids below a limit.
/// Single characters and markers come first; words and word parts, from 1996 on, are ordered by
/// how often they occurred, so the finer steps go to the first of them.
const GRADES: [(usize, f32); 4] = [(1_996, 0.03), (4_000, 0.06), (8_000, 0.12), (usize::MAX, 0.25)];
/// Pieces of the APIs' own search texts: they decide most searches, and are few.
const DOMAIN: f32 = 0.03;
/// Pieces in other scripts than Latin without accents, for which the model was not trained. Marks that
/// English uses, as dashes and quotes, are none.
const FOREIGN: f32 = 0.75;
/// What a search gets when a model gives no keywords; the APIs nearest to it are near each other.
const NOTHING: [&str; 3] = ["", "null", "none"];
/// The markers' and those words': the first are in every text.
const MARKERS: f32 = 0.01;
/// The position table's: every text meets it.
const POSITIONS: f32 = 0.02;

/// What a step of a linear layer may do to the vector, the same for every weight: so the bits go
/// where they matter most. Half of it costs a bit a weight, .66 MB.
const ERROR: f64 = 5e-6;
/// The longest step of a linear layer, in root mean squares of its row.
const LONGEST: f32 = 1.5;
/// Gradients below this share of a layer's mean count as much: some outputs are silent by chance.
const SILENT: f64 = 1e-3;

/// Texts of words drawn from the vocabulary that the model reads besides the domain's, of one to
/// [`LONGEST_TEXT`] words. With fewer the drift of single words grows.
const TEXTS: usize = 400;
const LONGEST_TEXT: usize = 8;
/// The same texts always, and with them the same weights. Texts of another seed drift by up to a fifth
/// more or less.
const SEED: u64 = 2;

/// What the model did with the texts.
pub(super) struct Calibrated {
    moments: Moments,
    embeddings: Metric,
    word_steps: Vec<f32>,
}

impl Calibrated {
    pub(super) fn new<'a>(
        config: &Config,
        tensors: &Tensors,
        vocabulary: &str,
        domain: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, RetrievalError> {
        let tokenizer = WordPiece::new(vocabulary)?;
        let domain: Vec<&str> = domain.into_iter().collect();
        let word_steps = word_steps(&tokenizer, vocabulary, &domain);
        let drawn = drawn(vocabulary, &word_steps);
        let texts = domain.into_iter().chain(NOTHING).chain(drawn.iter().map(String::as_str));
        let read = |text| embeddings(config, tensors, &tokenizer.encode(text));
        let texts: Vec<Vec<f32>> = texts.map(read).collect();
        let moments = Moments::of(&model(config, tensors), &texts);
        let embeddings = Metric::new(moments.embeddings(), config.hidden).ok_or_else(|| {
            RetrievalError::Weights("ONNX: expected finite numbers in the model".to_owned())
        })?;
        Ok(Self { moments, embeddings, word_steps })
    }

    /// A tensor in its encoding.
    pub(super) fn encode(
        &self,
        name: &str,
        [rows, columns]: [usize; 2],
        numbers: &[f32],
    ) -> Result<(Encoding, Vec<u8>), String> {
        let encode = |steps: &[f32], typical: f32, metric: &Metric| {
            let round = |row: &[f32], step: f32, limit: f32| metric.round(row, step, limit);
            let bytes = encode_rows(columns, steps, numbers, round)?;
            Ok((Encoding::Coded { step: typical }, bytes))
        };
        match (name, linear(name)) {
            (WORDS, _) => encode(&self.word_steps, DOMAIN, &self.embeddings),
            (POSITION_TABLE, _) => encode(&vec![POSITIONS; rows], POSITIONS, &self.embeddings),
            (_, Some((layer, at))) => {
                let metric = Metric::new(self.moments.inputs(layer, at), columns)
                    .ok_or("expected finite inputs")?;
                let steps = linear_steps(self.moments.gradients(layer, at), &metric, numbers);
                let mut sorted = steps.clone();
                sorted.sort_by(f32::total_cmp);
                encode(&steps, sorted[sorted.len() / 2], &metric)
            }
            _ => Err("expected a table or a linear layer".to_owned()),
        }
    }
}

/// The layer, and which of its linear layers, a matrix belongs to.
fn linear(name: &str) -> Option<(usize, usize)> {
    let (layer, name) = name.strip_prefix("layer.")?.split_once('.')?;
    let name = name.strip_suffix(".weight")?;
    Some((layer.parse().ok()?, LINEARS.iter().position(|linear| *linear == name)?))
}

/// The step of every row of the vocabulary table; 0 for rows that no text can reach.
fn word_steps(tokenizer: &WordPiece, vocabulary: &str, domain: &[&str]) -> Vec<f32> {
    let pieces = vocabulary.lines().enumerate().zip(tokenizer.reachable());
    let mut steps: Vec<f32> = pieces
        .map(|((id, piece), reachable)| match reachable {
            false => 0.0,
            true if piece.chars().any(is_foreign) => FOREIGN,
            true => GRADES.iter().find(|(limit, _)| id < *limit).map_or(FOREIGN, |(_, step)| *step),
        })
        .collect();
    for id in domain.iter().flat_map(|text| tokenizer.encode(text)) {
        steps[id as usize] = DOMAIN;
    }
    for id in NOTHING.iter().flat_map(|text| tokenizer.encode(text)) {
        steps[id as usize] = MARKERS;
    }
    steps
}

fn is_foreign(character: char) -> bool {
    !character.is_ascii() && character.is_alphanumeric()
}

/// The step of every row of a linear layer, in its root mean squares: shorter where the gradients at
/// its output are greater. Only so many different ones that rows share tables of frequencies.
fn linear_steps(gradients: &[f32], metric: &Metric, numbers: &[f32]) -> Vec<f32> {
    let mean =
        gradients.iter().map(|power| f64::from(*power)).sum::<f64>() / gradients.len() as f64;
    let rows = numbers.chunks_exact(numbers.len() / gradients.len());
    rows.zip(gradients)
        .map(|(row, gradient)| {
            let power = f64::from(*gradient).max(mean * SILENT) * metric.geometric_mean();
            let square = row.iter().map(|n| n * n).sum::<f32>() / row.len() as f32;
            let step = (ERROR / power.sqrt()) as f32 / square.sqrt();
            if !step.is_finite() {
                return LONGEST;
            }
            half_octave(step).min(LONGEST)
        })
        .collect()
}

/// Texts of words that the vocabulary has whole, always the same.
fn drawn(vocabulary: &str, steps: &[f32]) -> Vec<String> {
    let plain = |piece: &str| piece.bytes().all(|byte| byte.is_ascii_alphabetic());
    let pieces = vocabulary.lines().zip(steps);
    let words: Vec<&str> = pieces
        .filter(|(piece, step)| **step > 0.0 && plain(piece))
        .map(|(piece, _)| piece)
        .collect();
    let mut random = SplitMix(SEED);
    let mut text = || {
        let count = 1 + random.below(LONGEST_TEXT);
        let words: Vec<&str> =
            (0..count).filter_map(|_| words.get(random.below(words.len())).copied()).collect();
        words.join(" ")
    };
    (0..TEXTS).map(|_| text()).collect()
}

/// What the model reads for a text: words and positions.
fn embeddings(config: &Config, tensors: &Tensors, ids: &[u32]) -> Vec<f32> {
    let row = |table: &str, at: usize| {
        tensors[table][at * config.hidden..].iter().take(config.hidden).copied()
    };
    let tokens = ids.iter().take(MAX_TOKENS).enumerate();
    let sum = |(at, id): (usize, &u32)| {
        row(WORDS, *id as usize)
            .zip(row(POSITION_TABLE, at))
            .map(|(word, position)| word + position)
    };
    tokens.flat_map(sum).collect()
}

/// The exact model.
fn model(config: &Config, tensors: &Tensors) -> Model {
    let tensor = |name: String| tensors.get(&name).cloned().unwrap_or_default();
    let parts = |name: &str| (tensor(format!("{name}.weight")), tensor(format!("{name}.bias")));
    let norm = |name: &str| {
        let (weight, bias) = parts(name);
        Norm { weight, bias }
    };
    let layer = |layer: usize| Layer {
        linears: LINEARS.map(|linear| {
            let (weight, bias) = parts(&format!("layer.{layer}.{linear}"));
            Linear { weight, bias }
        }),
        attention_norm: norm(&format!("layer.{layer}.attention_norm")),
        output_norm: norm(&format!("layer.{layer}.output_norm")),
    };
    Model {
        config: calibration::Config {
            hidden: config.hidden,
            heads: config.heads,
            epsilon: config.epsilon,
        },
        norm: norm("embeddings.norm"),
        layers: (0..config.layers).map(layer).collect(),
    }
}
