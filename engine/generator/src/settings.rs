//! How much to generate, and where to stop.

use super::Spent;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// How much is to be generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Targets {
    /// Call dialogues.
    pub call: usize,
    /// Retrieve+Call dialogues.
    pub retrieve: usize,
    /// Plan+Retrieve+Call dialogues.
    pub plan: usize,
    /// Domains, at most as many as dialogues.
    pub domains: usize,
    /// APIs, at least two a domain.
    pub apis: usize,
}

impl Targets {
    /// Dialogues in all.
    pub fn dialogues(&self) -> usize {
        self.call + self.retrieve + self.plan
    }

    /// Checks the numbers.
    ///
    /// # Errors
    /// What was expected of which of them.
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

/// Targets that no generation can reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum TargetsError {
    /// No dialogues, or too many.
    #[error("Dialogues: expected 1 to 100,000 in all, got {0}.")]
    Dialogues(usize),
    /// No domains, or more than dialogues.
    #[error("Domains: expected 1 to {most}, as many as dialogues at most, got {got}.")]
    Domains {
        /// How many there may be.
        most: usize,
        /// How many are asked for.
        got: usize,
    },
    /// Too few or too many APIs for the domains.
    #[error("APIs: expected two to ten a domain, {least} to {most}, got {got}.")]
    Apis {
        /// How many there have to be.
        least: usize,
        /// How many there may be.
        most: usize,
        /// How many are asked for.
        got: usize,
    },
}

impl From<TargetsError> for String {
    fn from(error: TargetsError) -> Self {
        error.to_string()
    }
}

/// Where a generation stops; `None` is no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// Requests.
    pub requests: Option<u64>,
    /// Tokens of prompts and answers together.
    pub tokens: Option<u64>,
    /// Money, in the currency of the prices.
    pub money: Option<f64>,
    /// Price of a million tokens of prompts.
    pub prompt_price: f64,
    /// Price of a million tokens of answers.
    pub completion_price: f64,
}

/// What a budget can limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Limit {
    /// Requests that are sent.
    Requests,
    /// Tokens of prompts and answers.
    Tokens,
    /// What they cost.
    Money,
}

impl Limit {
    /// Every limit.
    pub const ALL: [Limit; 3] = [Limit::Requests, Limit::Tokens, Limit::Money];

    /// The word for it, in files and in sentences.
    pub const fn as_str(self) -> &'static str {
        match self {
            Limit::Requests => "requests",
            Limit::Tokens => "tokens",
            Limit::Money => "money",
        }
    }
}

impl Budget {
    /// What tokens cost.
    pub fn cost(&self, spent: Spent) -> f64 {
        (spent.prompt_tokens as f64 * self.prompt_price
            + spent.completion_tokens as f64 * self.completion_price)
            / 1e6
    }

    /// Which limit is reached.
    pub(super) fn reached(&self, spent: Spent, in_flight: u64) -> Option<Limit> {
        let tokens = spent.prompt_tokens + spent.completion_tokens;
        let reached = |limit: Option<u64>, count: u64| limit.is_some_and(|limit| count >= limit);
        if reached(self.requests, spent.requests + in_flight) {
            return Some(Limit::Requests);
        }
        if reached(self.tokens, tokens) {
            return Some(Limit::Tokens);
        }
        self.money.is_some_and(|limit| self.cost(spent) >= limit).then_some(Limit::Money)
    }
}

/// What to generate and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// How much.
    pub targets: Targets,
    /// Where it stops.
    pub budget: Budget,
    /// What the choice of APIs and examples follows from.
    pub seed: u32,
    /// Answers that may be refused for one dialogue, or one domain, before it is given up.
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
