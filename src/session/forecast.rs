//! Forecasts a run's tokens, time and cost from the engine's estimate, the form's prices and the
//! latency of the connection test.

use super::field::{FieldName, Problem, optional};
use super::format;
use crate::t;
use crate::texts::Texts;
use record::RunSize;
use serde::{Deserialize, Serialize};

/// Prices per million tokens, as typed; may be empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Prices {
    /// Prompt tokens.
    pub prompt: String,
    /// Answer tokens.
    pub answer: String,
}

impl Prices {
    /// Parses both prices; an empty one is 0. `None` if both are empty.
    pub fn read(&self, problems: &mut Vec<Problem>, texts: Texts) -> Option<(f64, f64)> {
        let fits = |price: &f64| price.is_finite() && *price >= 0.0;
        let mut price =
            |text: &str, field, expected| optional(text, fits, field, expected, problems, texts);
        let prompt = price(
            &self.prompt,
            FieldName::PromptPrice,
            t!(texts, "Prompt token price: expected a number from 0, or empty"),
        );
        let answer = price(
            &self.answer,
            FieldName::AnswerPrice,
            t!(texts, "Answer token price: expected a number from 0, or empty"),
        );
        (prompt.is_some() || answer.is_some())
            .then(|| (prompt.unwrap_or_default(), answer.unwrap_or_default()))
    }
}

/// The measured latency of an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measured {
    /// The endpoint's address.
    pub address: String,
    /// The model.
    pub model: String,
    /// Latency of the test's slowest answer, in milliseconds.
    pub latency_ms: u64,
}

/// The forecast of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Forecast {
    /// Requests, without retries.
    pub requests: usize,
    /// Tokens of all prompts.
    pub prompt_tokens: f64,
    /// Tokens of all answers, assuming the length of the gold answers.
    pub answer_tokens: f64,
    /// Duration in milliseconds; `None` without a measurement.
    pub time_ms: Option<f64>,
    /// Cost in the currency of the prices; `None` without prices.
    pub cost: Option<f64>,
}

impl Forecast {
    /// Computes the forecast with `concurrency` requests in flight.
    pub fn new(
        count: &RunSize,
        concurrency: usize,
        latency_ms: Option<u64>,
        prices: Option<(f64, f64)>,
    ) -> Self {
        let (prompt_tokens, answer_tokens) = (count.prompt_tokens(), count.answer_tokens());
        // The last, partial round takes as long as a full one.
        let rounds = count.requests.div_ceil(concurrency.max(1)) as f64;
        Forecast {
            requests: count.requests,
            prompt_tokens,
            answer_tokens,
            time_ms: latency_ms.map(|ms| rounds * ms as f64),
            cost: prices
                .map(|(prompt, answer)| (prompt_tokens * prompt + answer_tokens * answer) / 1e6),
        }
    }

    /// Requests and tokens in a sentence.
    pub fn size(&self, texts: Texts) -> String {
        t!(
            texts,
            "{requests} requests, about {prompt} prompt tokens and {answer} answer tokens",
            requests = format::count(self.requests),
            prompt = rounded(self.prompt_tokens, texts),
            answer = rounded(self.answer_tokens, texts)
        )
    }
}

/// A count rounded to two significant digits, its precision: `1.2 million`, `43,000`.
pub fn rounded(n: f64, texts: Texts) -> String {
    if n < 1.0 {
        return "0".to_owned();
    }
    let unit = 10f64.powf((n.log10().floor() - 1.0).max(0.0));
    let n = (n / unit).round() * unit;
    if n >= 1e6 {
        return t!(texts, "{n} million", n = format!("{:.1}", n / 1e6));
    }
    format::count(n as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_follows_from_the_measurement_and_cost_from_prices() {
        let count = RunSize {
            samples: 9,
            requests: 10,
            prompt_chars: 4_000_000,
            answer_chars: 400_000,
            ..RunSize::default()
        };
        let bare = Forecast::new(&count, 4, None, None);
        assert_eq!((bare.time_ms, bare.cost), (None, None));
        assert_eq!(
            bare.size(Texts::ENGLISH),
            "10 requests, about 1.0 million prompt tokens and 100,000 answer tokens"
        );
        let full = Forecast::new(&count, 4, Some(2000), Some((2.0, 10.0)));
        assert_eq!(full.time_ms, Some(6000.0));
        assert!((full.cost.unwrap() - 3.0).abs() < 1e-9);
    }

    #[test]
    fn counts_are_rounded_to_two_digits() {
        let texts = [0.2, 7.0, 1234.0, 98_765.0, 999_999.0, 12_345_678.0]
            .map(|n| rounded(n, Texts::ENGLISH));
        assert_eq!(texts, ["0", "7", "1,200", "99,000", "1.0 million", "12.0 million"]);
    }

    #[test]
    fn prices_are_numbers_or_empty() {
        let read = |prompt: &str, answer: &str| {
            let mut problems = Vec::new();
            let prices = Prices { prompt: prompt.to_owned(), answer: answer.to_owned() };
            let read = prices.read(&mut problems, Texts::ENGLISH);
            (read, problems.into_iter().map(|problem| problem.field).collect::<Vec<_>>())
        };
        assert_eq!(read("", " "), (None, vec![]));
        assert_eq!(read("2.5", ""), (Some((2.5, 0.0)), vec![]));
        assert_eq!(read("-1", "inf").1, [FieldName::PromptPrice, FieldName::AnswerPrice]);
    }
}
