//! Projects vectors onto their two principal components, for a map.

/// Iterations of the power method; the map needs two or three digits.
const ITERATIONS: usize = 100;

/// The coordinates of each vector along the two directions of largest variance (Pearson, 1901).
/// Found by power iteration with deflation from a fixed start, so equal vectors give equal maps.
/// Empty if the vectors differ in length.
pub fn projected(vectors: &[Vec<f32>]) -> Vec<[f64; 2]> {
    let width = vectors.first().map_or(0, Vec::len);
    if width == 0 || vectors.iter().any(|it| it.len() != width) {
        return Vec::new();
    }
    let count = vectors.len() as f64;
    let mean = |column: usize| vectors.iter().map(|it| f64::from(it[column])).sum::<f64>() / count;
    let means: Vec<f64> = (0..width).map(mean).collect();
    let mut rows: Vec<Vec<f64>> = vectors
        .iter()
        .map(|it| it.iter().zip(&means).map(|(number, mean)| f64::from(*number) - mean).collect())
        .collect();
    let mut coordinates = vec![[0.0; 2]; rows.len()];
    for axis in 0..2 {
        let direction = principal(&rows, width);
        for (row, point) in rows.iter_mut().zip(&mut coordinates) {
            let along: f64 = row.iter().zip(&direction).map(|(a, b)| a * b).sum();
            point[axis] = along;
            row.iter_mut().zip(&direction).for_each(|(number, it)| *number -= along * it);
        }
    }
    coordinates
}

/// The unit vector of largest variance; zeros if there is no variance.
fn principal(rows: &[Vec<f64>], width: usize) -> Vec<f64> {
    // No direction is orthogonal to all of the data's, as a constant start may be.
    let mut direction: Vec<f64> = (0..width).map(|at| 1.0 / (at + 1) as f64).collect();
    for _ in 0..ITERATIONS {
        let mut next = vec![0.0; width];
        for row in rows {
            let along: f64 = row.iter().zip(&direction).map(|(a, b)| a * b).sum();
            next.iter_mut().zip(row).for_each(|(sum, number)| *sum += along * number);
        }
        let length = next.iter().map(|it| it * it).sum::<f64>().sqrt();
        if length < 1e-12 {
            return vec![0.0; width];
        }
        direction = next.into_iter().map(|it| it / length).collect();
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
