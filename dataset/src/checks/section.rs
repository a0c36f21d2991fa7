//! A section of the report.

use super::figure::Figure;

/// A section of the report.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// Its heading.
    pub title: &'static str,
    /// Its figures.
    pub figures: Vec<Figure>,
    /// Violations and items to review, one line each.
    pub findings: Vec<String>,
}
