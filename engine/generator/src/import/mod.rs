//! Training data of others, as dialogues and APIs of this project.

pub mod released;
pub mod toolalpaca;
