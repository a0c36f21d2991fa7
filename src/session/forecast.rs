//! What a run is likely to take: the engine's count of its prompts, turned into tokens, time and
//! money by what the form says and the test of the connection measured.

use super::field::{FieldName, Problem, optional};
use super::format;
use crate::t;
use crate::texts::Texts;
use record::Estimate;
use serde::{Deserialize, Serialize};

/// Prices as typed, of a million tokens each; empty where nobody asks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Prices {
    /// Of prompts.
    pub prompt: String,
    /// Of answers.
    pub answer: String,
}

impl Prices {
    /// Both as numbers; what is empty costs nothing. `None` when both are.
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

/// How long an answer of a certain endpoint took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measured {
    /// The endpoint's address.
    pub address: String,
    /// The model that was asked.
    pub model: String,
    /// The slowest answer of the test, in milliseconds.
    pub latency_ms: u64,
}

/// What a run is likely to take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Forecast {
    /// Requests, when none is sent again.
    pub requests: usize,
    /// Tokens of all prompts.
    pub prompt_tokens: f64,
    /// Tokens of all answers, were they as long as the gold ones.
    pub answer_tokens: f64,
    /// Milliseconds from start to end; `None` while no answer was timed.
    pub time_ms: Option<f64>,
    /// In the currency of the prices; `None` without any.
    pub cost: Option<f64>,
}

impl Forecast {
    /// Of a count, `concurrency` requests at a time.
    pub fn new(
        count: &Estimate,
        concurrency: usize,
        latency_ms: Option<u64>,
        prices: Option<(f64, f64)>,
    ) -> Self {
        let (prompt_tokens, answer_tokens) = (count.prompt_tokens(), count.answer_tokens());
        // What is left over at the end of the run takes a whole answer's time, too.
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

/// A count to two digits, as it is no surer: `1.2 million`, `43,000`.
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
    fn time_follows_from_what_was_measured_and_money_from_prices() {
        let count = Estimate {
            samples: 9,
            requests: 10,
            prompt_chars: 4_000_000,
            answer_chars: 400_000,
            ..Estimate::default()
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
    fn counts_are_no_more_exact_than_they_are_known() {
        let texts = [0.2, 7.0, 1234.0, 98_765.0, 999_999.0, 12_345_678.0]
            .map(|n| rounded(n, Texts::ENGLISH));
        assert_eq!(texts, ["0", "7", "1,200", "99,000", "1.0 million", "12.0 million"]);
    }

    #[test]
    fn prices_are_numbers_or_nothing() {
        let read = |prompt: &str, answer: &str| {
            let mut problems = Vec::new();
            let prices = Prices { prompt: prompt.to_owned(), answer: answer.to_owned() };
            let read = prices.read(&mut problems, Texts::ENGLISH);
            (read, problems.into_iter().map(|it| it.field).collect::<Vec<_>>())
        };
        assert_eq!(read("", " "), (None, vec![]));
        assert_eq!(read("2.5", ""), (Some((2.5, 0.0)), vec![]));
        assert_eq!(read("-1", "inf").1, [FieldName::PromptPrice, FieldName::AnswerPrice]);
    }
}
