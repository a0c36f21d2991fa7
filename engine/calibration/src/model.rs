//! The model in exact numbers, forwards and backwards.

use crate::products::{times, times_transposed};

/// Sizes of the model.
#[derive(Debug, Clone, Copy)]
pub struct Config {
    /// Numbers a token has between layers.
    pub hidden: usize,
    /// Attention heads.
    pub heads: usize,
    /// What layer normalisation adds to the variance.
    pub epsilon: f32,
}

/// A linear layer: `x · Wᵀ + b`.
#[derive(Debug, Clone, Default)]
pub struct Linear {
    /// Output by output.
    pub weight: Vec<f32>,
    /// One an output.
    pub bias: Vec<f32>,
}

/// A layer normalisation: mean 0 and variance 1, times the weight, plus the bias.
#[derive(Debug, Clone, Default)]
pub struct Norm {
    /// One a number.
    pub weight: Vec<f32>,
    /// One a number.
    pub bias: Vec<f32>,
}

/// A layer of the model.
#[derive(Debug, Clone, Default)]
pub struct Layer {
    /// Its linear layers, as [`LINEARS`](crate::LINEARS) lists them.
    pub linears: [Linear; 6],
    /// After attention.
    pub attention_norm: Norm,
    /// After the wide layer.
    pub output_norm: Norm,
}

/// A sentence encoder: embeddings normed, layers, the mean over tokens scaled to length 1.
#[derive(Debug, Clone)]
pub struct Model {
    /// Its sizes.
    pub config: Config,
    /// Of the embeddings.
    pub norm: Norm,
    /// First to last.
    pub layers: Vec<Layer>,
}

/// What a normalisation remembers: its rows before weight and bias, and what they were divided by.
struct Normed {
    rows: Vec<f32>,
    inverses: Vec<f32>,
}

/// What a layer remembers of a text on its way forwards.
pub(crate) struct Seen {
    /// What the linear layers took; query, key and value the same.
    pub(crate) inputs: [Vec<f32>; 4],
    query: Vec<f32>,
    key: Vec<f32>,
    value: Vec<f32>,
    /// Head by head, who attends by whom is attended to.
    shares: Vec<f32>,
    attention_normed: Normed,
    /// The derivative of the wide layer's activation.
    slopes: Vec<f32>,
    output_normed: Normed,
}

/// A text's way through the model.
pub(crate) struct Forward {
    embeddings: Normed,
    pub(crate) layers: Vec<Seen>,
    /// The sum over tokens, scaled to length 1, and the length it had.
    vector: Vec<f32>,
    length: f32,
}

/// The gradients at the outputs of a layer's linear layers, as [`LINEARS`](crate::LINEARS) lists them.
pub(crate) type Gradients = [Vec<f32>; 6];

impl Linear {
    fn apply(&self, x: &[f32], columns: usize) -> Vec<f32> {
        let mut y = times_transposed(x, &self.weight, columns);
        for row in y.chunks_exact_mut(self.bias.len()) {
            row.iter_mut().zip(&self.bias).for_each(|(y, bias)| *y += bias);
        }
        y
    }
}

impl Norm {
    fn apply(&self, mut x: Vec<f32>, config: Config) -> (Vec<f32>, Normed) {
        let width = config.hidden as f32;
        let mut inverses = Vec::with_capacity(x.len() / config.hidden);
        for row in x.chunks_exact_mut(config.hidden) {
            let mean = row.iter().sum::<f32>() / width;
            row.iter_mut().for_each(|number| *number -= mean);
            let variance = row.iter().map(|number| number * number).sum::<f32>() / width;
            let inverse = (variance + config.epsilon).sqrt().recip();
            row.iter_mut().for_each(|number| *number *= inverse);
            inverses.push(inverse);
        }
        let mut y = x.clone();
        for row in y.chunks_exact_mut(config.hidden) {
            for (number, (weight, bias)) in row.iter_mut().zip(self.weight.iter().zip(&self.bias)) {
                *number = *number * weight + bias;
            }
        }
        (y, Normed { rows: x, inverses })
    }

    /// The gradient before the normalisation, of the one after it.
    fn back(&self, normed: &Normed, mut gradient: Vec<f32>, config: Config) -> Vec<f32> {
        let width = config.hidden as f32;
        let rows = normed.rows.chunks_exact(config.hidden).zip(&normed.inverses);
        for (gradient, (row, inverse)) in gradient.chunks_exact_mut(config.hidden).zip(rows) {
            gradient.iter_mut().zip(&self.weight).for_each(|(number, weight)| *number *= weight);
            let mean = gradient.iter().sum::<f32>() / width;
            let along = gradient.iter().zip(row).map(|(a, b)| a * b).sum::<f32>() / width;
            for (number, row) in gradient.iter_mut().zip(row) {
                *number = (*number - mean - row * along) * inverse;
            }
        }
        gradient
    }
}

