//! The sentence encoder: the transformer of paraphrase-MiniLM-L3-v2 as a graph for `tract-core`.
//!
//! Look-up of words and positions happens before the graph, row by row from the coded table:
//! a table behind a graph's cast would be expanded whole at every query. The graph takes the
//! `[S, 384]` sums, S the number of tokens and free, and gives the sum over tokens; layer
//! normalisation stands after each block (BERT), GELU is the exact one.

use super::encoding::Matrix;
use super::linear::Linear;
use super::norm::LayerNorm;
use super::weights::{Config, Weights};
use super::wordpiece::{VOCABULARY_SIZE, WordPiece};
use super::{DIMENSIONS, MAX_TOKENS, RetrievalError};
use tract_core::internal::{AxesMapping, AxisOp, DatumType, Graph, ToDim, tvec};
use tract_core::ops::einsum::EinSum;
use tract_core::ops::math::add;
use tract_core::ops::nn::{GeluExact, Reduce, Reducer, Softmax, SoftmaxKind};
use tract_core::prelude::*;

/// Turns texts into unit vectors of [`DIMENSIONS`] numbers.
#[derive(Debug)]
pub struct Encoder {
    tokenizer: WordPiece,
    words: Matrix<'static>,
    positions: Vec<f32>,
    plan: Arc<TypedRunnableModel>,
    digest: String,
}

impl Encoder {
    /// Reads a weights container ([`weights`](super::weights)) and the vocabulary of
    /// bert-base-uncased, a piece a line, and prepares the model. Takes a fraction of a second.
    ///
    /// # Errors
    /// When either is damaged or of another model, or `tract` refuses the graph.
    pub fn load(weights: &[u8], vocabulary: &str) -> Result<Self, RetrievalError> {
        Self::of(&Weights::parse(weights)?, vocabulary)
    }

