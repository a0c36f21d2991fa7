//! What a model does with texts, as far as rounding its weights needs to know.

use crate::{Model, products::add_moments};

/// The linear layers of a layer, in the order in which everything here has them.
pub const LINEARS: [&str; 6] = ["query", "key", "value", "attention", "up", "down"];
/// Which input of a layer each of them takes.
const INPUTS: [usize; 6] = [0, 0, 0, 1, 2, 3];
/// Directions of the vector, for every text, whose gradients are taken.
const DIRECTIONS: usize = 2;

/// Means over the tokens of some texts.
#[derive(Debug, Clone)]
pub struct Moments {
    /// Layer by layer, for every input, `E[xᵀ · x]`; the lower half.
    inputs: Vec<[Vec<f32>; 4]>,
    /// Layer by layer, for every linear layer's outputs, `E[g²]`.
    gradients: Vec<[Vec<f32>; 6]>,
    /// `E[gᵀ · g]` at the embeddings; the lower half.
    embeddings: Vec<f32>,
}

impl Moments {
    /// The moments of texts, each as the embeddings of its tokens, positions included.
    #[must_use]
    pub fn of(model: &Model, texts: &[Vec<f32>]) -> Self {
        // Always in two parts, so that the sums are the same on one core and on two.
        let (first, second) = texts.split_at(texts.len() / 2);
        let mut moments = Self::none(model);
        let mut other = Self::none(model);
        std::thread::scope(|scope| {
            scope.spawn(|| other.add_all(model, second, first.len()));
            moments.add_all(model, first, 0);
        });
        moments.add_sums(&other);
        let tokens: usize = texts.iter().map(|text| text.len() / model.config.hidden).sum();
        moments.scale((tokens.max(1) as f32).recip());
        moments
    }

    /// What the inputs of a layer's linear layer have in common.
    #[must_use]
    pub fn inputs(&self, layer: usize, linear: usize) -> &[f32] {
        &self.inputs[layer][INPUTS[linear]]
    }

    /// The mean power of the gradients at the outputs of a layer's linear layer.
    #[must_use]
    pub fn gradients(&self, layer: usize, linear: usize) -> &[f32] {
        &self.gradients[layer][linear]
    }

    /// What the gradients at the embeddings have in common.
    #[must_use]
    pub fn embeddings(&self) -> &[f32] {
        &self.embeddings
    }

    fn none(model: &Model) -> Self {
        let hidden = model.config.hidden;
        let square = |width: usize| vec![0.0; width * width];
        let of_layer = |layer: &crate::Layer| {
            let wide = layer.linears[4].bias.len();
            [square(hidden), square(hidden), square(hidden), square(wide)]
        };
        let outputs =
            |layer: &crate::Layer| layer.linears.each_ref().map(|l| vec![0.0; l.bias.len()]);
        Self {
            inputs: model.layers.iter().map(of_layer).collect(),
            gradients: model.layers.iter().map(outputs).collect(),
            embeddings: square(hidden),
        }
    }

    /// Adds texts, the first of which has a number.
    fn add_all(&mut self, model: &Model, texts: &[Vec<f32>], first: usize) {
        texts.iter().zip(first..).for_each(|(text, number)| self.add(model, text.clone(), number));
    }

    fn add_sums(&mut self, other: &Self) {
        let pairs = self.inputs.iter_mut().flatten().zip(other.inputs.iter().flatten());
        let gradients = self.gradients.iter_mut().flatten();
        let pairs = pairs.chain(gradients.zip(other.gradients.iter().flatten()));
        for (sums, others) in pairs.chain([(&mut self.embeddings, &other.embeddings)]) {
            sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += other);
        }
    }

    fn add(&mut self, model: &Model, text: Vec<f32>, number: usize) {
        let hidden = model.config.hidden;
        let tokens = text.len() / hidden;
        let way = model.forward(text);
        for (sums, seen) in self.inputs.iter_mut().zip(&way.layers) {
            for (sums, input) in sums.iter_mut().zip(&seen.inputs) {
                add_moments(sums, input, input.len() / tokens);
            }
        }
        for at in 0..DIRECTIONS {
            let direction = direction(number * DIRECTIONS + at, hidden);
            let (at_linears, at_embeddings) = model.back(&way, &direction);
            add_moments(&mut self.embeddings, &at_embeddings, hidden);
            for (sums, gradients) in
                self.gradients.iter_mut().flatten().zip(at_linears.iter().flatten())
            {
                for row in gradients.chunks_exact(sums.len()) {
                    sums.iter_mut().zip(row).for_each(|(sum, number)| *sum += number * number);
                }
            }
        }
    }

    fn scale(&mut self, factor: f32) {
        let scale = |by: f32| move |number: &mut f32| *number *= by;
        self.inputs.iter_mut().flatten().flatten().for_each(scale(factor));
        let directions = factor / DIRECTIONS as f32;
        self.gradients.iter_mut().flatten().flatten().for_each(scale(directions));
        self.embeddings.iter_mut().for_each(scale(directions));
    }
}

/// The direction of a number, of 1 and -1 (a Walsh function): those of different numbers are at right
/// angles as far as the next power of two, so that few of them go a long way.
fn direction(number: usize, width: usize) -> Vec<f32> {
    let odd = |at: usize| (number & at).count_ones() % 2 == 1;
    (0..width).map(|at| if odd(at) { -1.0 } else { 1.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::tests::{model, numbers};

    #[test]
    fn moments_are_means_over_tokens() {
        let model = model();
        let texts = || [numbers(3 * 8, 1), numbers(5 * 8, 2)];
        let moments = Moments::of(&model, &texts());
        let first: Vec<f32> = texts()
            .into_iter()
            .flat_map(|text| model.forward(text).layers.remove(0).inputs[0].clone())
            .collect();
        let (row, column) = (5, 2);
        let products = first.chunks_exact(8).map(|x| x[row] * x[column]);
        let expected = products.sum::<f32>() / 8.0;
        for linear in 0..3 {
            let found = moments.inputs(0, linear)[row * 8 + column];
            assert!((found - expected).abs() < 1e-5, "{found}, not {expected}");
        }
        assert_eq!(moments.inputs(1, 5).len(), 16 * 16);
        assert!(moments.gradients(1, 4).iter().all(|power| *power > 0.0));
        assert!((0..8).all(|at| moments.embeddings()[at * 9] > 0.0));
    }

    #[test]
    fn directions_are_at_right_angles() {
        for (a, b) in (0..8).flat_map(|a| (0..8).map(move |b| (a, b))) {
            let pairs = direction(a, 8).into_iter().zip(direction(b, 8));
            let product = pairs.map(|(a, b)| a * b).sum::<f32>();
            assert_eq!(product, if a == b { 8.0 } else { 0.0 }, "{a}, {b}");
        }
    }

    #[test]
    fn no_text_gives_nothing_and_no_panic() {
        let moments = Moments::of(&model(), &[]);
        assert!(moments.embeddings().iter().all(|number| *number == 0.0));
    }
}
