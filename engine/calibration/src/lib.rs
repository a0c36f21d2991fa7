//! What an error in a weight does to a search, and how weights are rounded with that in mind. Native
//! tooling: it runs where the shipped weights are made.
//!
//! A model and some texts give, for every linear layer, the second moments of its inputs and the power
//! of the gradients at its outputs, and for the embeddings the second moments of their gradients
//! ([`Moments::of`]). From these follow the steps ([`Metric::geometric_mean`]) and the integers
//! ([`Metric::round`]): an error in one column is made good in the columns after it (Frantar et al.
//! 2022, arXiv 2210.17323).
//!
//! Only sums and products of f32 and f64 in an order of their own, and functions that are compiled with
//! it: every machine gives the same integers. A crate of its own, as a profile says for whole crates
//! how they are compiled.

mod metric;
mod model;
mod moments;
mod products;

pub use metric::{Metric, half_octave};
pub use model::{Config, Layer, Linear, Model, Norm};
pub use moments::{LINEARS, Moments};
