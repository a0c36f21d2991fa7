//! Checks that need no request. Each returns reasons with its own codes.

mod calls;
mod grounding;
mod shape;
mod similar;

pub(crate) use similar::cosine;
pub use similar::{BOUNDS, Bounds, Embed, EmbedError, Neighbour, Neighbours, coded};

use super::{Item, Reason, Tool};

/// Checks a dialogue's turns, calls and grounding against its APIs.
pub fn item(item: &Item, tools: &[Tool]) -> Vec<Reason> {
    let mut reasons = shape::check(item);
    reasons.extend(calls::check(item, tools));
    if reasons.is_empty() {
        // Grounding needs valid arguments.
        reasons = grounding::check(item, tools);
    }
    reasons
}

/// Checks that each search ranks the API it claims to find first among the domain's APIs.
///
/// # Errors
/// When the embedding model fails.
pub fn searches(
    item: &Item,
    tools: &[Tool],
    embed: &impl Embed,
) -> Result<Vec<Reason>, EmbedError> {
    calls::searches(item, tools, embed)
}

/// Checks the description of an API: names, types, limits.
pub fn tool(tool: &Tool) -> Vec<Reason> {
    calls::tool(tool)
}

#[cfg(test)]
mod tests;
