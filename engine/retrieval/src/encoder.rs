//! The sentence encoder: the transformer of paraphrase-MiniLM-L3-v2 as a graph for `tract-core`.
//!
//! Look-up of words and positions happens before the graph, row by row from the coded table:
//! a table behind a graph's cast would be expanded whole at every query. The graph takes the
//! `[S, 384]` sums, S the number of tokens and free, and gives the sum over tokens; layer
//! normalisation stands after each block (BERT), GELU is the exact one.

use super::encoding::Matrix;
use super::rows::Rows;
use super::weights::{Config, Weights};
use super::wordpiece::{VOCABULARY_SIZE, WordPiece};
use super::{DIMENSIONS, MAX_TOKENS, RetrievalError};
use kernels::linear::Linear;
use tract_core::internal::{Graph, ToDim, tvec};
use tract_core::ops::element_wise::ElementWiseOp;
use tract_core::ops::nn::{GeluExact, Reduce, Reducer};
use tract_core::prelude::*;

/// Turns texts into unit vectors of [`DIMENSIONS`] numbers.
#[derive(Debug)]
pub struct Encoder {
    tokenizer: WordPiece,
    transformer: Transformer,
}

impl Encoder {
    /// Reads a weights container ([`weights`](super::weights)) and the vocabulary of
    /// bert-base-uncased, a piece a line, and prepares the model. Takes a fraction of a second.
    ///
    /// # Errors
    /// When either is damaged or of another model, or `tract` refuses the graph.
    pub fn load(weights: &[u8], vocabulary: &str) -> Result<Self, RetrievalError> {
        let tokenizer = WordPiece::new(vocabulary)?;
        Ok(Self::new(tokenizer, Transformer::new(&Weights::parse(weights)?)?))
    }

    /// The same of its two parts.
    #[must_use]
    pub fn new(tokenizer: WordPiece, transformer: Transformer) -> Self {
        Encoder { tokenizer, transformer }
    }

    /// The embedding of a text: [`DIMENSIONS`] numbers of length 1 together.
    ///
    /// # Errors
    /// When `tract` fails or the result is not finite; no text alone brings that about.
    pub fn encode(&self, text: &str) -> Result<Vec<f32>, RetrievalError> {
        self.transformer.encode(&self.tokenizer.encode(text))
    }

    /// SHA-256 of the weights file, lower-case hexadecimal: which model made a vector.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.transformer.digest
    }
}

/// The transformer of a weights container: from token ids to a vector.
#[derive(Debug)]
pub struct Transformer {
    words: Matrix<'static>,
    positions: Vec<f32>,
    plan: Arc<TypedRunnableModel>,
    digest: String,
}

impl Transformer {
    /// Prepares the model of a weights container.
    ///
    /// # Errors
    /// When it is damaged or of another model, or `tract` refuses the graph.
    pub fn new(weights: &Weights<'_>) -> Result<Self, RetrievalError> {
        let config = weights.header().config.clone();
        let found = (config.vocabulary, config.hidden, config.positions >= MAX_TOKENS);
        if found != (VOCABULARY_SIZE, DIMENSIONS, true) {
            return Err(RetrievalError::Weights(format!(
                "expected a model of {VOCABULARY_SIZE} words, width {DIMENSIONS} and {MAX_TOKENS} \
                 positions or more, found {}, {} and {}",
                config.vocabulary, config.hidden, config.positions
            )));
        }
        let plan = Builder::new(weights, &config).build()?;
        Ok(Self {
            words: weights.matrix("embeddings.word")?.into_owned(),
            positions: weights.matrix("embeddings.position")?.to_vec(),
            plan,
            digest: weights.digest().to_owned(),
        })
    }

    fn encode(&self, ids: &[u32]) -> Result<Vec<f32>, RetrievalError> {
        let input = Tensor::from_shape(&[ids.len(), DIMENSIONS], &self.look_up(ids)?)
            .map_err(failed("reads"))?;
        let output = self.plan.run(tvec!(input.into_tvalue())).map_err(failed("runs"))?;
        let sum = output[0].to_plain_array_view::<f32>().map_err(failed("answers"))?;
        // The mean over tokens and their sum point the same way: only the length differs.
        unit(sum.iter().copied().collect())
    }

    /// The sums of word and position vectors, `[S, 384]` row by row.
    fn look_up(&self, ids: &[u32]) -> Result<Vec<f32>, RetrievalError> {
        let mut rows = vec![0.0; ids.len() * DIMENSIONS];
        for ((out, id), position) in
            rows.chunks_exact_mut(DIMENSIONS).zip(ids).zip(self.positions.chunks_exact(DIMENSIONS))
        {
            if !self.words.read_row(*id as usize, out) {
                return Err(RetrievalError::Weights(format!(
                    "expected token ids below {}, found {id}",
                    self.words.shape()[0]
                )));
            }
            out.iter_mut().zip(position).for_each(|(out, position)| *out += position);
        }
        Ok(rows)
    }
}

/// Scales a vector to length 1.
fn unit(mut vector: Vec<f32>) -> Result<Vec<f32>, RetrievalError> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if vector.len() != DIMENSIONS || !length.is_finite() || length == 0.0 {
        return Err(RetrievalError::Model {
            doing: "answers",
            cause: format!(
                "expected {DIMENSIONS} finite numbers, found {} of length {length}: the weights are damaged",
                vector.len()
            ),
        });
    }
    vector.iter_mut().for_each(|x| *x /= length);
    Ok(vector)
}

