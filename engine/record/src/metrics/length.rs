//! Truncated and empty answers: a reasoning model may reach the maximum answer length before it has
//! produced anything to score, and a server may lose what the model said. Answers with the reasoning
//! in their text.

use crate::{Outcome, SampleRecord};
use exchange::Answer;

/// The number of samples whose answer, or any answer of the episode, hit the maximum length.
pub fn cut_off(samples: &[SampleRecord]) -> usize {
    count(samples, Answer::is_cut_off)
}

/// The number of samples whose answer, or any answer of the episode, is empty although it was not
/// truncated: no text, no call, no reasoning. Such an answer is asked for twice, then scored.
pub fn empty_answers(samples: &[SampleRecord]) -> usize {
    count(samples, |answer| answer.is_empty() && !answer.is_cut_off())
}

/// The number of samples with reasoning in the text of an answer, between marks.
pub fn reasoning_in_text(samples: &[SampleRecord]) -> usize {
    count(samples, |answer| answer.reasoning_in_text)
}

/// The number of samples of which it holds for the answer, or for any answer of the episode.
fn count(samples: &[SampleRecord], is: impl Fn(&Answer) -> bool) -> usize {
    let has = |sample: &&SampleRecord| match (&sample.episode, &sample.outcome) {
        (Some(episode), _) => episode.steps.iter().any(|step| is(&step.answer)),
        (None, Outcome::Answered(answer)) => is(answer),
        (None, Outcome::Failed { .. }) => false,
    };
    samples.iter().filter(has).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::tests::call;
    use dataset::Ability;

    #[test]
    fn answers_at_the_longest_length_are_counted_and_failures_are_not() {
        let ended = |turn: usize, reason: &str| {
            let answer = Answer { finish_reason: Some(reason.to_owned()), ..Answer::default() };
            let sample = call(Ability::Call, "call/a", turn, "A", Some(true));
            SampleRecord { outcome: Outcome::Answered(answer), ..sample }
        };
        let samples = [
            ended(1, "length"),
            ended(2, "stop"),
            ended(3, "max_tokens"),
            call(Ability::Call, "call/a", 4, "A", None),
        ];
        assert_eq!((cut_off(&samples), empty_answers(&samples)), (2, 1));
    }

    #[test]
    fn reasoning_in_the_text_is_counted() {
        let said = |turn, text: &str| {
            let answer = Answer { text: text.to_owned(), ..Answer::default() };
            let answer = answer.without_reasoning_in_text();
            let sample = call(Ability::Call, "call/a", turn, "A", Some(true));
            SampleRecord { outcome: Outcome::Answered(answer), ..sample }
        };
        let samples = [said(1, "[THINK]a[/THINK]b"), said(2, "b"), said(3, "<think></think>b")];
        assert_eq!(reasoning_in_text(&samples), 1);
    }
}
