//! Projects vectors onto their two principal components, for a map.

/// Iterations of the power method; the map needs two or three digits.
const ITERATIONS: usize = 100;

/// The two directions of largest variance of some vectors (Pearson, 1901). Found by power iteration
/// with deflation from a fixed start, so equal vectors give equal maps.
#[derive(Debug, Clone, PartialEq)]
pub struct Projection {
    means: Vec<f64>,
    axes: [Vec<f64>; 2],
}

impl Projection {
    /// The projection of vectors; `None` if there are none or they differ in length.
    pub fn of(vectors: &[Vec<f32>]) -> Option<Self> {
        let width = vectors.first().map_or(0, Vec::len);
        if width == 0 || vectors.iter().any(|vector| vector.len() != width) {
            return None;
        }
        let count = vectors.len() as f64;
        let mean =
            |column: usize| vectors.iter().map(|it| f64::from(it[column])).sum::<f64>() / count;
        let means: Vec<f64> = (0..width).map(mean).collect();
        let mut rows: Vec<Vec<f64>> = vectors.iter().map(|it| centred(it, &means)).collect();
        let first = principal(&rows, width);
        for row in &mut rows {
            let along = along(row, &first);
            row.iter_mut().zip(&first).for_each(|(number, it)| *number -= along * it);
        }
        let second = principal(&rows, width);
        Some(Projection { means, axes: [first, second] })
    }

    /// The coordinates of a vector, which need not be one of those that the projection is of.
    pub fn place(&self, vector: &[f32]) -> [f64; 2] {
        let row = centred(vector, &self.means);
        [along(&row, &self.axes[0]), along(&row, &self.axes[1])]
    }
}

fn centred(vector: &[f32], means: &[f64]) -> Vec<f64> {
    vector.iter().zip(means).map(|(number, mean)| f64::from(*number) - mean).collect()
}

fn along(row: &[f64], direction: &[f64]) -> f64 {
    row.iter().zip(direction).map(|(a, b)| a * b).sum()
}

/// The coordinates of each vector by their [`Projection`]; empty if there is none.
pub fn projected(vectors: &[Vec<f32>]) -> Vec<[f64; 2]> {
    let projection = Projection::of(vectors);
    projection.map_or_else(Vec::new, |it| vectors.iter().map(|vector| it.place(vector)).collect())
}

/// The unit vector of largest variance; zeros if there is no variance.
fn principal(rows: &[Vec<f64>], width: usize) -> Vec<f64> {
    // No direction is orthogonal to all of the data's, as a constant start may be.
    let mut direction: Vec<f64> = (0..width).map(|at| 1.0 / (at + 1) as f64).collect();
    for _ in 0..ITERATIONS {
        let mut next = vec![0.0; width];
        for row in rows {
            let along = along(row, &direction);
            next.iter_mut().zip(row).for_each(|(sum, number)| *sum += along * number);
        }
        let length = next.iter().map(|value| value * value).sum::<f64>().sqrt();
        if length < 1e-12 {
            return vec![0.0; width];
        }
        direction = next.into_iter().map(|value| value / length).collect();
    }
    direction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_axis_has_the_largest_variance() {
        // Points along (3, 4, 0) / 5, and a smaller spread along (0, 0, 1).
        let point = |along: f32, across: f32| vec![0.6 * along + 1.0, 0.8 * along - 2.0, across];
        let points = [point(-10.0, 1.0), point(0.0, -1.0), point(10.0, 1.0), point(0.0, -1.0)];
        let found = projected(&points);
        for (found, along) in found.iter().zip([-10.0_f64, 0.0, 10.0, 0.0]) {
            assert!((found[0].abs() - along.abs()).abs() < 1e-4, "{found:?}");
            assert!((found[1].abs() - 1.0).abs() < 1e-4, "{found:?}");
        }
        assert!(found[0][0] * found[2][0] < 0.0);
    }

    #[test]
    fn nothing_to_project_is_no_error() {
        assert_eq!(projected(&[]), Vec::<[f64; 2]>::new());
        assert_eq!(projected(&[vec![1.0], vec![1.0, 2.0]]), Vec::<[f64; 2]>::new());
        assert_eq!(projected(&[vec![1.0, 1.0], vec![1.0, 1.0]]), [[0.0; 2]; 2]);
    }
}
