//! What an error in a row of weights costs, and the integers that cost least.

/// Added to the diagonal, of its mean: texts that were not looked at differ a little.
const DAMPING: f64 = 0.01;

/// The cost of an error: a quadratic form, `e · H · eᵀ`, as `H = R · Rᵀ` with an upper triangle `R`.
#[derive(Debug, Clone)]
pub struct Metric {
    /// Which column comes when: those with the greatest cost of their own first.
    order: Vec<usize>,
    /// `R` column by column, down to the diagonal, over the diagonal's number; the rest of a column
    /// is zero.
    columns: Vec<f32>,
    geometric_mean: f64,
}

impl Metric {
    /// The metric of a symmetric matrix, of which the lower half is read; `None` when it has not as
    /// many rows as columns or is no cost: negative, or not a number.
    #[must_use]
    pub fn new(moments: &[f32], width: usize) -> Option<Self> {
        if width == 0 || moments.len() != width * width {
            return None;
        }
        let own = |at: usize| f64::from(moments[at * width + at]);
        let damping = (0..width).map(own).sum::<f64>() / width as f64 * DAMPING;
        let mut order: Vec<usize> = (0..width).collect();
        order.sort_by(|&a, &b| own(b).total_cmp(&own(a)));
        let factor = factor(width, |i, j| {
            let (row, column) = (order[i].max(order[j]), order[i].min(order[j]));
            f64::from(moments[row * width + column]) + if i == j { damping } else { 0.0 }
        })?;
        let diagonal = |at: usize| factor[at * width + at];
        let logarithm = (0..width).map(|at| libm::log(diagonal(at))).sum::<f64>();
        let columns = (0..width).flat_map(|column| {
            let factor = &factor;
            (0..width).map(move |row| match row < column {
                true => (factor[row * width + column] / diagonal(column)) as f32,
                false => 0.0,
            })
        });
        let columns = columns.collect();
        Some(Self { order, columns, geometric_mean: libm::exp(2.0 * logarithm / width as f64) })
    }

    /// The geometric mean of the eigenvalues: what a step's square costs a weight, errors made good.
    #[must_use]
    pub fn geometric_mean(&self) -> f64 {
        self.geometric_mean
    }

    /// A row as integers times the step, at most `limit` from 0: each rounded after what the ones
    /// before it left undone.
    #[must_use]
    pub fn round(&self, row: &[f32], step: f32, limit: f32) -> Vec<i16> {
        let width = self.order.len();
        let mut integers = vec![0; row.len()];
        if step == 0.0 || row.len() != width {
            return integers;
        }
        let mut errors = vec![0.0_f32; width];
        for (at, (&column, factors)) in
            self.order.iter().zip(self.columns.chunks_exact(width)).enumerate()
        {
            let wanted = row[column] + kernels::dot(&errors[..at], &factors[..at]);
            let integer = (wanted / step).round_ties_even().clamp(-limit, limit);
            errors[at] = row[column] - integer * step;
            integers[column] = integer as i16;
        }
        integers
    }
}

/// The nearest power of the root of 2, by ratio, to a number above 0.
#[must_use]
pub fn half_octave(number: f32) -> f32 {
    libm::exp2f((2.0 * libm::log2f(number)).round() / 2.0)
}

/// The upper triangle `R` of `H = R · Rᵀ`, row by row, from the last column to the first.
fn factor(width: usize, matrix: impl Fn(usize, usize) -> f64) -> Option<Vec<f64>> {
    let mut factor = vec![0.0; width * width];
    for column in (0..width).rev() {
        let (above, from) = factor.split_at_mut(column * width);
        let own = &mut from[..width];
        let square = matrix(column, column) - dot(&own[column + 1..], &own[column + 1..]);
        if square.is_nan() || square <= 0.0 {
            return None;
        }
        own[column] = square.sqrt();
        for (row, numbers) in above.chunks_exact_mut(width).enumerate() {
            let known = dot(&numbers[column + 1..], &own[column + 1..]);
            numbers[column] = (matrix(row, column) - known) / own[column];
        }
    }
    Some(factor)
}

