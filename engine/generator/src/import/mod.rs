//! Importers of other projects' training data.

pub mod released;
pub mod toolalpaca;
