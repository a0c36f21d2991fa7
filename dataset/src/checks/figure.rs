//! Measured figures with bounds.

use serde::Serialize;
use std::fmt;

/// A constraint on a figure.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// At least this value.
    AtLeast(f64),
    /// At most this value.
    AtMost(f64),
    /// Less than this value.
    Below(f64),
    /// Exactly this value.
    Equal(f64),
    /// No constraint; for information.
    Free,
}

/// A measured figure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// Name, with the unit.
    pub name: String,
    /// The value.
    pub value: f64,
    /// The constraint.
    pub bound: Bound,
}

impl Figure {
    /// Creates a figure.
    pub fn new(name: impl Into<String>, value: f64, bound: Bound) -> Self {
        Figure { name: name.into(), value, bound }
    }

    /// A figure that is a count.
    pub fn count(name: impl Into<String>, value: usize, bound: Bound) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "counts of a data set stay far below 2^52")]
        Figure::new(name, value as f64, bound)
    }

    /// Whether the figure keeps its bound.
    pub fn holds(&self) -> bool {
        match self.bound {
            Bound::AtLeast(least) => self.value >= least,
            Bound::AtMost(most) => self.value <= most,
            Bound::Below(limit) => self.value < limit,
            Bound::Equal(wanted) => (self.value - wanted).abs() < 1e-9,
            Bound::Free => true,
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::AtLeast(value) => write!(f, "at least {value}"),
            Bound::AtMost(value) => write!(f, "at most {value}"),
            Bound::Below(value) => write!(f, "below {value}"),
            Bound::Equal(value) => write!(f, "{value}"),
            Bound::Free => f.write_str("-"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold_or_fail() {
        let holds = |value, bound| Figure::new("x", value, bound).holds();
        assert!(holds(3.0, Bound::AtLeast(3.0)) && !holds(2.9, Bound::AtLeast(3.0)));
        assert!(holds(3.0, Bound::AtMost(3.0)) && !holds(3.1, Bound::AtMost(3.0)));
        assert!(holds(3.9, Bound::Below(4.0)) && !holds(4.0, Bound::Below(4.0)));
        assert!(holds(3.0, Bound::Equal(3.0)) && !holds(4.0, Bound::Equal(3.0)));
        assert!(holds(f64::MAX, Bound::Free));
    }
}
