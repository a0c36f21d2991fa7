//! Which limit a refused request exceeds, from the vendors' sentences: the context, the longest answer
//! or the account's credit. Then no parameter is at fault, even if the sentence names one.

/// An exceeded limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Limit {
    /// Prompt and longest answer together, or the prompt alone.
    Context,
    /// The longest answer alone.
    Answer,
    /// The account's credit does not cover the longest answer; the tokens that it does cover.
    Credit(Option<u32>),
}

/// Phrases for a context that is too short, in lower case.
const CONTEXT: [&str; 27] = [
    "context length",
    "context_length",
    "context size",
    "context_size",
    "context window",
    "context_window",
    "context limit",
    "maximum context",
    "max context",
    "exceeds the context",
    "exceed the context",
    "max_model_len",
    "max-model-len",
    "max_seq_len",
    "max_total_tokens",
    "maximum model length",
    "maximum sequence length",
    "maximum prompt length",
    "maximum number of tokens",
    "model's maximum",
    "n_ctx",
    "prompt is too long",
    "prompt too long",
    "input is too long",
    "too many tokens",
    "too many input tokens",
    "tokens + `max_new_tokens`",
];
/// Names of the longest answer.
const ANSWER: [&str; 7] = [
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "max_new_tokens",
    "max tokens",
    "num_predict",
    "completion tokens",
];
/// Words that say that a value is too large, not that its name is unknown.
const TOO_LARGE: [&str; 11] = [
    "too large",
    "too high",
    "too big",
    "less than",
    "greater than",
    "at most",
    "exceed",
    "valid range",
    "must be <=",
    " > ",
    "maximum allowed",
];
/// Phrases for too little credit for the longest answer.
const CREDIT: [&str; 4] =
    ["can only afford", "fewer max_tokens", "lower max_tokens", "reduce max_tokens"];

impl Limit {
    /// The limit that an error message names.
    pub(crate) fn named(text: &str) -> Option<Limit> {
        let text = text.to_lowercase();
        let has = |phrases: &[&str]| phrases.iter().any(|phrase| text.contains(phrase));
        if has(&CREDIT) {
            return Some(Limit::Credit(afforded(&text)));
        }
        if has(&CONTEXT) {
            return Some(Limit::Context);
        }
        (has(&ANSWER) && has(&TOO_LARGE)).then_some(Limit::Answer)
    }
}

/// The number after "can only afford".
fn afforded(text: &str) -> Option<u32> {
    let (_, rest) = text.split_once("can only afford")?;
    let digits: String = rest.trim_start().chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_recognized_in_the_vendors_words() {
        use Limit::{Answer, Context, Credit};
        for (text, limit) in [
            ("This model's maximum context length is 4096 tokens.", Some(Context)),
            (
                "max_tokens=4096 cannot be greater than max_model_len=max_total_tokens=4096.",
                Some(Context),
            ),
            (
                "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
                Some(Context),
            ),
            (
                "input length and `max_tokens` exceed context limit: 190000 + 21000 > 200000",
                Some(Context),
            ),
            (
                "The input token count (9) exceeds the maximum number of tokens allowed (8).",
                Some(Context),
            ),
            ("`inputs` tokens + `max_new_tokens` must be <= 4096", Some(Context)),
            ("This model's maximum prompt length is 131072", Some(Context)),
            ("the request exceeds the available context size", Some(Context)),
            ("prompt is too long: 200001 tokens > 200000 maximum", Some(Context)),
            ("Your input exceeds the context window of this model.", Some(Context)),
            (
                "max_tokens is too large: 100000. This model supports at most 16384 completion tokens",
                Some(Answer),
            ),
            (
                "max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens",
                Some(Answer),
            ),
            ("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", Some(Answer)),
            ("`max_tokens` must be less than or equal to `8192`", Some(Answer)),
            (
                "This request requires more credits, or fewer max_tokens. You requested up to 4096 tokens, but can only afford 1200.",
                Some(Credit(Some(1200))),
            ),
            (
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
                None,
            ),
            ("Invalid value for temperature", None),
        ] {
            assert_eq!(Limit::named(text), limit, "{text}");
        }
    }
}