/// The sum of products, in four sums.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((fours_a, rest_a), (fours_b, rest_b)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (a, b) in fours_a.iter().zip(fours_b) {
        sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += a * b);
    }
    sums.iter().sum::<f64>() + rest_a.iter().zip(rest_b).map(|(a, b)| a * b).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What the errors of a rounded row cost.
    fn cost(moments: &[f32], row: &[f32], integers: &[i16], step: f32) -> f64 {
        let width = row.len();
        let errors: Vec<f64> = row
            .iter()
            .zip(integers)
            .map(|(number, integer)| f64::from(number - f32::from(*integer) * step))
            .collect();
        let moment = |i: usize, j: usize| f64::from(moments[i.max(j) * width + i.min(j)]);
        let pairs = (0..width).flat_map(|i| (0..width).map(move |j| (i, j)));
        pairs.map(|(i, j)| errors[i] * errors[j] * moment(i, j)).sum()
    }

    proptest! {
        #[test]
        fn columns_that_do_not_meet_are_rounded_to_the_nearest(
            row in proptest::collection::vec(-9.0_f32..9.0, 8),
        ) {
            let moments: Vec<f32> =
                (0..64).map(|at| if at % 9 == 0 { 1.0 + at as f32 } else { 0.0 }).collect();
            let metric = Metric::new(&moments, 8).expect("a cost");
            let nearest: Vec<i16> = row.iter().map(|n| (n / 0.5).round_ties_even() as i16).collect();
            prop_assert_eq!(metric.round(&row, 0.5, 100.0), nearest);
        }
    }

    /// On inputs that go together, rounding with them in mind beats rounding each by itself.
    #[test]
    fn costs_less_than_the_nearest() {
        let mut moments = vec![0.9; 256];
        (0..16).for_each(|at| moments[at * 17] = 1.0);
        let metric = Metric::new(&moments, 16).expect("a cost");
        let (mut ours, mut nearest) = (0.0, 0.0);
        for row in 0..200_u32 {
            let at = |n: u32| f64::from((row * 17 + n).pow(2)) * 0.618_033_988;
            let row: Vec<f32> = (1..17).map(|n| (at(n).fract() * 9.0) as f32).collect();
            let to_nearest: Vec<i16> = row.iter().map(|n| n.round_ties_even() as i16).collect();
            ours += cost(&moments, &row, &metric.round(&row, 1.0, 100.0), 1.0);
            nearest += cost(&moments, &row, &to_nearest, 1.0);
        }
        assert!(ours < 0.4 * nearest, "{ours}, nearest {nearest}");
    }

    #[test]
    fn the_mean_is_that_of_the_eigenvalues() {
        // 2 and 8 on the diagonal, and a hundredth of 5 added: the root of 2.05 · 8.05.
        let metric = Metric::new(&[2.0, 0.0, 0.0, 8.0], 2).expect("a cost");
        assert!((metric.geometric_mean() - (2.05_f64 * 8.05).sqrt()).abs() < 1e-9);
    }

    #[test]
    fn what_is_no_cost_is_refused() {
        assert!(Metric::new(&[1.0, 0.0, 5.0, 1.0], 2).is_none());
        assert!(Metric::new(&[f32::NAN, 0.0, 0.0, 1.0], 2).is_none());
        assert!(Metric::new(&[1.0; 3], 2).is_none());
    }

    #[test]
    fn half_octaves_are_the_nearest() {
        assert_eq!((half_octave(0.24), half_octave(0.29), half_octave(1.1)), (0.25, 0.25, 1.0));
        assert!((half_octave(0.37) - 0.353_553).abs() < 1e-6);
    }

    #[test]
    fn a_row_without_a_step_is_nothing() {
        let metric = Metric::new(&[1.0], 1).expect("a cost");
        assert_eq!(metric.round(&[3.0], 0.0, 9.0), [0]);
        assert_eq!(metric.round(&[300.0], 1.0, 9.0), [9]);
    }
}