impl Model {
    /// The way of a text whose tokens have these embeddings, positions included.
    pub(crate) fn forward(&self, embeddings: Vec<f32>) -> Forward {
        let hidden = self.config.hidden;
        let (mut x, embeddings) = self.norm.apply(embeddings, self.config);
        let mut layers = Vec::with_capacity(self.layers.len());
        for layer in &self.layers {
            let (y, seen) = layer.forward(x, self.config);
            layers.push(seen);
            x = y;
        }
        let mut vector = vec![0.0; hidden];
        for row in x.chunks_exact(hidden) {
            vector.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
        }
        let length = kernels::dot(&vector, &vector).sqrt();
        vector.iter_mut().for_each(|number| *number /= length);
        Forward { embeddings, layers, vector, length }
    }

    /// The gradients of the vector's part along a direction: at the linear layers' outputs, layer by
    /// layer from the first, and at the embeddings.
    pub(crate) fn back(&self, way: &Forward, direction: &[f32]) -> (Vec<Gradients>, Vec<f32>) {
        let along = kernels::dot(&way.vector, direction);
        let across = direction.iter().zip(&way.vector);
        let row: Vec<f32> = across.map(|(d, v)| (d - along * v) / way.length).collect();
        let tokens = way.embeddings.inverses.len();
        let mut gradient = row.repeat(tokens);
        let mut all = Vec::with_capacity(self.layers.len());
        for (layer, seen) in self.layers.iter().zip(&way.layers).rev() {
            let (gradients, before) = layer.back(seen, gradient, self.config);
            all.push(gradients);
            gradient = before;
        }
        all.reverse();
        (all, self.norm.back(&way.embeddings, gradient, self.config))
    }
}

impl Layer {
    fn forward(&self, x: Vec<f32>, config: Config) -> (Vec<f32>, Seen) {
        let hidden = config.hidden;
        let [query, key, value, attention, up, down] = &self.linears;
        let (query, key, value) =
            (query.apply(&x, hidden), key.apply(&x, hidden), value.apply(&x, hidden));
        let shares = shares(&query, &key, config);
        let mixed = mixed(&shares, &value, config);
        let attended = sum(attention.apply(&mixed, hidden), &x);
        let (y, attention_normed) = self.attention_norm.apply(attended, config);
        let wide = up.apply(&y, hidden);
        let (active, slopes): (Vec<f32>, Vec<f32>) = wide.into_iter().map(gelu).unzip();
        let last = sum(down.apply(&active, down.weight.len() / down.bias.len()), &y);
        let (z, output_normed) = self.output_norm.apply(last, config);
        let inputs = [x, mixed, y, active];
        (z, Seen { inputs, query, key, value, shares, attention_normed, slopes, output_normed })
    }

    fn back(&self, seen: &Seen, gradient: Vec<f32>, config: Config) -> (Gradients, Vec<f32>) {
        let hidden = config.hidden;
        let [query, key, value, attention, up, down] = &self.linears;
        let at_down = self.output_norm.back(&seen.output_normed, gradient, config);
        let mut at_up = times(&at_down, &down.weight, up.bias.len());
        at_up.iter_mut().zip(&seen.slopes).for_each(|(gradient, slope)| *gradient *= slope);
        let after = sum(times(&at_up, &up.weight, hidden), &at_down);
        let at_attention = self.attention_norm.back(&seen.attention_normed, after, config);
        let at_mixed = times(&at_attention, &attention.weight, hidden);
        let [at_query, at_key, at_value] = seen.attention_back(&at_mixed, config);
        let mut before = sum(times(&at_query, &query.weight, hidden), &at_attention);
        before = sum(before, &times(&at_key, &key.weight, hidden));
        before = sum(before, &times(&at_value, &value.weight, hidden));
        ([at_query, at_key, at_value, at_attention, at_up, at_down], before)
    }
}

impl Seen {
    /// The gradients at query, key and value, of the one at what attention mixed.
    fn attention_back(&self, gradient: &[f32], config: Config) -> [Vec<f32>; 3] {
        let (hidden, width) = (config.hidden, config.hidden / config.heads);
        let scale = (width as f32).sqrt().recip();
        let tokens = gradient.len() / hidden;
        let [mut query, mut key, mut value] = [(); 3].map(|()| vec![0.0; gradient.len()]);
        for head in 0..config.heads {
            let part =
                |token: usize| token * hidden + head * width..token * hidden + (head + 1) * width;
            for from in 0..tokens {
                let shares = &self.shares[(head * tokens + from) * tokens..][..tokens];
                let own = &gradient[part(from)];
                let at_shares: Vec<f32> =
                    (0..tokens).map(|to| kernels::dot(own, &self.value[part(to)])).collect();
                let mean = kernels::dot(&at_shares, shares);
                for to in 0..tokens {
                    crate::products::add(&mut value[part(to)], own, shares[to]);
                    let at_score = shares[to] * (at_shares[to] - mean) * scale;
                    crate::products::add(&mut query[part(from)], &self.key[part(to)], at_score);
                    crate::products::add(&mut key[part(to)], &self.query[part(from)], at_score);
                }
            }
        }
        [query, key, value]
    }
}