    /// The same for weights that are [parsed](Weights::parse) already.
    ///
    /// # Errors
    /// As [`Encoder::load`].
    pub fn of(weights: &Weights<'_>, vocabulary: &str) -> Result<Self, RetrievalError> {
        let tokenizer = WordPiece::new(vocabulary)?;
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
            tokenizer,
            words: weights.matrix("embeddings.word")?.into_owned(),
            positions: weights.matrix("embeddings.position")?.to_vec(),
            plan,
            digest: weights.digest().to_owned(),
        })
    }

    /// The embedding of a text: [`DIMENSIONS`] numbers of length 1 together.
    ///
    /// # Errors
    /// When `tract` fails or the result is not finite; no text alone brings that about.
    pub fn encode(&self, text: &str) -> Result<Vec<f32>, RetrievalError> {
        let ids = self.tokenizer.encode(text);
        let input = Tensor::from_shape(&[ids.len(), DIMENSIONS], &self.look_up(&ids)?)
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

    /// SHA-256 of the weights file, lower-case hexadecimal: which model made a vector.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
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

    /// The graph, its products packed for the machine. It is laid out as tract would tidy it: what
    /// looks for more to tidy takes time and finds nothing.
    fn build(mut self) -> Result<Arc<TypedRunnableModel>, RetrievalError> {
        let tokens = self.graph.sym("S").to_dim();
        let fact = f32::fact([tokens, self.config.hidden.to_dim()]);
        let mut x = self.graph.add_source("embeddings", fact).map_err(failed("is laid"))?;
        x = self.layer_norm(x, "embeddings.norm")?;
        for layer in 0..self.config.layers {
            let name = format!("layer.{layer}");
            let attended = self.attention(x, &name)?;
            x = self.op(add(), &[x, attended])?;
            x = self.layer_norm(x, &format!("{name}.attention_norm"))?;
            let up = self.linear(x, &format!("{name}.up"), 1.0)?;
            let active = self.op(
                tract_core::ops::element_wise::ElementWiseOp(Box::new(GeluExact {}), None),
                &[up],
            )?;
            let down = self.linear(active, &format!("{name}.down"), 1.0)?;
            x = self.op(add(), &[x, down])?;
            x = self.layer_norm(x, &format!("{name}.output_norm"))?;
        }
        let sum = self.op(Reduce::new(tvec!(0), Reducer::Sum), &[x])?;
        self.graph.select_output_outlets(&[sum]).map_err(failed("is laid"))?;
        self.graph.optimize().map_err(failed("is optimised"))?;
        self.graph.into_runnable().map_err(failed("is prepared"))
    }

    fn op(&mut self, op: impl Into<Box<dyn TypedOp>>, inputs: &[OutletId]) -> Laid {
        self.nodes += 1;
        let name = format!("node.{}", self.nodes);
        let outlets = self.graph.wire_node(name, op, inputs).map_err(failed("is laid"))?;
        Ok(outlets[0])
    }

    /// A tensor of the file as a constant, times `scale`.
    fn constant(&mut self, name: &str, scale: f32) -> Laid {
        let matrix = self.weights.matrix(name)?;
        let mut numbers = matrix.to_vec();
        if scale != 1.0 {
            numbers.iter_mut().for_each(|number| *number *= scale);
        }
        let tensor = Tensor::from_shape(&matrix.shape(), &numbers).map_err(failed("is laid"))?;
        self.graph.add_const(name, tensor).map_err(failed("is laid"))
    }

    fn einsum(&mut self, inputs: [&str; 2], output: &str, from: [OutletId; 2]) -> Laid {
        let axes = AxesMapping::from_strs(&inputs, &[output]).map_err(failed("is laid"))?;
        self.op(EinSum::new(axes, DatumType::F32), &from)
    }

    /// `x · Wᵀ + b`, `[S, in]` to `[S, out]`, both times `scale`: on integers where the weights are,
    /// else in f32.
    fn linear(&mut self, x: OutletId, name: &str, scale: f32) -> Laid {
        let matrix = self.weights.matrix(&format!("{name}.weight"))?;
        let bias = self.weights.matrix(&format!("{name}.bias"))?.to_vec();
        if let Some(linear) = Linear::new(&matrix, &bias, scale)? {
            return self.op(linear, &[x]);
        }
        let weight = self.constant(&format!("{name}.weight"), scale)?;
        let bias = self.constant(&format!("{name}.bias"), scale)?;
        let product = self.einsum(["si", "oi"], "so", [x, weight])?;
        self.op(add(), &[product, bias])
    }

    /// Splits `[S, hidden]` into `[S, heads, width]`.
    fn heads(&mut self, x: OutletId) -> Laid {
        let (hidden, heads) = (self.config.hidden, self.config.heads);
        let split = tvec!(heads.to_dim(), (hidden / heads).to_dim());
        self.op(AxisOp::Reshape(1, tvec!(hidden.to_dim()), split), &[x])
    }

    /// Self-attention with its output projection, `[S, hidden]` to the same.
    fn attention(&mut self, x: OutletId, name: &str) -> Laid {
        let (hidden, heads) = (self.config.hidden, self.config.heads);
        // The scale of the scores goes into the query: one pass less over the scores.
        let scale = ((hidden / heads) as f32).sqrt().recip();
        let query = self.linear(x, &format!("{name}.query"), scale)?;
        let key = self.linear(x, &format!("{name}.key"), 1.0)?;
        let value = self.linear(x, &format!("{name}.value"), 1.0)?;
        let (query, key, value) = (self.heads(query)?, self.heads(key)?, self.heads(value)?);
        let scores = self.einsum(["shd", "thd"], "hst", [query, key])?;
        let shares = self.op(Softmax::new(tvec!(2), None, SoftmaxKind::Softmax), &[scores])?;
        let mixed = self.einsum(["hst", "thd"], "shd", [shares, value])?;
        let joined = tvec!(heads.to_dim(), (hidden / heads).to_dim());
        let mixed = self.op(AxisOp::Reshape(1, joined, tvec!(hidden.to_dim())), &[mixed])?;
        self.linear(mixed, &format!("{name}.attention"), 1.0)
    }

    /// Layer normalisation over the last axis.
    fn layer_norm(&mut self, x: OutletId, name: &str) -> Laid {
        let part = |part: &str| {
            let matrix = self.weights.matrix(&format!("{name}.{part}"))?;
            Ok::<_, RetrievalError>(matrix.to_vec())
        };
        let norm = LayerNorm::new(part("weight")?, part("bias")?, self.config.epsilon);
        self.op(norm, &[x])
    }
}