fn failed(doing: &'static str) -> impl Fn(TractError) -> RetrievalError {
    move |error| RetrievalError::Model { doing, cause: format!("{error:#}") }
}

/// Lays the graph, node by node, in the order of the computation.
struct Builder<'a> {
    weights: &'a Weights<'a>,
    config: &'a Config,
    graph: TypedModel,
    nodes: usize,
}

type Laid = Result<OutletId, RetrievalError>;

impl<'a> Builder<'a> {
    fn new(weights: &'a Weights<'a>, config: &'a Config) -> Self {
        Self { weights, config, graph: Graph::default(), nodes: 0 }
    }

    /// The graph. It is laid out as it runs: what looks for something to tidy takes time and finds
    /// nothing.
    fn build(mut self) -> Result<Arc<TypedRunnableModel>, RetrievalError> {
        let tokens = self.graph.sym("S").to_dim();
        let fact = f32::fact([tokens, self.config.hidden.to_dim()]);
        let embeddings = self.graph.add_source("embeddings", fact).map_err(failed("is laid"))?;
        let mut x = self.layer_norm(&[embeddings], "embeddings.norm")?;
        for layer in 0..self.config.layers {
            let name = format!("layer.{layer}");
            let attended = self.attention(x, &name)?;
            x = self.layer_norm(&[x, attended], &format!("{name}.attention_norm"))?;
            let up = self.linear(x, &format!("{name}.up"), 1.0)?;
            let active = self.op(ElementWiseOp(Box::new(GeluExact {}), None), &[up])?;
            let down = self.linear(active, &format!("{name}.down"), 1.0)?;
            x = self.layer_norm(&[x, down], &format!("{name}.output_norm"))?;
        }
        let sum = self.op(Reduce::new(tvec!(0), Reducer::Sum), &[x])?;
        self.graph.select_output_outlets(&[sum]).map_err(failed("is laid"))?;
        self.graph.into_runnable().map_err(failed("is prepared"))
    }

    fn op(&mut self, op: impl Into<Box<dyn TypedOp>>, inputs: &[OutletId]) -> Laid {
        self.nodes += 1;
        let name = format!("node.{}", self.nodes);
        let outlets = self.graph.wire_node(name, op, inputs).map_err(failed("is laid"))?;
        Ok(outlets[0])
    }

    /// The numbers of a tensor of the file, which are to be so many, times `scale`.
    fn numbers(&self, name: &str, count: usize, scale: f32) -> Result<Vec<f32>, RetrievalError> {
        let mut numbers = self.weights.matrix(name)?.to_vec();
        if numbers.len() != count {
            return Err(RetrievalError::Weights(format!(
                "{name}: expected {count} numbers, found {}",
                numbers.len()
            )));
        }
        numbers.iter_mut().for_each(|number| *number *= scale);
        Ok(numbers)
    }

    /// `x · Wᵀ + b`, `[S, in]` to `[S, out]`, both times `scale`: on integers where the weights are,
    /// else in f32.
    fn linear(&mut self, x: OutletId, name: &str, scale: f32) -> Laid {
        let matrix = self.weights.matrix(&format!("{name}.weight"))?;
        let [outputs, inputs] = matrix.shape();
        let bias = self.numbers(&format!("{name}.bias"), outputs, scale)?;
        if let Some(mut layer) = Linear::new(inputs, outputs).filter(|_| matrix.is_coded()) {
            let mut biases = bias.into_iter();
            matrix.each_row(|row, step| {
                layer.push(row, step * scale, biases.next().unwrap_or_default());
            });
            return self.op(Rows::new("Linear", outputs, move |x| layer.apply(x[0])), &[x]);
        }
        let weights = self.numbers(&format!("{name}.weight"), outputs * inputs, scale)?;
        let layer = move |x: &[&[f32]]| kernels::linear_f32(x[0], &weights, &bias);
        self.op(Rows::new("Linear", outputs, layer), &[x])
    }

    /// Self-attention with its output projection, `[S, hidden]` to the same.
    fn attention(&mut self, x: OutletId, name: &str) -> Laid {
        let (hidden, heads) = (self.config.hidden, self.config.heads);
        // The scale of the scores goes into the query: one pass less over the scores.
        let scale = ((hidden / heads) as f32).sqrt().recip();
        let query = self.linear(x, &format!("{name}.query"), scale)?;
        let key = self.linear(x, &format!("{name}.key"), 1.0)?;
        let value = self.linear(x, &format!("{name}.value"), 1.0)?;
        let mix = move |x: &[&[f32]]| kernels::attention([x[0], x[1], x[2]], hidden, heads);
        let mixed = self.op(Rows::new("Attention", hidden, mix), &[query, key, value])?;
        self.linear(mixed, &format!("{name}.attention"), 1.0)
    }

    /// Layer normalisation of the sum of its inputs over the last axis.
    fn layer_norm(&mut self, inputs: &[OutletId], name: &str) -> Laid {
        let (hidden, epsilon) = (self.config.hidden, self.config.epsilon);
        let weight = self.numbers(&format!("{name}.weight"), hidden, 1.0)?;
        let bias = self.numbers(&format!("{name}.bias"), hidden, 1.0)?;
        let norm = move |inputs: &[&[f32]]| {
            let mut rows = inputs[0].to_vec();
            for more in &inputs[1..] {
                rows.iter_mut().zip(*more).for_each(|(sum, number)| *sum += number);
            }
            kernels::layer_norm(&mut rows, &weight, &bias, epsilon);
            rows
        };
        self.op(Rows::new("LayerNorm", hidden, norm), inputs)
    }
}
