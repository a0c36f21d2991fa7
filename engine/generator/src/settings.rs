//! Targets and budget of a generation.

use super::Spent;
use serde::{Deserialize, Serialize};
use strum::{EnumCount, IntoStaticStr, VariantArray};
use thiserror::Error;

/// Numbers of dialogues, domains and APIs to generate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Targets {
    /// Call dialogues.
    pub call: usize,
    /// Retrieve+Call dialogues.
    pub retrieve: usize,
    /// Plan+Retrieve+Call dialogues.
    pub plan: usize,
    /// Domains, at most one per dialogue.
    pub domains: usize,
    /// APIs, two to ten per domain.
    pub apis: usize,
}

impl Targets {
    /// Total number of dialogues.
    pub fn dialogues(&self) -> usize {
        self.call + self.retrieve + self.plan
    }

    /// Checks that the numbers fit each other.
    ///
    /// # Errors
    /// The first number out of range, with its range.
    pub fn check(&self) -> Result<(), TargetsError> {
        let Targets { domains, apis, .. } = *self;
        let dialogues = self.dialogues();
        if dialogues == 0 || dialogues > 100_000 {
            return Err(TargetsError::Dialogues(dialogues));
        }
        if domains == 0 || domains > dialogues {
            return Err(TargetsError::Domains { most: dialogues, got: domains });
        }
        let (least, most) = (2 * domains, 10 * domains);
        if apis < least || apis > most {
            return Err(TargetsError::Apis { least, most, got: apis });
        }
        Ok(())
    }
}

/// A target out of range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum TargetsError {
    /// No dialogues, or too many.
    #[error("Dialogues: expected 1 to 100,000 in total, got {0}.")]
    Dialogues(usize),
    /// No domains, or more than dialogues.
    #[error("Domains: expected 1 to {most}, at most one per dialogue, got {got}.")]
    Domains {
        /// Upper limit.
        most: usize,
        /// The target.
        got: usize,
    },
    /// Too few or too many APIs for the domains.
    #[error("APIs: expected two to ten per domain, {least} to {most}, got {got}.")]
    Apis {
        /// Lower limit.
        least: usize,
        /// Upper limit.
        most: usize,
        /// The target.
        got: usize,
    },
}

/// Limits that stop a generation; `None` is unlimited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// Requests.
    pub requests: Option<u64>,
    /// Prompt and completion tokens together.
    pub tokens: Option<u64>,
    /// Money, in the currency of the prices.
    pub money: Option<f64>,
    /// Price per million prompt tokens.
    pub prompt_price: f64,
    /// Price per million completion tokens.
    pub completion_price: f64,
}

/// A quantity that a [`Budget`] limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[derive(EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Limit {
    /// Requests sent.
    Requests,
    /// Prompt and completion tokens.
    Tokens,
    /// Cost of the tokens.
    Money,
}

impl Limit {
    /// All limits.
    pub const ALL: [Limit; Limit::COUNT] = *Limit::VARIANTS.first_chunk().unwrap();

    /// The identifier in files, and the word in messages.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl Budget {
    /// The cost of tokens, in the currency of the prices.
    pub fn cost(&self, spent: Spent) -> f64 {
        (spent.prompt_tokens as f64 * self.prompt_price
            + spent.completion_tokens as f64 * self.completion_price)
            / 1e6
    }

    /// The first limit reached; requests in flight count as sent.
    pub(super) fn reached(&self, spent: Spent, in_flight: u64) -> Option<Limit> {
        let tokens = spent.prompt_tokens.saturating_add(spent.completion_tokens);
        let reached = |limit: Option<u64>, count: u64| limit.is_some_and(|limit| count >= limit);
        if reached(self.requests, spent.requests.saturating_add(in_flight)) {
            return Some(Limit::Requests);
        }
        if reached(self.tokens, tokens) {
            return Some(Limit::Tokens);
        }
        self.money.is_some_and(|limit| self.cost(spent) >= limit).then_some(Limit::Money)
    }
}

/// The settings of a generation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Numbers of dialogues, domains and APIs to generate.
    pub targets: Targets,
    /// When to stop early.
    pub budget: Budget,
    /// Seed for the choice of APIs and examples.
    pub seed: u32,
    /// Rejected answers per dialogue, or per domain, before it is abandoned.
    pub tries: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_the_names_in_json() {
        for it in Limit::ALL {
            assert_eq!(serde_json::json!(it), it.as_str());
        }
    }
}
