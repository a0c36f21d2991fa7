//! Token counts as reported by the endpoint, and their cost.

use crate::{Outcome, SampleRecord};
use serde::{Deserialize, Serialize};

/// The token counts of a set of samples.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// Prompt tokens.
    pub prompt: u64,
    /// Completion tokens.
    pub completion: u64,
    /// Samples with token counts from the endpoint.
    pub counted: usize,
    /// Samples with an answer.
    pub answered: usize,
}

/// Prices per million tokens, in the user's currency.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Prices {
    /// Per million prompt tokens.
    pub prompt: f64,
    /// Per million completion tokens.
    pub completion: f64,
}

impl Tokens {
    /// The cost of the counted tokens; `None` if nothing was counted or a price is invalid.
    pub fn cost(&self, prices: Prices) -> Option<f64> {
        let fits = |price: f64| price.is_finite() && price >= 0.0;
        if self.counted == 0 || !fits(prices.prompt) || !fits(prices.completion) {
            return None;
        }
        let million = 1_000_000.0;
        let prompt = self.prompt as f64 * prices.prompt / million;
        Some(prompt + self.completion as f64 * prices.completion / million)
    }
}

/// Sums the token counts of samples; an episode counts all its answers.
pub fn tokens(samples: &[SampleRecord]) -> Tokens {
    let mut sum = Tokens::default();
    for sample in samples {
        let Outcome::Answered(answer) = &sample.outcome else { continue };
        sum.answered += 1;
        if let Some(usage) = answer.usage {
            sum.counted += 1;
            sum.prompt = sum.prompt.saturating_add(usage.prompt_tokens);
            sum.completion = sum.completion.saturating_add(usage.completion_tokens);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::tests::call;
    use dataset::Ability;
    use exchange::{Answer, Usage};

    #[test]
    fn only_counted_tokens_cost() {
        let mut samples = [
            call(Ability::Call, "call/a", 1, "Wiki", Some(true)),
            call(Ability::Call, "call/a", 3, "Wiki", Some(true)),
            call(Ability::Call, "call/b", 1, "Wiki", None),
        ];
        let usage = Usage { prompt_tokens: 300_000, completion_tokens: 20_000 };
        samples[0].outcome = Outcome::Answered(Answer { usage: Some(usage), ..Answer::default() });
        let tokens = tokens(&samples);
        assert_eq!((tokens.counted, tokens.answered), (1, 2));
        // 0.3 million at 2 and 0.02 million at 10.
        let cost = tokens.cost(Prices { prompt: 2.0, completion: 10.0 }).unwrap();
        assert!((cost - 0.8).abs() < 1e-12);
        assert_eq!(tokens.cost(Prices { prompt: -1.0, completion: 0.0 }), None);
        assert_eq!(Tokens::default().cost(Prices::default()), None);
    }
}
