//! Truncated answers: a reasoning model may reach the maximum answer length before it has produced
//! anything to score.

use crate::{Outcome, SampleRecord};

/// The number of samples whose answer, or any answer of the episode, hit the maximum length.
pub fn cut_off(samples: &[SampleRecord]) -> usize {
    samples.iter().filter(|sample| is_cut_off(sample)).count()
}

fn is_cut_off(sample: &SampleRecord) -> bool {
    if let Some(episode) = &sample.episode {
        return episode.steps.iter().any(|step| step.answer.is_cut_off());
    }
    matches!(&sample.outcome, Outcome::Answered(answer) if answer.is_cut_off())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::tests::call;
    use dataset::Ability;
    use exchange::Answer;

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
        assert_eq!(cut_off(&samples), 2);
    }
}
