//! Checks that cost no request: each gives reasons with codes of its own.

mod calls;
mod grounding;
mod shape;
mod similar;

pub use similar::{BOUNDS, Bounds, Embed, Neighbour, Neighbours, coded};

use super::{Item, Reason, Tool};

/// Everything about a dialogue that can be told from itself and its APIs.
pub fn item(item: &Item, tools: &[Tool]) -> Vec<Reason> {
    let mut reasons = shape::check(item);
    reasons.extend(calls::check(item, tools));
    if reasons.is_empty() {
        // An argument that no API takes has nothing to be grounded for.
        reasons = grounding::check(item, tools);
    }
    reasons
}

/// Whether each search finds what it says, among the APIs of the domain.
///
/// # Errors
/// When the embedding model fails.
pub fn searches(item: &Item, tools: &[Tool], embed: &impl Embed) -> Result<Vec<Reason>, String> {
    calls::searches(item, tools, embed)
}

/// Whether a description of an API can be used.
pub fn tool(tool: &Tool) -> Vec<Reason> {
    calls::tool(tool)
}

#[cfg(test)]
mod tests;