/// The softmax of the scores, head by head and token by token.
fn shares(query: &[f32], key: &[f32], config: Config) -> Vec<f32> {
    let (hidden, width) = (config.hidden, config.hidden / config.heads);
    let scale = (width as f32).sqrt().recip();
    let tokens = query.len() / hidden;
    let mut all = Vec::with_capacity(config.heads * tokens * tokens);
    for head in 0..config.heads {
        let part =
            |token: usize| token * hidden + head * width..token * hidden + (head + 1) * width;
        for from in 0..tokens {
            let score = |to| kernels::dot(&query[part(from)], &key[part(to)]) * scale;
            let scores: Vec<f32> = (0..tokens).map(score).collect();
            let largest = scores.iter().copied().fold(f32::MIN, f32::max);
            let powers: Vec<f32> = scores.iter().map(|s| libm::expf(s - largest)).collect();
            let total: f32 = powers.iter().sum();
            all.extend(powers.iter().map(|power| power / total));
        }
    }
    all
}

/// The values of all tokens by their shares.
fn mixed(shares: &[f32], value: &[f32], config: Config) -> Vec<f32> {
    let (hidden, width) = (config.hidden, config.hidden / config.heads);
    let tokens = value.len() / hidden;
    let mut mixed = vec![0.0; value.len()];
    for (at, shares) in shares.chunks_exact(tokens).enumerate() {
        let (head, from) = (at / tokens, at % tokens);
        let part =
            |token: usize| token * hidden + head * width..token * hidden + (head + 1) * width;
        for (to, share) in shares.iter().enumerate() {
            crate::products::add(&mut mixed[part(from)], &value[part(to)], *share);
        }
    }
    mixed
}

/// `x · Φ(x)`, with the distribution function of the normal distribution, and its derivative.
fn gelu(x: f32) -> (f32, f32) {
    let share = (1.0 + libm::erff(x * std::f32::consts::FRAC_1_SQRT_2)) / 2.0;
    let density = libm::expf(-x * x / 2.0) / std::f32::consts::TAU.sqrt();
    (x * share, share + x * density)
}

fn sum(mut a: Vec<f32>, b: &[f32]) -> Vec<f32> {
    a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
    a
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Numbers between -.5 and .5, always the same.
    pub(crate) fn numbers(count: usize, seed: u32) -> Vec<f32> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 24) as f32 - 0.5
        };
        (0..count).map(|_| next()).collect()
    }

    /// A model of width 8 with two heads, two layers and a wide layer of 16.
    pub(crate) fn model() -> Model {
        let norm = |seed| Norm {
            weight: numbers(8, seed).iter().map(|n| n + 1.0).collect(),
            bias: numbers(8, seed + 1),
        };
        let layer = |seed| Layer {
            linears: [(8, 8), (8, 8), (8, 8), (8, 8), (16, 8), (8, 16)].map(|(outputs, inputs)| {
                let seed = seed + outputs as u32;
                Linear { weight: numbers(outputs * inputs, seed), bias: numbers(outputs, seed + 7) }
            }),
            attention_norm: norm(seed + 50),
            output_norm: norm(seed + 60),
        };
        let config = Config { hidden: 8, heads: 2, epsilon: 1e-6 };
        Model { config, norm: norm(3), layers: vec![layer(100), layer(200)] }
    }

    /// Every gradient against the difference that a small change makes.
    #[test]
    fn gradients_are_those_of_differences() {
        let (mut model, embeddings, direction) = (model(), numbers(3 * 8, 5), numbers(8, 6));
        let part = |model: &Model, embeddings: &[f32]| {
            kernels::dot(&model.forward(embeddings.to_vec()).vector, &direction)
        };
        let (at_linears, at_embeddings) =
            model.back(&model.forward(embeddings.clone()), &direction);
        let small = 4e-3;
        for (at, gradient) in at_embeddings.iter().enumerate() {
            let moved = |by: f32| {
                let mut moved = embeddings.clone();
                moved[at] += by;
                part(&model, &moved)
            };
            let difference = (moved(small) - moved(-small)) / (2.0 * small);
            assert!((difference - gradient).abs() < 2e-3, "{at}: {gradient}, not {difference}");
        }
        // A bias moves its output for all tokens alike.
        for (layer, gradients) in at_linears.iter().enumerate() {
            for (linear, gradients) in gradients.iter().enumerate() {
                let outputs = model.layers[layer].linears[linear].bias.len();
                for output in 0..outputs {
                    let rows = gradients.chunks_exact(outputs);
                    let gradient: f32 = rows.map(|row| row[output]).sum();
                    let mut moved = |by: f32| {
                        model.layers[layer].linears[linear].bias[output] += by;
                        let part = part(&model, &embeddings);
                        model.layers[layer].linears[linear].bias[output] -= by;
                        part
                    };
                    let difference = (moved(small) - moved(-small)) / (2.0 * small);
                    let name = format!("layer {layer}, linear {linear}, output {output}");
                    assert!(
                        (difference - gradient).abs() < 2e-3,
                        "{name}: {gradient}, not {difference}"
                    );
                }
            }
        }
    }
}
